from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest

from dmf_crawler.workbench.rehearsal.register import ListRow, grow_register
from dmf_crawler.workbench.rehearsal.server import RehearsalSite


@pytest.fixture(scope="session")
def rows() -> tuple[ListRow, ...]:
    """137 rows; the second one has every dirt that a page must carry unharmed."""
    grown = grow_register(137, 3, date(2026, 11, 30))
    grown[1] = replace(
        grown[1],
        ingredient_name='A & B <5% "C"',
        company="주식회사 가람",
        maker_names=("Lonza AG ", "Same Ltd", "Same Ltd"),
        maker_addresses=("Straße 5,\r\n Basel\r\n",),
        maker_countries=(),
        changed_on="",
    )
    return tuple(grown)


@pytest.fixture
def site(rows: tuple[ListRow, ...]) -> Iterator[RehearsalSite]:
    with RehearsalSite(rows) as site:
        yield site
