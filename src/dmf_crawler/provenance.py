"""Where a value of the history was read from: run, kept page, element; and what it says today."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dmf_crawler.acquire.raw_folder import INDEX, damaged
from dmf_crawler.errors import RawStoreError
from dmf_crawler.extract.where_cell import (
    FoundCell,
    find_cell,
    find_detail,
    find_in_answer,
    find_in_workbook,
)
from dmf_crawler.extract.where_page import find_in_page
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Fields
from dmf_crawler.model.report import RunRow
from dmf_crawler.model.run import Fault
from dmf_crawler.page_watch import PageWatch
from dmf_crawler.persist.pages import known_detail
from dmf_crawler.persist.questions import StoredVersion
from dmf_crawler.persist.runs import get_run
from dmf_crawler.snapshot import export_rows, read_snapshot
from dmf_crawler.text import key_form
from dmf_crawler.watch import OpenBoard, Watch

NOT_THERE = 2
DAMAGED = 5
LIST_KINDS = frozenset({"list", "recheck", "export", "api"})


@dataclass(frozen=True, slots=True)
class Origin:
    """A page as the history names it.

    Attributes:
        raw_dir: Folder that holds it, relative to the home folder.
        sha256: Its digest, "" where none is known.
        url: Its address.
        row_no: 1-based row on it; None on a detail page.
    """

    raw_dir: str
    sha256: str
    url: str
    row_no: int | None


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one value of one version comes from.

    Attributes:
        run: The run that recorded the version.
        origin: The page, as far as the history knows it.
        file: That page on disk, relative to the home folder with `/`; None where it is not.
        fetched_at: Aware; None where that is not known.
        cell: What the page has, None where that cannot be told.
        fault: Why it cannot: exit code 2, not there; 5, damaged; else the page cannot be read now.
        is_later: Whether the page is that of the last run which saw the version, because those of
            the run that recorded it are gone.
        is_other_record: Whether another record stands in that row, as it is read today.
    """

    run: RunRow
    origin: Origin
    file: str | None = None
    fetched_at: datetime | None = None
    cell: FoundCell | None = None
    fault: Fault | None = None
    is_later: bool = False
    is_other_record: bool = False

    def is_same(self, field: str, stored: Fields) -> bool | None:
        """Say whether the page says today what is stored; None where that cannot be told."""
        if self.cell is None or field not in self.cell.fields:
            return None
        return not self.is_other_record and self.cell.fields[field] == stored.get(field)


def trace_page(watch: PageWatch, stored: StoredVersion, field: str) -> Provenance:
    """Find the watched page and the element that a value was read from; as `trace_value`.

    The page of the run that recorded the version is kept for as long as the history is.
    """
    version, run = stored.version, get_run(watch.store, stored.version.run_id)
    traced = Provenance(run, Origin(run.raw_dir, version.source, version.url, None))
    kept = _open_page(watch, traced, frozenset({"page"}))
    if isinstance(kept, Provenance):
        return kept
    traced, page = kept
    cell = find_in_page(page, watch.selectors, field)
    return replace(traced, fault=cell) if isinstance(cell, Fault) else replace(traced, cell=cell)


def trace_value(watch: Watch, stored: StoredVersion, field: str) -> Provenance:
    """Find the page and the element that a value was read from.

    Args:
        watch: The board; its selectors of today read the page again.
        stored: The version.
        field: Id of a field of the board.
    """
    run = get_run(watch.store, stored.version.run_id)
    if field in watch.detail_fields:
        return _trace_detail(watch, stored, run, field)
    version = stored.version
    traced = Provenance(run, Origin(run.raw_dir, version.source, version.url, version.row_no))
    if not watch.raw_store.has_index(watch.home.root / run.raw_dir):
        later = _find_later(watch, stored)
        if isinstance(later, Fault):
            return replace(traced, fault=later)
        traced = replace(traced, origin=later, is_later=True)
    kept = _open_page(watch, traced, LIST_KINDS)
    if isinstance(kept, Provenance):
        return kept
    traced, page = kept
    cell = _find_cell(page, watch, field, traced.origin.row_no or 0)
    if isinstance(cell, Fault):
        return replace(traced, fault=cell)
    number = watch.selectors.file.key.number
    forms = {key_form(str(fields.get(number, ""))) for fields in (cell.fields, version.fields)}
    return replace(traced, cell=cell, is_other_record=len(forms) > 1)


def _find_cell(page: RawPage, watch: Watch, field: str, row_no: int) -> FoundCell | Fault:
    """Find a value in an answer of whichever source the list was read from."""
    selectors = watch.selectors
    if page.request.kind == "export":
        most_rows = export_rows(watch)
        return find_in_workbook(page, selectors, field, row_no, most_rows=most_rows)
    if page.request.kind == "api":
        return find_in_answer(page, selectors, field, row_no)
    return find_cell(page, selectors, field, row_no)


