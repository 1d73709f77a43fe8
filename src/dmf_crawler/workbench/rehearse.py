"""Days in the life of the rehearsal site, crawled for real; what was found against the truth."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path

from dmf_crawler.config import shipped_home
from dmf_crawler.errors import StoredDataError, UsageError
from dmf_crawler.model.change import EventType, Grade, Reason
from dmf_crawler.model.record import Value
from dmf_crawler.model.report import EventRow, VersionRow
from dmf_crawler.model.run import DAY_STARTS_AT_HOUR, KST, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.text import key_form
from dmf_crawler.workbench.rehearsal import terms
from dmf_crawler.workbench.rehearsal.days import DayTruth, Life, LivedList, Row
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.terms_life import TermsLife
from dmf_crawler.workbench.rehearsal.terms_page import NOISE

REGISTER = "dmf_registry"
NOTICES = "mfds_notice"
TERMS = terms.BOARD_ID
REAL_SITES = (
    re.compile(r"https://nedrug\.mfds\.go\.kr(?=\s)"),
    re.compile(r"https://apis\.data\.go\.kr(?=\s)"),
)
"""The hosts of the shipped home: the site's, then the open API's."""
REAL_DELAY = re.compile(r"(?m)(?<=^  min_delay_s: )[0-9.]+")
KINDS = ("NEW", "MODIFIED", "WITHDRAWN", "REAPPEARED", "COSMETIC")

Sighting = tuple[str, str, tuple[str, ...], str]
"""Kind, key, changed fields and reason of one event; what truth and history are compared by."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a day's run of one board left behind.

    Attributes:
        summary: How the run ended.
        events: What it recorded, the baseline's entries too.
        records: The current list after it.
    """

    summary: RunSummary
    events: Sequence[EventRow]
    records: Sequence[VersionRow]


RunDay = Callable[[datetime], Mapping[str, Found]]
"""Runs all boards once, as if at a moment, and tells what each left in the history."""


@dataclass(frozen=True, slots=True)
class RehearsedBoard:
    """One board on one day: what the crawler found and what really happened.

    Attributes:
        board_id: Which board.
        summary: How the run ended.
        truth: Keys by what must be recorded that day (the baseline: all as NEW).
        found: Keys by what was recorded.
        false_events: Recorded, but it did not happen so; cells that differ from the site's too.
        missed_events: It happened, but was not recorded; records that are not there too.
    """

    board_id: str
    summary: RunSummary
    truth: dict[str, int]
    found: dict[str, int]
    false_events: int
    missed_events: int

    @property
    def agrees(self) -> bool:
        """Whether nothing is false and nothing missed."""
        return not (self.false_events or self.missed_events)


@dataclass(frozen=True, slots=True)
class RehearsedDay:
    """One day of all boards, in the order in which they ran.

    Attributes:
        day: The day.
        boards: At least one.
    """

    day: date
    boards: tuple[RehearsedBoard, ...]

    @property
    def summary(self) -> RunSummary:
        """How the first board's run ended."""
        return self.boards[0].summary


def make_home(
    target: Path,
    base_url: str,
    *,
    delay_s: float = 0.0,
    shipped: Path | None = None,
    api_base_url: str = "",
) -> None:
    """Make a home folder for the rehearsal site: the shipped one but for hosts and delay.

    Args:
        target: The folder, empty or missing.
        base_url: The rehearsal site's.
        api_base_url: That of the site which has the open API; "" where it is the same.
        delay_s: Least pause between two requests.
        shipped: What it is copied from; the program's own by default.

    Raises:
        UsageError: `folder_not_empty`, `shipped_home_changed`.
        StoredDataError: `home_not_writable`.
    """
    if target.exists() and any(target.iterdir()):
        raise UsageError(
            "folder_not_empty",
            f"{target} 이 비어 있지 않습니다. 비어 있거나 아직 없는 폴더를 --keep 으로 적으십시오.",
        )
    source = shipped or shipped_home()
    try:
        for folder in ("config", "selectors"):
            shutil.copytree(source / folder, target / folder, dirs_exist_ok=True)
        for real, copy in zip(REAL_SITES, (base_url, api_base_url or base_url), strict=True):
            _replace_once(target / "config/boards.yaml", real, copy)
        _replace_once(target / "config/settings.yaml", REAL_DELAY, str(delay_s))
    except OSError as error:
        raise StoredDataError(
            "home_not_writable",
            f"연습용 홈 폴더 {target} 를 만들 수 없습니다({error}). 권한과 디스크 공간을 "
            "확인하십시오.",
        ) from error


