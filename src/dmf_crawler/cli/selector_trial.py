"""Which saved pages a selectors file is tried on, and what its selectors find there."""

from __future__ import annotations

import argparse
import gzip
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.cli.history import open_store
from dmf_crawler.config import Home
from dmf_crawler.errors import StoredDataError, UsageError
from dmf_crawler.extract.detail import find_all_selectors, read_detail
from dmf_crawler.extract.hits import Hits, count_page_hits
from dmf_crawler.extract.page_anchors import PageAnchors
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.model.detail import BODY, FILES
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.record import Delivery
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.reuse import LABEL
from dmf_crawler.model.run import Fault
from dmf_crawler.persist.runs import find_runs, get_run

MOST_PAGE_BYTES = 20_000_000
"""Of a page named on the command line, unpacked."""

_N_RUNS = 30
"""Among so many of the last runs one is looked for whose pages are still there."""


@dataclass(slots=True)
class Trial:
    """A selectors file tried on pages.

    Attributes:
        pages: How many list pages.
        n_details: How many detail pages.
        detail_hits: Selector → detail pages on which it finds what it needs.
        n_rows: Records on them.
        hits: Selector → rows in which it finds what it needs.
        served: Selector → pages on which it is the one that serves.
        faults: Page and why it cannot be read.
        headers: Field id → a header over what its primary selector finds.
        anchors: Field id or `row` → which attributes would find what its primary selector finds.
        losers: Korean, the tables that are not the list → pages that have such a one.
        source: Korean: where the pages are from, or why there are none.
    """

    pages: int = 0
    n_details: int = 0
    detail_hits: Counter[Delivery] = field(default_factory=Counter)
    n_rows: int = 0
    hits: Counter[Delivery] = field(default_factory=Counter)
    served: Counter[Delivery] = field(default_factory=Counter)
    faults: list[tuple[str, Fault]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    anchors: dict[str, PageAnchors] = field(default_factory=dict)
    losers: Counter[str] = field(default_factory=Counter)
    source: str = ""


def find_pages(
    file: SelectorsFile, home: Home | None, arguments: argparse.Namespace
) -> tuple[Iterable[RawPage], str]:
    """Return the pages to try a file on, and Korean where they are from or why there are none.

    Raises:
        UsageError: `no_such_run`, `run_of_other_board`.
        StoredDataError: `page_unreadable`, as the pages are read.
    """
    if arguments.page:
        return map(read_page_file, arguments.page), f"파일 {len(arguments.page)}개"
    if home is None:
        return (), (
            "홈 폴더가 없어 셀렉터를 대 볼 페이지가 없습니다. --home 이나 --page 로 정하십시오."
        )
    raw_store = RawStore(home.raw)
    kinds = {"list", "detail"} if file.details else {"list"}
    for row in find_runs_of(file.board_id, home, arguments.run):
        folder = home.root / row.raw_dir
        if raw_store.has_index(folder):
            pages = (
                page
                for page in raw_store.pages(folder)
                if page.request.kind in kinds and page.status == 200
            )
            first = next(pages, None)  # the list comes first
            if first is not None and first.request.kind == "list":
                return _chain(first, pages), f"실행 {row.run.run_id}"
    return (), f"홈 폴더 {home.root} 에 저장된 페이지가 없어 셀렉터를 대 보지 못했습니다."


def find_runs_of(board_id: str, home: Home, run_id: str | None) -> tuple[RunRow, ...]:
    """Return the last runs of a board, newest first, or the one that was asked for.

    Raises:
        UsageError: `no_such_run`, `run_of_other_board`.
    """
    if run_id:
        refuse_other_board(home, run_id, [board_id])
    if not home.database.is_file():
        return ()
    with open_store(home) as store:
        if run_id:
            return (get_run(store, run_id),)
        return find_runs(store, board_id=board_id, limit=_N_RUNS)


def refuse_other_board(home: Home, run_id: str, board_ids: Sequence[str]) -> str:
    """Return the board of a run; it must be the only one of those given, if any are.

    Raises:
        UsageError: `no_such_run`, `run_of_other_board`.
    """
    if not home.database.is_file():
        raise UsageError(
            "no_such_run",
            f"실행 {run_id} 을 찾지 못했습니다. 홈 폴더 {home.root} 에 이력이 없습니다. "
            "--home 으로 그 실행의 홈 폴더를 정하십시오.",
        )
    with open_store(home) as store:
        of_run = get_run(store, run_id).run.board_id
    if board_ids and set(board_ids) != {of_run}:
        raise UsageError(
            "run_of_other_board",
            f"실행 {run_id} 은 게시판 {of_run} 의 것이라 {', '.join(board_ids)} 의 셀렉터를 대 볼 "
            "수 없습니다. runs 명령으로 그 게시판의 실행 번호를 확인하십시오.",
        )
    return of_run


def _chain(first: RawPage, others: Iterable[RawPage]) -> Iterator[RawPage]:
    yield first
    yield from others


def read_page_file(path: Path) -> RawPage:
    """Read a saved page, packed or not.

    Raises:
        StoredDataError: `page_unreadable`.
    """
    try:
        with path.open("rb") as file:
            stream = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
            body = stream.read(MOST_PAGE_BYTES + 1)
    except (OSError, EOFError) as error:
        raise StoredDataError(
            "page_unreadable",
            f"페이지 파일 {path} 을 읽지 못했습니다({error}). 경로와 파일을 확인하십시오.",
        ) from error
    if len(body) > MOST_PAGE_BYTES:
        raise StoredDataError(
            "page_unreadable",
            f"페이지 파일 {path} 이 {MOST_PAGE_BYTES:,}바이트보다 큽니다. 목록 페이지인지 "
            "확인하십시오.",
        )
    return RawPage(
        request=PageRequest(path.as_posix(), "list", 1),
        url=path.as_posix(),
        status=200,
        content_type="",
        sha256=hashlib.sha256(body).hexdigest(),
        body=body,
        fetched_at=datetime.fromtimestamp(0, UTC),
    )


def try_pages(trial: Trial, pages: Iterable[RawPage], selectors: Selectors) -> None:
    """Try the selectors on list pages and, where the file has details, on those of records."""
    trial.detail_hits.update(dict.fromkeys(_list_detail_selectors(selectors), 0))
    for page in pages:
        if page.request.kind == "detail":
            _try_detail(trial, page, selectors)
            continue
        trial.pages += 1
        hits = count_page_hits(page, selectors)
        if isinstance(hits, Hits):
            trial.n_rows += hits.n_rows
            for delivery, n_hits in hits.found:
                trial.hits[delivery] += n_hits
                if delivery.field == LABEL and n_hits:
                    trial.served[delivery] += 1
            trial.headers |= {name: text for name, text in hits.headers.items() if text}
            for name, found in hits.anchors.items():
                trial.anchors[name] = found.join(trial.anchors.get(name, found))
            trial.losers.update(set(hits.losers))
        table = read_page(page, selectors)
        if isinstance(table, Fault):
            trial.faults.append((page.url, table))
        else:
            trial.served.update(table.delivered)


def _list_detail_selectors(selectors: Selectors) -> list[Delivery]:
    """Return what may be found on a detail page: its region, its files, then the fields."""
    details, file = selectors.details, selectors.file.details
    if details is None or file is None:
        return []
    places = [(BODY, file.region), (FILES, file.files)]
    of_fields = [
        Delivery(each.field, position, locator.source)
        for each in details.fields
        for position, locator in enumerate(each.locators)
    ]
    return [*(Delivery(name, 0, f"css {css}") for name, css in places if css), *of_fields]


def _try_detail(trial: Trial, page: RawPage, selectors: Selectors) -> None:
    trial.n_details += 1
    found = find_all_selectors(page, selectors)
    if not isinstance(found, Fault):
        trial.detail_hits.update(found)
    detail = read_detail(page, selectors)
    if isinstance(detail, Fault):
        trial.faults.append((page.url, detail))
    elif not isinstance(found, Fault):
        trial.served.update(detail.delivered)
        trial.served.update(each for each in found if each.field in {BODY, FILES})
