"""The legal lines (docs/politeness.md tells them), one section a line.

Other tests go deeper into each; this file alone shows that each of them holds.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from openpyxl import load_workbook

from dmf_crawler.boards import Boards
from dmf_crawler.cli.commands import make_parser
from dmf_crawler.config import load_home
from dmf_crawler.errors import ConfigError
from dmf_crawler.model.page import Request
from dmf_crawler.settings import Politeness, Settings
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, Switches
from dmf_crawler.workbench.rehearsal.terms_life import TermsLife
from dmf_crawler.world import real_world
from tests.acquire.loopback import Loopback, answer, serve
from tests.end_to_end.homes import RehearsalHome, new_home
from tests.real_homes import REAL, edit, make_real_home

ROWS = Life(n_rows=120).rows
POSTS = NoticeLife().rows[:6]
DAY = "2026-12-01"
FORBIDS = "크롤링을 금지합니다."


@dataclass(frozen=True)
class Lived:
    """All three boards and a cross-check on a second host, lived through once."""

    home: RehearsalHome
    site: RehearsalSite
    api: RehearsalSite
    runs: Sequence[dict[str, Any]]

    @property
    def requests(self) -> list[LoggedRequest]:
        """Of both hosts, in the order in which they arrived."""
        return sorted([*self.site.log, *self.api.log], key=lambda each: each.arrived_at_s)


@pytest.fixture(scope="module")
def lived(tmp_path_factory) -> Iterator[Lived]:
    root: Path = tmp_path_factory.mktemp("legal") / "home"
    terms = TermsLife().terms
    with (
        pytest.MonkeyPatch.context() as patch,
        RehearsalSite(ROWS, notices=POSTS, terms=terms) as site,
        RehearsalSite(ROWS) as api,
    ):
        patch.setenv("DMF_OPENAPI_KEY", "rehearsal-key")
        home = new_home(
            root, site.base_url, with_notices=True, with_terms=True, api_base_url=api.base_url
        )
        home.choose("html", "export", "openapi")
        exit_code, payload = home.command("run", "--now", f"{DAY}T06:00:00+09:00")
        assert exit_code == 0, payload["error"]
        yield Lived(home, site, api, payload["runs"])


@pytest.fixture
def stage(tmp_path) -> Iterator[tuple[RehearsalSite, RehearsalHome]]:
    with RehearsalSite(ROWS) as site:
        yield site, new_home(tmp_path / "home", site.base_url)


def refusal(root: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_home(root)
    assert caught.value.exit_code == 2
    return caught.value.message


def test_the_lived_day_asked_both_hosts_for_every_kind_of_page(lived: Lived):
    assert [run["status"] for run in lived.runs] == ["OK"] * 3
    paths = {request.path for request in lived.requests}
    assert {"/robots.txt", "/cmn/terms", "/pbp/CCBAC03/getList", "/pbp/CCBAC03/getExcel"} <= paths
    assert any(path.startswith("/bbs/21/") for path in paths)
    assert len(lived.api.log) > 2


# --- no login, no credentials, no member cookies -------------------------------------------------


def test_a_login_page_ends_the_board_and_nothing_is_filled_in(stage):
    site, home = stage
    site.switches = Switches(troubles=(PageTrouble("login"),))

    run = home.run(DAY)

    assert (run["status"], run["error"]["code"]) == ("FAILED", "login_page")
    assert {request.path for request in site.log} == {"/robots.txt", "/pbp/CCBAC03/getList"}
    assert {request.method for request in site.log} == {"GET"}
    assert home.rows("SELECT count(*) FROM dmf_record") == [(0,)]


def test_a_redirect_to_the_login_is_not_followed(stage):
    site, home = stage
    site.switches = Switches(troubles=(PageTrouble("redirect_login"),))
    assert home.run(DAY)["error"]["code"] == "redirect_out_of_scope"
    assert not [request for request in site.log if "login" in request.path.lower()]


def test_no_request_carries_credentials_or_cookies(lived: Lived):
    names = {name for request in lived.requests for name in request.headers}
    assert "user-agent" in names
    carrying = re.compile("authorization|cookie|token|session|password|x-api-key")
    assert [name for name in names if carrying.search(name)] == []


def test_a_cookie_that_a_server_sets_never_comes_back():
    page = answer("200 OK", b"1", Set_Cookie="JSESSIONID=1; Path=/")
    with serve(Loopback({"/": [page]})) as site, real_world(Politeness()) as world:
        for _ in range(2):
            world.send(Request("GET", f"{site.base_url}/", (("User-Agent", "x"),)))
    assert len(site.heads) == 2
    assert not any(b"cookie" in head.lower() for head in site.heads)


@pytest.mark.parametrize("at", ["id:secret", "id"])
def test_addresses_with_a_user_are_refused_and_not_repeated(tmp_path, at):
    make_real_home(tmp_path)
    edit(tmp_path, "boards", REAL, f"https://{at}@nedrug.mfds.go.kr")
    edit(tmp_path, "settings", 'proxy: ""', f"proxy: http://{at}@proxy:3128")
    message = refusal(tmp_path)
    assert "sites.nedrug.base_url" in message
    assert "http.proxy" in message
    assert "secret" not in message


# --- robots and terms before everything, and no setting ignores them -----------------------------


def test_robots_txt_is_the_first_request_to_each_host_in_each_run(lived: Lived):
    for log in (lived.site.log, lived.api.log):
        assert log[0].path == "/robots.txt"
    asked = [request.path for request in lived.site.log]
    assert asked.count("/robots.txt") == len(lived.runs)


def test_what_robots_txt_forbids_is_not_asked_for(stage):
    site, home = stage
    site.switches = Switches(robots_text="User-agent: *\nDisallow: /pbp/\n")
    run = home.run(DAY, "--full")
    assert (run["exit_code"], run["error"]["code"]) == (7, "robots_disallowed")
    assert [request.path for request in site.log] == ["/robots.txt"]


def test_terms_that_forbid_come_before_robots_txt(stage):
    site, home = stage
    site.switches = Switches(list_text=FORBIDS)
    assert home.run(DAY)["error"]["code"] == "terms_forbid"
    n_connections = site.n_connections
    site.clear_log()
    for words in ([], ["--full"], ["--dry-run"]):
        run = home.run("2026-12-02", *words)
        assert (run["exit_code"], run["error"]["code"]) == (7, "terms_forbid")
    assert (site.log, site.n_connections) == ([], n_connections)


def names_of(kind: Any) -> Iterator[str]:
    """Yield every key that a type of the configuration has, at any depth."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            yield field.name
            yield from names_of(field.type)
    for inner in get_args(kind):
        yield from names_of(inner)


