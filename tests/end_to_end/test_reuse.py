"""Which selectors found a list: recorded with every run that read one, told where people look."""

from __future__ import annotations

from typing import Any

import pytest
from openpyxl import load_workbook

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.end_to_end.homes import RehearsalHome, new_home

ROWS = Life(n_rows=60).rows
N_FIELDS = 15  # fourteen columns, and the rows themselves
ALIASES = "header_aliases: [신청인, 업체명, 등록업체]"


@pytest.fixture
def stage(tmp_path):
    with RehearsalSite(ROWS) as site:
        home = new_home(tmp_path / "home", site.base_url)
        assert home.run("2026-11-30")["status"] == "OK"
        yield site, home


def rename_header(home: RehearsalHome) -> None:
    """Let the selectors file know a header that the site has no more, or not yet."""
    home.edit("selectors/dmf_registry.yaml", ALIASES, "header_aliases: [등록회사]")


def gate_6(run: dict[str, Any]) -> dict[str, Any]:
    (gate,) = (gate for gate in run["gates"] if gate["code"] == "G-6")
    return dict(gate)


def rates(home: RehearsalHome) -> list[float | None]:
    return [rate for (rate,) in home.rows("SELECT reuse_rate FROM crawl_run ORDER BY rowid")]


def test_a_header_that_changed_warns_until_it_is_put_right(stage):
    _, home = stage
    assert gate_6(home.run("2026-12-01"))["observed"] == 1
    rename_header(home)

    fallen, still = home.run("2026-12-02"), home.run("2026-12-03")
    home.edit("selectors/dmf_registry.yaml", "[등록회사]", "[등록회사, 신청인]")
    healed = home.run("2026-12-04")

    part = (N_FIELDS - 1) / N_FIELDS
    assert [gate_6(run)["outcome"] for run in (fallen, still, healed)] == ["warn", "warn", "pass"]
    assert {run["status"] for run in (fallen, still, healed)} == {"OK"}
    assert "100.0%에서 93.3%로 줄었습니다" in gate_6(fallen)["message"]
    assert "신청인: 기본 셀렉터(header_text 등록회사)가 찾지 못해" in gate_6(fallen)["message"]
    assert "지난번과 같이 93.3%뿐입니다" in gate_6(still)["message"]
    assert rates(home) == [1.0, 1.0, part, part, 1.0]
    assert home.command("runs")[1]["runs"][1]["reuse_rate"] == part
    assert home.command("verify")[0] == 0


def test_the_run_log_names_the_selector_that_gave_way(stage):
    _, home = stage
    rename_header(home)
    home.run("2026-12-01")

    book = load_workbook(home.root / "reports/DMF_2026-12-01.xlsx", read_only=True)
    header, newest, first = book["실행로그"].iter_rows(values_only=True)
    book.close()

    told = [dict(zip(header, row, strict=True)) for row in (newest, first)]
    assert [row["재사용률"] for row in told] == ["93.3%", "100.0%"]
    assert told[0]["물러난 셀렉터"] == "신청인: header_text 등록회사 → label 신청인"
    assert told[1]["물러난 셀렉터"] is None


def test_a_list_that_was_held_or_refused_is_measured_and_a_dry_or_failed_run_is_not(stage):
    site, home = stage
    rename_header(home)
    part = (N_FIELDS - 1) / N_FIELDS
    site.rows = ROWS[4:]
    assert home.run("2026-12-01")["status"] == "HELD"
    site.rows = ROWS[20:]
    refused = home.run("2026-12-02")
    assert (refused["status"], gate_6(refused)["outcome"]) == ("REJECTED", "warn")
    home.run("2026-12-03", "--dry-run")
    home.edit("selectors/dmf_registry.yaml", 'end_marker: "</html>"', 'end_marker: "</never>"')
    failed = home.run("2026-12-04")

    assert failed["status"] == "FAILED"
    assert rates(home) == [1.0, part, part, None]
    counted = home.rows(
        "SELECT d.field, d.position, d.n_rows FROM delivery d JOIN crawl_run c USING (run_id)"
        " WHERE d.field = 'company' ORDER BY c.rowid, d.position"
    )
    assert counted == [
        ("company", 0, 60),
        *(("company", 0, 0), ("company", 1, 56)),
        *(("company", 0, 0), ("company", 1, 40)),
    ]


def test_a_rate_is_compared_with_the_last_accepted_list_alone(stage):
    site, home = stage
    rename_header(home)
    site.rows = ROWS[4:]
    assert home.run("2026-12-01")["status"] == "HELD"
    site.rows = ROWS

    accepted = home.run("2026-12-02")

    assert accepted["status"] == "OK"
    assert "100.0%에서 93.3%로 줄었습니다" in gate_6(accepted)["message"]
