"""Lists that are old, as a whole or in part, as caches and mirrors serve them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

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
from dmf_crawler.workbench.perturb.rows import of_rows, pick_page

DAYS = (1, 2, 3, 5, 7, 14, 28)


def _serve_old(scene: Scene, severity: float, _rng: random.Random) -> Extraction:
    return cut_into_pages(_list_of(scene, severity), scene.page_size)


def _serve_old_pages(take: int, of: int) -> Damage:
    """Return a damage: of so many pages in a row so many are old, as with one of several servers.

    Pages are taken whole, so that rows at their edges come twice or not at all.
    """

    def apply(scene: Scene, severity: float, rng: random.Random) -> Extraction:
        old = cut_into_pages(_list_of(scene, severity), scene.page_size).pages
        new = cut_into_pages(scene.rows, scene.page_size).pages
        first = rng.randrange(of)
        pages = [
            old[i] if (i + first) % of < take and i < len(old) - 1 else page
            for i, page in enumerate(new)
        ]
        return Extraction(pages, len(scene.rows))

    return apply


def _serve_old_contents(share: float) -> Damage:
    """Return a damage: the right rows, but of a share of them the values of days ago."""

    def apply(scene: Scene, severity: float, rng: random.Random) -> Extraction:
        before = _by_number(_list_of(scene, severity))
        n_pages = max(1, round(share * len(scene.rows) / scene.page_size))
        chosen = rng.sample(range(len(scene.rows) // scene.page_size), n_pages)
        rows = list(scene.rows)
        for page in chosen:
            for i in range(page * scene.page_size, (page + 1) * scene.page_size):
                rows[i] = before.get(str(rows[i]["reg_no"]), rows[i])
        return cut_into_pages(rows, scene.page_size)

    return apply


def _serve_old_tail(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Take the list from a page on from days ago; rows at the seam come twice or are lost."""
    old = _list_of(scene, severity)
    at = rng.randrange(1, len(scene.rows) // scene.page_size // 2) * scene.page_size
    rows = [*scene.rows[:at], *old[at:]]
    return cut_into_pages(rows, scene.page_size)


def _freeze_columns(rows: list[Fields], scene: Scene, severity: float, _rng: random.Random) -> None:
    """Take two columns from days ago, as when a view is refreshed late."""
    before = _by_number(_list_of(scene, severity))
    for i, row in enumerate(rows):
        old = before.get(str(row["reg_no"]), row)
        rows[i] = {**row, "status": old["status"], "changed_on": old["changed_on"]}


def _serve_half_old(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Take rows of one half of the list as they were days ago, the new ones left out."""
    before = _by_number(_list_of(scene, severity))
    half = pick_page(scene.rows, 0.5, rng)
    rows = [
        before.get(str(row["reg_no"]), row) if i in half else row
        for i, row in enumerate(scene.rows)
        if i not in half or str(row["reg_no"]) in before
    ]
    return cut_into_pages(rows, scene.page_size)


def _list_of(scene: Scene, severity: float) -> Sequence[Fields]:
    """Return the list as it stood so many days before yesterday's accepted one."""
    return scene.earlier[min(int(severity), len(scene.earlier) - 1)]


def _by_number(rows: Sequence[Fields]) -> Mapping[str, Fields]:
    return {str(row["reg_no"]): row for row in rows}


def _copies(
    name: str, damage: Damage, symptom: str, usual: tuple[float, ...], layer: Layer
) -> Breakage:
    return Breakage(name, Family.COPIES, layer, damage, symptom, Unit.DAYS, DAYS, usual)


_A, _B, _E = Layer.STRUCTURE, Layer.OVERLAP, Layer.SECOND_SOURCE

BREAKAGES = (
    _copies("whole_list_old", _serve_old, "목록 전체가 며칠 전 것이다.", (7, 28), _B),
    _copies("tail_old", _serve_old_tail, "목록의 뒷부분이 며칠 전 것이다.", (7, 28), _A),
    _copies("third_of_pages_old", _serve_old_pages(1, 3), "세 쪽마다 한 쪽이 옛것이다.", (7,), _A),
    _copies("half_of_pages_old", _serve_old_pages(1, 2), "한 쪽 걸러 옛것이다.", (7,), _A),
    _copies("half_of_rows_old", _serve_half_old, "목록의 절반이 며칠 전 값이다.", (14, 28), _B),
    _copies(
        "pages_with_old_values",
        _serve_old_contents(0.01),
        "한 쪽의 값만 며칠 전 것이다.",
        (28,),
        _E,
    ),
    _copies(
        "columns_old", of_rows(_freeze_columns), "상태와 변경일자만 며칠 전 것이다.", (14, 28), _B
    ),
)
