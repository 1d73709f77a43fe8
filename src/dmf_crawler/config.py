"""config/ and selectors/ files → checked, typed, frozen settings of one home folder.

A file is read by a loader that refuses duplicate keys and YAML 1.1 surprises, then checked whole:
every fault is reported at once, with file, line, key, found, expected and the next step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from dmf_crawler.board_checks import find_board_faults, is_enabled, is_loopback, used_sites
from dmf_crawler.boards import Board, Boards, Site, SourceName
from dmf_crawler.document import Document, Finding, raise_findings, read_document
from dmf_crawler.document_checks import convert_document, find_faults
from dmf_crawler.prohibition import find_rule_faults
from dmf_crawler.settings import DailyLimit, DailyShare, GateLimits, Settings

DATABASE = Path("var") / "dmf.sqlite3"
"""The history, below a home folder."""

LEAST_DELAY_S = 2.0
"""No real server is asked more often than this, whatever the settings say."""


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
        return self.root / DATABASE

    @property
    def lock(self) -> Path:
        """The lock that one run holds."""
        return self.root / "var" / "run.lock"

    @property
    def held(self) -> Path:
        """Workbooks of held runs: what the report would be."""
        return self.root / "var" / "held"

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

    @property
    def list_boards(self) -> tuple[Board, ...]:
        """The enabled boards that are paged lists."""
        return tuple(board for board in self.enabled_boards if board.kind == "list")

    @property
    def page_boards(self) -> tuple[Board, ...]:
        """The enabled boards that are whole pages."""
        return tuple(board for board in self.enabled_boards if board.kind == "page")

    def site_of(self, board: Board) -> Site:
        """Return the site that a board lies on."""
        return self.sites[board.site]

    def base_url_of(self, board: Board, source: SourceName) -> str:
        """Return scheme, host and port of the site that a board's source lies on."""
        return self.sites[board.site_of(source)].base_url


def shipped_home() -> Path:
    """Return the folder whose config/ and selectors/ a new home is copied from.

    An installed package carries them; in a checkout they are the repository's own.
    """
    carried = Path(__file__).parent / "shipped"
    return carried if carried.is_dir() else Path(__file__).parents[2]


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
        [(boards_file, finding) for finding in find_board_faults(boards)]
        + [(settings_file, finding) for finding in _find_settings_faults(settings, boards)]
    )
    selectors = {
        board.id: read_document(root / f"selectors/{board.id}.yaml", f"selectors/{board.id}.yaml")
        for board in boards.boards
        if is_enabled(board, boards.sites)
    }
    return Home(root, settings, boards.sites, boards.boards, selectors)


def _find_settings_faults(settings: Settings, boards: Boards) -> Iterator[Finding]:
    hosts = {boards.sites[name].base_url for name in used_sites(boards)}
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
    yield from _find_limit_faults(settings.gates)
    yield from find_rule_faults(settings.terms)
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


def _find_limit_faults(gates: GateLimits) -> Iterator[Finding]:
    """Yield limits that contradict each other: one of the two would silently decide."""
    for name in gates.__struct_fields__:
        bound = getattr(gates, name)
        if isinstance(bound, (DailyLimit, DailyShare)) and bound.floor > bound.cap:
            yield Finding(("gates", name, "floor"), f"{bound.floor:g}", f"cap({bound.cap:g}) 이하")
    if gates.rigid_ratio > gates.closed_ratio:
        expected = f"closed_ratio({gates.closed_ratio:g}) 이하"
        yield Finding(("gates", "rigid_ratio"), f"{gates.rigid_ratio:g}", expected)
    if gates.history_after > gates.history_days:
        expected = f"history_days({gates.history_days}) 이하"
        yield Finding(("gates", "history_after"), f"{gates.history_after}", expected)


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
