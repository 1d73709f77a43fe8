"""`selectors check` of a page board: what its file does wrong, and what it finds on saved pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.canary import prove_detector
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.selector_trial import find_runs_of, read_page_file
from dmf_crawler.config import Home
from dmf_crawler.document import Document, Finding, word_finding
from dmf_crawler.document_checks import convert_document
from dmf_crawler.extract.page_checks import check_page_file
from dmf_crawler.extract.page_file import PageFile
from dmf_crawler.extract.watched_page import compile_page, read_watched_page
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault
from dmf_crawler.model.watched_page import PageReading
from dmf_crawler.settings import PageRules


def is_page_file(document: Document) -> bool:
    """Say whether a selectors file is that of a page board: it names a region, and no rows."""
    value = document.value
    return isinstance(value, dict) and "region" in value and "row" not in value


def check_page(document: Document, home: Home | None, arguments: argparse.Namespace) -> Answer:
    """Check one file of a page board and try it on saved pages.

    Raises:
        ConfigError: The file has a wrong key or type.
        StoredDataError: `page_unreadable`.
    """
    file = convert_document(document, PageFile)
    findings = [Finding(fault.key, fault.found, fault.expected) for fault in check_page_file(file)]
    refused = [word_finding(document, finding) for finding in findings]
    pages: list[RawPage] = []
    source = "파일을 고친 뒤에 저장된 페이지에 대 봅니다."
    read: list[tuple[str, PageReading | Fault]] = []
    if not findings:
        pages, source = _find_pages(file, home, arguments)
        selectors = compile_page(file)
        rules = home.settings.pages if home else PageRules()
        if blind := prove_detector(rules, volatile=file.volatile):
            refused.append(f"{document.path}: {blind.message}")
        read = [(page.url, read_watched_page(page, selectors)) for page in pages]
    faults = [(url, found) for url, found in read if isinstance(found, Fault)]
    readings = [found for _, found in read if not isinstance(found, Fault)]
    payload = {
        "file": document.path,
        "board": file.board_id,
        "refused": refused,
        "warnings": [],
        "pages": len(pages),
        "n_rows": len(readings),
        "n_details": 0,
        "hits": _hits_json(file, readings),
        "detail_hits": [],
        "faults": [
            {"page": url, "code": fault.code, "message": fault.message} for url, fault in faults
        ],
        "n_other_tables": 0,
        "other_tables": [],
    }
    text = "\n".join(_say(document, file, refused, readings, faults, source))
    if refused:
        message = f"{document.path}: 쓸 수 없는 곳이 {len(refused)}곳 있습니다. {refused[0]}"
        return Answer(2, payload, text, ("selectors_refused", message))
    if faults:
        url, fault = faults[0]
        return Answer(4, payload, text, (fault.code, f"{url}: {fault.message}"))
    return Answer(0, payload, text)


def _find_pages(
    file: PageFile, home: Home | None, arguments: argparse.Namespace
) -> tuple[list[RawPage], str]:
    """Return the pages to try a file on, and Korean where they are from or why there are none."""
    if arguments.page:
        pages = [read_page_file(path) for path in arguments.page]
        return pages, f"파일 {len(pages)}개"
    if home is None:
        return [], "홈 폴더가 없어 대 볼 페이지가 없습니다. --home 이나 --page 로 정하십시오."
    raw_store = RawStore(home.raw)
    for row in find_runs_of(file.board_id, home, arguments.run):
        folder: Path = home.root / row.raw_dir
        if raw_store.has_index(folder):
            kept = raw_store.pages(folder)
            pages = [page for page in kept if page.request.kind == "page" and page.is_usable]
            if pages:
                return pages[-1:], f"실행 {row.run.run_id}"
    return [], f"홈 폴더 {home.root} 에 저장된 페이지가 없어 대 보지 못했습니다."


def _hits_json(file: PageFile, readings: Sequence[PageReading]) -> list[dict[str, Any]]:
    """Return one entry a selector: on how many pages it found what it is for."""
    regions = (file.region, *file.region_fallbacks)
    found = [("body", position, css, position) for position, css in enumerate(regions)]
    hits = [
        {
            "field": field,
            "position": position,
            "selector": f"css {css}",
            "n_hits": sum(reading.position == place for reading in readings),
            "n_pages": sum(reading.position == place for reading in readings),
        }
        for field, position, css, place in found
    ]
    hits += [
        {
            "field": name,
            "position": 0,
            "selector": f"css {field.selector}",
            "n_hits": sum(bool(reading.fields.get(name)) for reading in readings),
            "n_pages": len(readings),
        }
        for name, field in file.fields.items()
    ]
    return hits


def _say(
    document: Document,
    file: PageFile,
    refused: Sequence[str],
    readings: Sequence[PageReading],
    faults: Sequence[tuple[str, Fault]],
    source: str,
) -> Iterator[str]:
    verdict = f"거부 {len(refused)}건" if refused else "쓸 수 있음"
    yield f"{document.path} (schema_version {file.schema_version}): {verdict}"
    yield from (f"  거부: {each}" for each in refused)
    if not readings and not faults:
        yield f"  {source}"
        return
    yield f"  {source}, {len(readings) + len(faults):,}쪽에 대 본 결과:"
    for reading in readings:
        order = "기본" if reading.position == 0 else f"예비 {reading.position}"
        n_characters = sum(map(len, reading.blocks))
        yield (
            f"    감시 영역 {reading.selector} ({order}): 글 {n_characters:,}자 "
            f"{len(reading.blocks):,}덩어리"
        )
        for name, field in file.fields.items():
            value = reading.fields.get(name) or "(찾지 못함)"
            yield f"    {field.label_ko} ({name}): {value!r}"
    yield from (f"  읽지 못함: {url}: [{fault.code}] {fault.message}" for url, fault in faults)
