"""The long fuzz finds what it looks for: a crash, a hang, too much memory, an invented value."""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import replace

import pytest

from dmf_crawler.model.run import Fault
from scripts.fuzz_extract import main, spoil
from scripts.fuzzing.corpus import saved_pages
from scripts.fuzzing.doubts import find_doubt
from scripts.fuzzing.mutations import BYTE_MUTATIONS, FLOODS, TAG_MUTATIONS
from scripts.fuzzing.oracle import find_invented
from scripts.fuzzing.packages import JSON_MUTATIONS, PACKAGE_MUTATIONS
from scripts.fuzzing.readers import (
    Case,
    Record,
    explain_exception,
    judge,
    read_case,
)
from scripts.fuzzing.worker import Limits, Worker
from tests.extract.pages import some_fields
from tests.extract.workbooks import a_workbook, list_rows

SEEDS = saved_pages()
CASE = Case("list", b"<p>x</p></html>", "text/html")
needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")


def read_badly(case: Case) -> Fault:
    """A reader with a fault of each kind, by the name of the case."""
    if case.reader == "raises":
        raise ValueError("of the reader")
    if case.reader == "hangs":
        while True:
            pass
    if case.reader == "fills":
        return Fault("x", "y" * 4_000_000_000, exit_code=4)
    return Fault("Bad code", "", exit_code=1)


@needs_limits
def test_every_kind_of_mistake_is_a_finding_and_the_next_case_is_read_again():
    limits = Limits(cpu_s=0.2, memory_bytes=1_500_000_000)
    with Worker(limits, read_badly) as worker:
        outcomes = {
            name: worker.run(replace(CASE, reader=name))
            for name in ("raises", "hangs", "fills", "other")
        }
    assert all(outcome.is_finding for outcome in outcomes.values())
    assert {name: outcome.kind for name, outcome in outcomes.items()} == {
        "raises": "exception",
        "hangs": "hang",
        "fills": "exception",
        "other": "bad_fault",
    }
    assert outcomes["raises"].place == "ValueError in read_badly"
    assert "0.2 s of CPU" in outcomes["hangs"].detail
    assert outcomes["fills"].place.startswith("MemoryError")


def test_a_process_that_uses_no_time_is_given_up():
    with Worker(Limits(wall_s=0.0)) as worker:
        assert worker.run(CASE).kind == "hang"


def test_a_short_campaign_prints_its_seed_and_finds_nothing(tmp_path, capsys):
    arguments = ["--seconds", "1", "--seed", "5", "--keep", str(tmp_path / "kept")]
    exit_code = main([*arguments, "--only", "detail"])
    printed = capsys.readouterr().out
    assert exit_code == 0, printed
    assert "seed 5: " in printed
    assert " 0 findings" in printed
    assert "detail: table" in printed


def test_a_kept_case_is_read_again(tmp_path, capsys):
    (tmp_path / "1-2-hang.list.bin").write_bytes(CASE.body)
    (tmp_path / "1-2-hang.list.txt").write_text("text/html\n", encoding="utf-8")
    assert main(["--replay", str(tmp_path / "1-2-hang.list.bin")]) == 0
    assert capsys.readouterr().out.startswith("no_table")


def test_a_seed_makes_the_same_case_again():
    cases = [[spoil(SEEDS, f"3:{n}", n) for n in range(20)] for _ in range(2)]
    assert cases[0] == cases[1]
    assert len({spoiled.case.body for spoiled in cases[0]}) > 15


@pytest.mark.parametrize(
    "mutation", [*BYTE_MUTATIONS, *TAG_MUTATIONS, *FLOODS], ids=lambda each: each.__name__
)
def test_every_mutation_changes_pages_and_takes_any_body(mutation):
    page, other = SEEDS[0].body, SEEDS[1].body
    results = [mutation(random.Random(seed), page, other) for seed in range(8)]
    assert len({*results, page}) > 2
    for body in (b"", b"<", b"x", b"\xff\xfe", b"<td"):
        for seed in range(8):
            mutation(random.Random(seed), body, body)


@pytest.mark.parametrize("mutation", dict.fromkeys(PACKAGE_MUTATIONS),
                         ids=lambda each: each.__name__)  # fmt: skip
