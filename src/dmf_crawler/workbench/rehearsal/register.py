"""The register: its columns, its rows, and how twelve thousand of them grow from 180 real ones.

Shares, dates and dirt are those of README.md, item 6. Nothing is cleaned: a row holds what the
site's database holds.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import accumulate

from dmf_crawler.workbench.rehearsal.companies import Applicants
from dmf_crawler.workbench.rehearsal.numbers import NumberMill, target_of
from dmf_crawler.workbench.rehearsal.sample import RealRow, load_number_examples, load_real_rows
from dmf_crawler.workbench.rehearsal.working_days import list_working_days

LIVE = "정상"
GONE_WORDS = ("취하", "취소")


@dataclass(frozen=True, slots=True)
class ListRow:
    """One row of the register as the site's database has it, dirty values kept.

    The nested columns hold one value a site; their lengths may differ. Dates are `YYYY-MM-DD` or
    "". Without 순번, which is a running number of the page.
    """

    target: str
    reg_no: str
    ingredient_name: str
    company: str
    maker_names: tuple[str, ...]
    maker_addresses: tuple[str, ...]
    maker_countries: tuple[str, ...]
    registered_on: str
    changed_on: str
    report_year: str
    status: str
    withdrawn_on: str
    document_no: str
    linked_document_no: str

    @property
    def key(self) -> str:
        """What identifies it."""
        return self.reg_no

    @property
    def is_live(self) -> bool:
        """Whether it is not withdrawn by status."""
        return self.status == LIVE


COLUMNS: tuple[tuple[str, str], ...] = (
    ("target", "대상의약품"),
    ("reg_no", "등록번호"),
    ("ingredient_name", "성분명"),
    ("company", "신청인"),
    ("maker_names", "제조소명"),
    ("maker_addresses", "제조소소재지"),
    ("maker_countries", "제조국가"),
    ("registered_on", "최초등록일자"),
    ("changed_on", "최종변경일자"),
    ("report_year", "최종연차보고년도"),
    ("status", "취소/취하구분"),
    ("withdrawn_on", "취소/취하일자"),
    ("document_no", "문서번호"),
    ("linked_document_no", "연계심사문서번호"),
)
"""Field id and Korean header, in the site's order."""

# Share of the live rows registered up to each day (counted in the open data); the rest is younger.
_LIVE_SPREAD = (
    (date(2012, 12, 31), 0.15),
    (date(2018, 2, 28), 0.18),
    (date(2021, 2, 28), 0.18),
    (date(2023, 1, 31), 0.17),
    (date(2025, 5, 31), 0.17),
)
# Withdrawn rows are older: nearly all were registered by mid-2021 [L].
_GONE_SPREAD = (
    (date(2012, 12, 31), 0.45),
    (date(2018, 2, 28), 0.32),
    (date(2021, 2, 28), 0.18),
    (date(2023, 1, 31), 0.04),
)
_FIRST_NOTICE = date(2005, 8, 31)  # 451 substances were registered on this one day
_LIVE_RATIO = 9150 / 12_000
_COUNTRY_MENTIONS = {"인도": 3735, "중국": 2875, "대한민국": 1307, "이탈리아": 457, "스페인": 253}
_COUNTRY_MENTIONS |= {"독일": 191, "일본": 180, "스위스": 168, "대만": 126, "프랑스": 112}
_OTHER_COUNTRY_MENTIONS = 40
_FORMS_OF_INGREDIENT = ("", "", "", "(미분화)", "수화물", "염산염")


