"""Single cells that hold something else than the site has there."""

from __future__ import annotations

import random

from dmf_crawler.model.record import Fields, Value
from dmf_crawler.workbench.perturb.breakage import Breakage, Damage, Family, Layer, Scene, Unit
from dmf_crawler.workbench.perturb.rows import (
    COLUMNS,
    DOCUMENTS,
    FEW_AND_PAGE,
    LISTS,
    ROW_COUNTS,
    TEXTS,
    Rows,
    as_in,
    count_rows,
    of_cells,
    of_rows,
    one_of,
    pick_rows,
)
from dmf_crawler.workbench.rehearsal.companies import rename_company


def _empty(value: Value, _row: Fields, _rng: random.Random) -> Value:
    return "" if isinstance(value, str) else ()


def _cut_short(value: Value, _row: Fields, rng: random.Random) -> Value:
    """Cut a text that is long enough to be cut for display."""
    texts = (value,) if isinstance(value, str) else value
    if max(map(len, texts)) < 12:
        return value
    cut = tuple(text[: rng.randint(6, 10)] if len(text) >= 12 else text for text in texts)
    return cut[0] if isinstance(value, str) else cut


def _cut_with_dots(value: Value, row: Fields, rng: random.Random) -> Value:
    cut = _cut_short(value, row, rng)
    if cut == value:
        return value
    return f"{cut}…" if isinstance(cut, str) else tuple(f"{text}…" for text in cut)


def _use_other_row(field_names: tuple[str, ...], *, step: int = 0) -> Damage:
    """Return a damage: cells with the value of a row at random, or of the one `step` away."""

    def damage(rows: Rows, scene: Scene, severity: float, rng: random.Random) -> None:
        field, n_left = rng.choice(field_names), count_rows(severity, len(rows))
        for i in rng.sample(range(len(rows)), len(rows)):
            if not n_left:
                return
            other = scene.rows[(i + step) % len(rows) if step else rng.randrange(len(rows))]
            if other[field] and other[field] != scene.rows[i][field]:
                rows[i] = {**rows[i], field: other[field]}
                n_left -= 1

    return of_rows(damage)


def _use_neighbour(value: Value, row: Fields, rng: random.Random) -> Value:
    """Return the value of the column beside, or of the next text column where that is empty."""
    names = [name for name in TEXTS if row[name] and row[name] != value]
    if not names:
        return value
    form = "maker_names" if isinstance(value, tuple) else "company"
    return as_in(form, row[rng.choice(names)])


