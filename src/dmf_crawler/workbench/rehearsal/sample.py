"""The 180 real rows of data/dmf_sample.json, with several sites taken apart where that is certain.

The open API joins the sites of a row with commas although names and addresses hold commas
themselves, so most splits are a guess; those are not made.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"

_COMPANY_FORM = re.compile(r"(?:ltd|inc|llc|l\.p|s\.a|co)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RealRow:
    """One row as the open API serves it, values untouched, sites apart."""

    reg_no: str
    ingredient_name: str
    company: str
    maker_names: tuple[str, ...]
    maker_addresses: tuple[str, ...]
    maker_countries: tuple[str, ...]
    registered_on: date
    target: str


@cache
def load_real_rows() -> tuple[RealRow, ...]:
    """Return the real rows in the file's order."""
    rows = json.loads((DATA / "dmf_sample.json").read_text(encoding="utf-8"))
    return tuple(_read_row(row) for row in rows)


@cache
def load_number_examples() -> tuple[str, ...]:
    """Return the real numbers of data/regno_examples.txt, one for each shape."""
    lines = (DATA / "regno_examples.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.split("\t")[0] for line in lines if line)


def split_sites(text: str, n_sites: int) -> tuple[str, ...]:
    r"""Take comma-joined values apart if exactly `n_sites` come out, else keep them as one.

    A comma that joins has no blank behind it; one before a company form ("Co.,Ltd.") does not join.
    Outer white space and `\r\n` stay where they are.
    """
    if n_sites == 1:
        return (text,)
    parts: list[str] = []
    for part in re.split(r",(?! )", text):
        if parts and _COMPANY_FORM.match(part):
            parts[-1] += "," + part
        else:
            parts.append(part)
    return tuple(parts) if len(parts) == n_sites else (text,)


def _read_row(row: dict[str, str]) -> RealRow:
    countries = tuple(row["MANUF_COUNTRY_CODE_NM"].split(","))
    return RealRow(
        reg_no=row["DMF_PERMIT_NO"],
        ingredient_name=row["INGR_KOR_NAME"],
        company=row["ENTP_NAME"],
        maker_names=split_sites(row["MNFCTR_NAME"], len(countries)),
        maker_addresses=split_sites(row["MNFCTR_PLACE"], len(countries)),
        maker_countries=countries,
        registered_on=date.fromisoformat(row["DMF_PERMIT_DATE"]),
        target=row["NOTICE_CODE"],
    )