class Grower:
    """Makes rows that look real, each with a number of its own.

    Args:
        rng: Source of chance; the same seed gives the same rows.
        numbers: Numbers that exist already.
    """

    def __init__(self, rng: random.Random, numbers: tuple[str, ...] = ()) -> None:
        self._rng = rng
        self._mill = NumberMill(rng, numbers)
        real = load_real_rows()
        self._applicants = Applicants(row.company for row in real)
        self._one_site = [row for row in real if len(row.maker_countries) == 1]
        self._many_sites = [row for row in real if len(row.maker_countries) > 1]
        self._cumulated = list(accumulate(_weigh_templates(self._one_site)))

    def grow_row(self, day: date, parent: ListRow | None) -> ListRow:
        """Return a row registered on `day`: live, target blank, never changed.

        Args:
            day: 최초등록일자.
            parent: A row whose manufacturing file another applicant now uses (허여), or None.
        """
        company = self._applicants.pick(self._rng)
        if parent is not None:
            fresh = _blank_row(self._mill.grant_number(parent.reg_no), day)
            return replace(
                fresh,
                ingredient_name=parent.ingredient_name,
                company=company,
                maker_names=parent.maker_names,
                maker_addresses=parent.maker_addresses,
                maker_countries=parent.maker_countries,
            )
        return self._grow_file(_blank_row(self._mill.new_number(day), day), company)

    def _grow_file(self, fresh: ListRow, company: str) -> ListRow:
        rng = self._rng
        template = self._pick_template()
        names, addresses = template.maker_names, template.maker_addresses
        countries = template.maker_countries
        if rng.random() < 0.012:  # up to five sites
            other = rng.choice(self._many_sites)
            names += other.maker_names
            addresses += other.maker_addresses
            countries += other.maker_countries
        if countries == ("대한민국",):
            company = template.company
        return replace(
            fresh,
            ingredient_name=_vary_ingredient(rng, template.ingredient_name),
            company=company,
            maker_names=tuple(_soil(rng, name) for name in names[:5]),
            maker_addresses=() if rng.random() < 0.002 else addresses[:5],
            maker_countries=countries[:5],
        )

    def _pick_template(self) -> RealRow:
        if self._rng.random() < 0.10:
            return self._rng.choice(self._many_sites)
        return self._rng.choices(self._one_site, cum_weights=self._cumulated)[0]


