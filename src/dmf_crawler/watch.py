"""One board, opened: what its runs work with."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from dmf_crawler.acquire.identity import describe_identity
from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.acquire.urls import LinkRefusal, LinkRules, follow_link
from dmf_crawler.boards import Board, DetailSource, SourceName
from dmf_crawler.config import Home
from dmf_crawler.document import Finding, raise_findings, read_document
from dmf_crawler.document_checks import convert_document
from dmf_crawler.extract.selector_checks import check_selectors
from dmf_crawler.extract.selector_lint import lint_selectors
from dmf_crawler.extract.selectors import Selectors, compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile, Validate
from dmf_crawler.judge.evidence import JudgedColumn, ValueRule
from dmf_crawler.model.detail import BODY, FILES, DetailPage, FileLink
from dmf_crawler.persist.diff import DiffRules
from dmf_crawler.persist.questions import ReportRequest
from dmf_crawler.persist.store import Store


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """A board of either kind with what every visit needs, opened and checked."""

    home: Home
    board: Board
    store: Store
    raw_store: RawStore

    @property
    def base_url(self) -> str:
        """Scheme, host and port of the board's site."""
        return self.home.site_of(self.board).base_url

    def raw_dir(self, folder: Path) -> str:
        """Return a run's raw folder as the history names it: relative to the home folder."""
        return folder.relative_to(self.home.root).as_posix()

    @property
    def identity(self) -> str:
        """Who asks, on one line: the constant header fields and the proxy."""
        settings = self.home.settings
        return describe_identity(settings.identity, settings.http.proxy)

    @property
    def product_token(self) -> str:
        """The name that pages and robots.txt know us by."""
        return self.home.settings.identity.product_token

    @property
    def host(self) -> str:
        """Host name of the board's site."""
        return urlsplit(self.base_url).hostname or ""


W = TypeVar("W", bound=OpenBoard)
"""A board of one kind, for what serves both."""


@dataclass(frozen=True, slots=True)
class Watch(OpenBoard):
    """A list board with everything that its runs need."""

    selectors: Selectors

    @property
    def detail_fields(self) -> tuple[str, ...]:
        """Fields that are read from detail pages, in the order of the stored record."""
        details = self.selectors.details
        return () if details is None else (*(each.field for each in details.fields), BODY, FILES)

    @property
    def detail_rules(self) -> LinkRules | None:
        """Which links of the list lead to detail pages; None where the board has none."""
        details = self.board.details
        return None if details is None else self._link_rules(details.scope, details)

    def list_files(self, page: DetailPage) -> tuple[tuple[FileLink, str | LinkRefusal], ...]:
        """Return a detail page's files, each with its address or why it is not asked for.

        A link out of scope that is not to be followed either, such as a preview, is no file.
        """
        found = []
        for link in page.files:
            url = self.find_file(page.links_base, link.href)
            if not isinstance(url, LinkRefusal) and not (page.follows_links and link.is_followed):
                url = LinkRefusal.NOFOLLOW
            elif not link.is_followed:
                continue
            found.append((link, url))
        return tuple(found)

    def find_file(self, base: str, href: str) -> str | LinkRefusal:
        """Return the address of a file, or why it lies where none is asked for."""
        details = self.board.details
        if details is None or not details.file_scope:
            return LinkRefusal.OUT_OF_SCOPE
        rules = self._link_rules(details.file_scope, details)
        return follow_link(base, href, replace(rules, params={}))

    def _link_rules(self, scope: tuple[str, ...], details: DetailSource) -> LinkRules:
        site = self.home.site_of(self.board)
        dropped = (*site.session_params, *details.drop_params)
        return LinkRules(
            base_url=self.base_url,
            scope=scope,
            blocked=site.blocked,
            dropped=frozenset(name.casefold() for name in dropped),
            params=details.params,
        )

    @property
    def status_words(self) -> frozenset[str]:
        """All statuses that there are, as the selectors file lists them."""
        status = self.selectors.file.status
        if status is None:
            return frozenset()
        return frozenset(self.selectors.file.fields[status.field].validate.enum)

    @property
    def value_rules(self) -> tuple[ValueRule, ...]:
        """What the values of each field look like, where the selectors file says so.

        Those of the detail pages come last. The number's pattern and the statuses have limits of
        their own.
        """
        file, status = self.selectors.file, self.diff_rules.status_field
        of_details = file.details.fields if file.details else {}
        rules = (
            ValueRule(
                field=name,
                label_ko=field.label_ko or name,
                pattern=re.compile(field.validate.pattern)
                if field.validate.pattern and name != file.key.number
                else None,
                words=frozenset(() if name == status else field.validate.enum),
                date_formats=field.validate.date_formats,
                min_length=field.validate.min_length,
                max_length=field.validate.max_length,
                is_unique=field.validate.unique,
            )
            for name, field in (file.fields | of_details).items()
        )
        return tuple(rule for rule in rules if not rule.is_empty)

    def judged_columns(self, names: Collection[str]) -> tuple[JudgedColumn, ...]:
        """Return what the gates know of some fields, in the order of the stored record."""
        of_file, details = self.selectors.file.fields, self.selectors.file.details
        every = of_file | (details.fields if details else {})
        labels = {column.field: column.label_ko for column in self.selectors.columns}
        columns = []
        for name, kind in self.selectors.kinds.items():
            if name in names:
                validate = every[name].validate if name in every else Validate()
                columns.append(
                    JudgedColumn(
                        field=name,
                        label_ko=labels[name],
                        kind=kind,
                        moves=validate.moves,
                        has_known_words=validate.known_words,
                        date_formats=validate.date_formats,
                        is_required=validate.required and name in of_file,
                    )
                )
        return tuple(columns)

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

    def rules_of(self, source: SourceName) -> DiffRules:
        """Return how records are compared that were read from one of the board's sources."""
        api = self.board.openapi
        lists_withdrawn = source != "openapi" or (api is not None and api.lists_withdrawn)
        return replace(self.diff_rules, lists_withdrawn=lists_withdrawn)

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


