"""One board, opened: what its runs work with."""

from __future__ import annotations

from dataclasses import dataclass

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.config import Home
from dmf_crawler.document import Finding, raise_findings
from dmf_crawler.document_checks import convert_document
from dmf_crawler.extract.selector_checks import check_selectors
from dmf_crawler.extract.selectors import Selectors, SelectorsFile, compile_selectors
from dmf_crawler.persist.diff import DiffRules
from dmf_crawler.persist.questions import ReportRequest
from dmf_crawler.persist.store import Store
from dmf_crawler.settings import Board


@dataclass(frozen=True, slots=True)
class Watch:
    """One board with everything that its runs need, opened and checked."""

    home: Home
    board: Board
    selectors: Selectors
    store: Store
    raw_store: RawStore

    @property
    def base_url(self) -> str:
        """Scheme, host and port of the board's site."""
        return self.home.site_of(self.board).base_url

    @property
    def status_words(self) -> frozenset[str]:
        """All statuses that there are, as the selectors file lists them."""
        status = self.selectors.file.status
        if status is None:
            return frozenset()
        return frozenset(self.selectors.file.fields[status.field].validate.enum)

    @property
    def diff_rules(self) -> DiffRules:
        """How this board's records are compared."""
        status = self.selectors.file.status
        return DiffRules(
            kinds=self.selectors.kinds,
            status_field=status.field if status else "",
            withdrawn_words=frozenset(status.withdrawn if status else ()),
            live_words=self.status_words - frozenset(status.withdrawn if status else ()),
            missing_runs=self.home.settings.history.missing_runs,
        )

    @property
    def report_request(self) -> ReportRequest:
        """What the workbook shows of this board."""
        return ReportRequest(
            board_id=self.board.id,
            name_ko=self.board.name_ko,
            columns=self.selectors.columns,
            key_field=self.selectors.file.key.number,
            status_field=self.diff_rules.status_field,
        )


def open_watch(home: Home, board: Board, store: Store) -> Watch:
    """Compile a board's selectors and put together what its runs need.

    Raises:
        ConfigError: The selectors file is invalid; every fault is named.
    """
    return Watch(home, board, read_selectors(home, board), store, RawStore(home.raw))


def read_selectors(home: Home, board: Board) -> Selectors:
    """Check and compile a board's selectors file; raises `ConfigError`."""
    document = home.selectors[board.id]
    file = convert_document(document, SelectorsFile)
    findings = [Finding(fault.key, fault.found, fault.expected) for fault in check_selectors(file)]
    if file.board_id != board.id:
        findings.append(Finding(("board_id",), f"'{file.board_id}'", f"'{board.id}'"))
    raise_findings([(document, finding) for finding in findings])
    return compile_selectors(file)
