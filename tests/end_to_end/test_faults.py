"""Everything that can go wrong with the site or the set-up: named, and the history untouched."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.register import ListRow
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, Switches, TroubleKind
from tests.end_to_end.homes import new_home

LIFE = Life(n_rows=240)
# Under Wine, a reset that comes right behind data may be seen as the end of the connection.
RESET_CODES = {"connection_reset"} | ({"truncated_body"} if os.name == "nt" else set())
FORBIDDEN = "User-agent: *\nDisallow: /pbp\n"
WE_FORBIDDEN = "User-agent: dmf-crawler\nDisallow: /\n"
SITE_FAULTS: list[tuple[str, Switches, int, str]] = [
    ("robots forbids", Switches(robots_text=FORBIDDEN), 7, "robots_disallowed"),
    ("robots forbids us", Switches(robots_text=WE_FORBIDDEN), 7, "robots_disallowed"),
    ("robots 500", Switches(robots="server_error"), 7, "robots_unreachable"),
    ("robots 503", Switches(robots="unavailable"), 7, "robots_unreachable"),
    ("robots 429", Switches(robots="too_many"), 7, "robots_unreachable"),
    ("robots loop", Switches(robots="redirect_loop"), 7, "robots_unreachable"),
    ("robots reset", Switches(robots="reset"), 6, "connection_reset"),
    ("short list", Switches(n_withheld_rows=3), 4, "short_list"),
    ("column removed", Switches(columns="removed"), 4, "missing_column"),
    ("column added", Switches(columns="added"), 4, "unknown_column"),
    ("layout tables alone", Switches(list_form="div_grid", layout_tables=True), 4, "layout_table"),
    ("another register", Switches(list_form="other_register"), 4, "layout_table"),
    ("total reworded", Switches(total_text="reworded"), 4, "no_total"),
    ("total missing", Switches(total_text="missing"), 4, "no_total"),
]  # fmt: skip
PAGE_FAULTS: list[tuple[TroubleKind, int, str]] = [
    ("reset", 6, "connection_reset"),
    ("truncated_length", 6, "truncated_body"),
    ("truncated_close", 6, "truncated_page"),
    ("truncated_gzip", 6, "truncated_body"),
    ("status_500", 6, "http_status"),
    ("status_503", 6, "http_status"),
    ("redirect_login", 6, "redirect_out_of_scope"),
    ("redirect_elsewhere", 6, "redirect_out_of_scope"),
    ("error_page", 6, "error_page"),
    ("maintenance", 6, "maintenance_page"),
    ("login", 6, "login_page"),
    ("empty_body", 6, "empty_page"),
    ("script_only", 4, "script_only_page"),
    ("mojibake", 4, "mojibake"),
]


class Stage:
    """A site and a home with one accepted day behind it."""

    def __init__(self, tmp_path: Path, site: RehearsalSite) -> None:
        self.site = site
        self.home = new_home(tmp_path / "home", site.base_url)
        assert self.home.run("2026-11-30")["status"] == "OK"
        self.before = self.home.history_content()
        self.reports = {path: path.read_bytes() for path in self.home.root.glob("reports/*.xlsx")}
        site.clear_log()

    def check_refused(self, run: dict[str, object], exit_code: int, code: str) -> None:
        error = run["error"]
        assert isinstance(error, dict)
        if code == "connection_reset":
            assert error["code"] in RESET_CODES
            code = error["code"]
        assert (run["exit_code"], error["code"]) == (exit_code, code)
        assert run["status"] == ("REJECTED" if exit_code == 4 else "FAILED")
        assert run["report"] is None
        assert has_hangul(error["message"])
        assert self.home.history_content() == self.before
        assert {
            path: path.read_bytes() for path in self.home.root.glob("reports/*.xlsx")
        } == self.reports
        assert self.home.command("verify")[0] == 0
        row = self.home.rows(
            f"SELECT status, error_code, exit_code FROM crawl_run WHERE run_id = '{run['run_id']}'"
        )
        assert row == [(run["status"], code, exit_code)]


def has_hangul(text: str) -> bool:
    return any("가" <= letter <= "힣" for letter in text)


@pytest.fixture
def stage(tmp_path):
    with RehearsalSite(LIFE.rows) as site:
        yield Stage(tmp_path, site)


@pytest.mark.parametrize(
    ("switches", "exit_code", "code"),
    [case[1:] for case in SITE_FAULTS],
    ids=[case[0] for case in SITE_FAULTS],
)
def test_a_site_that_is_not_what_it_was_is_refused_by_name(stage, switches, exit_code, code):
    stage.site.switches = switches

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, exit_code, code)
    if exit_code == 7 or code == "connection_reset":
        assert all("robots" in request.path for request in stage.site.log)
    else:
        assert stage.home.kept_pages(run["run_id"])


@pytest.mark.parametrize(("kind", "exit_code", "code"), PAGE_FAULTS, ids=str)
def test_a_page_that_stays_broken_ends_the_run_by_name(stage, kind, exit_code, code):
    stage.site.switches = Switches(troubles=(PageTrouble(kind, frozenset({2})),))

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, exit_code, code)
    assert stage.home.kept_pages(run["run_id"])


@pytest.mark.parametrize(
    "kind",
    [kind for kind, exit_code, code in PAGE_FAULTS if exit_code == 6 and "redirect" not in kind],
)
def test_a_page_that_is_broken_once_is_asked_for_again(stage, kind):
    stage.site.switches = Switches(troubles=(PageTrouble(kind, frozenset({2}), times=1),))

    run = stage.home.run("2026-12-01")

    assert (run["status"], run["error"]) == ("OK", None)
    assert stage.home.history_content()["dmf_event"] == stage.before["dmf_event"]
    asked = [request.params.get("page") for request in stage.site.log if "page" in request.params]
    assert asked == ["1", "2", "2", "3", "1"]


def test_a_server_in_trouble_is_not_asked_for_smaller_pages(stage):
    stage.site.switches = Switches(troubles=(PageTrouble("status_503"),))

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, 6, "http_status")
    assert [request.params.get("limit") for request in stage.site.log] == [None, *["100"] * 3]


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("error_page", ["100", "50"]),
        ("redirect_login", ["100", "50"]),
        ("maintenance", ["100"]),
    ],
)
def test_a_smaller_page_is_asked_for_where_the_size_may_be_what_is_refused(stage, kind, sizes):
    def be_kind_to_small_pages(request: LoggedRequest) -> None:
        if request.params.get("limit") == "50":
            stage.site.switches = Switches()

    stage.site.on_request = be_kind_to_small_pages
    stage.site.switches = Switches(troubles=(PageTrouble(kind, frozenset({1})),))

    run = stage.home.run("2026-12-01")

    asked = [request.params["limit"] for request in stage.site.log if request.params]
    assert list(dict.fromkeys(asked)) == sizes
    assert run["status"] == ("OK" if len(sizes) > 1 else "FAILED")
    if len(sizes) == 1:
        checks = stage.home.rows("SELECT full_check_from FROM crawl_run ORDER BY rowid")
        assert checks == [("2026-11-30",), (None,)]


def test_a_dead_host_is_unreachable(tmp_path):
    with RehearsalSite(LIFE.rows) as site:
        stage = Stage(tmp_path, site)

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, 6, "connect_error")


def test_a_page_size_that_does_not_fit_the_budget_stops_before_page_two(stage):
    stage.home.edit("config/settings.yaml", "requests_per_day: 500", "requests_per_day: 10")
    stage.site.switches = Switches(page_size="capped", largest_page_size=10)

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, 4, "budget_exceeded")
    assert [request.params.get("page") for request in stage.site.log] == [None, "1"]
    assert "240" in run["error"]["message"]


def test_the_budget_counts_all_runs_of_a_day(stage):
    stage.home.edit("config/settings.yaml", "requests_per_day: 500", "requests_per_day: 7")
    assert stage.home.run("2026-12-01")["status"] == "OK"
    stage.before = stage.home.history_content()
    stage.reports = {path: path.read_bytes() for path in stage.home.root.glob("reports/*.xlsx")}
    stage.site.clear_log()

    run = stage.home.run("2026-12-01", hour=7)

    stage.check_refused(run, 4, "budget_exceeded")
    assert len(stage.site.log) <= 2


@pytest.mark.parametrize("rows", [(), LIFE.rows[:6]], ids=["empty", "six rows"])
def test_an_empty_or_tiny_list_is_refused(stage, rows):
    stage.site.rows = rows

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, 4, "short_list" if rows else "empty_list")


def test_an_empty_list_is_never_a_baseline(tmp_path):
    with RehearsalSite(()) as site:
        home = new_home(tmp_path / "home", site.base_url)
        run = home.run("2026-11-30")

    assert (run["exit_code"], run["error"]["code"]) == (4, "empty_list")
    assert home.rows("SELECT count(*) FROM dmf_event") == [(0,)]


def test_half_a_list_that_announces_only_itself_is_refused(stage):
    """The site's own total agrees, so nothing but the history tells that rows are gone."""
    stage.site.rows = LIFE.rows[:200]

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, 4, "mass_withdrawal")