def open_watch(
    home: Home, board: Board, store: Store, *, sleep: Callable[[float], None] | None = None
) -> Watch:
    """Compile a board's selectors and put together what its runs need.

    Args:
        home: The home folder.
        board: Which board.
        store: Its history.
        sleep: Seconds; needed by whoever writes pages.

    Raises:
        ConfigError: The selectors file is invalid; every fault is named.
    """
    return Watch(home, board, store, RawStore(home.raw, sleep=sleep), read_selectors(home, board))


def read_selectors(home: Home, board: Board) -> Selectors:
    """Check and compile a board's selectors file; raises `ConfigError`."""
    document = home.selectors[board.id]
    file = convert_document(document, SelectorsFile)
    findings = [Finding(fault.key, fault.found, fault.expected) for fault in check_selectors(file)]
    findings = findings or [
        Finding(each.key, each.found, "오래 가는 셀렉터", f"{each.why}.")
        for each in lint_selectors(file)
        if each.is_refused
    ]
    if file.board_id != board.id:
        findings.append(Finding(("board_id",), f"'{file.board_id}'", f"'{board.id}'"))
    if (board.details is None) != (file.details is None):
        found, expected = ("있음", "없음") if board.details is None else ("없음", "있음")
        findings.append(
            Finding(
                ("details",),
                found,
                f"{expected}(config/boards.yaml의 details와 함께)",
                "두 파일의 details를 함께 적거나 함께 지우십시오.",
            )
        )
    raise_findings([(document, finding) for finding in findings])
    selectors = compile_selectors(file)
    _check_ignored_fields(home, board, selectors)
    return selectors


def _check_ignored_fields(home: Home, board: Board, selectors: Selectors) -> None:
    """Refuse names that no field has: what they were meant for would be compared all the same."""
    at = ("boards", home.boards.index(board), "cross_check_rules", "ignored_fields")
    findings = [
        Finding((*at, index), f"'{name}'", f"항목 id: {', '.join(selectors.kinds)}")
        for index, name in enumerate(board.cross_check_rules.ignored_fields)
        if name not in selectors.kinds
    ]
    if findings:  # the file has been checked whole; it is read once more to name the lines
        document = read_document(home.root / "config/boards.yaml", "config/boards.yaml")
        raise_findings([(document, finding) for finding in findings])
