"""One page board, opened; and boards of either kind, for whoever serves both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dmf_crawler.acquire.path_pattern import is_in_paths
from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.acquire.source_request import page_request
from dmf_crawler.boards import Board, WatchedPage
from dmf_crawler.config import Home
from dmf_crawler.document import Finding, raise_findings, read_document
from dmf_crawler.document_checks import convert_document
from dmf_crawler.extract.page_checks import check_page_file
from dmf_crawler.extract.page_file import PageFile
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.extract.watched_page import PageSelectors, compile_page
from dmf_crawler.model.page import PageRequest
from dmf_crawler.persist.diff import DiffRules
from dmf_crawler.persist.page_visits import PageReportRequest
from dmf_crawler.persist.store import Store
from dmf_crawler.watch import OpenBoard, Watch, open_watch, read_selectors


@dataclass(frozen=True, slots=True)
class PageWatch(OpenBoard):
    """A page board with everything that its runs need."""

    selectors: PageSelectors

    @property
    def page(self) -> WatchedPage:
        """Where the page is.

        Raises:
            RuntimeError: The board has none; the configuration was checked before.
        """
        if self.board.page is None:
            raise RuntimeError(f"{self.board.id} has no page section")
        return self.board.page

    def request(self, pass_no: int = 1) -> PageRequest:
        """Return how the page is asked for."""
        return page_request(self.base_url, self.page, pass_no=pass_no)

    @property
    def diff_rules(self) -> DiffRules:
        """How the page's one record is compared: it has no status, and never vanishes."""
        return DiffRules(
            kinds=self.selectors.kinds,
            status_field="",
            withdrawn_words=frozenset(),
            live_words=frozenset(),
            missing_runs=self.home.settings.history.missing_runs,
        )

    @property
    def labels(self) -> dict[str, str]:
        """Field id → Korean name, of the text, too."""
        return {column.field: column.label_ko for column in self.selectors.columns}

    @property
    def report_request(self) -> PageReportRequest:
        """What the workbook shows of this board."""
        return PageReportRequest(
            board_id=self.board.id,
            name_ko=self.board.name_ko,
            url=self.request().url,
            labels=self.labels,
            schema_version=self.selectors.file.schema_version,
        )


AnyWatch = Watch | PageWatch
"""A board of either kind, opened."""


def open_page_watch(
    home: Home, board: Board, store: Store, *, sleep: Callable[[float], None] | None = None
) -> PageWatch:
    """Compile a page board's selectors and put together what its runs need; as `open_watch`."""
    selectors = read_page_selectors(home, board)
    return PageWatch(home, board, store, RawStore(home.raw, sleep=sleep), selectors)


def open_board(
    home: Home, board: Board, store: Store, *, sleep: Callable[[float], None] | None = None
) -> AnyWatch:
    """Open a board of either kind; as `open_watch`."""
    if board.kind == "page":
        return open_page_watch(home, board, store, sleep=sleep)
    return open_watch(home, board, store, sleep=sleep)


def open_boards(
    home: Home, store: Store, *, sleep: Callable[[float], None] | None = None
) -> list[AnyWatch]:
    """Open every enabled board, in the order of the configuration; as `open_watch`."""
    return [open_board(home, board, store, sleep=sleep) for board in home.enabled_boards]


def read_board_selectors(home: Home, board: Board) -> Selectors | PageSelectors:
    """Check and compile the selectors file of a board of either kind; raises `ConfigError`."""
    is_page = board.kind == "page"
    return read_page_selectors(home, board) if is_page else read_selectors(home, board)


def read_page_selectors(home: Home, board: Board) -> PageSelectors:
    """Check and compile a page board's selectors file; raises `ConfigError`."""
    document = home.selectors[board.id]
    file = convert_document(document, PageFile)
    findings = [Finding(fault.key, fault.found, fault.expected) for fault in check_page_file(file)]
    if file.board_id != board.id:
        findings.append(Finding(("board_id",), f"'{file.board_id}'", f"'{board.id}'"))
    raise_findings([(document, finding) for finding in findings])
    _check_scope(home, board)
    return compile_page(file)


def _check_scope(home: Home, board: Board) -> None:
    """Refuse a page outside its own scope: a redirect to itself could not be followed."""
    page = board.page
    if page is None:
        return
    url = page_request(home.site_of(board).base_url, page).url
    if is_in_paths(url, page.scope):
        return
    document = read_document(home.root / "config/boards.yaml", "config/boards.yaml")
    at = ("boards", home.boards.index(board), "page", "scope")
    finding = Finding(at, ", ".join(page.scope) or "빈 목록", f"{page.path} 를 포함하는 경로")
    raise_findings([(document, finding)])
