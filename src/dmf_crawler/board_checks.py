"""What config/boards.yaml says wrongly although its types are right, and which hosts are real."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from urllib.parse import urlsplit

from dmf_crawler.boards import Board, Boards, HtmlSource, OpenApiSource, Site
from dmf_crawler.document import Finding, KeyPath
from dmf_crawler.document_checks import HIDDEN

# Not urlsplit: Python 3.11's finds the host ::1 in `http://[::1]evil.com`.
_PLAIN_ADDRESS = re.compile(
    r"https?://(?:\[(?P<ipv6>[0-9A-Fa-f:]+)\]|(?P<name>[A-Za-z0-9.-]+))(?::[0-9]{1,5})?"
)

ONLY_LISTS = "kind: list 인 게시판에만 적습니다."

_DEVICE_NAMES = {"con", "prn", "aux", "nul"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in range(10)
}
"""Names that Windows gives no folder."""


def is_loopback(base_url: str) -> bool:
    """Say whether an address can only mean this very machine; in doubt it does not."""
    parts = _PLAIN_ADDRESS.fullmatch(base_url)
    host = (parts["name"] or parts["ipv6"]).lower() if parts else ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # another name, or a number that only some can read
        return False


def is_enabled(board: Board, sites: Mapping[str, Site]) -> bool:
    """Say whether a board is fetched and reported; `rehearsal` is, on loopback alone."""
    if board.enabled == "rehearsal":
        return board.site in sites and is_loopback(sites[board.site].base_url)
    return bool(board.enabled)


def find_board_faults(boards: Boards) -> Iterator[Finding]:
    """Yield everything that no single key shows."""
    ids = [board.id for board in boards.boards]
    for index, board in enumerate(boards.boards):
        at = ("boards", index)
        if board.id in ids[:index]:
            yield Finding((*at, "id"), f"'{board.id}' 두 번", "게시판마다 다른 id")
        if board.id in _DEVICE_NAMES:
            yield Finding((*at, "id"), f"'{board.id}'", "Windows가 장치 이름으로 쓰지 않는 id")
        if board.site not in boards.sites:
            yield Finding((*at, "site"), f"'{board.site}'", _one_of(boards.sites))
        yield from _find_kind_faults(at, board)
        if board.kind == "list":
            yield from _find_choice_faults(at, board)
        yield from _find_source_faults(at, board, boards.sites)
        if board.details is not None and not board.details.scope:
            yield Finding((*at, "details", "scope"), "빈 목록", "상세 페이지의 경로 1개 이상")
    yield from _find_site_faults(boards)


def _find_site_faults(boards: Boards) -> Iterator[Finding]:
    used, keyed = set(used_sites(boards)), set(_keyed_sites(boards))
    for name, site in boards.sites.items():
        yield from _find_address_faults(name, site)
        if name in used:
            yield from _find_permission_faults(name, site)
        if name in keyed and site.base_url.startswith("http:") and not is_loopback(site.base_url):
            yield Finding(
                ("sites", name, "base_url"),
                f"'{site.base_url}'",
                "https:// 로 시작하는 주소",
                "인증키를 암호화하지 않은 연결로 보내지 않습니다.",
            )


def _one_of(names: Iterable[str]) -> str:
    return f"다음 중 하나: {', '.join(names)}"


def used_sites(boards: Boards) -> Iterator[str]:
    """Yield the names of the sites that are asked: of enabled boards and the sources they use."""
    for board in boards.boards:
        if is_enabled(board, boards.sites):
            names = (board.site, *map(board.site_of, board.used_sources))
            yield from (name for name in names if name in boards.sites)


def _keyed_sites(boards: Boards) -> Iterator[str]:
    """Yield the names of the sites that get a key."""
    for board in boards.boards:
        if is_enabled(board, boards.sites) and "openapi" in board.used_sources:
            yield board.site_of("openapi")


def _find_kind_faults(at: KeyPath, board: Board) -> Iterator[Finding]:
    """Yield the section that a board's kind needs and lacks, and those that it cannot have."""
    if board.kind == "list":
        if board.page is not None:
            yield Finding((*at, "page"), "있음", "null", "kind: page 인 게시판에만 적습니다.")
        return
    if board.page is None:
        yield Finding(
            (*at, "page"),
            "없음",
            "키와 값의 묶음",
            "kind: page 인 게시판에는 page 설정이 있어야 합니다.",
            code="missing_key",
        )
    for name in ("html", "export", "openapi", "details"):
        if getattr(board, name) is not None:
            yield Finding((*at, name), "있음", "null", ONLY_LISTS)
    if board.primary != "html":
        yield Finding((*at, "primary"), f"'{board.primary}'", "적지 않음", ONLY_LISTS)
    if board.cross_checks:
        found = ", ".join(board.cross_checks)
        yield Finding((*at, "cross_checks"), found, "적지 않음", ONLY_LISTS)


