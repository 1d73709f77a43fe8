"""Paths as robots.txt and the configuration write them: `*`, a final `$`, prefixes; pure, linear.

No regular expression is ever made from what a site, or a person, wrote.
"""

from __future__ import annotations

import re
from urllib.parse import quote

UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
RESERVED = ":/?#[]@!$&'()*+,;="
ESCAPE = re.compile(r"%([0-9a-fA-F]{2})?")


def matches(pattern: str, target: str) -> bool:
    """Say whether a pattern matches the beginning of a path, in linear time.

    Between two `*` the leftmost place is always good enough, so nothing is ever tried twice.

    Args:
        pattern: `*` stands for any characters, a final `$` for the end.
        target: Path and query of an address.
    """
    is_anchored = pattern.endswith("$")
    head, *pieces = pattern.removesuffix("$").split("*")
    if not target.startswith(head):
        return False
    if not pieces:
        return not is_anchored or target == head
    position = len(head)
    for piece in pieces[:-1]:
        position = target.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    if is_anchored:
        return target.endswith(pieces[-1]) and len(target) - len(pieces[-1]) >= position
    return target.find(pieces[-1], position) >= 0


def is_in_paths(url: str, paths: tuple[str, ...]) -> bool:
    """Say whether an address lies in one of the configured paths.

    A path without `*` and final `$` holds itself and all below it, by whole segments; any other
    is a pattern for path and query. Both sides are compared with normal escapes, so `/목록` and
    `/%eb%aa%a9%eb%a1%9d` are one path.

    Args:
        url: Absolute address, or a path; its dot segments are resolved already.
        paths: Each begins with `/`.
    """
    target = normalize_escapes(target_of(url))
    return any(_is_in_path(target, normalize_escapes(path)) for path in paths)


def _is_in_path(target: str, path: str) -> bool:
    if "*" in path or path.endswith("$"):
        return matches(path, target)
    own = target.partition("?")[0]
    return own == path or own.startswith(path.rstrip("/") + "/")


def target_of(url: str) -> str:
    """Return path and query of an address as they stand; urlsplit would lose a final `?`."""
    rest = url.partition("#")[0]
    if not rest.startswith("/"):
        rest = rest.partition("://")[2]
        rest = rest[min((rest.find(mark) for mark in "/?" if mark in rest), default=len(rest)) :]
    return rest if rest.startswith("/") else f"/{rest}"


def normalize_escapes(text: str) -> str:
    """Return a part of an address with each character written in one way only.

    Escapes of unreserved characters are decoded, all others have upper-case digits; characters
    that may not stand in an address are escaped as UTF-8, and so is a `%` that escapes nothing.
    What a reserved character separates stays apart: `%2F` and `%26` are never decoded.

    Raises:
        ValueError: The text holds half a surrogate pair.

    Source: RFC 3986, 6.2.2.1 and 6.2.2.2.
    """
    return quote(ESCAPE.sub(_normal_escape, text), safe=f"%{RESERVED}")


def _normal_escape(escape: re.Match[str]) -> str:
    if not escape[1]:
        return "%25"
    character = chr(int(escape[1], 16))
    return character if character in UNRESERVED else escape[0].upper()
