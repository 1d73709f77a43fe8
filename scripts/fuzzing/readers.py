"""What is fuzzed: the readers of the package, and what each may answer."""

import hashlib
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path

import msgspec

from dmf_crawler.document import read_document
from dmf_crawler.extract.detail import read_detail
from dmf_crawler.extract.open_api import read_api_page
from dmf_crawler.extract.page_file import PageFile
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.selectors import Selectors, compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.extract.watched_page import PageSelectors, compile_page, read_watched_page
from dmf_crawler.extract.workbook import read_workbook
from dmf_crawler.model.detail import DetailPage
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.record import PageTable, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.model.watched_page import PageReading
from scripts.fuzzing.oracle import find_invented

ROOT = Path(__file__).parents[2]
URL = "http://127.0.0.1:8000/pbp/CCBAC03/getList?page=1&limit=100"
_MOST_MESSAGE_CHARS = 1_200
_MOST_SEARCHED_BYTES = 400_000
"""A larger page is not searched for the values: what is searched by must itself be quick."""

_MOST_VALUES = 20_000
"""Of a larger table the records are not compared."""


Record = Mapping[str, Value]
Found = PageTable | DetailPage | PageReading | Fault


@dataclass(frozen=True, slots=True)
class Case:
    """One body for one reader.

    Attributes:
        reader: One of `READERS`.
        body: As if received.
        content_type: As if received.
    """

    reader: str
    body: bytes
    content_type: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case.

    Attributes:
        kind: `table`, a fault's code, or for a finding `exception`, `bad_fault`, `invented`,
            `hang` or `death`.
        is_finding: Whether this must not happen.
        detail: Traceback or what was found, for people.
        place: Where it happened, the same for the same mistake.
        records: Of a table that is not too large.
    """

    kind: str
    is_finding: bool = False
    detail: str = ""
    place: str = ""
    records: tuple[Record, ...] = ()


@cache
def load_selectors(name: str) -> Selectors:
    path = ROOT / "selectors" / f"{name}.yaml"
    return compile_selectors(msgspec.convert(read_document(path, path.name).value, SelectorsFile))


@cache
def load_page_selectors(name: str) -> PageSelectors:
    path = ROOT / "selectors" / f"{name}.yaml"
    return compile_page(msgspec.convert(read_document(path, path.name).value, PageFile))


def read_case(case: Case) -> Found:
    page = RawPage(
        request=PageRequest(URL, "list", 1),
        url=URL,
        status=200,
        content_type=case.content_type,
        sha256=hashlib.sha256(case.body).hexdigest(),
        body=case.body,
        fetched_at=datetime(2026, 11, 30, tzinfo=UTC),
    )
    return READERS[case.reader](page)


READERS: dict[str, Callable[[RawPage], Found]] = {
    "list": lambda page: read_page(page, load_selectors("dmf_registry")),
    "notices": lambda page: read_page(page, load_selectors("mfds_notice")),
    "detail": lambda page: read_detail(page, load_selectors("mfds_notice")),
    "watched": lambda page: read_watched_page(page, load_page_selectors("nedrug_terms")),
    "workbook": lambda page: read_workbook(page, load_selectors("dmf_registry"), most_rows=10_000),
    "open_api": lambda page: read_api_page(page, load_selectors("dmf_registry")),
}


def explain_exception(error: BaseException) -> Outcome:
    """Make a finding of an exception: its type and the last line of the package that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    inner = [frame for frame in frames if "dmf_crawler" in frame.filename] or list(frames)
    place = f"{type(error).__name__} in {inner[-1].name}" if inner else type(error).__name__
    text = "".join(traceback.format_exception(error, limit=-20))
    return Outcome("exception", is_finding=True, detail=text[-6_000:], place=place)


def judge(case: Case, found: Found) -> Outcome:
    """Say whether a reader's answer may be true."""
    if isinstance(found, Fault):
        return _judge_fault(found)
    values = list(islice(_values_of(found), _MOST_VALUES))
    if len(case.body) <= _MOST_SEARCHED_BYTES and (invented := find_invented(case.body, values)):
        return Outcome("invented", is_finding=True, detail="\n".join(invented[:20]), place="value")
    if isinstance(found, DetailPage | PageReading):
        return Outcome("table")
    records = tuple(row.fields for row in (*found.pinned, *found.rows))
    return Outcome("table", records=records if _are_few(values) else ())


def _are_few(values: Sequence[str]) -> bool:
    return len(values) < _MOST_VALUES and sum(map(len, values)) < _MOST_SEARCHED_BYTES


def _judge_fault(fault: Fault) -> Outcome:
    reasons = [
        reason
        for reason, is_so in (
            ("code", not re.fullmatch("[a-z_]+", fault.code)),
            ("exit code", fault.exit_code not in {4, 6}),
            ("no sentence", len(fault.message.strip()) < 20),
            ("long sentence", len(fault.message) > _MOST_MESSAGE_CHARS),
        )
        if is_so
    ]
    if reasons:
        return Outcome("bad_fault", is_finding=True, detail=repr(fault)[:6_000], place=str(reasons))
    return Outcome(fault.code)


def _values_of(found: PageTable | DetailPage | PageReading) -> Iterator[str]:
    if isinstance(found, PageReading):
        yield from found.blocks
        return
    if isinstance(found, DetailPage):
        yield from found.body.splitlines()
        yield from (link.label for link in found.files)
        return
    for row in (*found.pinned, *found.rows):
        for value in row.fields.values():
            yield from (value,) if isinstance(value, str) else value
