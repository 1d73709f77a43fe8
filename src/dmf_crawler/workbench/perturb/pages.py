"""Whole pages that are missing, doubled, of another size, or not of this list."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

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
from dmf_crawler.workbench.perturb.rows import pick_page

PAGE_COUNTS = (1, 2, 3, 5, 10)
ONE_PAGE = (1,)
ROWS = (1, 2, 3, 5, 8, 12, 20, 50, 100)

_Pages = list[Sequence[Fields]]


def _whole(scene: Scene) -> tuple[Extraction, _Pages]:
    extraction = cut_into_pages(scene.rows, scene.page_size)
    return extraction, list(extraction.pages)


def _lose_last(scene: Scene, severity: float, _rng: random.Random) -> Extraction:
    """Lose the last pages, the total as the site says."""
    extraction, pages = _whole(scene)
    return replace(extraction, pages=pages[: -int(severity)])


def _lose_last_quietly(scene: Scene, severity: float, _rng: random.Random) -> Extraction:
    """Lose the last pages and with them their part of the total."""
    _, pages = _whole(scene)
    kept = [row for page in pages[: -int(severity)] for row in page]
    return cut_into_pages(kept, scene.page_size)


def _lose_one(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    extraction, pages = _whole(scene)
    for _ in range(int(severity)):
        del pages[rng.randrange(1, len(pages) - 1)]
    return replace(extraction, pages=pages)


def _lose_one_quietly(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Lose pages in the middle of a list whose total fits what is left."""
    _, pages = _whole(scene)
    for _ in range(int(severity)):
        del pages[rng.randrange(1, len(pages) - 1)]
    return cut_into_pages([row for page in pages for row in page], scene.page_size)