def test_a_few_more_vanished_rows_than_usual_wait_for_a_person(stage):
    stage.site.rows = LIFE.rows[4:]

    run = stage.home.run("2026-12-01")

    assert (run["exit_code"], run["status"]) == (3, "HELD")
    assert stage.home.history_content() == stage.before


def test_a_number_that_stood_twice_once_keeps_its_keys(tmp_path):
    with RehearsalSite(LIFE.rows[:40], switches=Switches(duplicated_number=True)) as site:
        home = new_home(tmp_path / "home", site.base_url)
        assert home.run("2026-11-30")["status"] == "OK"
        site.switches = Switches()

        run = home.run("2026-12-01")

    assert (run["status"], run["missing"]) == ("OK", 1)
    assert not any(run["counts"].values())


def test_the_same_number_twice_with_all_else_equal_is_refused(stage):
    rows = list(LIFE.rows)
    rows[150] = replace(
        rows[20], maker_names=("Somebody Else Ltd",), maker_addresses=("Elsewhere",)
    )
    stage.site.rows = rows

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, 4, "duplicate_rows")


def empty_most_ingredients(rows: tuple[ListRow, ...]) -> tuple[ListRow, ...]:
    return tuple(
        replace(row, ingredient_name="") if index % 10 == 0 else row
        for index, row in enumerate(rows)
    )


