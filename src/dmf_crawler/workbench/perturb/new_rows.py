"""Rows that the list did not have yesterday, read wrongly from the start."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

from dmf_crawler.model.record import Fields, Value
from dmf_crawler.workbench.perturb.breakage import (
    Breakage,
    Extraction,
    Family,
    Layer,
    Scene,
    Unit,
    cut_into_pages,
)
from dmf_crawler.workbench.perturb.rows import LISTS, as_in

COUNTS = (1, 2, 3, 5, 10)
USUAL = (3, 10)

Misread = Callable[[dict[str, Value], date, random.Random], None]
"""Changes one new row in place; the day is today."""


def _of_new_rows(misread: Misread) -> Callable[[Scene, float, random.Random], Extraction]:
    """Return a damage: so many rows are new today, and all of them are misread.

    They are old rows of another register that this one does not have, under dates of today, so
    that a day without new rows of its own has some, too. The day's own new rows stay.
    """

    def apply(scene: Scene, severity: float, rng: random.Random) -> Extraction:
        known = {row["reg_no"] for row in scene.rows} | {row["reg_no"] for row in scene.earlier[0]}
        live = [
            row for row in scene.other if row["status"] == "정상" and row["reg_no"] not in known
        ]
        fresh = [
            _misread_row(row, misread, scene.day, rng) for row in rng.sample(live, int(severity))
        ]
        return cut_into_pages([*fresh, *scene.rows], scene.page_size)

    return apply


def _misread_row(row: Fields, misread: Misread, day: date, rng: random.Random) -> Fields:
    fresh = dict(row) | {
        "registered_on": str(day),
        "changed_on": "",
        "report_year": "",
        "target": "",
        "document_no": f"v0.0.0/{day.year}",
        "linked_document_no": "",
    }
    misread(fresh, day, rng)
    return fresh


def _write_date(form: str) -> Misread:
    def misread(row: dict[str, Value], day: date, _rng: random.Random) -> None:
        row["registered_on"] = f"{day:{form}}"

    return misread


def _empty_required(row: dict[str, Value], _day: date, rng: random.Random) -> None:
    row[rng.choice(("ingredient_name", "company"))] = ""


def _empty_lists(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    row.update(dict.fromkeys(LISTS, ()))


def _shift(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    names = list(row)[2:9]
    values = [row[name] for name in names]
    for name, value in zip(names, [*values[1:], ""], strict=True):
        row[name] = as_in(name, value)


def _equal_fields(row: dict[str, Value], _day: date, rng: random.Random) -> None:
    if rng.random() < 0.5:
        row["maker_names"] = as_in("maker_names", row["company"])
    else:
        row["company"] = as_in("company", row["maker_names"][:1])


def _exchange(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    name, address = row["maker_names"], row["maker_addresses"]
    row["maker_names"], row["maker_addresses"] = address, name


def _country_in_name(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    row["maker_names"], row["maker_countries"] = row["maker_countries"], row["maker_names"]


def _leave_markup(row: dict[str, Value], _day: date, rng: random.Random) -> None:
    field = rng.choice(("ingredient_name", "company"))
    row[field] = f"<span>{row[field]}</span>"


def _lose_syllable(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    text = str(row["ingredient_name"])
    row["ingredient_name"] = f"{text[:1]}\ufffd{text[2:]}"


def _keep_label(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    row["registered_on"] = f"최초등록일자{row['registered_on']}"


def _odd_status(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    row["status"] = "정상취하"


def _odd_country(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    row["maker_countries"] = tuple("IND" for _ in row["maker_countries"])


def _future_date(row: dict[str, Value], day: date, _rng: random.Random) -> None:
    row["registered_on"] = str(day + timedelta(days=400))


def _ancient_date(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    row["registered_on"] = "1900-01-01"


def _odd_number(row: dict[str, Value], _day: date, rng: random.Random) -> None:
    row["reg_no"] = f"접수-2026-{rng.randint(1, 9999)}"


def _number_of_other_form(row: dict[str, Value], _day: date, _rng: random.Random) -> None:
    row["reg_no"] = f"No.{row['reg_no']}"


def _new(name: str, misread: Misread, symptom: str, usual: tuple[float, ...] = USUAL) -> Breakage:
    return Breakage(
        name,
        Family.NEW_ROWS,
        Layer.NEW_ROWS,
        _of_new_rows(misread),
        symptom,
        Unit.ROWS,
        COUNTS,
        usual,
    )


BREAKAGES = (
    _new("new_dates_with_dots", _write_date("%Y.%m.%d"), "새 행의 날짜만 다른 형식이다."),
    _new("new_dates_american", _write_date("%m/%d/%Y"), "새 행의 날짜가 월/일/연도다."),
    _new("new_dates_in_words", _write_date("%Y년 %m월 %d일"), "새 행의 날짜가 말로 적혀 있다."),
    _new("new_without_required", _empty_required, "새 행의 성분명이나 신청인이 비어 있다."),
    _new("new_without_makers", _empty_lists, "새 행의 제조소가 모두 비어 있다."),
    _new("new_shifted", _shift, "새 행의 값이 한 칸씩 당겨져 있다."),
    _new("new_with_equal_fields", _equal_fields, "새 행의 신청인과 제조소명이 같다."),
    _new("new_name_and_address_exchanged", _exchange, "새 행의 제조소명과 소재지가 바뀌어 있다."),
    _new("new_name_and_country_exchanged", _country_in_name, "새 행의 제조국가가 회사 이름이다."),
    _new("new_with_markup", _leave_markup, "새 행의 값에 태그가 남아 있다."),
    _new("new_with_lost_syllables", _lose_syllable, "새 행의 값에 �가 있다."),
    _new("new_with_label", _keep_label, "새 행의 값에 항목 이름이 붙어 있다."),
    _new("new_with_odd_status", _odd_status, "새 행의 상태가 처음 보는 말이다."),
    _new("new_with_country_codes", _odd_country, "새 행의 국가가 부호로 적혀 있다."),
    _new("new_in_the_future", _future_date, "새 행이 내년에 등록되었다고 한다."),
    _new("new_in_1900", _ancient_date, "새 행이 1900년에 등록되었다고 한다."),
    _new("new_with_odd_numbers", _odd_number, "새 행의 번호가 번호답지 않다.", (5, 10)),
    _new("new_with_prefixed_numbers", _number_of_other_form, "번호 앞에 글자가 있다.", (5, 10)),
)
