"""Many rows at once whose status flips, or that are there or not there."""

from __future__ import annotations

import random
from dataclasses import replace

from dmf_crawler.workbench.perturb.breakage import (
    Breakage,
    Damage,
    Family,
    Layer,
    Scene,
    Unit,
)
from dmf_crawler.workbench.perturb.rows import Rows, of_rows, pick_rows
from dmf_crawler.workbench.rehearsal.register import GONE_WORDS, LIVE

FLIPS = (1, 5, 12, 20, 35, 50, 100, 300)
LOSSES = (0.001, 0.005, 0.01, 0.03, 0.1, 0.3)


def _withdraw(rows: Rows, scene: Scene, severity: float, rng: random.Random) -> None:
    for i in pick_rows(rows, severity, rng, lambda row: row["status"] == LIVE):
        rows[i] = {**rows[i], "status": rng.choice(GONE_WORDS), "withdrawn_on": str(scene.day)}


def _withdraw_without_date(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    for i in pick_rows(rows, severity, rng, lambda row: row["status"] == LIVE):
        rows[i] = {**rows[i], "status": GONE_WORDS[0]}


def _revive(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    for i in pick_rows(rows, severity, rng, lambda row: row["status"] != LIVE):
        rows[i] = {**rows[i], "status": LIVE, "withdrawn_on": ""}


def _invert(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    for i in pick_rows(rows, severity, rng):
        flipped = GONE_WORDS[0] if rows[i]["status"] == LIVE else LIVE
        rows[i] = {**rows[i], "status": flipped}


def _empty_status(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    for i in pick_rows(rows, severity, rng):
        rows[i] = {**rows[i], "status": ""}


def _use_other_word(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    for i in pick_rows(rows, severity, rng, lambda row: row["status"] == LIVE):
        rows[i] = {**rows[i], "status": "유효"}


def _lose_at_random(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    gone = set(pick_rows(rows, severity, rng))
    rows[:] = [row for i, row in enumerate(rows) if i not in gone]


def _lose_withdrawn(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    gone = set(pick_rows(rows, severity, rng, lambda row: row["status"] != LIVE))
    rows[:] = [row for i, row in enumerate(rows) if i not in gone]


def _bump_documents(rows: Rows, scene: Scene, severity: float, rng: random.Random) -> None:
    for i in pick_rows(rows, severity, rng):
        rows[i] = {**rows[i], "document_no": "v0.0.0/2000", "changed_on": str(scene.day)}


def _bulk(
    name: str,
    damage: Damage,
    symptom: str,
    usual: tuple[float, ...] = (50, 300),
    layer: Layer = Layer.OVERLAP,
) -> Breakage:
    return Breakage(name, Family.BULK, layer, damage, symptom, Unit.ROWS, FLIPS, usual)


_LOSS = _bulk(
    "rows_lost_at_random", of_rows(_lose_at_random), "흩어진 행들이 건수와 함께 없다.", (0.01, 0.1)
)

BREAKAGES = (
    _bulk("withdrawn_falsely", of_rows(_withdraw), "정상인 행이 취하로 적혀 있다."),
    _bulk(
        "withdrawn_without_date",
        of_rows(_withdraw_without_date),
        "정상인 행이 일자 없이 취하로 적혀 있다.",
    ),
    _bulk("revived_falsely", of_rows(_revive), "취하된 행이 정상으로 적혀 있다."),
    _bulk("statuses_inverted", of_rows(_invert), "상태가 거꾸로 적혀 있다.", (50, 1.0)),
    _bulk("statuses_empty", of_rows(_empty_status), "상태가 비어 있다.", (20, 300)),
    _bulk("statuses_reworded", of_rows(_use_other_word), "상태가 처음 보는 말이다.", (20, 1.0)),
    _bulk("documents_set_back", of_rows(_bump_documents), "문서번호가 모두 첫 판이다.", (50, 300)),
    replace(_LOSS, unit=Unit.SHARE, severities=LOSSES),
    replace(
        _LOSS,
        name="withdrawn_rows_lost",
        damage=of_rows(_lose_withdrawn),
        symptom="취하된 행들이 건수와 함께 없다.",
        unit=Unit.SHARE,
        severities=LOSSES,
    ),
)
