"""What the breakages share: rows picked, cells written, and how severe it usually is."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from dmf_crawler.model.record import Fields, Value
from dmf_crawler.workbench.perturb.breakage import Damage, Extraction, Scene, cut_into_pages

TEXTS = ("ingredient_name", "company", "maker_names", "maker_addresses")
LISTS = ("maker_names", "maker_addresses", "maker_countries")
DATES = ("registered_on", "changed_on", "withdrawn_on")
DOCUMENTS = ("document_no", "linked_document_no")
COLUMNS = ("target", *TEXTS[:2], *LISTS, *DATES, "report_year", "status", *DOCUMENTS)
"""All fields but the number, which makes the key."""

ROW_COUNTS = (1, 2, 3, 5, 8, 12, 20, 35, 50, 100, 200, 500, 1000)
FEW_AND_PAGE = (20, 100)
"""A fault of single cells usually hits a handful of rows, or all rows of one page."""
SHARES = (0.001, 0.002, 0.005, 0.01, 0.03, 0.1, 0.3, 1.0)
WHOLE = (1.0,)
"""A fault of a column usually hits all rows."""

Rows = list[Fields]
RowDamage = Callable[[Rows, Scene, float, random.Random], None]
"""Damages a copy of today's rows in place."""

Where = Callable[[Fields], bool]


def of_rows(damage: RowDamage) -> Damage:
    """Return what a damage of rows makes of a list whose pages and total fit the rows it left."""

    def apply(scene: Scene, severity: float, rng: random.Random) -> Extraction:
        rows = list(scene.rows)
        damage(rows, scene, severity, rng)
        return cut_into_pages(rows, scene.page_size)

    return apply


def of_cells(
    pick_field: Callable[[random.Random], str],
    change: Callable[[Value, Fields, random.Random], Value],
) -> Damage:
    """Return a damage of so many filled cells of one field.

    Args:
        pick_field: Which field.
        change: Old value and its row → new value; an unchanged one is tried with another row.
    """

    def damage(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
        write_cells(rows, pick_field(rng), severity, change, rng)

    return of_rows(damage)


def write_cells(
    rows: Rows,
    field: str,
    severity: float,
    change: Callable[[Value, Fields, random.Random], Value],
    rng: random.Random,
) -> None:
    """Change filled cells of one field in rows drawn at random, until enough have changed."""
    n_left = count_rows(severity, len(rows))
    for index in rng.sample(range(len(rows)), len(rows)):
        row = rows[index]
        if not n_left:
            return
        if row[field] and (value := change(row[field], row, rng)) != row[field]:
            rows[index] = {**row, field: value}
            n_left -= 1


def count_rows(severity: float | int, n_rows: int) -> int:
    """Return how many rows a severity is: a number of rows, or up to 1.0 a share, at least one."""
    if isinstance(severity, int) or severity > 1:
        return min(int(severity), n_rows)
    return max(1, round(severity * n_rows))


def pick_rows(
    rows: Sequence[Fields], severity: float, rng: random.Random, where: Where | None = None
) -> list[int]:
    """Return the indexes of so many rows drawn at random, in list order."""
    fit = [i for i, row in enumerate(rows) if where is None or where(row)]
    return sorted(rng.sample(fit, min(len(fit), count_rows(severity, len(rows)))))


def pick_page(rows: Sequence[Fields], severity: float, rng: random.Random) -> range:
    """Return the indexes of so many rows in a row, from a place drawn at random."""
    n_rows = count_rows(severity, len(rows))
    start = rng.randrange(len(rows) - n_rows + 1)
    return range(start, start + n_rows)


def change_text(value: Value, change: Callable[[str], str]) -> Value:
    """Return a value with each of its texts changed."""
    return change(value) if isinstance(value, str) else tuple(change(text) for text in value)


def text_of(value: Value) -> str:
    """Return a value as one text."""
    return value if isinstance(value, str) else ", ".join(value)


def as_in(field: str, value: Value) -> Value:
    """Return a value in the form of a field's: a list where the field holds lists."""
    if field not in LISTS:
        return text_of(value)
    return value if isinstance(value, tuple) else ((value,) if value else ())


def one_of(fields: Iterable[str]) -> Callable[[random.Random], str]:
    """Return what draws one of some fields."""
    names = tuple(fields)
    return lambda rng: rng.choice(names)
