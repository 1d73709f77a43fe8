"""How much of a list and its details primary selectors found, and which of them gave way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dmf_crawler.model.record import Delivery

ROW = "row"
"""Stands for the rows themselves among the fields that selectors find."""

LABEL = "label"
"""Stands for the labels inside cells."""

Deliveries = Mapping[Delivery, int]
"""Each selector that was used, with the number of rows of which it found the value."""


@dataclass(frozen=True, slots=True)
class GaveWay:
    """A field of which another selector than its primary one found values.

    Attributes:
        field: Field id, `row` or `label`.
        primary: The primary selector, "" where nothing says which it was.
        n_by_primary: Rows of which the primary one still found the value.
        served: The selectors that served instead, each with its number of rows.
    """

    field: str
    primary: str
    n_by_primary: int
    served: tuple[tuple[str, int], ...]


def measure_reuse(deliveries: Deliveries) -> float | None:
    """Return the share of fields all of whose values the primary selector found.

    Returns:
        0 to 1; the rows themselves count as a field. None where no selector found anything.
    """
    fields = find_measured(deliveries)
    if not fields:
        return None
    return (len(fields) - len(find_given_way(deliveries))) / len(fields)


def find_measured(deliveries: Deliveries) -> frozenset[str]:
    """Return the fields of which selectors found anything."""
    return frozenset(used.field for used, n_rows in deliveries.items() if n_rows)


def find_given_way(deliveries: Deliveries) -> tuple[GaveWay, ...]:
    """Return the fields that others than their primary selectors served, in the order given."""
    served = [used.field for used, n_rows in deliveries.items() if used.position and n_rows]
    return tuple(_tell_given_way(field, deliveries) for field in dict.fromkeys(served))


def _tell_given_way(field: str, deliveries: Deliveries) -> GaveWay:
    of_field = [(used, n_rows) for used, n_rows in deliveries.items() if used.field == field]
    primary = [(used.selector, n_rows) for used, n_rows in of_field if not used.position]
    return GaveWay(
        field,
        primary=primary[0][0] if primary else "",
        n_by_primary=sum(n_rows for _, n_rows in primary),
        served=tuple(
            (used.selector, n_rows) for used, n_rows in of_field if used.position and n_rows
        ),
    )
