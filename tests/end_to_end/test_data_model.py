"""The SQL of docs/data_model.md, each block run on a record's lived history, answers as shown."""

from __future__ import annotations

import gzip
import hashlib
import re
import sqlite3
from contextlib import closing

import pytest

from tests.end_to_end.homes import RehearsalHome
from tests.end_to_end.lives import DAYS, KEY, live
from tests.pages import read

BLOCK = re.compile(r"^```sql\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall(read("docs/data_model.md"))
PAGE = re.compile(r"[0-9a-f]{16}(?=\.html\.gz)")


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> RehearsalHome:
    return live(tmp_path_factory.mktemp("life") / "home")


def answer(home: RehearsalHome, sql: str) -> str:
    """Return what `sqlite3 -header -readonly` prints."""
    with closing(
        sqlite3.connect(f"file:{home.root}/var/dmf.sqlite3?mode=ro", uri=True)
    ) as connection:
        cursor = connection.execute(sql)
        lines = [[name for name, *_ in cursor.description], *cursor.fetchall()]
    text = "".join(
        "|".join("" if value is None else str(value) for value in line) + "\n" for line in lines
    )
    return PAGE.sub("<sha256[:16]>", text)


def test_there_are_blocks_and_each_shows_its_answer():
    assert len(BLOCKS) >= 8
    assert [sql for sql, shown in BLOCKS if not shown] == []
    assert sum(KEY in sql for sql, _ in BLOCKS) >= 8


@pytest.mark.parametrize(("sql", "shown"), BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_of_sql_answers_as_the_page_shows(home, sql, shown):
    assert answer(home, sql) == shown


def test_the_page_that_a_version_was_read_from_is_where_the_sql_says(home):
    (sql,) = (sql for sql, _ in BLOCKS if "html.gz" in sql)

    rows = home.rows(sql)

    assert [row[0][:10] for row in rows] == [
        DAYS[0][0],
        DAYS[1][0],
        DAYS[5][0],
        DAYS[10][0],
    ]
    for valid_from, page, row_no in rows:
        body = gzip.decompress((home.root / page).read_bytes())
        assert hashlib.sha256(body).hexdigest().startswith(page.rpartition("/")[2][:16])
        assert KEY.encode() in body, valid_from
        assert row_no >= 1
