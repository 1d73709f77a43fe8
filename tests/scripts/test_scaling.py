"""The simulations of docs/scaling.md: they meet the formulas, and the page has what they print."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from scripts.bench.scaling import (
    N_BOARDS,
    PLANS,
    VISITS_PER_BOARD,
    Board,
    crawl_seconds,
    draw_boards,
    live,
    main,
    plan_fresh,
    plan_prompt,
    requests_of_list,
)

PAGE = Path(__file__).parents[2] / "docs/scaling.md"


def test_the_page_has_the_tables_that_the_script_prints(capsys):
    assert main([]) == 0
    page = PAGE.read_text(encoding="utf-8")
    for table in capsys.readouterr().out.strip().split("\n\n"):
        assert table in page


def test_a_crawl_takes_its_pauses_and_its_answers():
    n_requests = requests_of_list()
    seconds = crawl_seconds(n_requests, 0.1, random.Random(1))
    pauses = (n_requests - 1) * 2.0
    assert pauses + n_requests * 0.1 <= seconds <= pauses * 1.1 + n_requests * 0.1


@pytest.mark.parametrize(("rate", "visits"), [(0.1, 1.0), (1.0, 1.0), (4.0, 2.0), (1.0, 0.25)])
def test_a_lived_year_meets_the_formulas(rate, visits):
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    lived = live([Board(rate, 1.0)], [visits], random.Random(seed), n_days=40_000)
    fresh = visits / rate * (1 - math.exp(-rate / visits))
    assert lived.fresh == pytest.approx(fresh, abs=0.02)
    assert lived.wait_h == pytest.approx(12 / visits, rel=0.05)


def test_every_plan_spends_the_same_visits():
    boards, visits = draw_boards(random.Random(7)), VISITS_PER_BOARD * N_BOARDS
    for _, make_plan in PLANS:
        assert sum(make_plan(boards, visits)) == pytest.approx(visits)


def test_each_best_plan_is_the_best_at_what_it_is_for():
    for seed in range(5):
        boards, visits = draw_boards(random.Random(seed)), VISITS_PER_BOARD * N_BOARDS
        lived = {plan: live(boards, plan(boards, visits), random.Random(seed)) for _, plan in PLANS}
        assert max(lived, key=lambda plan: lived[plan].fresh) is plan_fresh
        never_missing = [plan for plan in lived if not lived[plan].n_never]
        assert min(never_missing, key=lambda plan: lived[plan].wait_h) is plan_prompt
        assert not lived[plan_prompt].n_never
