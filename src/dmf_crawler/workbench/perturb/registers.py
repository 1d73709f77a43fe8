"""Rows that are not those of this register, or not all of them."""

from __future__ import annotations

import random

from dmf_crawler.model.record import Fields
from dmf_crawler.workbench.perturb.breakage import (
    Breakage,
    Damage,
    Extraction,
    Family,
    Layer,
    Scene,
    Unit,
    cut_into_pages,
)
from dmf_crawler.workbench.perturb.rows import Where


def _serve_other(scene: Scene, _severity: float, _rng: random.Random) -> Extraction:
    return cut_into_pages(scene.other, scene.page_size)


def _mix_in_other(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Put pages of another register with the same columns in the place of some."""
    whole = cut_into_pages(scene.rows, scene.page_size)
    other = cut_into_pages(scene.other, scene.page_size).pages
    pages = list(whole.pages)
    for i in rng.sample(range(1, len(pages) - 1), int(severity)):
        pages[i] = other[i % (len(other) - 1)]
    return Extraction(pages, whole.total)


def _add_other(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Add rows of another register at the end."""
    known = {row["reg_no"] for row in scene.rows}
    others = [row for row in scene.other if row["reg_no"] not in known]
    added = rng.sample(others, min(len(others), int(severity)))
    return cut_into_pages([*scene.rows, *added], scene.page_size)


def _keep(where: Where) -> Damage:
    """Return a damage: a filter was left on, and the total fits it."""

    def apply(scene: Scene, _severity: float, _rng: random.Random) -> Extraction:
        return cut_into_pages([row for row in scene.rows if where(row)], scene.page_size)

    return apply


def _hide_few(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Leave out the rows of one small country, and their number in the total."""
    countries = sorted({str(country) for row in scene.rows for country in row["maker_countries"]})
    rng.shuffle(countries)
    for country in countries:
        kept = [row for row in scene.rows if country not in row["maker_countries"]]
        if severity <= len(scene.rows) - len(kept) <= 4 * severity:
            return cut_into_pages(kept, scene.page_size)
    return cut_into_pages(scene.rows[int(severity) :], scene.page_size)


def _is_korean(row: Fields) -> bool:
    return "대한민국" in row["maker_countries"]


def _is_live(row: Fields) -> bool:
    return row["status"] == "정상"


def _register(
    name: str,
    damage: Damage,
    symptom: str,
    layer: Layer = Layer.OVERLAP,
    severities: tuple[float, ...] = (1,),
    unit: Unit = Unit.ONE,
) -> Breakage:
    usual = severities[:1] if unit is Unit.ONE else severities[-2:]
    return Breakage(name, Family.REGISTER, layer, damage, symptom, unit, severities, usual)


BREAKAGES = (
    _register("another_register", _serve_other, "열은 같으나 다른 목록이다."),
    _register(
        "pages_of_another_register",
        _mix_in_other,
        "몇 쪽이 다른 목록의 것이다.",
        severities=(1, 3, 10),
        unit=Unit.PAGES,
    ),
    _register(
        "rows_of_another_register_added",
        _add_other,
        "다른 목록의 행이 끝에 붙어 있다.",
        severities=(5, 10, 20, 50, 100),
        unit=Unit.ROWS,
    ),
    _register("live_rows_only", _keep(_is_live), "취하된 행이 하나도 없다."),
    _register("withdrawn_rows_only", _keep(lambda row: not _is_live(row)), "취하된 행만 있다."),
    _register("one_country_only", _keep(_is_korean), "한 나라의 행만 있다."),
    _register("one_country_missing", _keep(lambda row: not _is_korean(row)), "한 나라가 없다."),
    _register(
        "small_country_missing",
        _hide_few,
        "작은 나라 하나의 행이 건수와 함께 없다.",
        severities=(3, 5, 10, 20),
        unit=Unit.ROWS,
    ),
    _register(
        "one_kind_only", _keep(lambda row: row["target"] == "신물질"), "대상의약품이 한 가지뿐이다."
    ),
)