def _lose_rows(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Lose rows at random; the total is the site's."""
    gone = set(rng.sample(range(len(scene.rows)), int(severity)))
    kept = [row for i, row in enumerate(scene.rows) if i not in gone]
    return cut_into_pages(kept, scene.page_size, len(scene.rows))


def _lose_rows_quietly(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Lose rows in a row of a list whose total fits what is left."""
    gone = pick_page(scene.rows, severity, rng)
    kept = [row for i, row in enumerate(scene.rows) if i not in gone]
    return cut_into_pages(kept, scene.page_size)


def _lose_end_of_pages(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Lose the last row of so many pages, the total as the site says."""
    extraction, pages = _whole(scene)
    for i in rng.sample(range(len(pages) - 1), int(severity)):
        pages[i] = pages[i][:-1]
    return replace(extraction, pages=pages)


def _show_twice(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Show a page in the place of another one."""
    extraction, pages = _whole(scene)
    for _ in range(int(severity)):
        taken, put = rng.sample(range(1, len(pages) - 1), 2)
        pages[put] = pages[taken]
    return replace(extraction, pages=pages)


def _repeat_first(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Show page 1 where other pages were asked for."""
    extraction, pages = _whole(scene)
    for i in rng.sample(range(1, len(pages) - 1), int(severity)):
        pages[i] = pages[0]
    return replace(extraction, pages=pages)


def _ignore_page_number(scene: Scene, _severity: float, _rng: random.Random) -> Extraction:
    extraction, pages = _whole(scene)
    return replace(extraction, pages=[pages[0]] * len(pages))


def _change_size(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Show ten rows on so many pages that should be full."""
    extraction, pages = _whole(scene)
    for i in rng.sample(range(1, len(pages) - 1), int(severity)):
        pages[i] = pages[i][:10]
    return replace(extraction, pages=pages)


def _cap_list(scene: Scene, severity: float, _rng: random.Random) -> Extraction:
    """Show no more than a share of the list, and announce no more, as an export with a cap."""
    kept = scene.rows[: -max(1, round(severity * len(scene.rows)))]
    return cut_into_pages(kept, scene.page_size)


def _empty_pages(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    extraction, pages = _whole(scene)
    for i in rng.sample(range(1, len(pages)), int(severity)):
        pages[i] = ()
    return replace(extraction, pages=pages)


def _overlap(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Begin a page with the last rows of the page above, as when a row came in between.

    The last rows of the list fall behind the end, and the total is the one of before.
    """
    n_rows = int(severity)
    at = rng.randrange(1, len(scene.rows) // scene.page_size - 1) * scene.page_size
    rows = [*scene.rows[:at], *scene.rows[at - n_rows : -n_rows]]
    return cut_into_pages(rows, scene.page_size)


def _skip(scene: Scene, severity: float, rng: random.Random) -> Extraction:
    """Skip rows between two pages, as when rows above were deleted; rows at the end come twice."""
    n_rows = int(severity)
    at = rng.randrange(1, len(scene.rows) // scene.page_size - 1) * scene.page_size
    rows = [*scene.rows[:at], *scene.rows[at + n_rows :]]
    return cut_into_pages(rows, scene.page_size, len(scene.rows))


def _announce(change: int) -> Damage:
    def apply(scene: Scene, severity: float, _rng: random.Random) -> Extraction:
        total = len(scene.rows) + change * int(severity)
        return cut_into_pages(scene.rows, scene.page_size, total)

    return apply


def _shuffle(scene: Scene, _severity: float, rng: random.Random) -> Extraction:
    rows = list(scene.rows)
    rng.shuffle(rows)
    return cut_into_pages(rows, scene.page_size)


def _sort_by_name(scene: Scene, _severity: float, _rng: random.Random) -> Extraction:
    rows = sorted(scene.rows, key=lambda row: (str(row["ingredient_name"]), str(row["reg_no"])))
    return cut_into_pages(rows, scene.page_size)


def _pages(
    name: str,
    damage: Damage,
    symptom: str,
    usual: tuple[float, ...] = ONE_PAGE,
    layer: Layer = Layer.STRUCTURE,
) -> Breakage:
    return Breakage(name, Family.PAGES, layer, damage, symptom, Unit.PAGES, PAGE_COUNTS, usual)


def _rows(
    name: str,
    damage: Damage,
    symptom: str,
    usual: tuple[float, ...] = (5, 50),
    layer: Layer = Layer.STRUCTURE,
) -> Breakage:
    return Breakage(name, Family.PAGES, layer, damage, symptom, Unit.ROWS, ROWS, usual)


_B = Layer.OVERLAP
_SHARES = (0.0005, 0.001, 0.01, 0.1)

BREAKAGES = (
    _pages("last_page_lost", _lose_last, "마지막 쪽의 행이 없다."),
    _pages("last_page_lost_quietly", _lose_last_quietly, "끝 쪽과 그 건수가 없다.", layer=_B),
    _pages("page_lost", _lose_one, "가운데 한 쪽의 행이 없다."),
    _pages("page_lost_quietly", _lose_one_quietly, "가운데 한 쪽과 그 건수가 없다.", layer=_B),
    _rows("rows_lost", _lose_rows, "행 몇 개가 없다."),
    _rows("rows_lost_quietly", _lose_rows_quietly, "이어진 행 몇 개와 그 건수가 없다.", layer=_B),
    _pages("last_rows_of_pages_lost", _lose_end_of_pages, "쪽마다 끝 행이 없다.", usual=(1, 10)),
    _pages("page_shown_twice", _show_twice, "한 쪽이 두 번 있고 다른 쪽이 없다."),
    _pages("first_page_repeated", _repeat_first, "1쪽이 다른 쪽 자리에 또 있다."),
    replace(
        _pages("page_number_ignored", _ignore_page_number, "모든 쪽이 1쪽과 같다."),
        unit=Unit.ONE,
        severities=ONE_PAGE,
    ),
    _pages("page_size_changed", _change_size, "몇 쪽에 10행만 있다."),
    replace(
        _rows("list_capped", _cap_list, "목록의 끝이 건수와 함께 잘려 있다.", (0.01, 0.1), _B),
        unit=Unit.SHARE,
        severities=_SHARES,
    ),
    _pages("pages_without_rows", _empty_pages, "어떤 쪽에 행이 없다."),
    _rows("rows_shown_again", _overlap, "읽는 동안 목록이 밀려 행이 두 번 나온다.", (1, 5)),
    _rows("rows_skipped", _skip, "읽는 동안 목록이 당겨져 행이 빠진다.", (1, 5)),
    _rows("total_too_high", _announce(1), "사이트의 총 건수가 행보다 많다.", (1, 20)),
    _rows("total_too_low", _announce(-1), "사이트의 총 건수가 행보다 적다.", (1, 20)),
    Breakage(
        "rows_in_another_order",
        Family.PAGES,
        _B,
        _shuffle,
        "행의 순서만 다르다.",
        Unit.ONE,
        ONE_PAGE,
        ONE_PAGE,
        is_harmless=True,
    ),
    Breakage(
        "rows_sorted_by_name",
        Family.PAGES,
        _B,
        _sort_by_name,
        "행이 성분명 순서로 있다.",
        Unit.ONE,
        ONE_PAGE,
        ONE_PAGE,
        is_harmless=True,
    ),
)