def _find_choice_faults(at: KeyPath, board: Board) -> Iterator[Finding]:
    """Yield why the sources that a board names cannot be used together."""
    for index, source in enumerate(board.cross_checks):
        if source in (board.primary, *board.cross_checks[:index]):
            expected = "primary가 아닌 다른 원천, 한 번씩"
            yield Finding((*at, "cross_checks", index), f"'{source}'", expected)
    ignored = board.cross_check_rules.ignored_fields
    for index, name in enumerate(ignored):
        if name in ignored[:index]:
            key = (*at, "cross_check_rules", "ignored_fields", index)
            yield Finding(key, f"'{name}' 두 번", "항목 id마다 한 번")
    for source in dict.fromkeys(board.used_sources):
        if getattr(board, source) is None:
            yield Finding(
                (*at, source),
                "없음",
                "키와 값의 묶음",
                f"primary나 cross_checks에 적은 원천 {source} 의 설정을 추가하십시오.",
                code="missing_key",
            )
    if board.details is not None and board.primary != "html":
        yield Finding(
            (*at, "details"),
            "있음",
            "null",
            f"상세 페이지의 링크는 html 목록에만 있습니다(primary: {board.primary}).",
        )


def _find_source_faults(at: KeyPath, board: Board, sites: Mapping[str, Site]) -> Iterator[Finding]:
    if board.html is not None:
        yield from _find_paging_faults((*at, "html"), board.html)
    if board.openapi is not None:
        yield from _find_paging_faults((*at, "openapi"), board.openapi)
        yield from _find_api_faults((*at, "openapi"), board.openapi)
    for name, source in (("export", board.export), ("openapi", board.openapi)):
        if source is not None and source.site and source.site not in sites:
            yield Finding((*at, name, "site"), f"'{source.site}'", _one_of(sites))


def _find_paging_faults(at: KeyPath, source: HtmlSource | OpenApiSource) -> Iterator[Finding]:
    if source.page_param == source.size_param:
        yield Finding(
            (*at, "size_param"), f"'{source.size_param}'", "page_param과 다른 매개변수 이름"
        )
    for name in (source.page_param, source.size_param):
        if name in source.params:
            yield Finding(
                (*at, "params", name), f"'{name}'", "page_param, size_param이 아닌 매개변수 이름"
            )


def _find_api_faults(at: KeyPath, source: OpenApiSource) -> Iterator[Finding]:
    if source.key_param in {source.page_param, source.size_param}:
        expected = "page_param, size_param과 다른 매개변수 이름"
        yield Finding((*at, "key_param"), f"'{source.key_param}'", expected)
    if source.key_param in source.params:
        yield Finding(
            (*at, "params", source.key_param),
            HIDDEN,
            "key_param이 아닌 매개변수 이름",
            f"인증키는 파일에 적지 말고 환경 변수 {source.key_variable} 에 넣으십시오.",
        )
    if source.max_passes < source.n_passes:
        yield Finding(
            (*at, "max_passes"), f"{source.max_passes}", f"n_passes({source.n_passes}) 이상"
        )


def _find_address_faults(name: str, site: Site) -> Iterator[Finding]:
    at = ("sites", name)
    try:
        parts = urlsplit(site.base_url)
        is_sound = parts.port != 0 and parts.hostname is not None
        if "[" in parts.netloc:
            ipaddress.IPv6Address(parts.hostname or "")
    except ValueError:
        is_sound = False
    if not is_sound:
        yield Finding((*at, "base_url"), f"'{site.base_url}'", "있을 수 있는 주소와 포트(1~65535)")
    if site.terms_checked_on is not None:
        try:
            date.fromisoformat(site.terms_checked_on)
        except ValueError:
            yield Finding(
                (*at, "terms_checked_on"), f"'{site.terms_checked_on}'", "달력에 있는 날짜"
            )


def _find_permission_faults(name: str, site: Site) -> Iterator[Finding]:
    at = ("sites", name)
    if not site.public_body:
        yield Finding(
            (*at, "public_body"),
            "false",
            "true",
            "공공기관이 운영하는 사이트만 수집합니다. 게시판을 enabled: false로 바꾸십시오.",
        )
    if site.terms_checked_on is None and not is_loopback(site.base_url):
        yield Finding(
            (*at, "terms_checked_on"),
            "없음",
            "날짜(YYYY-MM-DD)",
            f"{site.base_url} 의 robots.txt와 이용약관을 직접 읽고 그 날짜를 적으십시오.",
            code="terms_not_checked",
        )
