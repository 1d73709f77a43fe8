"""Single edits of a row, as the office or an applicant makes them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from dmf_crawler.workbench.rehearsal.register import GONE_WORDS, LIVE, ListRow
from dmf_crawler.workbench.rehearsal.working_days import ONE_DAY

_DOCUMENT_NO = re.compile(r"v(\d+)\.(\d+)\.(\d+)/(\d{4})")
_LONG_WORD = re.compile(r"[A-Za-z]{6,}")


def bump_document(row: ListRow, day: date) -> ListRow:
    """Raise 문서번호 (`v0.0.0/2026` → `v0.1.0/2026`) and set 최종변경일자."""
    found = _DOCUMENT_NO.fullmatch(row.document_no)
    document_no = f"v0.0.0/{day.year}"
    if found:
        document_no = f"v{found[1]}.{int(found[2]) + 1}.{found[3]}/{day.year}"
    return replace(row, document_no=document_no, changed_on=day.isoformat())


def withdraw_row(row: ListRow, day: date, rng: random.Random) -> ListRow:
    """Set 취하 or 취소 with its date, at times together with another change."""
    gone_on = day - rng.choice((0, 0, 1, 2, 3)) * ONE_DAY
    status = rng.choices(GONE_WORDS, (0.85, 0.15))[0]
    gone = replace(row, status=status, withdrawn_on=gone_on.isoformat())
    return replace(gone, changed_on=day.isoformat()) if rng.random() < 0.3 else gone


def restore_row(row: ListRow) -> ListRow:
    """Set 정상 again and clear the date."""
    return replace(row, status=LIVE, withdrawn_on="")


def correct_address(row: ListRow, rng: random.Random) -> ListRow:
    """Correct one letter of one address; unchanged where no address has a long Latin word."""
    for i, address in enumerate(row.maker_addresses):
        if words := list(_LONG_WORD.finditer(address)):
            at = rng.choice(words).start() + rng.randint(2, 4)
            letter = "e" if address[at] != "e" else "a"
            corrected = address[:at] + letter + address[at + 1 :]
            addresses = (*row.maker_addresses[:i], corrected, *row.maker_addresses[i + 1 :])
            return replace(row, maker_addresses=addresses)
    return row


def polish_row(row: ListRow, rng: random.Random) -> ListRow:
    """Write the same differently: ㈜ for (주) or back, or a blank twice; may find nothing to do."""
    if "㈜" in row.company:
        return replace(row, company=row.company.replace("㈜", "(주)"))
    if "(주)" in row.company and rng.random() < 0.7:
        return replace(row, company=row.company.replace("(주)", "㈜"))
    doubled = tuple(re.sub(r"(?<=\S) (?=\S)", "  ", name, count=1) for name in row.maker_names)
    return replace(row, maker_names=doubled)


def raise_report_year(row: ListRow, day: date) -> ListRow:
    """Set 최종연차보고년도 to the year before `day`."""
    return replace(row, report_year=str(day.year - 1))


def rename_in_row(row: ListRow, old: str, new: str) -> ListRow:
    """Overwrite a company's name, also where it is a maker itself."""
    if row.company != old and old not in map(str.strip, row.maker_names):
        return row
    names = tuple(new if name.strip() == old else name for name in row.maker_names)
    return replace(row, company=new if row.company == old else row.company, maker_names=names)


def write_irregularly(row: ListRow, rng: random.Random) -> ListRow:
    """Write one text of a row as nobody else writes his: notes, signs, blanks, other letters."""
    match rng.randrange(4):
        case 0:
            name = f"{row.ingredient_name}{rng.choice(_ODD_ENDS)}"
            return replace(row, ingredient_name=name)
        case 1:
            return replace(row, company=f"{row.company}{rng.choice(_ODD_ENDS[:4])}")
        case 2:
            odd = rng.choice(_ODD_FORMS)
            return replace(row, maker_names=tuple(map(odd, row.maker_names)))
    odd = rng.choice(_ODD_FORMS)
    return replace(row, maker_addresses=tuple(map(odd, row.maker_addresses)))


_ODD_ENDS = (" ", ".", " 외 1", "(구 상호)", " [β형]", " 2.5%w/w", "·DC", "*", " - micronized", "′")
_ODD_FORMS: tuple[Callable[[str], str], ...] = (
    str.upper,
    str.lower,
    lambda text: text.replace(", ", ","),
    lambda text: f"{text} (Unit-Ⅱ)",
    lambda text: text.replace(" ", "  "),
    lambda text: f"{text}; Tel. +91-40-2304",
    lambda text: f"※{text}",
)
