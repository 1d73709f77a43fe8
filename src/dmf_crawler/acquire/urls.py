"""Where an address leads: redirects that stay on the site, and the scope of a board; pure."""

from __future__ import annotations

from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
PRINTABLE = bytes(range(0x21, 0x7F))
"""Characters of an address that a server sent which may stand as they are."""


def resolve_redirect(url: str, location: str) -> str | None:
    """Return where a redirect leads, None where that is not the same scheme, host and port.

    A path with `.` or `..` segments, also percent-encoded, or with a backslash is refused: the
    server may read it as another path than the one that is checked. So is an address with a user
    name: nothing here logs in.

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
    path = unquote(new.path)
    is_plain = "\\" not in path and not {".", ".."} & set(path.split("/"))
    if not is_same_origin or not is_plain or "@" in new.netloc:
        return None
    return quote(target.partition("#")[0], safe=PRINTABLE)


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    port = parts.port if parts.port is not None else DEFAULT_PORTS.get(parts.scheme)
    return parts.scheme, parts.hostname, port


def is_in_scope(url: str, scope: tuple[str, ...]) -> bool:
    """Say whether an address lies at or below one of the path prefixes, by whole segments."""
    path = urlsplit(url).path or "/"
    return any(path == prefix or path.startswith(prefix.rstrip("/") + "/") for prefix in scope)
