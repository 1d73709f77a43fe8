"""Lists as csv whose columns are called alike, or whose values changed their shape."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import date

from dmf_crawler.model.listing import KnownBoard, ListOfDay
from dmf_crawler.model.record import Column
from dmf_crawler.publish.list_files import KEY_LABEL, OWN_COLUMNS, write_list_csv
from tests.publish.builders import a_record, a_run_row


def written(columns: tuple[Column, ...], *fields: dict[str, str | tuple[str, ...]]) -> list[dict]:  # type: ignore[type-arg]
    records = tuple(replace(a_record(str(n)), fields=values) for n, values in enumerate(fields))
    board = KnownBoard("notices", "공지", columns)
    file = io.BytesIO()
    n_rows = write_list_csv(file, ListOfDay(board, date(2026, 12, 1), a_run_row(), records))
    rows = list(csv.DictReader(io.StringIO(file.getvalue().decode("utf-8-sig"), newline="")))
    assert len(rows) == n_rows == len(records)
    return rows


def test_columns_that_are_called_alike_are_told_apart():
    columns = (Column("a", "이름"), Column("b", "이름"), Column("c", KEY_LABEL), Column("d", "값"))
    (row,) = written(columns, {"a": "1", "b": "2", "c": "3", "d": "4"})
    assert (row["이름 (a)"], row["이름 (b)"], row["값"]) == ("1", "2", "4")
    assert row[f"{KEY_LABEL} (c)"] == "3"
    assert set(row) == {
        *(KEY_LABEL, "이름 (a)", "이름 (b)", f"{KEY_LABEL} (c)", "값"),
        *OWN_COLUMNS,
    }


def test_a_text_among_several_values_is_written_like_them():
    """So that whoever takes the cells of a column apart need not know which is which."""
    columns = (Column("a", "이름"), Column("b", "제조소", is_nested=True))
    rows = written(columns, {"a": ("1", "2"), "b": "x\\y"}, {"a": "1\\2", "b": "x"}, {})
    assert [row["이름"] for row in rows] == ["1\n2", "1\\\\2", ""]
    assert [row["제조소"] for row in rows] == ["x\\\\y", "x", ""]
