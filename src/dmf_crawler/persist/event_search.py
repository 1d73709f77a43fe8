"""Events found by what happened, when, to which records; no text is compared as it was typed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from dmf_crawler.model.change import EventType, FieldChange, Grade
from dmf_crawler.model.record import Value
from dmf_crawler.model.report import EventRow
from dmf_crawler.model.run import ONE_DAY, end_of_day
from dmf_crawler.persist.questions import read_event
from dmf_crawler.persist.store import Store
from dmf_crawler.text import search_form

_EVENTS = (
    "SELECT e.*, c.day AS run_day FROM dmf_event e JOIN crawl_run c ON c.run_id = e.run_id"
    " WHERE e.board_id = :board"
)
_OF_DAYS = " AND e.occurred_at >= :since AND e.occurred_at < :until"
_OF_KEY = (  # few events: a plus keeps SQLite from going by the days
    " AND e.natural_key = :key AND +e.occurred_at >= :since AND +e.occurred_at < :until"
)
_NOT_BASELINE = " AND c.is_baseline = 0"
_OLDEST_FIRST = " ORDER BY e.occurred_at, e.event_id"
_OF_KEY_OLDEST_FIRST = " ORDER BY +e.occurred_at, e.event_id"

N_REMEMBERED = 50_000
"""Texts whose form is kept; few of a list's texts are different ones."""


@dataclass(frozen=True, slots=True)
class EventSearch:
    """Which events of one board are looked for; all conditions have to hold.

    Attributes:
        board_id: Which board.
        since: First day, of the run that recorded the event.
        until: Last day, included.
        key: Natural key, None for all.
        changed: Id of a field that must have changed, "" for any.
        texts: Field id → a text that must occur in it, before or after the event; white space,
            capitals and ways of typing do not matter.
        types: At least one of them; none for all.
        grades: At least one change, of that field where one is named, has one of these; none for
            all.
        has_baseline: Whether what the first accepted run found is looked at, too.
    """

    board_id: str
    since: date
    until: date
    key: str | None = None
    changed: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    types: Collection[EventType] = ()
    grades: Collection[Grade] = ()
    has_baseline: bool = False


def find_events(store: Store, search: EventSearch) -> Iterator[tuple[EventRow, date]]:
    """Yield the events that are looked for with the day of their run, oldest first."""
    wanted = {name: search_form(text) for name, text in search.texts.items()}
    sql = _EVENTS + (_OF_DAYS if search.key is None else _OF_KEY)
    if not search.has_baseline:
        sql += _NOT_BASELINE
    rows = store.rows(
        sql + (_OLDEST_FIRST if search.key is None else _OF_KEY_OLDEST_FIRST),
        {
            "board": search.board_id,
            "key": search.key,
            "since": end_of_day(search.since - ONE_DAY).isoformat(),
            "until": end_of_day(search.until).isoformat(),
        },
    )
    for row in rows:
        if search.types and row["event_type"] not in search.types:
            continue
        event = read_event(row)
        if _has_change(event, search) and _has_texts(event, wanted):
            yield event, date.fromisoformat(row["run_day"])


def _has_change(event: EventRow, search: EventSearch) -> bool:
    if not search.changed and not search.grades:
        return True
    return any(
        (not search.changed or change.field == search.changed)
        and (not search.grades or change.grade in search.grades)
        for change in event.changes
    )


def _has_texts(event: EventRow, wanted: Mapping[str, str]) -> bool:
    return all(
        any(text in _form(value) for value in _texts_of(event, name))
        for name, text in wanted.items()
    )


def _texts_of(event: EventRow, name: str) -> Iterator[str]:
    """Yield what a field says after an event, and what it said before where that differs."""
    yield from _parts(event.fields.get(name))
    yield from _parts(_find_before(event.changes, name))


def _find_before(changes: Collection[FieldChange], name: str) -> Value | None:
    return next((change.before for change in changes if change.field == name), None)


def _parts(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value


@lru_cache(maxsize=N_REMEMBERED)
def _form(text: str) -> str:
    return search_form(text)