SAID_TO_IGNORE = re.compile(
    "robot|ignore|obey|disobey|force|skip|bypass|overrid|unsafe|anyway|login|password|passwd|user"
    "|cookie|auth|credential|token|crawl_delay"
)
"""What a key or an option would be called that lets the lines be crossed."""


def test_no_setting_is_there_to_ignore_them_or_to_log_in():
    names = {*names_of(Settings), *names_of(Boards)}
    assert {"min_delay_s", "forbidding", "public_body", "base_url"} <= names
    found = {name for name in names if SAID_TO_IGNORE.search(name)}
    assert found == {
        "product_token",  # the name by which robots.txt knows us
        "ignored_fields",  # of a comparison of two sources
    }


def test_no_option_of_a_command_is_there_to_ignore_them():
    actions = [
        action
        for family in make_parser()._subparsers._group_actions  # type: ignore[union-attr]
        for command in family.choices.values()  # type: ignore[union-attr]
        for action in command._actions
        if not isinstance(action, argparse._HelpAction)
    ]
    options = {option for action in actions for option in action.option_strings}
    assert {"--full", "--scheduled", "--dry-run", "--note"} <= options
    assert [option for option in options if SAID_TO_IGNORE.search(option)] == []


@pytest.mark.parametrize(
    "patterns",
    [
        {"forbidding": []},
        {"forbidding": ["아무 데도 없는 글"]},
        {"forbidding": ["(?i)crawling is prohibited"]},
        {"excepted": [".{1,900}"]},
        {"excepted": ["금지"]},
    ],
)
def test_patterns_that_are_blind_to_a_plain_prohibition_are_refused(tmp_path, patterns):
    make_real_home(tmp_path)
    path = tmp_path / "config/settings.yaml"
    text = re.sub(r"(?ms)^terms:\n.*?^report:", "report:", path.read_text(encoding="utf-8"))
    lines = [f"  {key}: {msgspec.json.encode(value).decode()}" for key, value in patterns.items()]
    path.write_text("\n".join([text, "terms:", *lines, ""]), encoding="utf-8")
    message = refusal(tmp_path)
    assert f"terms.{next(iter(patterns))}" in message
    assert "금지 문구를 무시하는 설정은 없습니다" in message


