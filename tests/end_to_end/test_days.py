"""Whole days on the rehearsal site: what is found is what happened."""

from __future__ import annotations

import io
import json
import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest
from openpyxl import load_workbook

from dmf_crawler.cli.commands import run_command
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.register import COLUMNS, ListRow
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import Switches
from tests.end_to_end.homes import new_home

FIRST_DAY = "2026-11-30"


def rehearse(*words: str) -> dict[str, object]:
    out, err = io.StringIO(), io.StringIO()
    exit_code = run_command(["rehearse", "--json", *words], stdout=out, stderr=err)
    payload: dict[str, object] = json.loads(out.getvalue())
    assert payload["exit_code"] == exit_code
    return payload


def test_a_rehearsal_of_three_days_finds_all_that_happened_and_nothing_else(tmp_path):
    result = rehearse("--keep", str(tmp_path / "home"), "--rows", "240")

    assert result["exit_code"] == 0
    assert (result["false_events"], result["missed_events"]) == (0, 0)
    days = result["days"]
    assert isinstance(days, list)
    assert [day["date"] for day in days] == ["2026-11-30", "2026-12-01", "2026-12-02"]
    assert {name: board["found"]["NEW"] for name, board in days[0]["boards"].items()} == {
        "dmf_registry": 240,
        "mfds_notice": 60,
        "nedrug_terms": 1,
    }
    assert sum(sum(day["truth"].values()) for day in days[1:]) > 0
    assert [day["found"] for day in days] == [day["truth"] for day in days]
    assert len(result["reports"]) == 3  # type: ignore[arg-type]


def test_a_month_with_a_weekend_and_vanished_rows_is_told_day_by_day(tmp_path):
    """Vanished rows count on the fourth day without them, not before."""
    result = rehearse("--keep", str(tmp_path / "home"), "--rows", "120", "--days", "31")

    assert result["error"] is None
    assert (result["false_events"], result["missed_events"]) == (0, 0)


@pytest.mark.parametrize(
    "switches",
    [
        Switches(label_in_number=True, value_in_span=True, empty_mark="-"),
        Switches(headers="first_row", nested_tbody=False),
        Switches(page_size="capped", largest_page_size=50),
        Switches(page_size="error_page", largest_page_size=50),
        Switches(page_size="status_400", largest_page_size=10),
        Switches(table_class="list_new", label_class="s-th label"),
        Switches(columns="reordered", total_text="title_only", gzip=True, layout_tables=True),
        Switches(past_end="last_page", without_parameters="redirect"),
        Switches(robots="bom"),
        Switches(robots="not_found"),
        Switches(robots="redirect"),
    ],
)
def test_the_list_is_read_the_same_however_the_site_shows_it(tmp_path, switches):
    """Each behaviour that the facts leave open leads to the same records."""
    life = Life(n_rows=230)
    with RehearsalSite(life.rows, switches=switches) as site:
        home = new_home(tmp_path / "home", site.base_url)
        run = home.run(FIRST_DAY)

    assert run["error"] is None
    assert run["n_rows"] == 230
    stored = dict(home.rows("SELECT reg_no, payload_json FROM dmf_record"))
    assert stored.keys() == {row.reg_no for row in life.rows}
    for row in life.rows:
        assert json.loads(stored[row.reg_no]) == expected_payload(row)


def expected_payload(row: ListRow) -> dict[str, object]:
    values = {name: getattr(row, name) for name, _ in COLUMNS}
    return {
        name: value.strip() if isinstance(value, str) else [text.strip() for text in value]
        for name, value in values.items()
    }


def test_the_sheet_of_all_records_equals_the_sites_list_cell_by_cell(tmp_path):
    """With every dirty value; a line break of the site is a line break in the cell."""
    life = Life(n_rows=600)
    with RehearsalSite(life.rows) as site:
        run = new_home(tmp_path / "home", site.base_url).run(FIRST_DAY)
    text = "\n".join("\n".join(map(str, vars_of(row))) for row in life.rows)
    assert all(piece in text for piece in ("\r\n", "㈜", "Ⅲ", "ß"))
    assert any(len(row.maker_names) > 2 for row in life.rows)

    workbook = load_workbook(run["report"], read_only=True)
    rows = list(workbook["전체현황"].iter_rows(values_only=True))
    header = next(index for index, row in enumerate(rows) if "등록번호" in row)
    shown = {row[1]: row[: len(COLUMNS)] for row in rows[header + 1 :]}
    workbook.close()

    assert rows[header][: len(COLUMNS)] == tuple(label for _, label in COLUMNS)
    assert shown.keys() == {row.reg_no for row in life.rows}
    for row in life.rows:
        assert shown[row.reg_no] == expected_cells(row)


def vars_of(row: ListRow) -> list[object]:
    return [getattr(row, name) for name, _ in COLUMNS] + list(row.maker_names)


def expected_cells(row: ListRow) -> tuple[str | None, ...]:
    cells = []
    for value in expected_payload(row).values():
        text = value if isinstance(value, str) else "\n".join(value)  # type: ignore[arg-type]
        cells.append(text.replace("\r\n", "\n") or None)
    return tuple(cells)


