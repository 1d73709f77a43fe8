from __future__ import annotations

import json

import pytest

from dmf_crawler.workbench.redesign.catalogue import KINDS
from dmf_crawler.workbench.redesign.kind import Kind
from dmf_crawler.workbench.redesign.specimen import Specimen
from dmf_crawler.workbench.survival import save_page
from scripts.bench.survival import main, save_specimens, try_kind, wilson, write_readers

SPECIMENS = save_specimens()


def find_kind(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)


def verdicts_of(name: str, specimen: Specimen) -> list[str]:
    trial = try_kind(find_kind(name), specimen, write_readers(specimen))
    return [outcome.verdict for outcome in trial.outcomes]


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda specimen: specimen.name)
def test_all_three_tools_read_every_untouched_page(specimen: Specimen):
    page = save_page(specimen, None)
    assert [read(page).verdict for read in write_readers(specimen)] == ["same"] * 3


def test_baselines_break_where_such_programs_break():
    """A place is wrong after an insertion, a class is lost when it changes; a header is neither."""
    usual = SPECIMENS[0]
    assert verdicts_of("column_ignored", usual) == ["same", "wrong", "wrong"]
    assert verdicts_of("table_class_changed", usual) == ["same", "same", "refused"]
    assert verdicts_of("boxes_around", usual) == ["same", "refused", "same"]


def test_json_has_one_entry_a_trial(capsys):
    kinds = ["--kind", "column_ignored", "--kind", "cells_merged_empty"]
    assert main(["--pages", "2", *kinds, "--json"]) == 0
    trials = json.loads(capsys.readouterr().out)
    assert [(trial["page"], trial["kind"]) for trial in trials] == [
        ("usual", "column_ignored"),
        ("usual", "cells_merged_empty"),
        ("notices", "column_ignored"),
    ]
    assert {len(trial["outcomes"]) for trial in trials} == {3}


def test_the_table_counts_what_each_tool_made_of_each_kind(capsys):
    assert main(["--pages", "2", "--kind", "column_ignored", "--kind", "column_unknown"]) == 0
    text = capsys.readouterr().out
    assert "2 kinds on 2 pages, 4 trials; of 1 kinds the same records are wanted" in text
    assert "| same | 2 same | **2 wrong** | **2 wrong** |" in text
    assert "| refusal | 2 `unknown_column` | **2 wrong** | **2 wrong** |" in text


def test_the_interval_of_wilson_stays_between_nothing_and_all():
    low, high = wilson(0, 100)
    assert (low, round(high, 4)) == (0.0, 0.037)
    low, high = wilson(95, 100)
    assert (round(low, 3), round(high, 3)) == (0.888, 0.978)
