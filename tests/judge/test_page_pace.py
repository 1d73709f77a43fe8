"""Growing noise and silence are told; what is usual is not."""

import random
from datetime import date, timedelta

import pytest

from dmf_crawler.judge.page_pace import tell_pace
from dmf_crawler.model.watched_page import Movement, PageVisitRow
from dmf_crawler.settings import PageRules

RULES = PageRules()
START = date(2026, 1, 1)


def _visit(number: int, distance: int | None = 0, *, is_same: bool = False) -> PageVisitRow:
    movement = Movement.NOISE if distance else Movement.NONE
    day = START + timedelta(days=number)
    return PageVisitRow(f"r{number:05}", day, movement, distance, 9, 1_000, is_same)


def _noise(*distances: int) -> list[PageVisitRow]:
    return [_visit(number, bits) for number, bits in enumerate(distances)]


def _moves(pattern: str) -> list[PageVisitRow]:
    """Visits of a page that moved (x) or was the same (.)."""
    return [_visit(number, is_same=char == ".") for number, char in enumerate(pattern)]


def test_noise_that_grows_is_told():
    [told] = tell_pace(_noise(*[2] * 10, *[4] * 10), RULES)
    assert "4.0비트" in told
    assert "2.0비트" in told
    assert told.endswith("주십시오.")
    assert tell_pace(_noise(*[2] * 10, *[4] * 9, 3), RULES) == ()


def test_noise_that_grows_is_told_in_whatever_order_the_visits_come():
    visits = _noise(*[2] * 10, *[4] * 10)
    random.Random(3).shuffle(visits)
    assert len(tell_pace(visits, RULES)) == 1


def test_only_noise_counts():
    between = [_visit(number, None if number % 2 else 0) for number in range(100, 160)]
    content = PageVisitRow("r0", START, Movement.CONTENT, 60, 9, 1_000, False)
    assert tell_pace([*_noise(*[2] * 20), *between, content], RULES) == ()


@pytest.mark.parametrize("n_before", [0, 1, 9])
def test_too_few_reads_tell_nothing_of_noise(n_before):
    assert tell_pace(_noise(*[1] * n_before, *[9] * 10), RULES) == ()


def test_a_page_gone_silent_is_told():
    [told] = tell_pace(_moves("x" * 20 + "." * 5), RULES)
    assert "5회째" in told
    assert "20회" in told
    assert tell_pace(_moves("x" * 20 + "." * 3), RULES) == ()


@pytest.mark.parametrize("pattern", ["", ".", "." * 400, "x", "x" * 40, "x.", "x...", ".x" * 20])
def test_what_is_usual_is_not_told(pattern):
    assert tell_pace(_moves(pattern), RULES) == ()


def test_a_silence_as_long_as_one_before_is_not_told():
    rare = "x" * 20 + "." * 30 + "x" * 20
    assert tell_pace(_moves(rare + "." * 30), RULES) == ()
    assert len(tell_pace(_moves(rare + "." * 31), RULES)) == 1


def test_the_first_read_tells_nothing_of_movement():
    first = PageVisitRow("r", START - timedelta(days=1), Movement.FIRST, None, None, 9, False)
    assert tell_pace([first, *_moves("." * 400)], RULES) == ()


def test_a_steady_page_is_falsely_called_silent_hardly_ever():
    seed = 20_261_201
    print(f"seed {seed}")
    rng = random.Random(seed)
    told = 0
    for _ in range(60):
        visits = _moves("".join("." if rng.random() < 0.5 else "x" for _ in range(120)))
        told += sum(bool(tell_pace(visits[:end], RULES)) for end in range(1, 121, 7))
    assert told == 0


def test_the_rules_say_how_much_is_unusual():
    rules = PageRules(creeping_reads=3, creeping_bits=1, silent_probability=0.2)
    assert len(tell_pace(_noise(1, 1, 1, 2, 2, 2), rules)) == 1
    assert len(tell_pace(_moves("xxxxxx.."), rules)) == 1
