"""config/ and selectors/ files → checked, typed, frozen settings of one home folder.

A file is read by a loader that refuses duplicate keys and YAML 1.1 surprises, then checked whole:
every fault is reported at once, with file, line, key, found, expected and the next step.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PureWindowsPath
from urllib.parse import urlsplit

from dmf_crawler.document import Document, Finding, KeyPath, raise_findings, read_document
from dmf_crawler.document_checks import convert_document, find_faults
from dmf_crawler.settings import Board, Boards, HtmlSource, Settings, Site

LEAST_DELAY_S = 2.0
"""No real server is asked more often than this, whatever the settings say."""

# Not urlsplit: Python 3.11's finds the host ::1 in `http://[::1]evil.com`.
_PLAIN_ADDRESS = re.compile(
    r"https?://(?:\[(?P<ipv6>[0-9A-Fa-f:]+)\]|(?P<name>[A-Za-z0-9.-]+))(?::[0-9]{1,5})?"
)

_DEVICE_NAMES = {"con", "prn", "aux", "nul"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in range(10)
}
"""Names that Windows gives no folder."""


@dataclass(frozen=True, slots=True)
class Home:
    """A home folder whose configuration has been checked whole.

    Attributes:
        root: Absolute.
        settings: config/settings.yaml.
        sites: By name.
        boards: All boards, disabled ones too.
        selectors: Board id → its selectors file, read but not compiled; enabled boards only.
    """

    root: Path
    settings: Settings
    sites: dict[str, Site]
    boards: tuple[Board, ...]
    selectors: dict[str, Document]

    @property
    def database(self) -> Path:
        """The history."""
        return self.root / "var" / "dmf.sqlite3"

    @property
    def lock(self) -> Path:
        """The lock that one run holds."""
        return self.root / "var" / "run.lock"

    @property
    def raw(self) -> Path:
        """The raw store."""
        return self.root / "raw"

    @property
    def logs(self) -> Path:
        """One JSON-lines file a day."""
        return self.root / "logs"

    @property
    def reports(self) -> Path:
        """Where workbooks go; the only folder that may lie outside the home."""
        return self.root / self.settings.paths.reports_dir

    @property
    def enabled_boards(self) -> tuple[Board, ...]:
        """The boards that are fetched and reported."""
        return tuple(board for board in self.boards if is_enabled(board, self.sites))

    def site_of(self, board: Board) -> Site:
        """Return the site that a board lies on."""
        return self.sites[board.site]


def shipped_home() -> Path:
    """Return the folder whose config/ and selectors/ a new home is copied from.

    An installed package carries them; in a checkout they are the repository's own.
    """
    carried = Path(__file__).parent / "shipped"
    return carried if carried.is_dir() else Path(__file__).parents[2]


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


def load_home(root: Path) -> Home:
    """Read and check the whole configuration of a home folder; nothing is fetched before.

    Raises:
        ConfigError: Names every fault of keys and values; once there is none, every fault between
            them.
    """
    root = root.resolve()
    settings_file = read_document(root / "config/settings.yaml", "config/settings.yaml")
    boards_file = read_document(root / "config/boards.yaml", "config/boards.yaml")
    raise_findings(
        [(settings_file, finding) for finding in find_faults(settings_file.value, Settings)]
        + [(boards_file, finding) for finding in find_faults(boards_file.value, Boards)]
    )
    settings = convert_document(settings_file, Settings)
    boards = convert_document(boards_file, Boards)
    raise_findings(
        [(boards_file, finding) for finding in _find_board_faults(boards)]
        + [(settings_file, finding) for finding in _find_settings_faults(settings, boards)]
    )
    selectors = {
        board.id: read_document(root / f"selectors/{board.id}.yaml", f"selectors/{board.id}.yaml")
        for board in boards.boards
        if is_enabled(board, boards.sites)
    }
    return Home(root, settings, boards.sites, boards.boards, selectors)


def _find_board_faults(boards: Boards) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, board in enumerate(boards.boards):
        at = ("boards", index)
        if board.id in seen:
            yield Finding((*at, "id"), f"'{board.id}' 두 번", "게시판마다 다른 id")
        seen.add(board.id)
        if board.id in _DEVICE_NAMES:
            yield Finding((*at, "id"), f"'{board.id}'", "Windows가 장치 이름으로 쓰지 않는 id")
        if board.site not in boards.sites:
            yield Finding(
                (*at, "site"), f"'{board.site}'", f"다음 중 하나: {', '.join(boards.sites)}"
            )
        yield from _find_source_faults((*at, "html"), board.html)
        if board.details is not None and not board.details.scope:
            yield Finding((*at, "details", "scope"), "빈 목록", "상세 페이지의 경로 1개 이상")
    used = {board.site for board in boards.boards if is_enabled(board, boards.sites)}
    for name, site in boards.sites.items():
        yield from _find_address_faults(name, site)
        if name in used:
            yield from _find_permission_faults(name, site)


def _find_source_faults(at: KeyPath, source: HtmlSource) -> Iterator[Finding]:
    if source.page_param == source.size_param:
        yield Finding(
            (*at, "size_param"), f"'{source.size_param}'", "page_param과 다른 매개변수 이름"
        )
    for name in (source.page_param, source.size_param):
        if name in source.params:
            yield Finding(
                (*at, "params", name), f"'{name}'", "page_param, size_param이 아닌 매개변수 이름"
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


def _find_settings_faults(settings: Settings, boards: Boards) -> Iterator[Finding]:
    hosts = {
        boards.sites[board.site].base_url
        for board in boards.boards
        if board.site in boards.sites and is_enabled(board, boards.sites)
    }
    real = sorted(host for host in hosts if not is_loopback(host))
    if real:
        yield from _find_courtesy_faults(settings, real[0])
    politeness = settings.politeness
    if politeness.max_delay_s < politeness.min_delay_s:
        yield Finding(
            ("politeness", "max_delay_s"),
            f"{politeness.max_delay_s:g}",
            f"min_delay_s({politeness.min_delay_s:g}) 이상",
        )
    proxy = settings.http.proxy
    if proxy and not 1 <= int(proxy.rpartition(":")[2]) <= 65_535:
        yield Finding(("http", "proxy"), f"'{proxy}'", "포트가 1~65535인 주소")
    reports_dir = PureWindowsPath(settings.paths.reports_dir)
    if reports_dir.drive and not reports_dir.root:
        yield Finding(
            ("paths", "reports_dir"),
            f"'{settings.paths.reports_dir}'",
            "홈 폴더 기준의 상대 경로나 C:/...처럼 완전한 경로",
        )


def _find_courtesy_faults(settings: Settings, host: str) -> Iterator[Finding]:
    """Yield what a real server must not be met with."""
    if settings.politeness.min_delay_s < LEAST_DELAY_S:
        yield Finding(
            ("politeness", "min_delay_s"),
            f"{settings.politeness.min_delay_s:g}",
            f"{LEAST_DELAY_S:g} 이상",
            f"{host} 은 실제 서버입니다. "
            f"{LEAST_DELAY_S:g}초 미만은 연습 서버(127.0.0.1)에서만 허용됩니다.",
        )
    if not settings.identity.contact:
        yield Finding(
            ("identity", "contact"),
            "빈 값",
            "담당자 전자우편 주소",
            f"{host} 운영자가 연락할 수 있는 주소를 적으십시오.",
            code="contact_missing",
        )