def _replace_once(path: Path, old: re.Pattern[str], new: str) -> None:
    text, n_replaced = old.subn(new, path.read_text(encoding="utf-8"))
    if n_replaced != 1:
        raise UsageError(
            "shipped_home_changed",
            f"{path.name} 에서 {old.pattern} 를 {n_replaced}번 찾았습니다(1번이어야 합니다). "
            "배포본의 config 폴더를 되돌린 뒤 다시 실행하십시오.",
        )
    path.write_text(text, encoding="utf-8", newline="\n")


def rehearse_days(
    site: RehearsalSite,
    life: Life,
    n_days: int,
    run_day: RunDay,
    *,
    notices: NoticeLife | None = None,
    terms_life: TermsLife | None = None,
) -> Iterator[RehearsedDay]:
    """Live day after day, each crawled at its 06:00; the first one is the baseline.

    Args:
        site: What is crawled.
        life: The register's.
        n_days: How many.
        run_day: Runs the boards once; each must be one of those that live here.
        notices: The notice board's life, None for a site without the board.
        terms_life: That of the terms of use, None for a site without the page.
    """
    lives: dict[str, LivedList] = {REGISTER: life}
    if notices is not None:
        lives[NOTICES] = notices
    if terms_life is not None:
        lives[TERMS] = terms_life
    truths: dict[str, DayTruth] = {}
    for number in range(n_days):
        if number:
            truths = {board_id: lived.advance() for board_id, lived in lives.items()}
        site.rows = life.rows
        site.notices = None if notices is None else notices.rows
        site.terms = None if terms_life is None else terms_life.terms
        found = run_day(datetime.combine(life.day, time(DAY_STARTS_AT_HOUR), KST))
        boards = [
            compare_board(board_id, lives[board_id], truths.get(board_id), each)
            for board_id, each in found.items()
        ]
        yield RehearsedDay(life.day, tuple(boards))


def compare_board(
    board_id: str, lived: LivedList, truth: DayTruth | None, found: Found
) -> RehearsedBoard:
    """Compare what a run recorded with what happened, event by event and cell by cell.

    Args:
        board_id: Which board.
        lived: Its list as the site shows it.
        truth: What happened since the day before; None for the baseline.
        found: What the run left behind.
    """
    form = str if board_id == TERMS else key_form  # a page's key is its board's id
    if truth is None:
        happened = Counter[Sighting](("NEW", form(row.key), (), "") for row in lived.rows)
    else:
        happened = Counter(
            (each.kind, form(each.key), each.fields, each.reason) for each in truth.happenings
        )
    recorded = Counter(map(_sight_event, found.events))
    shown = {form(row.key): row for row in lived.rows}
    false_cells, missed_cells = _compare_lists(lived, shown, found)
    return RehearsedBoard(
        board_id=board_id,
        summary=found.summary,
        truth=truth.counts if truth else dict.fromkeys(KINDS, 0) | {"NEW": len(lived.rows)},
        found=_count_kinds(found.events),
        false_events=(recorded - happened).total() + false_cells,
        missed_events=(happened - recorded).total() + missed_cells,
    )


def _sight_event(event: EventRow) -> Sighting:
    fields = tuple(change.field for change in event.changes)
    return (str(event.event_type), event.key, fields, str(event.reason or ""))


def _count_kinds(events: Iterable[EventRow]) -> dict[str, int]:
    kinds = Counter(
        "COSMETIC" if _is_cosmetic(event) else str(event.event_type) for event in events
    )
    return {kind: kinds[kind] for kind in KINDS}


def _is_cosmetic(event: EventRow) -> bool:
    return (
        event.event_type is EventType.MODIFIED
        and event.reason is not Reason.DELISTED
        and event.grade is Grade.COSMETIC
    )


def _compare_lists(lived: LivedList, shown: Mapping[str, Row], found: Found) -> tuple[int, int]:
    """Return how many records differ from the site's row or stand for none, and how many lack."""
    if found.summary.status is not RunStatus.OK:
        return 0, 0
    there = {each.key: each for each in found.records if each.missing_since is None}
    n_false = len(there.keys() - shown.keys())
    for key in there.keys() & shown.keys():
        n_false += any(
            _without_noise(shown[key], there[key].fields.get(name))
            != stripped(getattr(shown[key], name))
            for name, _ in lived.columns
        )
    return n_false, len(shown.keys() - there.keys())


def _without_noise(row: Row, value: Value | None) -> Value | None:
    """Return what was recorded without the lines of a page that are others at every visit."""
    if not isinstance(row, terms.TermsText) or not isinstance(value, str):
        return value
    return terms.drop_noise(value, NOISE)


def stripped(value: Value) -> Value:
    """Return a value of the site without the outer white space, which no page can carry."""
    if isinstance(value, str):
        return value.strip()
    return tuple(text.strip() for text in value)
