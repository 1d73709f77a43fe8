"""The gates of a whole page: what passes, what warns, what is refused."""

from __future__ import annotations

import pytest

from dmf_crawler.judge.page_gates import judge_page_read, refuse_page_read
from dmf_crawler.model.run import Fault
from dmf_crawler.model.verdict import Outcome
from dmf_crawler.model.watched_page import PageReading

REGIONS = ("#content", "main")


def test_a_page_that_its_primary_selector_found_passes():
    reading = PageReading(("가나다", "라"), ("가나다", "라"), selector="#content")
    gates = judge_page_read(reading, regions=REGIONS, min_characters=2)
    assert [(gate.code, gate.outcome) for gate in gates] == [
        *(("G-0", Outcome.PASS), ("G-6", Outcome.PASS), ("G-10", Outcome.PASS))
    ]
    assert (gates[-1].observed, gates[-1].limit) == (4, 2)


def test_a_fallback_warns_with_both_selectors():
    reading = PageReading(("가",), ("가",), selector="main", position=1)
    region = judge_page_read(reading, regions=REGIONS, min_characters=1)[1]
    assert (region.code, region.outcome, region.observed) == ("G-6", Outcome.WARN, 0.0)
    assert "#content" in region.message
    assert "main" in region.message


@pytest.mark.parametrize(
    ("exit_code", "outcomes"),
    [
        (7, ["reject", "hold", "hold"]),  # forbidden: nothing was read
        (4, ["pass", "hold", "reject"]),  # it was allowed, or there would be no page
        (6, ["hold", "hold", "reject"]),
        (1, ["hold", "hold", "reject"]),
    ],
)
def test_a_page_that_could_not_be_read_names_its_fault_at_one_gate(exit_code, outcomes):
    fault = Fault("some_code", "문장\u202e입니다.", exit_code)
    gates = refuse_page_read(fault)
    assert [str(gate.outcome) for gate in gates] == outcomes
    (named,) = [gate for gate in gates if gate.fault_code == "some_code"]
    assert named.outcome is Outcome.REJECT
    assert "\u202e" not in named.message
