"""Where an address leads: redirects that stay on the site, and the scope of a board; pure."""

from __future__ import annotations

from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
PRINTABLE = bytes(range(0x21, 0x7F))
"""Characters of an address that a server sent which may stand as they are."""

_MAX_DECODINGS = 8
"""What is encoded more often is no address that a site gives."""


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


def is_in_scope(url: str, scope: tuple[str, ...]) -> bool:
    """Say whether an address lies at or below one of the path prefixes, by whole segments."""
    path = urlsplit(url).path or "/"
    return any(path == prefix or path.startswith(prefix.rstrip("/") + "/") for prefix in scope)
