"""`selectors check`: what a selectors file does wrong, and what it finds on saved pages."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.cli.commands import Answer
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.run import choose_boards
from dmf_crawler.config import Home
from dmf_crawler.document import Document, Finding, read_document, word_finding
from dmf_crawler.document_checks import convert_document
from dmf_crawler.errors import StoredDataError, UsageError
from dmf_crawler.extract.hits import Hits, count_page_hits
from dmf_crawler.extract.page_anchors import PageAnchors
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.selector_checks import check_selectors
from dmf_crawler.extract.selector_lint import (
    LintFinding,
    lint_anchors,
    lint_headers,
    lint_selectors,
)
from dmf_crawler.extract.selectors import Selectors, compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.record import Delivery
from dmf_crawler.model.reuse import LABEL
from dmf_crawler.model.run import Fault
from dmf_crawler.persist.runs import find_runs, get_run
from dmf_crawler.persist.store import Store

MOST_PAGE_BYTES = 20_000_000
"""Of a page named on the command line, unpacked."""

_N_RUNS = 30
"""Among so many of the last runs one is looked for whose pages are still there."""

_N_SHOWN_FAULTS = 5


@dataclass(slots=True)
class Trial:
    """A selectors file tried on pages.

    Attributes:
        pages: How many.
        n_rows: Records on them.
        hits: Selector → rows in which it finds what it needs.
        served: Selector → pages on which it is the one that serves.
        faults: Page and why it cannot be read.
        headers: Field id → a header over what its primary selector finds.
        anchors: Field id or `row` → which attributes would find what its primary selector finds.
        losers: Korean, the tables that are not the list → pages.
        source: Where the pages are from.
    """

    pages: int = 0
    n_rows: int = 0
    hits: Counter[Delivery] = field(default_factory=Counter)
    served: Counter[Delivery] = field(default_factory=Counter)
    faults: list[tuple[str, Fault]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    anchors: dict[str, PageAnchors] = field(default_factory=dict)
    losers: Counter[str] = field(default_factory=Counter)
    source: str = ""


def check(arguments: argparse.Namespace) -> Answer:
    """Lint selectors files and try them on saved pages."""
    if arguments.action != "check":
        raise UsageError(
            "not_available",
            f"'selectors {arguments.action}' 명령은 이 판에 아직 없습니다. selectors check 만 "
            "쓸 수 있습니다.",
        )
    answers = [_check_one(*each, arguments) for each in _choose_files(arguments)]
    error = next((each.error for each in answers if each.error), None)
    return Answer(
        max((each.exit_code for each in answers), key=(0, 4, 2).index, default=0),
        {"files": [each.payload for each in answers]},
        "\n\n".join(each.text for each in answers),
        error,
    )


def _choose_files(arguments: argparse.Namespace) -> Iterator[tuple[Document, Home | None]]:
    """Yield the files to check, and the home whose pages they are for."""
    if arguments.file is not None:
        name = arguments.file.as_posix()
        home = open_home(arguments.home) if arguments.home or arguments.run else None
        yield read_document(arguments.file, name), home
        return
    home = open_home(arguments.home)
    for board in choose_boards(home, arguments.board):
        yield home.selectors[board.id], home


def _check_one(document: Document, home: Home | None, arguments: argparse.Namespace) -> Answer:
    file = convert_document(document, SelectorsFile)
    findings = [Finding(each.key, each.found, each.expected) for each in check_selectors(file)]
    lint = [] if findings else lint_selectors(file)
    refused = [word_finding(document, each) for each in findings]
    refused += [_word_lint(document, each) for each in lint if each.is_refused]
    warnings = [_word_lint(document, each) for each in lint if not each.is_refused]
    trial = Trial()
    if not findings:
        pages, trial.source = _find_pages(file, home, arguments)
        _try_pages(trial, pages, compile_selectors(file))
        refused += [_word_lint(document, each) for each in lint_headers(file, trial.headers)]
        refused += [_word_lint(document, each) for each in lint_anchors(file, trial.anchors)]
    payload = {
        "file": document.path,
        "board": file.board_id,
        "refused": refused,
        "warnings": warnings,
        **_trial_json(trial),
    }
    text = "\n".join(_say(document, refused, warnings, trial, file))
    if refused:
        message = f"{document.path}: 쓸 수 없는 셀렉터가 {len(refused)}곳 있습니다. {refused[0]}"
        return Answer(2, payload, text, ("selectors_refused", message))
    if trial.faults:
        page, fault = trial.faults[0]
        return Answer(4, payload, text, (fault.code, f"{page}: {fault.message}"))
    return Answer(0, payload, text)


def _word_lint(document: Document, finding: LintFinding) -> str:
    line = document.line_of(finding.key)
    where = f"{document.path} {line}행" if line else document.path
    return f"{where}: {'.'.join(map(str, finding.key))}: {finding.found}: {finding.why}."


# --- pages ---------------------------------------------------------------------------------------


def _find_pages(
    file: SelectorsFile, home: Home | None, arguments: argparse.Namespace
) -> tuple[Iterable[RawPage], str]:
    """Return the pages to try the file on, and where they are from."""
    if arguments.page:
        return map(_read_page_file, arguments.page), f"파일 {len(arguments.page)}개"
    if home is None or not home.database.is_file():
        return (), ""
    raw_store = RawStore(home.raw)
    with Store(home.database) as store:
        if arguments.run:
            rows: Sequence[Any] = (get_run(store, arguments.run),)
        else:
            rows = find_runs(store, board_id=file.board_id, limit=_N_RUNS)
    for row in rows:
        folder = home.root / row.raw_dir
        if raw_store.has_index(folder):
            pages = (
                page
                for page in raw_store.pages(folder)
                if page.request.kind == "list" and page.status == 200
            )
            first = next(pages, None)
            if first is not None:
                return _chain(first, pages), f"실행 {row.run.run_id}"
    return (), ""


def _chain(first: RawPage, others: Iterable[RawPage]) -> Iterator[RawPage]:
    yield first
    yield from others


def _read_page_file(path: Path) -> RawPage:
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


def _try_pages(trial: Trial, pages: Iterable[RawPage], selectors: Selectors) -> None:
    for page in pages:
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
            trial.losers.update(hits.losers)
        table = read_page(page, selectors)
        if isinstance(table, Fault):
            trial.faults.append((page.url, table))
        else:
            trial.served.update(table.delivered)


# --- what is said --------------------------------------------------------------------------------


def _trial_json(trial: Trial) -> dict[str, Any]:
    return {
        "pages": trial.pages,
        "n_rows": trial.n_rows,
        "hits": [
            {
                "field": each.field,
                "position": each.position,
                "selector": each.selector,
                "n_hits": n_hits,
                "n_pages": trial.served[each],
            }
            for each, n_hits in trial.hits.items()
        ],
        "faults": [
            {"page": page, "code": fault.code, "message": fault.message}
            for page, fault in trial.faults
        ],
        "other_tables": [{"table": text, "n_pages": n} for text, n in trial.losers.items()],
    }


def _say(
    document: Document,
    refused: Sequence[str],
    warnings: Sequence[str],
    trial: Trial,
    file: SelectorsFile,
) -> Iterator[str]:
    verdict = f"거부 {len(refused)}건" if refused else "쓸 수 있음"
    version = f"{document.path} (schema_version {file.schema_version})"
    yield f"{version}: {verdict}, 주의 {len(warnings)}건"
    yield from (f"  거부: {each}" for each in refused)
    yield from (f"  주의: {each}" for each in warnings)
    if not trial.pages:
        yield "  저장된 페이지가 없어 셀렉터를 대 보지 못했습니다."
        return
    yield f"  {trial.source}, {trial.pages:,}쪽 {trial.n_rows:,}행에 대 본 결과:"
    yield from (f"    {line}" for line in _lay_out_hits(trial))
    yield from (f"  목록이 아닌 표 {text} ({n:,}쪽)" for text, n in trial.losers.items())
    for page, fault in islice(trial.faults, _N_SHOWN_FAULTS):
        yield f"  읽지 못함: {page}: [{fault.code}] {fault.message}"
    if len(trial.faults) > _N_SHOWN_FAULTS:
        yield f"  그 밖에 읽지 못한 페이지 {len(trial.faults) - _N_SHOWN_FAULTS:,}쪽"


def _lay_out_hits(trial: Trial) -> list[str]:
    """Return the table of hits, one line a selector."""
    lines = [("항목", "순서", "찾은 행", "쓴 쪽", "셀렉터")]
    for each, n_hits in trial.hits.items():
        order = "기본" if each.position == 0 else f"예비 {each.position}"
        lines.append((each.field, order, f"{n_hits:,}", f"{trial.served[each]:,}", each.selector))
    widths = [max(_width(line[column]) for line in lines) for column in range(4)]
    return [
        "  ".join(
            [*(_pad(text, width) for text, width in zip(line, widths, strict=False)), line[4]]
        )
        for line in lines
    ]


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: a syllable takes two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
