"""A home with a history that was written without a crawl: what may happen to a record does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dmf_crawler.model.record import Record
from dmf_crawler.persist.runs import get_run
from dmf_crawler.persist.store import Store
from tests.persist.builders import Diary, a_record, moment

STAYS = a_record("20200101-1-A-1", registered_on="2020-01-01")
RENAMED = a_record("20200102-1-A-2", company="가나제약(주)", registered_on="2020-01-02")
VANISHES = a_record("20200103-1-A-3", registered_on="2020-01-03")
WITHDRAWN = a_record("20200104-1-A-4", registered_on="2020-01-04")
ODD = a_record(
    "20200105-1-A-5",
    company='=HYPERLINK("http://x","y")',
    ingredient_name='+1,2-"디"\n메틸',
    maker_names=("@A; B\\n", "", "-C\nD"),
    registered_on="2020-01-05",
)


def changed(record: Record, **fields: str) -> Record:
    return replace(record, fields={**record.fields, **fields})


def tell(root: Path) -> Path:
    """Write nine days of the register into a home and return it.

    Day 0 the baseline. Day 1 RENAMED is renamed, at 05:00 of the next calendar day. Day 2 nothing
    is accepted. Day 3 WITHDRAWN is withdrawn by status. From day 4 on VANISHES is missing; on day
    6 that is recorded. Day 5 a correction reads the pages of day 3 otherwise: STAYS got a new
    ingredient. Day 8 VANISHES is back.
    """
    with Store(root / "var/dmf.sqlite3") as store:
        diary = Diary(store)
        renamed = changed(RENAMED, company="국전약품(주)")
        withdrawn = changed(WITHDRAWN, status="취하")
        corrected = changed(STAYS, ingredient_name="바르게 읽은 성분")
        diary.read(STAYS, RENAMED, VANISHES, WITHDRAWN, ODD, at=moment(0))
        diary.read(STAYS, renamed, VANISHES, WITHDRAWN, ODD, at=moment(1, hour=29))
        third = diary.read(STAYS, renamed, VANISHES, withdrawn, ODD, at=moment(3)).run
        diary.read(STAYS, renamed, withdrawn, ODD, at=moment(4))
        row = get_run(store, third.run_id)
        diary.read(corrected, renamed, withdrawn, ODD, at=moment(5), correct=row)
        for day in (5, 6, 7):
            diary.read(corrected, renamed, withdrawn, ODD, at=moment(day, hour=7))
        diary.read(corrected, renamed, VANISHES, withdrawn, ODD, at=moment(8))
    return root
