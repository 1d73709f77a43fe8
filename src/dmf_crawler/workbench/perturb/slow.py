"""Damage that comes a few cells a day and stays, below what one day would show."""

from __future__ import annotations

import random
from collections.abc import Callable

from dmf_crawler.model.record import Fields, Value
from dmf_crawler.workbench.perturb.breakage import Breakage, Damage, Family, Layer, Scene, Unit
from dmf_crawler.workbench.perturb.rows import TEXTS, Rows, change_text, of_rows

N_DAYS = 15
A_DAY = (1, 2, 3, 4, 6, 8, 12, 20)

Change = Callable[[Value, Fields, Scene], Value]


def _a_few_a_day(field_names: tuple[str, ...], change: Change) -> Damage:
    """Return a damage: so many cells more each day, in rows of the first day's list.

    The same source of chance names the same cells each day, so what is damaged stays damaged.
    """

    def damage(rows: Rows, scene: Scene, severity: float, rng: random.Random) -> None:
        field = rng.choice(field_names)
        fit = [
            row
            for row in scene.at_first
            if row[field] and change(row[field], row, scene) != row[field]
        ]
        n_cells = min(len(fit), int(severity) * scene.day_no)
        chosen = {row["reg_no"] for row in rng.sample(fit, len(fit))[:n_cells]}
        for i, row in enumerate(rows):
            if row["reg_no"] in chosen and row[field]:
                rows[i] = {**row, field: change(row[field], row, scene)}

    return of_rows(damage)


def _lose_rows(rows: Rows, scene: Scene, severity: float, rng: random.Random) -> None:
    numbers = [row["reg_no"] for row in scene.at_first]
    gone = set(rng.sample(numbers, len(numbers))[: int(severity) * scene.day_no])
    rows[:] = [row for row in rows if row["reg_no"] not in gone]


def _empty(value: Value, _row: Fields, _scene: Scene) -> Value:
    return "" if isinstance(value, str) else ()


def _miscode(value: Value, _row: Fields, _scene: Scene) -> Value:
    return change_text(value, lambda text: text.encode().decode("latin-1"))


def _of_neighbour(value: Value, row: Fields, _scene: Scene) -> Value:
    return (str(row["company"]),) if isinstance(value, tuple) else str(row["ingredient_name"])


def _withdraw(_value: Value, row: Fields, _scene: Scene) -> Value:
    return "취하" if row["status"] == "정상" else row["status"]


def _year_early(value: Value, _row: Fields, _scene: Scene) -> Value:
    return f"{int(str(value)[:4]) - 1}{str(value)[4:]}"


def _upper(value: Value, _row: Fields, _scene: Scene) -> Value:
    return change_text(value, str.upper)


def _slow(name: str, damage: Damage, symptom: str, layer: Layer = Layer.OVERLAP) -> Breakage:
    return Breakage(
        name, Family.SLOW, layer, damage, symptom, Unit.PER_DAY, A_DAY, (4, 8), n_days=N_DAYS
    )


BREAKAGES = (
    _slow("slowly_emptied", _a_few_a_day(TEXTS, _empty), "날마다 몇 칸씩 비어 간다."),
    _slow("slowly_miscoded", _a_few_a_day(TEXTS, _miscode), "날마다 몇 칸씩 글자가 깨진다."),
    _slow(
        "slowly_of_neighbours",
        _a_few_a_day(("company", "maker_names"), _of_neighbour),
        "날마다 몇 칸씩 옆 칸의 값이 된다.",
    ),
    _slow("slowly_withdrawn", _a_few_a_day(("status",), _withdraw), "날마다 몇 행씩 취하가 된다."),
    _slow(
        "slowly_older",
        _a_few_a_day(("registered_on",), _year_early),
        "날마다 몇 행의 등록일자가 한 해 이르게 된다.",
    ),
    _slow("slowly_upper_case", _a_few_a_day(TEXTS[2:], _upper), "날마다 몇 칸씩 대문자가 된다."),
    _slow("slowly_lost", of_rows(_lose_rows), "날마다 몇 행씩 없어진다."),
)
