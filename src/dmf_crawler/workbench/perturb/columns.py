"""Values that stand in the wrong column, or in the wrong row of their own."""

from __future__ import annotations

import random

from dmf_crawler.workbench.perturb.breakage import (
    Breakage,
    Damage,
    Family,
    Layer,
    Scene,
    Unit,
)
from dmf_crawler.workbench.perturb.rows import (
    COLUMNS,
    DATES,
    LISTS,
    SHARES,
    TEXTS,
    WHOLE,
    Rows,
    as_in,
    of_rows,
    pick_page,
    text_of,
)


def _exchange(first: str, second: str) -> Damage:
    """Return a damage: two columns exchanged in so many rows in a row."""

    def damage(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
        for i in pick_page(rows, severity, rng):
            row = rows[i]
            exchanged = {
                first: as_in(first, row[second]),
                second: as_in(second, row[first]),
            }
            rows[i] = {**row, **exchanged}

    return of_rows(damage)


def _exchange_any(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    first, second = rng.sample(COLUMNS, 2)
    for i in pick_page(rows, severity, rng):
        row = rows[i]
        rows[i] = {**row, first: as_in(first, row[second]), second: as_in(second, row[first])}


def _shift(step: int) -> Damage:
    """Return a damage: all cells but the number one column to the side."""

    def damage(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
        for i in pick_page(rows, severity, rng):
            row = rows[i]
            names = list(row)
            values = [row[name] for name in names]
            moved = dict(zip(names, [*values[-step:], *values[:-step]], strict=True))
            named = {name: as_in(name, value) for name, value in moved.items()}
            rows[i] = {**named, "reg_no": row["reg_no"]}

    return of_rows(damage)


def _shift_behind(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Move the cells from one column on, as when a cell in the middle is missing."""
    names = list(rows[0])
    at = rng.randrange(2, len(names) - 2)
    for i in pick_page(rows, severity, rng):
        row = rows[i]
        values = [row[name] for name in names[at + 1 :]]
        moved = dict(zip(names[at:], [*values, ""], strict=True))
        rows[i] = {**row, **{name: as_in(name, value) for name, value in moved.items()}}


def _slip(step: int) -> Damage:
    """Return a damage: one column's cells a row further down or up than the others."""

    def damage(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
        field = rng.choice(TEXTS)
        places = pick_page(rows, max(2, severity) if severity > 1 else severity, rng)
        values = [rows[i][field] for i in places]
        for i, value in zip(places, [*values[-step:], *values[:-step]], strict=True):
            rows[i] = {**rows[i], field: value}

    return of_rows(damage)


def _slip_dates(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    places = pick_page(rows, severity, rng)
    field = rng.choice(DATES[:2])
    values = [rows[i][field] for i in places]
    for i, value in zip(places, [*values[1:], *values[:1]], strict=True):
        rows[i] = {**rows[i], field: value}


def _shuffle(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Give the cells of one column to other rows, as when two reads were joined by place."""
    field = rng.choice(COLUMNS)
    places = pick_page(rows, severity, rng)
    values = [rows[i][field] for i in places]
    rng.shuffle(values)
    for i, value in zip(places, values, strict=True):
        rows[i] = {**rows[i], field: value}


def _copy_over(source: str, target: str) -> Damage:
    """Return a damage: one column holds another's values."""

    def damage(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
        for i in pick_page(rows, severity, rng):
            rows[i] = {**rows[i], target: as_in(target, rows[i][source])}

    return of_rows(damage)


def _merge(first: str, second: str) -> Damage:
    """Return a damage: one cell holds both values, the other none."""

    def damage(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
        for i in pick_page(rows, severity, rng):
            row = rows[i]
            both = f"{text_of(row[first])} {text_of(row[second])}".strip()
            rows[i] = {**row, first: as_in(first, both), second: as_in(second, "")}

    return of_rows(damage)


def _make_constant(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Repeat one row's cell, as when a selector forgets in which row it is."""
    field = rng.choice(COLUMNS)
    places = pick_page(rows, severity, rng)
    value = next((rows[i][field] for i in places if rows[i][field]), rows[places[0]][field])
    for i in places:
        rows[i] = {**rows[i], field: value}


def _empty(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    field = rng.choice(COLUMNS)
    for i in pick_page(rows, severity, rng):
        rows[i] = {**rows[i], field: () if field in LISTS else ""}


def _empty_rare(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    field = rng.choice(("withdrawn_on", "linked_document_no"))
    for i in pick_page(rows, severity, rng):
        rows[i] = {**rows[i], field: ""}


def _use_header(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Put the column's own header in place of its values."""
    field = rng.choice(TEXTS)
    header = {"ingredient_name": "성분명", "company": "신청인"}.get(field, "제조소")
    for i in pick_page(rows, severity, rng):
        rows[i] = {**rows[i], field: as_in(field, header)}


def _columns(
    name: str,
    layer: Layer,
    damage: Damage,
    symptom: str,
    usual: tuple[float, ...] = WHOLE,
) -> Breakage:
    return Breakage(name, Family.COLUMNS, layer, damage, symptom, Unit.SHARE, SHARES, usual)


_B = Layer.OVERLAP

BREAKAGES = (
    _columns(
        "applicant_and_maker_exchanged",
        _B,
        _exchange("company", "maker_names"),
        "신청인 열에 제조소명이, 제조소명 열에 신청인이 있다.",
    ),
    _columns(
        "ingredient_and_applicant_exchanged",
        _B,
        _exchange("ingredient_name", "company"),
        "성분명과 신청인이 뒤바뀌어 있다.",
    ),
    _columns(
        "dates_exchanged",
        _B,
        _exchange("registered_on", "changed_on"),
        "최초등록일자와 최종변경일자가 뒤바뀌어 있다.",
    ),
    _columns(
        "documents_exchanged",
        _B,
        _exchange("document_no", "linked_document_no"),
        "문서번호와 연계심사문서번호가 뒤바뀌어 있다.",
    ),
    _columns(
        "name_and_address_exchanged_on_a_page",
        _B,
        _exchange("maker_names", "maker_addresses"),
        "한 쪽에서만 제조소명과 소재지가 뒤바뀌어 있다.",
        (0.01,),
    ),
    _columns(
        "any_two_columns_exchanged_on_a_page",
        _B,
        of_rows(_exchange_any),
        "한 쪽에서 두 열이 뒤바뀌어 있다.",
        (0.01,),
    ),
    _columns("shifted_right", _B, _shift(1), "모든 값이 한 열씩 오른쪽에 있다.", (0.01, 1.0)),
    _columns("shifted_left", _B, _shift(-1), "모든 값이 한 열씩 왼쪽에 있다.", (0.01, 1.0)),
    _columns(
        "shifted_behind_a_missing_cell",
        _B,
        of_rows(_shift_behind),
        "어느 열부터 값이 한 칸씩 당겨져 있다.",
        (0.01, 1.0),
    ),
    _columns("one_slipped_down", _B, _slip(1), "한 열의 값이 한 행씩 아래에 있다.", (0.01, 1.0)),
    _columns("one_slipped_up", _B, _slip(-1), "한 열의 값이 한 행씩 위에 있다.", (0.01, 1.0)),
    _columns(
        "dates_slipped", _B, of_rows(_slip_dates), "날짜 열이 한 행씩 밀려 있다.", (0.01, 1.0)
    ),
    _columns("one_shuffled", _B, of_rows(_shuffle), "한 열의 값이 다른 행의 것이다.", (0.03, 1.0)),
    _columns(
        "maker_is_applicant",
        _B,
        _copy_over("company", "maker_names"),
        "제조소명 열에 신청인이 한 번 더 있다.",
        (0.01, 1.0),
    ),
    _columns(
        "applicant_is_maker",
        _B,
        _copy_over("maker_names", "company"),
        "신청인 열에 제조소명이 한 번 더 있다.",
        (0.01, 1.0),
    ),
    _columns(
        "changed_on_is_registered_on",
        _B,
        _copy_over("registered_on", "changed_on"),
        "최종변경일자가 모두 최초등록일자와 같다.",
    ),
    _columns(
        "name_and_applicant_merged",
        _B,
        _merge("ingredient_name", "company"),
        "성분명 칸에 신청인까지 들어 있고 신청인 칸은 비어 있다.",
        (0.01, 1.0),
    ),
    _columns(
        "name_and_address_merged",
        _B,
        _merge("maker_addresses", "maker_names"),
        "소재지 칸에 제조소명까지 들어 있다.",
        (0.01, 1.0),
    ),
    _columns("one_constant", _B, of_rows(_make_constant), "한 열이 모두 같은 값이다.", (0.01, 1.0)),
    _columns("one_empty", _B, of_rows(_empty), "한 열이 비어 있다.", (0.01, 1.0)),
    _columns("rare_one_empty", _B, of_rows(_empty_rare), "드물게 채워지는 열이 비어 있다."),
    _columns("header_as_value", _B, of_rows(_use_header), "값 자리에 열 이름이 있다.", (0.01, 1.0)),
)