def test_no_real_server_is_asked_faster_than_every_two_seconds(tmp_path):
    make_real_home(tmp_path)
    edit(tmp_path, "settings", "min_delay_s: 2.0", "min_delay_s: 1.9")
    assert "politeness.min_delay_s" in refusal(tmp_path)


# --- only hosts of public bodies -----------------------------------------------------------------


def test_a_host_that_is_no_public_body_is_refused_loopback_too(tmp_path, stage):
    make_real_home(tmp_path / "real")
    edit(tmp_path / "real", "boards", "public_body: true", "public_body: false")
    assert "sites.nedrug.public_body" in refusal(tmp_path / "real")
    site, home = stage
    home.edit("config/boards.yaml", "public_body: true", "public_body: false")
    exit_code, _ = home.command("run")
    assert (exit_code, site.n_connections) == (2, 0)


def test_a_real_host_needs_the_day_on_which_its_terms_were_read(tmp_path):
    make_real_home(tmp_path)
    edit(tmp_path, "boards", 'terms_checked_on: "2026-11-30"', "terms_checked_on: null")
    message = refusal(tmp_path)
    assert "sites.nedrug.terms_checked_on" in message


# --- one connection, within the budget -----------------------------------------------------------


def test_two_requests_are_never_under_way_at_once(lived: Lived):
    assert {request.n_open_at_arrival for request in lived.requests} == {0}
    assert all(
        before.ended_at_s <= after.arrived_at_s for before, after in pairwise(lived.requests)
    )


def test_the_requests_of_a_day_stay_within_the_budget(stage):
    site, home = stage
    home.edit("config/settings.yaml", "requests_per_day: 500", "requests_per_day: 5")
    assert home.run(DAY)["status"] == "OK"
    assert len(site.log) == 4
    run = home.run(DAY, hour=8)
    assert (run["exit_code"], run["error"]["code"]) == (4, "budget_exceeded")
    assert len(site.log) == 5


# --- data stay in the house ----------------------------------------------------------------------


def test_the_workbook_says_that_it_stays_in_the_house(lived: Lived):
    book = load_workbook(lived.home.root / f"reports/DMF_{DAY}.xlsx")
    assert book.sheetnames[0] == "요약"
    head = [cell.value for row in book["요약"].iter_rows(max_row=3) for cell in row if cell.value]
    assert any("사내용: 외부로 배포하지 마십시오." in str(text) for text in head)
    assert book.properties.subject == "사내용"
    headers = [str(sheet.oddHeader.center.text) for sheet in book.worksheets if sheet.oddHeader]
    assert len(headers) == len(book.sheetnames)
    assert all("사내용" in header for header in headers)


def test_exports_say_that_they_stay_in_the_house(lived: Lived, tmp_path):
    for option in ("--csv", "--xlsx"):
        file = tmp_path / f"list.{option[2:]}"
        words = ("--board", "dmf_registry", option, str(file))
        assert lived.home.command("as-of", DAY, *words)[0] == 0
        if option == "--csv":
            assert "사내용" in file.read_text(encoding="utf-8-sig").splitlines()[0]
        else:
            assert load_workbook(file).properties.subject == "사내용"


def test_alerts_say_so_and_carry_counts_and_a_path_but_no_row(stage):
    site, home = stage
    site.switches = Switches(list_text=FORBIDS)
    home.run(DAY)
    text = (home.root / f"reports/ALERT_{DAY}.txt").read_text(encoding="utf-8-sig")
    assert text.startswith("사내용")
    assert "[terms_forbid]" in text
    values = {str(value) for row in ROWS for value in (row.reg_no, row.company)}
    assert [value for value in values if len(value) > 1 and value in text] == []
