"""Cells that hold one value a site: names, addresses and countries, paired by their place."""

from __future__ import annotations

import random

from dmf_crawler.model.record import Fields, Value
from dmf_crawler.workbench.perturb.breakage import Breakage, Damage, Family, Layer, Scene, Unit
from dmf_crawler.workbench.perturb.rows import (
    FEW_AND_PAGE,
    LISTS,
    ROW_COUNTS,
    Rows,
    of_cells,
    of_rows,
    one_of,
    pick_rows,
)


def _join(value: Value, _row: Fields, _rng: random.Random) -> Value:
    return (", ".join(value),) if isinstance(value, tuple) and len(value) > 1 else value


def _keep_first(value: Value, _row: Fields, _rng: random.Random) -> Value:
    return value[:1]


def _drop_first(value: Value, _row: Fields, _rng: random.Random) -> Value:
    return value[1:] if len(value) > 1 else value


def _reverse(value: Value, _row: Fields, _rng: random.Random) -> Value:
    return value[::-1]


def _repeat(value: Value, _row: Fields, _rng: random.Random) -> Value:
    return (*value, *value[-1:])


def _mix_sites(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Order the names otherwise and leave addresses and countries, so that pairs are wrong."""
    for i in pick_rows(rows, severity, rng, lambda row: len(set(row["maker_names"])) > 1):
        names = rows[i]["maker_names"]
        rows[i] = {**rows[i], "maker_names": (*names[1:], names[0])}


def _drop_site(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Lose one site in all three columns."""
    for i in pick_rows(rows, severity, rng, lambda row: len(row["maker_names"]) > 1):
        rows[i] = {**rows[i], **{name: rows[i][name][:-1] for name in LISTS}}


def _flatten(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Put the texts of all three columns into each of them."""
    for i in pick_rows(rows, severity, rng):
        every = tuple(text for name in LISTS for text in rows[i][name])
        rows[i] = {**rows[i], **dict.fromkeys(LISTS, every)}


def _nested(
    name: str, damage: Damage, symptom: str, usual: tuple[float, ...] = FEW_AND_PAGE
) -> Breakage:
    return Breakage(
        name, Family.NESTED, Layer.OVERLAP, damage, symptom, Unit.ROWS, ROW_COUNTS, usual
    )


_ANY = one_of(LISTS)

BREAKAGES = (
    _nested("sites_joined", of_cells(_ANY, _join), "여러 제조소가 한 값으로 이어져 있다."),
    _nested("first_site_alone", of_cells(one_of(LISTS[:2]), _keep_first), "첫 제조소만 남아 있다."),
    _nested("first_site_lost", of_cells(_ANY, _drop_first), "첫 제조소가 빠져 있다."),
    _nested("sites_reversed", of_cells(one_of(LISTS[:2]), _reverse), "제조소의 순서가 거꾸로다."),
    _nested("site_repeated", of_cells(_ANY, _repeat), "마지막 제조소가 두 번 있다."),
    _nested("sites_paired_wrongly", of_rows(_mix_sites), "제조소명과 국가의 짝이 맞지 않는다."),
    _nested("site_lost_in_all_columns", of_rows(_drop_site), "제조소 하나가 세 열에서 빠져 있다."),
    _nested("sites_in_every_column", of_rows(_flatten), "세 열에 같은 내용이 모두 들어 있다."),
)