def _swap_rows(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Exchange the cells of one field between pairs of rows."""
    field = rng.choice(TEXTS)
    chosen = pick_rows(rows, max(2, severity), rng, lambda row: bool(row[field]))
    rng.shuffle(chosen)
    for i, j in zip(chosen[::2], chosen[1::2], strict=False):
        first, second = rows[i], rows[j]
        rows[i] = {**first, field: second[field]}
        rows[j] = {**second, field: first[field]}


def _whole_row_of_another(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Keep the number and take all else from another row."""
    chosen = pick_rows(rows, severity, rng)
    others = rng.sample(range(len(rows)), len(chosen))
    taken = [rows[j] for j in others]
    for i, other in zip(chosen, taken, strict=True):
        rows[i] = {**other, "reg_no": rows[i]["reg_no"]}


def _change_digit(value: Value, _row: Fields, rng: random.Random) -> Value:
    text = str(value)
    places = [i for i, char in enumerate(text) if char.isdigit()]
    if not places:
        return value
    at = rng.choice(places)
    digit = rng.choice([char for char in "0123456789" if char != text[at]])
    return text[:at] + digit + text[at + 1 :]


def _drop_letter(value: Value, _row: Fields, rng: random.Random) -> Value:
    """Lose one letter, as when a byte is lost."""
    texts = [value] if isinstance(value, str) else list(value)
    which = rng.randrange(len(texts))
    if len(texts[which]) < 3:
        return value
    at = rng.randrange(1, len(texts[which]) - 1)
    texts[which] = texts[which][:at] + texts[which][at + 1 :]
    return texts[0] if isinstance(value, str) else tuple(texts)


def _use_placeholder(word: str) -> Damage:
    """Return a damage: empty cells that hold what the site writes for nothing."""

    def damage(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
        field = rng.choice(("changed_on", "withdrawn_on", *DOCUMENTS))
        for i in pick_rows(rows, severity, rng, lambda row: not row[field]):
            rows[i] = {**rows[i], field: word}

    return of_rows(damage)


def _rename(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Give some rows of one applicant the name of another one, and no row a new name."""
    names = sorted({str(row["company"]) for row in rows})
    by_size = sorted(names, key=lambda name: sum(row["company"] == name for row in rows[:3000]))
    old, new = by_size[-1], rng.choice(by_size[:-1])
    for i in pick_rows(rows, severity, rng, lambda row: row["company"] == old):
        rows[i] = {**rows[i], "company": new}


def _invent_names(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Give rows of many applicants names that none ever had."""
    for n, i in enumerate(pick_rows(rows, severity, rng)):
        rows[i] = {**rows[i], "company": rename_company(str(rows[i]["company"]), n)}


def _unknown_word(value: Value, _row: Fields, rng: random.Random) -> Value:
    word = rng.choice(("기타", "해당없음", "확인중", "Y", "1"))
    return word if isinstance(value, str) else tuple(word for _ in value)


def _cells(
    name: str,
    damage: Damage,
    symptom: str,
    usual: tuple[float, ...] = FEW_AND_PAGE,
    layer: Layer = Layer.OVERLAP,
) -> Breakage:
    return Breakage(name, Family.CELLS, layer, damage, symptom, Unit.ROWS, ROW_COUNTS, usual)


BREAKAGES = (
    _cells("cells_emptied", of_cells(one_of(COLUMNS), _empty), "값이 있어야 할 칸이 비어 있다."),
    _cells("cells_cut_short", of_cells(one_of(TEXTS), _cut_short), "긴 값의 끝이 잘려 있다."),
    _cells("cells_cut_with_dots", of_cells(one_of(TEXTS), _cut_with_dots), "긴 값이 …로 끝난다."),
    _cells("cells_of_other_rows", _use_other_row(TEXTS), "다른 행의 값이 들어 있다."),
    _cells(
        "words_of_other_rows",
        _use_other_row(("target", "maker_countries", "report_year")),
        "정해진 말이나 연도가 다른 행의 것이다.",
        (100, 500),
    ),
    _cells("cells_of_next_row", _use_other_row(TEXTS, step=1), "바로 아래 행의 값이 들어 있다."),
    _cells("documents_of_other_rows", _use_other_row(DOCUMENTS), "문서번호가 다른 행의 것이다."),
    _cells("neighbours_value", of_cells(one_of(TEXTS), _use_neighbour), "옆 칸의 값이 들어 있다."),
    _cells("cells_swapped_between_rows", of_rows(_swap_rows), "두 행의 값이 서로 바뀌어 있다."),
    _cells("rows_under_other_numbers", of_rows(_whole_row_of_another), "번호만 맞고 모두 다르다."),
    _cells(
        "digit_of_document_changed",
        of_cells(one_of(DOCUMENTS), _change_digit),
        "문서번호의 숫자 하나가 다르다.",
    ),
    _cells(
        "digit_of_year_changed",
        of_cells(one_of(("report_year",)), _change_digit),
        "연차보고년도의 숫자 하나가 다르다.",
    ),
    _cells("letter_lost", of_cells(one_of(TEXTS), _drop_letter), "글자 하나가 빠져 있다."),
    _cells("dash_as_value", _use_placeholder("‐"), "빈 칸이 줄표 값으로 읽혀 있다."),
    _cells("word_for_nothing_as_value", _use_placeholder("해당없음"), "빈 칸에 '해당없음'이 있다."),
    _cells("null_as_value", _use_placeholder("null"), "빈 칸에 'null'이 있다."),
    _cells(
        "renamed_to_another_applicant",
        of_rows(_rename),
        "신청인이 이미 있는 다른 신청인으로 바뀌어 있다.",
        (100,),
        Layer.SECOND_SOURCE,
    ),
    _cells("applicants_invented", of_rows(_invent_names), "없는 이름의 신청인이 있다."),
    _cells(
        "unknown_words",
        of_cells(one_of(("target", *LISTS[2:])), _unknown_word),
        "정해진 말이 아닌 것이 있다.",
    ),
)