def test_pages_of_the_first_day_read_the_same_on_the_third(tmp_path):
    """`reparse` needs the kept pages alone: the site is gone by then."""
    life = Life(n_rows=230)
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        for number in range(3):
            if number:
                life.advance()
                site.rows = life.rows
            home.run(str(date.fromisoformat(FIRST_DAY) + timedelta(days=number)))
    before = home.history_content()

    exit_code, result = home.command("reparse", "--since", FIRST_DAY, "--until", "2026-12-02")

    assert exit_code == 0
    assert result["runs"][0]["n_rows"] == 230
    for run in result["runs"]:
        assert sum(run["counts"].values()) == run["missing"] == 0
    assert home.history_content() == before
    exit_code, result = home.command("verify")
    assert (exit_code, result["ok"]) == (0, True)


def test_a_second_run_of_a_day_on_an_unchanged_site_records_nothing(tmp_path):
    life = Life(n_rows=120)
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        home.run(FIRST_DAY)
        before = home.rows("SELECT * FROM dmf_event")
        second = home.run(FIRST_DAY)

    assert second["run_id"] == "20261130T060000-dmf_registry-2"
    assert sum(second["counts"].values()) == 0
    assert not second["is_baseline"]
    assert home.rows("SELECT * FROM dmf_event") == before


def test_a_dry_run_leaves_no_history_and_no_report(tmp_path):
    with RehearsalSite(Life(n_rows=120).rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        run = home.run(FIRST_DAY, "--dry-run")

    assert (run["status"], run["n_rows"], run["report"]) == ("OK", 120, None)
    assert home.rows("SELECT count(*) FROM crawl_run") == [(0,)]
    assert home.kept_pages(run["run_id"])
    assert not list(Path(tmp_path / "home/reports").glob("*.xlsx"))


def test_a_dry_run_beside_a_history_leaves_all_as_it_is(tmp_path):
    life = Life(n_rows=120)
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        report = Path(home.run(FIRST_DAY)["report"])
        before = home.history_content(), home.rows("SELECT * FROM crawl_run"), report.read_bytes()
        life.advance()
        site.rows = life.rows
        first = home.run(FIRST_DAY, "--dry-run", hour=8)
        site.rows = life.rows[1:]
        second = home.run(FIRST_DAY, "--dry-run", hour=8)

    assert (first["exit_code"], first["status"], first["report"]) == (0, "OK", None)
    assert sum(first["counts"].values()) > 0
    assert second["n_rows"] == first["n_rows"] - 1  # two dry runs of one moment keep apart
    after = home.history_content(), home.rows("SELECT * FROM crawl_run"), report.read_bytes()
    assert after == before


def test_no_report_is_written_for_a_day_on_which_nothing_was_accepted(tmp_path):
    life = Life(n_rows=120)
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        home.run(FIRST_DAY)
        site.rows = life.rows[4:]
        held = home.run("2026-12-01")
    assert held["status"] == "HELD"

    for words in (["--date", "2026-12-01"], ["--run", held["run_id"]], ["--date", "2027-01-01"]):
        exit_code, result = home.command("report", *words)
        assert (exit_code, result["error"]["code"]) == (2, "nothing_accepted")
    names = [path.name for path in (tmp_path / "home/reports").iterdir()]
    assert names == [f"DMF_{FIRST_DAY}.xlsx"]


def test_only_the_first_accepted_run_is_the_baseline(tmp_path):
    life = Life(n_rows=120)
    with RehearsalSite(life.rows[:6]) as site:
        home = new_home(tmp_path / "home", site.base_url)
        refused = home.run(FIRST_DAY)
        site.rows = life.rows
        accepted = home.run(FIRST_DAY, hour=7)

    assert (refused["status"], refused["is_baseline"]) == ("REJECTED", False)
    assert (accepted["status"], accepted["is_baseline"]) == ("OK", True)


def test_the_report_can_be_written_again_from_the_history(tmp_path):
    with RehearsalSite(Life(n_rows=120).rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        report = Path(home.run(FIRST_DAY)["report"])
    report.unlink()

    exit_code, result = home.command("report", "--date", FIRST_DAY)

    assert exit_code == 0
    assert Path(result["report"]) == report
    assert report.exists()


def test_what_happened_to_one_record_is_told(tmp_path):
    life = Life(n_rows=120)
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        home.run(FIRST_DAY)
        truth = life.advance()
        site.rows = life.rows
        home.run("2026-12-01")
    changed = next(each for each in truth.happenings if each.kind == "MODIFIED")

    exit_code, result = home.command("history", changed.key)

    assert exit_code == 0
    assert [event["event_type"] for event in result["events"]] == ["NEW", "MODIFIED"]
    assert [each["field"] for each in result["events"][1]["changes"]] == list(changed.fields)
    first, second = result["versions"]
    assert first["valid_to"] == second["valid_from"] == "2026-12-01T06:00:00+09:00"
    assert second["is_current"]
    assert second["source_url"].startswith(site.base_url)


@pytest.mark.parametrize("damage", ["folder", "index", "lines"])
def test_verify_misses_the_pages_that_a_record_was_read_from(tmp_path, damage):
    with RehearsalSite(Life(n_rows=230).rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        run = home.run(FIRST_DAY)
    (index,) = home.root.glob(f"raw/*/dmf_registry/{run['run_id']}/index.jsonl")
    if damage == "folder":
        shutil.rmtree(index.parent)
    elif damage == "index":
        index.write_bytes(b"")
    else:
        index.write_bytes(b"".join(index.read_bytes().splitlines(keepends=True)[:2]))

    exit_code, result = home.command("verify")

    assert (exit_code, result["ok"]) == (5, False)
    assert "raw_sources" in [check["name"] for check in result["checks"] if not check["ok"]]
