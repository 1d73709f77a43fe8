"""A page board's kept bytes → what the page says: of one run, and of the last kept state.

The last kept state is read again from the page that it was read from, with the selectors of today,
so that a newer selectors file is no change of the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from dmf_crawler.extract.watched_page import read_watched_page, restore_reading
from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Record
from dmf_crawler.model.run import Fault, day_of
from dmf_crawler.model.watched_page import PageReading
from dmf_crawler.page_watch import PageWatch
from dmf_crawler.persist.questions import StoredVersion, version_at, versions_of_key
from dmf_crawler.persist.runs import get_run

MOST_RETURNED = 30
"""So many earlier states of a page are compared with a changed one."""


def read_kept_page(watch: PageWatch, folder: Path) -> PageReading | Fault:
    """Read the page that a run received last.

    Returns:
        The reading; or the fault of `read_watched_page`, or `incomplete_pages`.

    Raises:
        RawStoreError: The folder is damaged.
    """
    page = find_kept_page(watch, folder)
    if page is not None:
        return read_watched_page(page, watch.selectors)
    return Fault(
        "incomplete_pages",
        "이 실행이 받은 페이지가 없습니다. 페이지를 받기 전에 끝난 실행이므로 다시 읽을 수 "
        "없습니다. 같은 날의 다른 실행을 고르십시오.",
        exit_code=6,
        is_retryable=True,
    )


def find_kept_page(watch: PageWatch, folder: Path) -> RawPage | None:
    """Return the last usable answer of a run; of one that was asked again after a fault, the last.

    Raises:
        RawStoreError: The folder is damaged.
    """
    usable = None
    for page in watch.raw_store.pages(folder):
        if page.request.kind == "page" and page.is_usable:
            usable = page
    return usable


def read_kept_state(
    watch: PageWatch, moment: datetime | None = None
) -> tuple[StoredVersion, PageReading] | None:
    """Return the last kept state of a page, up to a moment; None before the first.

    Where its page is gone, or cannot be read with the selectors of today, the text of the history
    stands for it.
    """
    stored = version_at(watch.store, watch.board.id, watch.board.id, moment)
    if stored is None:
        return None
    return stored, _read_again(watch, stored) or restore_reading(
        stored.version.fields, watch.selectors
    )


def _read_again(watch: PageWatch, stored: StoredVersion) -> PageReading | None:
    folder = watch.home.root / get_run(watch.store, stored.version.run_id).raw_dir
    if not watch.raw_store.has_index(folder):
        return None
    pages = (
        page
        for page in watch.raw_store.answers(folder)
        if page.request.kind == "page" and page.sha256 == stored.version.source
    )
    page = next(pages, None)
    body = None if page is None else watch.raw_store.find_body(folder, page.sha256)
    if page is None or body is None:
        return None
    reading = read_watched_page(replace(page, body=body), watch.selectors)
    return None if isinstance(reading, Fault) else reading


def refuse_lost_fields(
    watch: PageWatch, reading: PageReading, known: Mapping[str, KnownRecord]
) -> Fault | None:
    """Return `page_field_lost` where a field that the history has a value of cannot be read.

    Nothing tells a page that took the value away from one that was built anew around it; an empty
    value in the history would be wrong in the second case.
    """
    kept = known[watch.board.id].fields if watch.board.id in known else {}
    lost = [
        f"{watch.labels[field]}: '{str(kept[field])[:40]}'"
        for field in reading.unfound
        if kept.get(field)
    ]
    if not lost:
        return None
    return Fault(
        "page_field_lost",
        f"전에 값이 있던 항목의 자리를 찾지 못했습니다({', '.join(lost[:5])}). 그 자리에 요소가 꼭 "
        "하나 있어야 합니다. 빈 값으로 기록하지 않고 이력을 그대로 둡니다. 보관된 페이지를 열어 "
        "보고, 자리가 바뀌었으면 selectors 파일의 fields를 고치고, 값이 정말 없어졌으면 그 항목을 "
        "selectors 파일에서 지운 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def tell_return(watch: PageWatch, reading: PageReading) -> str:
    """Return a Korean sentence where a changed page says what one of its last states said, else "".

    A page that shows one of two versions by turns changes at every visit; who looks at the change
    should know.
    """
    versions = versions_of_key(watch.store, watch.board.id, watch.board.id)[:-1]
    for version in reversed(versions[-MOST_RETURNED:]):
        earlier = restore_reading(version.fields, watch.selectors)
        if earlier.compared == reading.compared and earlier.fields == reading.fields:
            return (
                f" {day_of(version.valid_from)} 에 처음 읽은 상태로 되돌아왔습니다. 두 상태가 "
                "번갈아 나오면 그 부분을 selectors 파일의 drop에 적어 주십시오."
            )
    return ""


def to_record(watch: PageWatch, reading: PageReading) -> Record:
    """Return a page as the one record that the history keeps of it: its fields, then its text."""
    return Record(
        key=watch.board.id,
        fields={**reading.fields, BODY: "\n".join(reading.blocks)},
        source=reading.source,
        url=reading.url,
        row_no=1,
    )
