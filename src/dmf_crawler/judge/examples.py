"""Places that a gate shows a person: key, field, before, after, and the page that has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dmf_crawler.model.change import Change, FieldChange, KnownRecord
from dmf_crawler.model.record import Record, Value
from dmf_crawler.model.verdict import Example

MOST_EXAMPLES = 10

ASK_A_PERSON = "사실인지 사이트에서 확인한 뒤 approve 또는 reject 명령으로 결정하십시오."


def example_of(change: Change, name: str, found: FieldChange | None = None) -> Example:
    """Return the place of one field of a change; a key that is gone has no page.

    Args:
        change: What happened to the key.
        name: Field id.
        found: What happened to the field; looked up where it is None.
    """
    each = found or next((each for each in change.changes if each.field == name), None)
    before = each.before if each else None
    after = each.after if each else None
    if change.after is None:
        return Example(change.key, name, before, after)
    record = change.after
    return Example(change.key, name, before, after, record.source, record.url, record.row_no)


def example_of_record(record: Record, name: str) -> Example:
    """Return the place of one field of a record that was not there before."""
    value = record.fields.get(name)
    return Example(record.key, name, None, value, record.source, record.url, record.row_no)


def examples_in(
    records: Iterable[Record], name: str, known: Mapping[str, KnownRecord]
) -> tuple[Example, ...]:
    """Return at most ten places of one field, each with what the record had there before."""
    return choose_examples(
        replace(example_of_record(record, name), before=known[record.key].fields.get(name))
        if record.key in known
        else example_of_record(record, name)
        for record in records
    )


def choose_examples(examples: Iterable[Example]) -> tuple[Example, ...]:
    """Return at most ten places; those that differ in what they show come first."""
    first: dict[tuple[Value | None, Value | None], Example] = {}
    rest = []
    for example in examples:
        shown = (example.before, example.after)
        if shown in first:
            rest.append(example)
        else:
            first[shown] = example
        if len(first) == MOST_EXAMPLES:
            break
    return (*first.values(), *rest)[:MOST_EXAMPLES]
