"""The list changes while it is read: read again, or refused; never half of two lists."""

from __future__ import annotations

import pytest

from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from tests.end_to_end.homes import new_home


@pytest.fixture
def stage(tmp_path):
    life = Life(n_rows=430)
    base = life.rows[20:]  # the newest twenty are yet to come
    with RehearsalSite(base) as site:
        home = new_home(tmp_path / "home", site.base_url)
        assert home.run("2026-11-30")["n_rows"] == 410
        yield site, home, life.rows


class Change:
    """Changes the rows once, just before the n-th request for a list page is answered."""

    def __init__(self, site: RehearsalSite, at_request: int, rows: object) -> None:
        self.site, self.left, self.rows = site, at_request, rows

    def __call__(self, request: LoggedRequest) -> None:
        if "page" in request.params:
            self.left -= 1
            if self.left == 0:
                self.site.rows = self.rows  # type: ignore[assignment]


@pytest.mark.parametrize("at_request", range(1, 7))
def test_a_row_added_on_top_is_found_whenever_it_comes(stage, at_request):
    """Pages shift by one row; the union of both states is the new list."""
    site, home, rows = stage
    site.on_request = Change(site, at_request, rows[19:])

    run = home.run("2026-12-01")

    assert run["status"] == "OK"
    assert (run["n_rows"], run["counts"]["NEW"], run["missing"]) == (411, 1, 0)


@pytest.mark.parametrize("at_request", range(2, 7))
def test_a_row_that_goes_is_no_reason_to_lose_another(stage, at_request):
    site, home, rows = stage
    without = rows[20:300] + rows[301:]
    site.on_request = Change(site, at_request, without)

    run = home.run("2026-12-01")

    assert run["status"] == "OK"
    assert (run["n_rows"], run["missing"], run["counts"]["WITHDRAWN"]) == (409, 1, 0)
    spells = home.rows("SELECT natural_key FROM missing_spell")
    assert spells == [(rows[300].reg_no.upper(),)]


def test_a_list_that_never_stands_still_is_refused_as_a_race(stage):
    site, home, rows = stage
    before = home.history_content()
    states = iter([rows[20:100] + rows[100 + n :] for n in range(1, 30)])

    def shrink(request: LoggedRequest) -> None:
        if request.params.get("page") == "3":
            site.rows = next(states)

    site.on_request = shrink
    run = home.run("2026-12-01")

    assert (run["exit_code"], run["error"]["code"]) == (4, "race")
    assert home.history_content() == before
    asked = [request for request in site.log if request.params.get("page") == "3"]
    assert len(asked) == 1 + 3  # the day before once, then three passes


def test_a_race_that_the_budget_does_not_let_be_read_again_is_still_a_race(stage):
    """430 rows are five pages: robots, six requests, and no second pass."""
    site, home, rows = stage
    home.edit("config/settings.yaml", "requests_per_day: 500", "requests_per_day: 9")
    site.on_request = Change(site, 4, rows[20:100] + rows[101:])

    run = home.run("2026-12-01")

    assert (run["exit_code"], run["error"]["code"]) == (4, "race")
    assert run["n_requests"] <= 9
