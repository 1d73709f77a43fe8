"""Where an address leads: one normal form, links and redirects that stay on the site; pure.

What a page or a server calls an address is untrusted: it may name another host, hide a path in
escapes, or make ever longer addresses of the same page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import IPv6Address
from itertools import pairwise
from urllib.parse import SplitResult, quote, quote_plus, unquote, unquote_plus, urljoin, urlsplit

from dmf_crawler.acquire.path_pattern import is_in_paths, normalize_escapes

DEFAULT_PORTS = {"http": 80, "https": 443}
NETWORK_SCHEMES = frozenset({"http", "https", "ftp", "ws", "wss"})
"""Schemes that name a host; any other (`javascript:`, `mailto:`) names no page."""

PRINTABLE = bytes(range(0x21, 0x7F))
"""Characters of an address that a server sent which may stand as they are."""

MAX_URL_BYTES = 1_024
MAX_HREF_CHARS = 8 * MAX_URL_BYTES
"""What is looked at of a link: its normal form may be shorter, but not by that much."""

MAX_HOST_CHARS = 255
MAX_SEGMENTS = 12
MAX_PARAMS = 24
MAX_SAME_PARAM = 4
MAX_SAME_SEGMENT = 2

_MAX_DECODINGS = 8
"""What is encoded more often is no address that a site gives."""

_C0_AND_SPACE = "".join(map(chr, range(0x21)))
_LINE_BREAKS = str.maketrans("", "", "\t\n\r")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HOST = re.compile(r"[a-z0-9._-]+")


# --- the normal form ---------------------------------------------------------------------------


def normal_url(url: str, *, dropped: frozenset[str] = frozenset()) -> str:
    """Return the one way in which an address is written here; the same page, the same text.

    Scheme and host in lower case, host in IDNA, no default port, no dot segments, escapes as in
    `path_pattern.normalize_escapes`, an empty path as `/`, parameters sorted by name, then value,
    each as it was written, no empty query and no fragment.

    Args:
        url: Absolute, http or https, without a user name.
        dropped: Names of parameters that are left out, in any case of letters, from the query and
            from path parameters (`;name=value`).

    Raises:
        ValueError: That is no such address.

    Source: RFC 3986, 6.2.2 and 6.2.3.
    """
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or "@" in parts.netloc:
        raise ValueError("not an absolute http(s) address without a user name")
    names = frozenset(name.casefold() for name in dropped)
    path = _resolve_dots(_drop_path_params(normalize_escapes(parts.path), names))
    params = normalize_escapes(parts.query).split("&")
    query = "&".join(sorted(_kept(params, names), key=_param_order))
    return f"{parts.scheme}://{_normal_netloc(parts)}{path}" + (query and f"?{query}")


def _normal_netloc(parts: SplitResult) -> str:
    host = _normal_host(parts.hostname or "")
    port = parts.port
    return host if port in {None, DEFAULT_PORTS[parts.scheme]} else f"{host}:{port}"


def _normal_host(host: str) -> str:
    if len(host) > MAX_HOST_CHARS:
        raise ValueError("not a host name")
    if ":" in host:
        if "%" in host:
            raise ValueError("an IPv6 address with a zone")
        return f"[{IPv6Address(host).compressed}]"
    ascii_host = host.encode("idna").decode("ascii").lower()
    if not _HOST.fullmatch(ascii_host):
        raise ValueError("not a host name")
    return ascii_host


def _drop_path_params(path: str, names: frozenset[str]) -> str:
    if not names or ";" not in path:
        return path
    return "/".join(
        ";".join([own, *_kept(params, names)])
        for own, *params in (segment.split(";") for segment in path.split("/"))
    )


def _resolve_dots(path: str) -> str:
    """Return an absolute path without `.` and `..` segments (RFC 3986, 5.2.4)."""
    resolved: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del resolved[-1:]
        elif segment != ".":
            resolved.append(segment)
    if segments and segments[-1] in {".", ".."}:
        resolved.append("")
    return "/" + "/".join(resolved)


def _kept(params: Iterable[str], names: frozenset[str]) -> Iterator[str]:
    """Yield the parameters that say something and are not dropped."""
    return (each for each in params if each and _name_of(each) not in names)


def _name_of(param: str) -> str:
    return unquote_plus(param.partition("=")[0]).casefold()


def _param_order(param: str) -> tuple[str, str, str]:
    name, mark, value = param.partition("=")
    return name, value, mark


# --- links -------------------------------------------------------------------------------------


class LinkRefusal(StrEnum):
    """Why a link of a page is not followed."""

    NO_ADDRESS = "no_address"
    MALFORMED = "malformed"
    OTHER_HOST = "other_host"
    OUT_OF_SCOPE = "out_of_scope"
    BLOCKED = "blocked"
    TOO_LONG = "too_long"
    TRAP = "trap"
    NOFOLLOW = "nofollow"


@dataclass(frozen=True, slots=True)
class LinkRules:
    """Which links of a board's pages are followed, and how their addresses are written.

    Attributes:
        base_url: Scheme, host and port of the site.
        scope: Paths, or path patterns, that a link may lead to.
        blocked: Paths, or path patterns, that are never asked for.
        dropped: Names of parameters that are left out of links, in any case of letters.
        params: Constant parameters that are added; they win over the link's own.
    """

    base_url: str
    scope: tuple[str, ...]
    blocked: tuple[str, ...] = ()
    dropped: frozenset[str] = frozenset()
    params: Mapping[str, str] = field(default_factory=dict)


def follow_link(page_url: str, href: str, rules: LinkRules) -> str | LinkRefusal:
    """Return the normal form of the address that a link leads to, or why it is not followed.

    Args:
        page_url: Absolute address of the page, or its base address where it names one.
        href: As it stands in the page; outer white space and inner line breaks do not count, as
            in browsers.
        rules: What may be followed.
    """
    href = href.strip(_C0_AND_SPACE)
    if len(href) > MAX_HREF_CHARS:
        return LinkRefusal.TOO_LONG
    href = href.translate(_LINE_BREAKS)
    scheme = _SCHEME.match(href)
    if not href or href.startswith("#") or (scheme and scheme[1].lower() not in NETWORK_SCHEMES):
        return LinkRefusal.NO_ADDRESS
    try:
        target = urljoin(page_url, href)
        refusal = _judge_origin(target, rules.base_url)
        if refusal is not None:
            return refusal
        url = normal_url(target, dropped=rules.dropped)
        url = normal_url(_with_params(url, rules.params))
    except ValueError:  # a port that is no number, half an IPv6 address, half a surrogate pair
        return LinkRefusal.MALFORMED
    return _judge_place(target, url, rules) or url


def _judge_origin(target: str, base_url: str) -> LinkRefusal | None:
    parts = urlsplit(target)
    if parts.scheme not in DEFAULT_PORTS or not parts.netloc or "@" in parts.netloc:
        return LinkRefusal.OTHER_HOST
    base = urlsplit(base_url)
    is_same = (parts.scheme, _normal_netloc(parts)) == (base.scheme, _normal_netloc(base))
    return None if is_same else LinkRefusal.OTHER_HOST


def _judge_place(target: str, url: str, rules: LinkRules) -> LinkRefusal | None:
    if not _is_plain(urlsplit(target).path):
        return LinkRefusal.TRAP
    if not is_in_paths(url, rules.scope):
        return LinkRefusal.OUT_OF_SCOPE
    if is_blocked(url, rules.blocked):
        return LinkRefusal.BLOCKED
    if len(url) > MAX_URL_BYTES:
        return LinkRefusal.TOO_LONG
    return LinkRefusal.TRAP if _is_trap(urlsplit(url)) else None


def _with_params(url: str, params: Mapping[str, str]) -> str:
    """Add constant parameters to an address, in place of its own ones of these names."""
    if not params:
        return url
    parts = urlsplit(url)
    own = [each for each in parts.query.split("&") if _exact_name(each) not in params]
    added = [f"{quote_plus(name)}={quote_plus(value)}" for name, value in params.items()]
    return parts._replace(query="&".join(own + added)).geturl()


def _exact_name(param: str) -> str:
    return unquote_plus(param.partition("=")[0])


def _is_trap(parts: SplitResult) -> bool:
    """Say whether an address looks made by a page that links to itself without end."""
    segments = parts.path.split("/")[1:]
    if len(segments) > MAX_SEGMENTS or max(Counter(segments).values()) > MAX_SAME_SEGMENT:
        return True
    pairs = list(pairwise(segments))
    if len(set(pairs)) < len(pairs):
        return True  # any run of two and more that comes again holds such a pair
    names = Counter(_name_of(each) for each in parts.query.split("&"))
    return names.total() > MAX_PARAMS or max(names.values()) > MAX_SAME_PARAM


def is_blocked(url: str, blocked: tuple[str, ...]) -> bool:
    """Say whether an address, or what a lenient server may read it as, is never asked for.

    Such a server decodes `%2F`, drops path parameters and takes `//` for `/`.
    """
    path, mark, query = _decode_fully(url.partition("#")[0]).partition("?")
    scheme, colon, rest = path.partition("://")
    rest = re.sub(r"/+", "/", re.sub(r";[^/]*", "", rest))
    lenient = quote(f"{scheme}{colon}{rest}{mark}{query}", safe=PRINTABLE)
    return is_in_paths(url, blocked) or is_in_paths(lenient, blocked)


def _decode_fully(text: str) -> str:
    for _ in range(_MAX_DECODINGS):
        encoded, text = text, unquote(text)
        if text == encoded:
            break
    return text


# --- redirects and scope -----------------------------------------------------------------------


def resolve_redirect(url: str, location: str) -> str | None:
    """Return where a redirect leads, None where that is not the same scheme, host and port.

    A path with `.` or `..` segments or with a backslash is refused, also where they are
    percent-encoded, once or more often, or have parameters (`..;x`): the server may read it as
    another path than the one that is checked. So is an address with a user name: nothing here logs
    in.

    Args:
        url: Absolute address that was asked for.
        location: The Location field, absolute or relative, as the server sent it.

    Returns:
        The address without its fragment, in printable ASCII, or None.
    """
    location = location.strip()
    if not location:
        return None
    try:
        target = urljoin(url, location)
        new = urlsplit(target)
        is_same_origin = _origin(urlsplit(url)) == _origin(new)
    except ValueError:  # a port that is no number, half an IPv6 address
        return None
    if not is_same_origin or not _is_plain(new.path) or "@" in new.netloc:
        return None
    return quote(target.partition("#")[0], safe=PRINTABLE)


def _is_plain(path: str) -> bool:
    """Say whether a path means itself, however often it is decoded."""
    for _ in range(_MAX_DECODINGS):
        segments = {segment.partition(";")[0] for segment in path.split("/")}
        if "\\" in path or {".", ".."} & segments:
            return False
        encoded, path = path, unquote(path)
        if path == encoded:
            return True
    return False


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    port = parts.port if parts.port is not None else DEFAULT_PORTS.get(parts.scheme)
    return parts.scheme, parts.hostname, port