def _find_later(watch: Watch, stored: StoredVersion) -> Origin | Fault:
    """Find the record on the pages of the last run that saw it as it is."""
    run = get_run(watch.store, stored.last_seen_run)
    folder = watch.home.root / run.raw_dir
    if not watch.raw_store.has_index(folder):
        return _pages_gone(stored, "의 페이지도 보존 기간이 지나 정리되었습니다")
    try:
        snapshot = read_snapshot(watch, folder)
    except RawStoreError as error:
        return Fault(error.code, error.message, DAMAGED)
    if isinstance(snapshot, Fault):
        return snapshot
    record = snapshot.records.get(stored.version.key)
    if record is None:
        return _pages_gone(stored, "의 페이지에서는 지금의 셀렉터로 이 기록을 찾지 못했습니다")
    return Origin(run.raw_dir, record.source, record.url, record.row_no)


def _trace_detail(watch: Watch, stored: StoredVersion, run: RunRow, field: str) -> Provenance:
    """Trace text, files or another field of a record's detail page."""
    origin = _find_detail(watch, stored, run)
    if origin is None:
        unknown = Origin(run.raw_dir, "", stored.version.detail_url, None)
        return Provenance(run, unknown, fault=_no_detail_page())
    kept = _open_page(watch, Provenance(run, origin), frozenset({"detail"}))
    if isinstance(kept, Provenance):
        return kept
    traced, page = kept
    region = find_detail(page, watch.selectors, field)
    if isinstance(region, Fault):
        return replace(traced, fault=region)
    return replace(traced, cell=region)


def _find_detail(watch: Watch, stored: StoredVersion, run: RunRow) -> Origin | None:
    """Return the detail page as it was last seen before the version ended, None for none."""
    version = stored.version
    known = known_detail(watch.store, watch.board.id, version.key)
    if known is not None and (version.valid_to is None or known.fetched_at < version.valid_to):
        return Origin(known.raw_dir, known.sha256, known.identity[1], None)
    folder = watch.home.root / run.raw_dir
    if not watch.raw_store.has_index(folder):
        return None
    pages = [
        page
        for page in watch.raw_store.answers(folder)
        if page.request.kind == "detail"
        and page.request.url == version.detail_url
        and page.is_usable
    ]
    return Origin(run.raw_dir, pages[-1].sha256, pages[-1].request.url, None) if pages else None


def _open_page(
    watch: OpenBoard, traced: Provenance, kinds: frozenset[str]
) -> tuple[Provenance, RawPage] | Provenance:
    """Return what is known of a kept page, with the page; alone where there is none to read."""
    origin = traced.origin
    folder = watch.home.root / origin.raw_dir
    if not watch.raw_store.has_index(folder):
        return replace(traced, fault=_folder_gone(origin))
    answers = [page for page in watch.raw_store.answers(folder) if page.sha256 == origin.sha256]
    if not answers:
        return replace(traced, fault=_damaged(folder / INDEX, "목록에 이 페이지의 줄이 없습니다"))
    page = answers[-1]
    traced = replace(traced, fetched_at=page.fetched_at)
    found = watch.raw_store.find_file(folder, origin.sha256)
    if found is None:
        name = f"{origin.sha256[:16]}.html.gz"
        return replace(traced, fault=_damaged(folder / name, "파일이 없거나 손상되었습니다"))
    path, body = found
    traced = replace(traced, file=path.relative_to(watch.home.root).as_posix())
    if page.request.kind not in kinds:
        return replace(traced, fault=_other_source(page.request.kind))
    return traced, replace(page, body=body)


# --- faults ------------------------------------------------------------------------------------


def _pages_gone(stored: StoredVersion, of_later: str) -> Fault:
    return Fault(
        "no_kept_pages",
        f"이 값을 기록한 실행 {stored.version.run_id} 의 페이지가 없고, 이 값을 마지막으로 확인한 "
        f"실행 {stored.last_seen_run} {of_later}. 백업이 있으면 raw 폴더를 되돌려 놓고 다시 "
        "실행하십시오.",
        exit_code=NOT_THERE,
    )


def _folder_gone(origin: Origin) -> Fault:
    return Fault(
        "no_kept_pages",
        f"페이지가 있던 폴더 {origin.raw_dir} 가 없습니다. 보존 기간이 지나 정리되었습니다. 백업이 "
        "있으면 되돌려 놓고 다시 실행하십시오.",
        exit_code=NOT_THERE,
    )


def _no_detail_page() -> Fault:
    return Fault(
        "no_kept_pages",
        "이 기록의 그때 상세 페이지가 보관되어 있지 않습니다. 아직 받지 않았거나, 그 뒤의 방문이나 "
        "정리로 남지 않았습니다. history 명령으로 값이 바뀐 날을 확인하십시오.",
        exit_code=NOT_THERE,
    )


def _other_source(kind: str) -> Fault:
    return Fault(
        "other_source",
        f"이 값이 있던 응답의 종류({kind})에서는 칸의 위치를 보일 수 없습니다. 보관된 파일을 열어 "
        "기록된 행을 확인하십시오.",
        exit_code=NOT_THERE,
    )


def _damaged(path: Path, what: str) -> Fault:
    error = damaged(path, what)
    return Fault(error.code, error.message, DAMAGED)