def grow_register(n_rows: int, seed: int, first_day: date) -> list[ListRow]:
    """Return `n_rows` rows as the list stands on the morning of `first_day`, newest first.

    Up to half of them are the real rows registered before that day, at their real numbers; about
    three in four are live. The same arguments give the same rows.
    """
    rng = random.Random(seed)
    real = _real_rows(rng, n_rows // 2, first_day)
    numbers = tuple(row.reg_no for row in real) + load_number_examples()
    grower = Grower(rng, numbers)
    n_live = round(n_rows * _LIVE_RATIO)
    births = [(day, True) for day in _draw_days(rng, n_live - len(real), _LIVE_SPREAD, first_day)]
    births += [(day, False) for day in _draw_days(rng, n_rows - n_live, _GONE_SPREAD, first_day)]
    births.sort()
    rows = [replace(_age_row(rng, row, first_day), target=row.target) for row in real]
    grown: list[ListRow] = []
    for day, is_live in births:
        parent = rng.choice(grown) if grown and rng.random() < 0.35 else None
        row = _age_row(rng, grower.grow_row(day, parent), first_day)
        grown.append(row if is_live else _withdraw(rng, row, first_day))
    rows += reversed(grown)
    rows.sort(key=lambda row: row.registered_on, reverse=True)
    return rows


def _weigh_templates(templates: list[RealRow]) -> list[float]:
    """Weigh one-site rows so that countries are mentioned as often as in the register."""
    n_by_country: dict[str, int] = {}
    for row in templates:
        country = row.maker_countries[0]
        n_by_country[country] = n_by_country.get(country, 0) + 1
    return [
        _COUNTRY_MENTIONS.get(country, _OTHER_COUNTRY_MENTIONS) / n_by_country[country]
        for country in (row.maker_countries[0] for row in templates)
    ]


def _blank_row(number: str, day: date) -> ListRow:
    return ListRow("", number, "", "", (), (), (), day.isoformat(), "", "", LIVE, "", "", "")


def _real_rows(rng: random.Random, most: int, first_day: date) -> list[ListRow]:
    """Return the real rows older than `first_day`, and one row for each further number shape."""
    real = [row for row in load_real_rows() if row.registered_on < first_day]
    rows = [_row_of(template, template.reg_no) for template in real]
    known = {row.reg_no for row in rows}
    for number in load_number_examples():
        day = date.fromisoformat(number[:8]) if number[:2] == "20" else date(2014, 9, 2)
        if number not in known and day < first_day:
            row = _row_of(rng.choice(real), number)
            rows.append(replace(row, registered_on=day.isoformat()))
    return rows if len(rows) <= most else rng.sample(rows, most)


def _row_of(template: RealRow, number: str) -> ListRow:
    return replace(
        _blank_row(number, template.registered_on),
        target=template.target,
        ingredient_name=template.ingredient_name,
        company=template.company,
        maker_names=template.maker_names,
        maker_addresses=template.maker_addresses,
        maker_countries=template.maker_countries,
    )


def _draw_days(
    rng: random.Random, n_days: int, spread: tuple[tuple[date, float], ...], first_day: date
) -> list[date]:
    """Return registration days, spread as told; what the spread leaves falls behind it."""
    bands: list[list[date]] = []
    shares: list[float] = []
    start = _FIRST_NOTICE
    for end, share in (*spread, (first_day - timedelta(days=1), 1 - sum(s for _, s in spread))):
        if days := list_working_days(start, min(end, first_day - timedelta(days=1))):
            bands.append(days)
            shares.append(share)
        start = end + timedelta(days=1)
    bands[0] += [_FIRST_NOTICE] * (len(bands[0]) // 4)
    return [rng.choice(band) for band in rng.choices(bands, shares, k=n_days)]


def _age_row(rng: random.Random, row: ListRow, first_day: date) -> ListRow:
    """Give a row the dates, documents and target that it has by `first_day`."""
    registered_on = date.fromisoformat(row.registered_on)
    age_days = (first_day - registered_on).days
    target = row.target or target_of(row.reg_no)
    if age_days < rng.randint(2, 11) or rng.random() < 0.002:
        target = ""  # filled days later; a few old rows stay blank for years
    changed_on = document_no = ""
    if age_days > 30 and rng.random() < 0.55:
        changed = registered_on + timedelta(days=rng.randrange(30, age_days + 1) - 1)
        changed_on = changed.isoformat()
        document_no = f"v0.{rng.randint(1, 4)}.0/{changed.year}"
    elif rng.random() < 0.7:
        document_no = f"v0.0.0/{registered_on.year}"
    report_year = ""
    if registered_on.year < first_day.year and rng.random() < 0.92:
        report_year = str(first_day.year - (1 if rng.random() < 0.85 else rng.randint(2, 3)))
    linked = f"{registered_on.year}{rng.randint(1, 9999):06d}" if rng.random() < 0.12 else ""
    return replace(
        row,
        target=target,
        changed_on=changed_on,
        report_year=report_year,
        document_no=document_no,
        linked_document_no=linked,
    )


def _withdraw(rng: random.Random, row: ListRow, first_day: date) -> ListRow:
    registered_on = date.fromisoformat(row.registered_on)
    age_days = max(1, (first_day - registered_on).days - 1)
    gone_on = registered_on + timedelta(days=rng.randint(1 + age_days // 10, age_days))
    return replace(
        row,
        status=rng.choices(GONE_WORDS, (0.88, 0.12))[0],
        withdrawn_on=gone_on.isoformat(),
        changed_on=min(row.changed_on, gone_on.isoformat()),
        report_year=min(row.report_year, str(gone_on.year)),
    )


def _vary_ingredient(rng: random.Random, name: str) -> str:
    form = rng.choice(_FORMS_OF_INGREDIENT)
    return name if form[-2:] in name else name + form


def _soil(rng: random.Random, name: str) -> str:
    r"""Dirty a maker's name now and then: `\r\n`, outer and double blanks, marks of HTML."""
    dice = rng.random()
    if dice > 0.03:
        return name
    if dice > 0.02:
        return name + "\r\n"
    if dice > 0.012:
        return f" {name} "
    if dice > 0.006:
        return name.replace(" ", "  ", 1)
    return f'{name} <Unit-Ⅲ> & "Block β"'
