"""The tables of docs/trust.md: what counts, and how sure a share is."""

from __future__ import annotations

from datetime import date

import pytest

from dmf_crawler.workbench.perturb.catalogue import CATALOGUE, is_held_out
from dmf_crawler.workbench.trials import CleanDay, Trial
from scripts.bench.drift import (
    BEGIN,
    END,
    interval,
    main,
    put_between,
    tell_holds,
    tell_rate,
    tell_recall,
    tell_smallest,
)
from scripts.bench.survival import wilson


@pytest.mark.parametrize(("n", "of"), [(0, 20), (1, 60), (984, 1000), (50, 50)])
def test_the_interval_is_wilsons(n, of):
    assert interval(n, of) == pytest.approx(wilson(n, of))


def test_a_rate_is_one_in_so_many_days():
    assert tell_rate(10, 600).startswith("10: 1 in 60 (1 in ")
    assert tell_rate(0, 100).startswith("0: none (1 in 27")
    assert tell_rate(0, 0) == "no day"


def test_only_what_changed_something_counts_and_each_half_by_itself():
    tuned = next(kind for kind in CATALOGUE if not is_held_out(kind))
    held_out = next(kind for kind in CATALOGUE if is_held_out(kind))
    trials = [
        Trial(tuned.name, 1, "1/0", is_changed=True, stopped_by=("G-11",), on_day=1),
        Trial(tuned.name, 1, "2/0", is_changed=True, drafted=("G-9",)),
        Trial(tuned.name, 1, "3/0", is_changed=False, stopped_by=("G-2",)),
        Trial(held_out.name, 1, "1/0", is_changed=True, stopped_by=("G-5",), on_day=1),
    ]
    told = tell_recall(trials, [tuned, held_out])

    assert "| looked at while tuning | 1 | 2 | 0.500 (" in told
    assert "| held out | 1 | 1 | 1.000 (" in told
    assert "| both halves | 2 | 3 | 0.667 (" in told
    assert "1 trials left every value as it was" in told
    assert "; 1 of them were held." in told


def test_held_days_are_listed_with_what_the_gates_said():
    days = [_day(1), _day(2, stopped_by=("G-5",), said="오늘 취하 86건")]
    told = tell_holds(days)

    assert "| all | 2 | 1: 1 in 2 (" in told
    assert "오늘 취하 86건" in told
    assert "Held without damage" not in tell_holds(days[:1])


def _day(number: int, stopped_by: tuple[str, ...] = (), said: str = "") -> CleanDay:
    return CleanDay(
        day=date(2027, 1, number),
        place="1",
        is_messy=False,
        is_working_day=True,
        is_bulk=False,
        n_before=number,
        stopped_by=stopped_by,
        drafted=(),
        counted=(),
        said=said,
    )


def test_the_smallest_damage_is_that_of_the_worst_world():
    kind = CATALOGUE[0]
    assert "| 0.03 |" in tell_smallest([(kind.name, 0.001), (kind.name, 0.03)], [kind])
    assert "| never always |" in tell_smallest([(kind.name, 0.001), (kind.name, None)], [kind])


def test_tables_go_between_the_marks_and_nowhere_else(tmp_path):
    page = tmp_path / "page.txt"
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    put_between(page, "new")
    assert page.read_text(encoding="utf-8") == f"above\n{BEGIN}\n\nnew\n{END}\nbelow\n"


def test_a_small_run_tells_its_size_and_its_shares(capsys):
    options = "--rows 1300 --worlds 1 --processes 1 --only widened,tags_left,one_slipped_down"
    assert main(["recall", "--all", *options.split()]) == 0
    told = capsys.readouterr().out
    assert "3 kinds of breakage" in told
    assert "1.000" in told