def test_every_mutation_of_a_package_changes_it_and_takes_any_body(mutation):
    package = a_workbook(list_rows([some_fields(1), some_fields(2)]))
    results = [mutation(random.Random(seed), package, SEEDS[0].body) for seed in range(3)]
    assert len({*results, package}) > 1
    for body in (b"", b"PK", b"PK\x03\x04x"):
        mutation(random.Random(1), body, body)


@pytest.mark.parametrize("mutation", JSON_MUTATIONS, ids=lambda each: each.__name__)
def test_every_mutation_of_an_answer_changes_it_and_takes_any_body(mutation):
    results = [mutation(random.Random(seed), b'{"a": [1, {"b": "c"}]}', b"") for seed in range(8)]
    assert len(set(results)) > 4
    for body in (b"", b"{", b"[]", b"1"):
        mutation(random.Random(1), body, body)


def test_all_saved_pages_are_seeds():
    readers = Counter(seed.reader for seed in SEEDS)
    assert readers["list"] > 70
    assert readers["notices"] == readers["detail"] == 1
    assert readers["open_api"] >= 3
    assert {seed.content_type for seed in SEEDS} > {"text/html", ""}


# --- what is a finding -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_a_page_as_it_came_is_none(seed):
    case = Case(seed.reader, seed.body, seed.content_type)
    outcome = judge(case, read_case(case))
    assert not outcome.is_finding, outcome.detail


@pytest.mark.parametrize(
    ("body", "value", "is_invented"),
    [
        ("<td>대웅\n 제약</td>", "대웅제약", False),
        ("<td>대<b>웅</b>제약</td>", "대웅제약", False),
        ("<td>대<!-- 옛 -->웅</td>", "대웅", False),
        ("<td>대<script>1</script>웅</td>", "대웅", False),
        ("<td>대<span class='s-th'>신청인</span>웅</td>", "대웅", False),
        ("<td>A &amp;lt; B</td>", "A &lt; B", False),
        ("<a href='/bbs/21/7?a=1&amp;b'>x</a>", "7", False),
        ("<td>대웅</td>", "대웅제약", True),
        ("<td>A &amp;lt; B</td>", "A < B", True),
        ("<textarea>경기도<br>화성시</textarea>", "경기도<br>화성시", False),
        ("<td>2026</td>", "2025", True),
        (r'{"a": "\u03b2-\uB77D\n탐"}', "β-락\n탐", False),
        ('{"a": "락"}', "탐", True),
    ],
)
def test_a_value_that_the_page_has_not_is_invented(body, value, is_invented):
    for codec in ("utf-8", "cp949", "utf-16"):
        assert find_invented(body.encode(codec), ["", value]) == ([value] if is_invented else [])


def test_a_text_of_a_workbook_that_its_parts_have_not_is_invented():
    package = a_workbook([["성분명", "등록일"], ["시롤리무스 & <분산>", 46_000]])
    assert find_invented(package, ["시롤리무스 & <분산>", "2025-12-09", "46000"]) == []
    assert find_invented(package, ["시롤리무스 분산용액"]) == ["시롤리무스 분산용액"]


def test_a_value_of_another_row_or_column_is_doubtful():
    plain: list[Record] = [
        {"reg_no": "173-72-ND", "company": "한국화이자제약", "maker": ("Lonza AG",)},
        {"reg_no": "163-1-ND", "company": "디케이에스에이치", "maker": ("Evonik Degussa",)},
    ]
    assert not find_doubt(plain, plain)
    assert not find_doubt(plain, plain[1:])
    assert not find_doubt([], plain)
    changed = {**plain[0], "company": "한국화이자제"}
    assert not find_doubt(plain, [changed])
    crossed = {**plain[0], "company": "디케이에스에이치"}
    assert "another row" in find_doubt(plain, [crossed])
    shifted = {**plain[0], "company": "173-72-ND"}
    assert "the column reg_no" in find_doubt(plain, [shifted])


def test_an_exception_is_named_by_the_place_in_the_package():
    try:
        read_case(Case("list", None, ""))  # type: ignore[arg-type]
    except TypeError as error:
        outcome = explain_exception(error)
        assert outcome.place.startswith("TypeError in ")