def spoil_most_numbers(rows: tuple[ListRow, ...]) -> tuple[ListRow, ...]:
    return tuple(
        replace(row, reg_no=f"No. {index}") if index % 10 == 0 else row
        for index, row in enumerate(rows)
    )


@pytest.mark.parametrize(
    ("spoil", "code"),
    [(empty_most_ingredients, "required_empty"), (spoil_most_numbers, "pattern_mismatch")],
)
def test_columns_that_lost_their_content_are_refused(
    stage, spoil: Callable[[tuple[ListRow, ...]], tuple[ListRow, ...]], code: str
):
    stage.site.rows = spoil(LIFE.rows)

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, 4, code)


def test_a_wrong_configuration_is_named_before_anything_is_fetched(stage):
    stage.home.edit("config/settings.yaml", "min_delay_s: 0.0", "min_delay_s: soon")
    stage.home.edit("config/settings.yaml", "max_passes: 3", "max_pases: 3")

    exit_code, payload = stage.home.command("run")

    assert (exit_code, payload["runs"]) == (2, [])
    message = payload["error"]["message"]
    assert "config/settings.yaml" in message
    assert "politeness.min_delay_s" in message
    assert "budget.max_pases" in message
    assert stage.site.log == []


def test_a_wrong_selectors_file_is_named_before_anything_is_fetched(stage):
    stage.home.edit("selectors/dmf_registry.yaml", "board_id: dmf_registry", "board_id: other")

    exit_code, payload = stage.home.command("run")

    assert (exit_code, payload["error"]["code"]) == (2, "invalid_value")
    assert "selectors/dmf_registry.yaml" in payload["error"]["message"]
    assert stage.site.log == []


def test_the_request_log_of_a_run_shows_one_polite_visitor(stage):
    """The server's own log: robots first, pages in order, page 1 again, one at a time."""
    stage.home.run("2026-12-01")

    log = stage.site.log
    assert [request.path for request in log] == ["/robots.txt", *["/pbp/CCBAC03/getList"] * 4]
    assert [request.params.get("page") for request in log[1:]] == ["1", "2", "3", "1"]
    assert {request.n_open_at_arrival for request in log} == {0}
    assert {request.headers["user-agent"] for request in log} == {"DMF-Crawler/1.0"}


