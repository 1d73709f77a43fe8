"""What a source leaves out, or joins, filled in from the history; pure.

The open API lacks columns, and joins the values of several sites to one text. A record that is not
filled in would look as if all of that had changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dmf_crawler.model.change import KnownRecord
from dmf_crawler.model.record import FieldKind, Record, Snapshot, Value
from dmf_crawler.text import JOINT, is_same_joined

EMPTY = KnownRecord("", {}, is_current=False)


def complete_records(
    snapshot: Snapshot, known: Mapping[str, KnownRecord], kinds: Mapping[str, FieldKind]
) -> Snapshot:
    """Return a snapshot whose records have what the history knows and their source does not say.

    A nested column that says the same, in one text, as the history in several values keeps these.

    Args:
        snapshot: As read from a source that is not complete.
        known: What the history says of each key.
        kinds: All fields of the board, in the order of the stored record.
    """
    records = {
        key: _complete(record, known.get(key, EMPTY), kinds)
        for key, record in snapshot.records.items()
    }
    return replace(snapshot, records=records)


def _complete(record: Record, before: KnownRecord, kinds: Mapping[str, FieldKind]) -> Record:
    fields: dict[str, Value] = {}
    is_joined = False
    for name in (*kinds, *(name for name in record.fields if name not in kinds)):
        if name not in record.fields:
            if name in before.fields:
                fields[name] = before.fields[name]
            continue
        value, stored = record.fields[name], before.fields.get(name)
        is_known = stored is not None and (value == stored or is_same_joined(stored, value))
        fields[name] = stored if is_known and stored is not None else value
        is_joined |= _may_be_joined(fields[name]) and (before.is_joined or not is_known)
    return replace(record, fields=fields, is_joined=is_joined)


def _may_be_joined(value: Value) -> bool:
    return isinstance(value, tuple) and len(value) == 1 and JOINT in value[0]
