"""Registration numbers that are not read as they are, so that records seem to be others."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from dmf_crawler.workbench.perturb.breakage import Breakage, Damage, Family, Layer, Scene, Unit
from dmf_crawler.workbench.perturb.rows import ROW_COUNTS, Rows, of_rows, pick_rows

_SUFFIX = re.compile(r"\([^)]*\)$")
_USUAL = (20, 0.1)


def _of_numbers(change: Callable[[str], str]) -> Damage:
    """Return a damage of numbers that it changes."""

    def damage(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
        def changes(number: str) -> bool:
            return change(number) != number

        for i in pick_rows(rows, severity, rng, lambda row: changes(str(row["reg_no"]))):
            rows[i] = {**rows[i], "reg_no": change(str(rows[i]["reg_no"]))}

    return of_rows(damage)


def _swap(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Exchange the numbers of pairs of rows."""
    chosen = pick_rows(rows, max(2, severity) if severity > 1 else severity, rng)
    rng.shuffle(chosen)
    for i, j in zip(chosen[::2], chosen[1::2], strict=False):
        first, second = rows[i], rows[j]
        rows[i] = {**first, "reg_no": second["reg_no"]}
        rows[j] = {**second, "reg_no": first["reg_no"]}


def _slip(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Give each row of a stretch the number of the row below."""
    n_rows = max(2, int(severity) if severity > 1 else round(severity * len(rows)))
    start = rng.randrange(len(rows) - n_rows + 1)
    numbers = [rows[i]["reg_no"] for i in range(start, start + n_rows)]
    for i, number in zip(range(start, start + n_rows), [*numbers[1:], numbers[0]], strict=True):
        rows[i] = {**rows[i], "reg_no": number}


def _reuse(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Give rows the number of another row, which keeps it."""
    for i in pick_rows(rows, severity, rng):
        rows[i] = {**rows[i], "reg_no": rows[i - 1]["reg_no"]}


def _empty(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    for i in pick_rows(rows, severity, rng):
        rows[i] = {**rows[i], "reg_no": ""}


def _double(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Show rows twice, the total with them."""
    for i in reversed(pick_rows(rows, severity, rng)):
        rows.insert(i, rows[i])


def _change_digit(number: str) -> str:
    """Change the last digit but one, as when a number is misread."""
    digits = [match.start() for match in re.finditer(r"\d", number)]
    if len(digits) < 2:
        return number
    at = digits[-2]
    return f"{number[:at]}{(int(number[at]) + 5) % 10}{number[at + 1 :]}"


def _keys(
    name: str, layer: Layer, damage: Damage, symptom: str, usual: tuple[float, ...] = _USUAL
) -> Breakage:
    return Breakage(name, Family.KEYS, layer, damage, symptom, Unit.ROWS, ROW_COUNTS, usual)


_A, _B = Layer.STRUCTURE, Layer.OVERLAP

BREAKAGES = (
    _keys(
        "suffixes_lost",
        _A,
        _of_numbers(lambda number: _SUFFIX.sub("", number)),
        "번호 끝의 (1)이 없다.",
    ),
    _keys(
        "hyphens_lost",
        _A,
        _of_numbers(lambda number: number.replace("-", "")),
        "번호에 줄표가 없다.",
    ),
    _keys(
        "hyphens_as_blanks",
        _A,
        _of_numbers(lambda number: number.replace("-", " ")),
        "번호의 줄표가 빈칸이다.",
    ),
    _keys(
        "numbers_cut",
        _B,
        _of_numbers(lambda number: number[:-1] if number[-2:].isdigit() else number),
        "번호의 끝 숫자가 없다.",
    ),
    _keys("digit_of_number_changed", _B, _of_numbers(_change_digit), "번호의 숫자 하나가 다르다."),
    _keys("numbers_swapped", _B, of_rows(_swap), "두 행의 번호가 서로 바뀌어 있다."),
    _keys("numbers_slipped", _B, of_rows(_slip), "번호가 한 행씩 밀려 있다.", (20, 100, 1.0)),
    _keys("numbers_reused", _A, of_rows(_reuse), "같은 번호가 여러 행에 있다."),
    _keys("numbers_empty", _A, of_rows(_empty), "번호가 비어 있다."),
    _keys("rows_doubled", _A, of_rows(_double), "같은 행이 두 번 있다.", (1, 20)),
    _keys(
        "group_letter_lower_case",
        _A,
        _of_numbers(str.lower),
        "번호의 영문이 소문자다.",
    ),
)