def test_retry_after_keeps_everybody_away(stage: Stage, tmp_path: Path) -> None:
    """A wait beyond the cap ends the run; a manual run before that moment sends nothing."""
    trouble = PageTrouble("status_503", frozenset({1}), retry_after="3600")
    stage.site.switches = Switches(troubles=(trouble,))
    run = stage.home.run("2026-12-01")
    assert (run["exit_code"], run["error"]["code"]) == (6, "retry_after")
    stage.site.switches = Switches()
    stage.site.clear_log()

    early = stage.home.run("2026-12-01", hour=6)
    assert early["error"]["code"] == "retry_after"
    assert stage.site.log == []

    assert stage.home.run("2026-12-01", hour=8)["status"] == "OK"


def test_a_failed_run_does_not_hide_the_last_good_report(stage: Stage) -> None:
    stage.site.switches = Switches(robots="server_error")
    stage.home.run("2026-12-01")

    exit_code, payload = stage.home.command("report")

    assert exit_code == 0
    assert payload["report"].endswith("DMF_2026-11-30.xlsx")


def test_html_in_place_of_robots_txt_is_allowed_with_a_warning(stage: Stage) -> None:
    stage.site.switches = Switches(robots="html")

    run = stage.home.run("2026-12-01")

    assert run["status"] == "OK"
    assert "robots.txt" in run["warnings"][0]


def test_a_first_page_with_too_few_rows_stops_before_page_two(stage: Stage) -> None:
    """A page of five rows out of 240 is no page of this list, whatever the budget allows."""
    stage.site.switches = Switches(page_size="capped", largest_page_size=5)

    run = stage.home.run("2026-12-01")

    stage.check_refused(run, 4, "short_page")
    assert [request.params.get("page") for request in stage.site.log] == [None, "1"]
    assert [gate["code"] for gate in run["gates"] if gate["outcome"] == "reject"] == ["G-1"]


def test_a_status_that_nobody_knows_waits_for_a_person(stage: Stage) -> None:
    rows = list(LIFE.rows)
    gone = next(index for index, row in enumerate(rows) if row.status == "취하")
    rows[gone] = replace(rows[gone], status="자진취하")
    stage.site.rows = tuple(rows)

    run = stage.home.run("2026-12-01")

    assert (run["exit_code"], run["error"]["code"]) == (3, "unknown_status")
    assert stage.home.history_content() == stage.before


def test_a_list_that_grows_by_half_waits_for_a_person(stage: Stage) -> None:
    known = {row.reg_no for row in LIFE.rows}
    others = [row for row in Life(n_rows=900, seed=7).rows if row.reg_no not in known]
    stage.site.rows = tuple(others[:120]) + LIFE.rows

    run = stage.home.run("2026-12-01")

    assert (run["exit_code"], run["error"]["code"]) == (3, "row_count_jump")
    assert stage.home.history_content() == stage.before


def test_a_site_whose_certificate_has_expired_is_not_read(tmp_path: Path) -> None:
    """Nothing is read from a server that cannot prove who it is; not even robots.txt."""
    with RehearsalSite(LIFE.rows, switches=Switches(certificate="expired")) as site:
        home = new_home(tmp_path / "home", site.base_url)
        run = home.run("2026-11-30")

    assert (run["exit_code"], run["error"]["code"]) == (6, "tls_error")
    assert site.log == []
    assert not home.kept_pages(run["run_id"])


def test_a_site_that_takes_no_connection_is_given_up_after_the_retries(tmp_path: Path) -> None:
    """The failure that others saw most: the connection is never made."""
    with RehearsalSite(LIFE.rows, switches=Switches(connections="never")) as site:
        home = new_home(tmp_path / "home", site.base_url)
        home.edit("config/settings.yaml", "connect_timeout_s: 10.0", "connect_timeout_s: 0.05")
        run = home.run("2026-11-30")

    assert run["exit_code"] == 6
    assert run["error"]["code"] in (
        {"timeout", "connect_error"} if os.name == "nt" else {"timeout"}
    )
    assert run["n_requests"] == 3
    assert site.log == []
