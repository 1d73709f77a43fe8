"""How many records of a board did what, counted from the rows that the sheets show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dmf_crawler.model.change import EventType, FieldChange, Grade, Reason
from dmf_crawler.model.report import BoardReport, EventRow

NORMAL_STATUS = "정상"


@dataclass(frozen=True, slots=True)
class Tally:
    """Keys by what happened to them in a board's events, and the size of its list.

    Attributes:
        n_new: Keys with a NEW event.
        n_changed: Keys with a MODIFIED event that is more than cosmetic.
        n_changed_fields: Their changed fields, cosmetic ones left out.
        n_withdrawn: Keys with a WITHDRAWN event.
        n_reappeared: Keys with a REAPPEARED event.
        n_changed_back: Fields of the sheets' events whose new value is what it was before an
            earlier change, cosmetic ones left out.
        n_cosmetic: Keys with cosmetic changes and nothing more.
        n_missing: Current records that are missing and not withdrawn for it.
        n_records: Current records, the missing ones included.
        n_normal: Current records whose status is 정상; None where the board has no status.
    """

    n_new: int
    n_changed: int
    n_changed_fields: int
    n_withdrawn: int
    n_reappeared: int
    n_changed_back: int
    n_cosmetic: int
    n_missing: int
    n_records: int
    n_normal: int | None

    @property
    def n_events(self) -> int:
        """Keys that the sheets 신규, 변경 and 취하 show, each counted under what it did."""
        return self.n_new + self.n_changed + self.n_withdrawn + self.n_reappeared


def tally_board(board: BoardReport) -> Tally:
    """Count a board's events and records."""
    modified = list(select_events(board, EventType.MODIFIED))
    changed = {event.key for event in modified}
    cosmetic = {event.key for event in board.events if is_cosmetic(event)}
    return Tally(
        n_new=_count_keys(board, EventType.NEW),
        n_changed=len(changed),
        n_changed_fields=sum(len(select_changes(event)) for event in modified),
        n_withdrawn=_count_keys(board, EventType.WITHDRAWN),
        n_reappeared=_count_keys(board, EventType.REAPPEARED),
        n_changed_back=sum(
            change.field in event.changed_back
            for event in select_events(board)
            for change in select_changes(event)
        ),
        n_cosmetic=len(cosmetic - changed),
        n_missing=sum(record.missing_since is not None for record in board.records),
        n_records=len(board.records),
        n_normal=_count_normal(board),
    )


def select_events(board: BoardReport, event_type: EventType | None = None) -> Iterator[EventRow]:
    """Yield the events of one type, or of all, that the sheets 신규, 변경 and 취하 show.

    What 이력 alone shows is left out: cosmetic changes, and the two events by which a record goes
    on under another key when its number stops to identify it, unless a value changed with it.
    """
    for event in board.events:
        is_wanted = event_type is None or event.event_type is event_type
        is_bare_rekeying = event.reason is Reason.REKEYED and not select_changes(event)
        if is_wanted and not is_bare_rekeying and not is_cosmetic(event):
            yield event


def select_changes(event: EventRow) -> tuple[FieldChange, ...]:
    """Return the changed fields that 변경 shows: all but the cosmetic ones."""
    return tuple(change for change in event.changes if change.grade is not Grade.COSMETIC)


def is_cosmetic(event: EventRow) -> bool:
    """Tell whether an event is a MODIFIED whose every changed field is cosmetic."""
    return (
        event.event_type is EventType.MODIFIED
        and event.reason is None
        and not select_changes(event)
    )


def _count_keys(board: BoardReport, event_type: EventType) -> int:
    return len({event.key for event in select_events(board, event_type)})


def _count_normal(board: BoardReport) -> int | None:
    if not board.status_field:
        return None
    return sum(record.fields.get(board.status_field) == NORMAL_STATUS for record in board.records)
