"""A list that is read from pages, workbook and open API by turns, and compared between them."""

from __future__ import annotations

import gzip
import html
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest
from openpyxl import load_workbook

from dmf_crawler.cli.commands import run_command
from dmf_crawler.text import bare_form
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.register import COLUMNS, LIVE, ListRow
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import Switches
from dmf_crawler.workbench.rehearse import stripped
from tests.end_to_end.homes import RehearsalHome, new_home
from tests.end_to_end.spoiling import SpoiltSite, in_turn, with_header, with_status

FIRST_DAY = date(2026, 11, 30)
DAY = str(FIRST_DAY)
SERVICE = "/1471000/MdcDmfInfoService02/getMdcDmfList02"
EXPORT = "/pbp/CCBAC03/getExcel"
LIST = "/pbp/CCBAC03/getList"
API_FIELDS = (
    "target", "reg_no", "ingredient_name", "company", "maker_names", "maker_addresses",
    "maker_countries", "registered_on",
)  # fmt: skip
N_ROWS = 240
NO_EVENTS = dict.fromkeys(("NEW", "MODIFIED", "WITHDRAWN", "REAPPEARED", "COSMETIC"), 0)


@dataclass(frozen=True)
class Stage:
    """The site, the open API on a host of its own, and a home that watches both."""

    site: SpoiltSite
    api: SpoiltSite
    home: RehearsalHome

    def show(self, rows: Sequence[ListRow], *, api: Sequence[ListRow] | None = None) -> None:
        """Let both show a list, or the open API another one."""
        self.site.rows = tuple(rows)
        self.api.rows = tuple(rows if api is None else api)

    def run(self, source: str, *cross_checks: str, day: int = 0, hour: int = 6) -> dict[str, Any]:
        self.home.choose(source, *cross_checks)
        self.clear()
        return self.home.run(str(FIRST_DAY + timedelta(days=day)), hour=hour)

    def allow(self, old: str, new: str) -> None:
        """Change what the sources may differ in."""
        self.home.edit("config/boards.yaml", old, new)

    def clear(self) -> None:
        self.site.clear_log()
        self.api.clear_log()

    def asked(self) -> list[str]:
        """Return what was asked for in order of arrival: name of the source, page number."""
        requests = sorted([*self.site.log, *self.api.log], key=lambda each: each.arrived_at_s)
        names = {LIST: "list", EXPORT: "export", SERVICE: "api"}
        return [
            f"{names.get(each.path, each.path)} "
            f"{each.query.get('page') or each.query.get('pageNo') or ''}".strip()
            for each in requests
        ]

    def assert_sound(self) -> None:
        exit_code, payload = self.home.command("verify")
        assert exit_code == 0, [check for check in payload["checks"] if not check["ok"]]


@pytest.fixture
def life() -> Life:
    return Life(n_rows=N_ROWS)


@pytest.fixture
def stage(tmp_path, monkeypatch, life) -> Iterator[Stage]:
    monkeypatch.setenv("DMF_OPENAPI_KEY", "rehearsal-key")
    with SpoiltSite(life.rows) as site, SpoiltSite(life.rows) as api:
        home = new_home(tmp_path / "home", site.base_url, api_base_url=api.base_url)
        home.edit("config/boards.yaml", "page_size: 500", "page_size: 60")
        yield Stage(site, api, home)


def gate(run: Mapping[str, Any], code: str) -> dict[str, Any]:
    (found,) = (each for each in run["gates"] if each["code"] == code)
    only: dict[str, Any] = found
    return only


def n_live(rows: Sequence[ListRow]) -> int:
    return sum(row.status == LIVE for row in rows)


# --- an unchanged site ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sources",
    ["html openapi html openapi", "html export html", "export openapi export", "openapi openapi"],
)
def test_another_source_of_an_unchanged_list_makes_no_event(stage, life, sources):
    for day, source in enumerate(sources.split()):
        run = stage.run(source, day=day)
        n_rows = n_live(life.rows) if source == "openapi" else N_ROWS
        assert (run["status"], run["n_rows"], run["missing"]) == ("OK", n_rows, 0)
        assert run["counts"] == NO_EVENTS | ({"NEW": n_rows} if day == 0 else {})
    assert stage.home.rows("SELECT count(*) FROM dmf_event WHERE event_type <> 'NEW'") == [(0,)]
    stage.assert_sound()


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("html", r"/html/body/.*/td\[5\]"),
        ("export", r"Sheet1![A-Z]+[0-9]+"),
        ("openapi", r"items/item\[[0-9]+\]/ENTP_NAME"),
    ],
)
def test_a_value_of_any_source_is_found_where_it_stands(stage, source, place):
    assert stage.run(source)["status"] == "OK"
    ((key, company),) = stage.home.rows(
        "SELECT natural_key, company FROM dmf_record"
        " WHERE coalesce(status, '정상') = '정상' LIMIT 1"
    )
    exit_code, told = stage.home.command("where", key, "company")
    assert (exit_code, told["value"], told["is_same"]) == (0, company, True)
    assert re.fullmatch(place, told["xpath"])
    assert company in told["html"]
    assert (stage.home.root / told["page"]).is_file()


@pytest.mark.parametrize("form", ["xml", "json"])
def test_a_value_of_the_open_api_is_shown_with_the_text_that_came(stage, form):
    stage.home.edit("config/boards.yaml", "{type: json}", f"{{type: {form}}}")
    assert stage.run("openapi")["status"] == "OK"
    ((key, name, page),) = stage.home.rows(
        "SELECT natural_key, ingredient_name, source_sha256 FROM dmf_record LIMIT 1 OFFSET 70"
    )

    _, told = stage.home.command("where", key, "ingredient_name")

    assert (told["sha256"], told["is_same"]) == (page, True)
    raw = gzip.decompress((stage.home.root / told["page"]).read_bytes()).decode()
    assert told["html"] in raw
    name = html.escape(name, quote=False) if form == "xml" else json.dumps(name, ensure_ascii=False)
    shown = (
        f"<INGR_KOR_NAME>{name}</INGR_KOR_NAME>" if form == "xml" else f'"INGR_KOR_NAME": {name}'
    )
    assert told["html"] == shown


def test_of_a_field_that_the_open_api_lacks_its_whole_item_is_shown(stage, life):
    stage.run("html")
    changed = replace(life.rows[0], company="가나제약(주)", document_no="v9.9.9/2026")
    stage.show((changed, *life.rows[1:]))
    run = stage.run("openapi", day=1)

    exit_code, told = stage.home.command("where", changed.reg_no, "document_no")

    assert (exit_code, told["run_id"], told["is_same"]) == (0, run["run_id"], None)
    assert told["value"] == life.rows[0].document_no
    assert re.fullmatch(r"items/item\[[0-9]+\]", told["xpath"])
    assert json.loads(told["html"])["ENTP_NAME"] == "가나제약(주)"
    out = io.StringIO()
    words = ["where", "--home", str(stage.home.root), changed.reg_no, "document_no"]
    assert run_command(words, stdout=out, stderr=out) == 0
    assert f"원문: {told['html']}" in out.getvalue()
    assert "이 응답에는 없는 항목입니다" in out.getvalue()


def test_from_the_open_api_alone_to_the_pages_the_withdrawn_ones_are_new(stage, life):
    """They are a third of the list more, so a person looks first."""
    stage.run("openapi")
    held = stage.run("html", day=1)
    assert (held["status"], held["error"]["code"]) == ("HELD", "row_count_jump")
    assert held["counts"] == NO_EVENTS | {"NEW": N_ROWS - n_live(life.rows)}


def test_what_each_source_is_asked_for_and_in_which_order(stage, life):
    n_api_pages = -(-n_live(life.rows) // 60)
    pages = [f"api {number}" for number in range(1, n_api_pages + 1)]
    stage.run("openapi")
    assert stage.asked() == ["/robots.txt", *pages, *pages]
    assert {request.path for request in stage.site.log} == set()
    stage.run("export", day=1)
    assert stage.asked() == ["/robots.txt", "list 1", "export", "list 1"]
    run = stage.run("html", "openapi", "export", day=2)
    html = ["/robots.txt", "list 1", "list 2", "list 3", "list 1"]
    assert stage.asked() == [*html, "/robots.txt", *pages, *pages, "export"]
    assert run["n_requests"] == len(stage.asked())
    assert not any(each.n_open_at_arrival for each in (*stage.site.log, *stage.api.log))
    ends = sorted([*stage.site.log, *stage.api.log], key=lambda each: each.arrived_at_s)
    for before, after in pairwise(ends):
        assert before.ended_at_s <= after.arrived_at_s, "never two at once, whatever the host"


def test_every_answer_is_kept_in_the_run_s_own_folder_and_named(stage):
    run = stage.run("html", "export", "openapi")
    (index,) = stage.home.root.glob(f"raw/*/dmf_registry/{run['run_id']}/index.jsonl")
    lines = [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == run["n_requests"]
    kinds = [(line["kind"], line["page_no"], line["pass_no"]) for line in lines]
    assert kinds[:6] == [
        ("robots", 0, 1), ("list", 1, 1), ("list", 2, 1), ("list", 3, 1), ("recheck", 1, 1),
        ("export", 0, 1),
    ]  # fmt: skip
    assert kinds[7:][0] == ("api", 1, 1)
    assert kinds[-1][2] == 2


def test_service_01_is_just_another_path(stage):
    old = SERVICE.replace("02", "01")
    stage.home.edit("config/boards.yaml", SERVICE, old)
    stage.run("html")
    run = stage.run("openapi", day=1)
    assert run["counts"] == NO_EVENTS
    assert "대상의약품" in "".join(run["warnings"])


@pytest.mark.parametrize(
    ("params", "order"), [("{}", "stable"), ("{type: xml}", "unstable"), ("{type: json}", "stable")]
)
def test_form_and_order_of_the_answers_do_not_matter(stage, params, order):
    stage.home.edit("config/boards.yaml", "params: {type: json}", f"params: {params}")
    stage.api.switches = Switches(open_api_order=order)
    stage.run("html")
    assert stage.run("openapi", day=1)["counts"] == NO_EVENTS


# --- what a source lacks -------------------------------------------------------------------------


def test_the_columns_that_the_open_api_lacks_are_named_in_the_report(stage):
    stage.run("html")
    run = stage.run("openapi", day=1)
    lost = (
        "최종변경일자, 최종연차보고년도, 취소/취하구분, 취소/취하일자, 문서번호, 연계심사문서번호"
    )
    assert lost in run["warnings"][0]
    book = load_workbook(run["report"], read_only=True)
    summary = "\n".join(
        str(cell) for row in book["요약"].iter_rows(values_only=True) for cell in row
    )
    n_records = sum(1 for row in book["전체현황"].iter_rows(values_only=True) if any(row)) - 1
    book.close()
    assert lost in summary
    assert n_records >= N_ROWS, "the withdrawn ones are still in the list"


def test_the_open_api_does_not_empty_what_it_lacks(stage, life):
    stage.run("html")
    changed = replace(life.rows[0], company="가나제약(주)", document_no="v9.9.9/2026")
    stage.show((changed, *life.rows[1:]))
    stage.run("openapi", day=1)
    assert changed.status == LIVE
    ((payload,),) = stage.home.rows(
        f"SELECT payload_json FROM dmf_record WHERE is_current = 1 AND reg_no = '{changed.reg_no}'"
    )
    stored = json.loads(payload)
    assert stored["company"] == "가나제약(주)"
    assert stored["document_no"] == life.rows[0].document_no
    assert list(stored) == [name for name, _ in COLUMNS]


# --- days with real changes ----------------------------------------------------------------------


@dataclass
class Expected:
    """What must be on record, worked out from the site's rows and what each source can see."""

    known: dict[str, dict[str, Any]] = field(default_factory=dict)

    def read(self, rows: Sequence[ListRow], source: str) -> tuple[dict[str, int], set[str]]:
        """Take one read; return the counts of its events and the keys that are missing."""
        is_api = source == "openapi"
        fields = API_FIELDS if is_api else tuple(name for name, _ in COLUMNS)
        shown = [row for row in rows if not is_api or row.status == LIVE]
        counts = dict(NO_EVENTS)
        for row in shown:
            kind = self._take(row, fields)
            if kind:
                counts[kind] += 1
        keys = {row.reg_no for row in shown}
        gone = {
            key
            for key, values in self.known.items()
            if key not in keys and not (is_api and values.get("status", LIVE) != LIVE)
        }
        return counts, gone

    def _take(self, row: ListRow, fields: Sequence[str]) -> str:
        values = {name: getattr(row, name) for name in fields}
        before = self.known.get(row.reg_no)
        if before is None:
            self.known[row.reg_no] = values
            return "NEW"
        was = before.get("status", "")
        changed = [
            name
            for name, value in values.items()
            if name in before and bare_form(before[name]) != bare_form(value)
        ]
        before |= values
        if "status" in changed:
            return "WITHDRAWN" if was == LIVE else "REAPPEARED"
        return "MODIFIED" if changed else ""


PLANS = (
    "html openapi html openapi openapi html html",
    "html export export html openapi export html",
    "export openapi html export openapi html html",
)


@pytest.mark.parametrize(("seed", "plan"), list(enumerate(PLANS)))
def test_days_of_any_source_tell_what_that_source_can_see(stage, plan, seed):
    print(plan, seed)
    life, expected = Life(n_rows=N_ROWS, seed=seed), Expected()
    for day, source in enumerate(plan.split()):
        if day:
            life.advance()
        stage.show(life.rows)
        run = stage.run(source, day=day)
        counts, gone = expected.read(life.rows, source)
        found = run["counts"] | {"MODIFIED": run["counts"]["MODIFIED"] + run["counts"]["COSMETIC"]}
        assert (run["error"], found | {"COSMETIC": 0}, run["missing"]) == (None, counts, len(gone))
    stored = dict(
        stage.home.rows("SELECT reg_no, payload_json FROM dmf_record WHERE is_current = 1")
    )
    for row in life.rows:
        values = {name: stripped(getattr(row, name)) for name, _ in COLUMNS}
        assert json.loads(stored[row.reg_no]) == json.loads(json.dumps(values))
    stage.assert_sound()


# --- comparing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("primary", "others"),
    [("html", "export openapi"), ("export", "html openapi"), ("openapi", "html export")],
)
def test_sources_of_one_list_agree(stage, life, primary, others):
    run = stage.run(primary, *others.split())
    g13 = gate(run, "G-13")
    assert (g13["outcome"], g13["observed"], g13["limit"]) == ("pass", 0, 0)
    assert f"{n_live(life.rows)}건" in g13["message"]
    assert run["n_rows"] == (n_live(life.rows) if primary == "openapi" else N_ROWS)


def test_what_differs_without_a_known_reason_holds_the_first_run_that_compares(stage, life):
    live = [row for row in life.rows if row.status == LIVE]
    renamed, gone, rest = live[0], live[1], [row for row in life.rows if row not in live[:2]]
    extra = replace(gone, reg_no="20261130-999-A-1-1")
    stage.show(life.rows, api=[replace(renamed, company="다른회사"), extra, *rest])
    run = stage.run("html", "openapi")
    g13 = gate(run, "G-13")
    assert (g13["outcome"], g13["observed"], g13["limit"]) == ("hold", 3, 0)
    for piece in (renamed.reg_no, "'다른회사'", f"{gone.reg_no} 이 목록에만", extra.reg_no):
        assert piece in g13["message"]
    assert (run["status"], run["exit_code"]) == ("HELD", 3)
    assert run["error"] == {"code": "sources_differ", "message": g13["message"]}
    assert stage.home.rows("SELECT count(*) FROM dmf_record") == [(0,)]
    places = stage.home.rows(
        "SELECT natural_key, field, before_json, after_json, source_row > 0, source_sha256"
        " FROM gate_example WHERE code = 'G-13' ORDER BY natural_key"
    )
    (index,) = stage.home.root.glob(f"raw/*/dmf_registry/{run['run_id']}/index.jsonl")
    before = json.dumps(renamed.company, ensure_ascii=False)
    for key, *shown in (
        (bare_form(renamed.reg_no), "company", before, '"다른회사"', 1),
        (bare_form(gone.reg_no), "", json.dumps(bare_form(gone.reg_no)), "null", 1),
        (extra.reg_no, "", "null", json.dumps(extra.reg_no), 1),
    ):
        (place,) = (each for each in places if each[0] == key)
        assert list(place[1:-1]) == shown
        assert place[-1] in index.read_text(encoding="utf-8"), "the page is kept"


def test_what_was_accepted_once_is_known_while_it_stays_the_same(stage, life):
    first = next(row for row in life.rows if row.status == LIVE)
    others = [row for row in life.rows if row is not first]
    stage.show(life.rows, api=[replace(first, company="다른회사"), *others])
    stage.allow("most_new: 0", "most_new: 1")
    run = stage.run("html", "openapi")
    assert (run["status"], gate(run, "G-13")["outcome"]) == ("OK", "warn")
    assert run["counts"] == NO_EVENTS | {"NEW": N_ROWS}
    kept = "SELECT field, here_json, there_json, run_id FROM source_difference"
    assert [row[:3] for row in stage.home.rows(kept)] == [
        ("company", json.dumps(first.company, ensure_ascii=False), '"다른회사"')
    ]

    stage.allow("most_new: 1", "most_new: 0")
    run = stage.run("html", "openapi", day=1)
    g13 = gate(run, "G-13")
    assert (run["status"], g13["outcome"], g13["observed"]) == ("OK", "pass", 0)
    assert "전에 받아들인 차이 1개" in g13["message"]
    assert [row[3] for row in stage.home.rows(kept)] == [run["run_id"]]

    stage.run("html", day=2)
    assert len(stage.home.rows(kept)) == 1, "who compares nothing forgets nothing"
    stage.show(life.rows, api=[replace(first, company="셋째회사"), *others])
    held = stage.run("html", "openapi", day=3)
    assert (held["status"], held["error"]["code"]) == ("HELD", "sources_differ")
    assert [row[2] for row in stage.home.rows(kept)] == ['"다른회사"']

    stage.show(life.rows)
    assert stage.run("html", "openapi", day=4)["status"] == "OK"
    assert stage.home.rows(kept) == []
    stage.assert_sound()


def test_what_changed_lately_may_be_late_in_the_other_source_for_so_many_days(stage, life):
    stage.run("html", "openapi")
    first = next(row for row in life.rows if row.status == LIVE)
    others = [row for row in life.rows if row is not first]
    stage.show([replace(first, company="새이름"), *others], api=life.rows)
    for day in (1, 8):
        run = stage.run("html", "openapi", day=day)
        assert (run["status"], gate(run, "G-13")["observed"]) == ("OK", 0)
        assert "따로 셉니다" in gate(run, "G-13")["message"]
        assert ("이번에 바뀌거나 사라진" in gate(run, "G-13")["message"]) == (day == 1)
    assert stage.home.rows("SELECT count(*) FROM source_difference") == [(0,)]
    run = stage.run("html", "openapi", day=9)
    assert (run["status"], run["error"]["code"]) == ("HELD", "sources_differ")


def test_a_row_that_is_missing_and_may_come_back_does_not_hold(stage, life):
    stage.run("html", "openapi")
    gone = next(row for row in life.rows if row.status == LIVE)
    stage.show([row for row in life.rows if row is not gone], api=life.rows)
    runs = [stage.run("html", "openapi", day=day) for day in range(1, 5)]
    assert {(run["status"], gate(run, "G-13")["observed"]) for run in runs} == {("OK", 0)}
    assert [run["counts"]["WITHDRAWN"] for run in runs] == [0, 0, 0, 1]


def test_fields_that_are_ignored_may_differ(stage, life):
    stage.allow("ignored_fields: []", "ignored_fields: [company]")
    renamed = [replace(row, company=f"{row.company}!") for row in life.rows]
    stage.show(life.rows, api=renamed)
    assert gate(stage.run("html", "openapi"), "G-13")["observed"] == 0


def test_a_field_that_is_ignored_must_be_one(stage):
    stage.allow("ignored_fields: []", "ignored_fields: [company, 신청인, compny]")
    exit_code, payload = stage.home.command("run")
    assert (exit_code, payload["error"]["code"]) == (2, "invalid_value")


def test_of_several_makers_the_order_may_differ_where_the_board_says_so(stage, life):
    def turned(row: ListRow) -> ListRow:
        return replace(
            row,
            maker_names=row.maker_names[::-1],
            maker_addresses=row.maker_addresses[::-1],
            maker_countries=row.maker_countries[::-1],
        )

    stage.show(life.rows, api=[turned(row) for row in life.rows])
    assert stage.run("html", "openapi")["status"] == "HELD"
    stage.allow("any_order: false", "any_order: true")
    run = stage.run("html", "openapi", hour=8)
    assert (run["status"], gate(run, "G-13")["observed"]) == ("OK", 0)


def test_a_comparison_never_touches_what_is_recorded(stage, life, tmp_path):
    stage.run("html")
    stage.run("html", "openapi", "export", day=1)
    compared = stage.home.history_content()
    other = replace(stage, home=new_home(tmp_path / "other", stage.site.base_url))
    other.run("html")
    other.run("html", day=1)
    assert compared == other.home.history_content()


FAILURES = {
    "robots.txt forbids": (
        "openapi",
        Switches(robots_text="User-agent: *\nDisallow: /"),
        "robots_disallowed",
    ),
    "robots.txt cannot be had": ("openapi", Switches(robots="server_error"), "robots_unreachable"),
    "another key": ("openapi", Switches(open_api_key="another-key"), "api_key_unknown"),
    "quota": ("openapi", Switches(open_api_quota=3), "api_quota"),
    "error page": ("export", Switches(export="html_error"), "not_a_workbook"),
    "cut workbook": ("export", Switches(export="truncated"), "truncated_body"),
}


def test_a_cut_workbook_beside_the_pages_is_told_row_by_row(stage):
    stage.site.switches = Switches(export_cap=N_ROWS - 40)
    g13 = gate(stage.run("html", "export"), "G-13")
    assert (g13["outcome"], g13["observed"]) == ("hold", 40)
    assert "이 목록에만 40건" in g13["message"]


@pytest.mark.parametrize(("source", "switches", "code"), FAILURES.values(), ids=FAILURES.keys())
def test_a_cross_check_that_fails_holds_and_names_its_fault(stage, source, switches, code):
    (stage.api if source == "openapi" else stage.site).switches = switches
    run = stage.run("html", source)
    g13 = gate(run, "G-13")
    assert (g13["outcome"], g13["observed"], g13["limit"]) == ("hold", None, 0)
    assert f"[{code}]" in g13["message"]
    assert any(f"[{code}]" in warning for warning in run["warnings"])
    assert (run["status"], run["exit_code"], run["n_rows"]) == ("HELD", 3, N_ROWS)
    assert run["error"]["code"] == "source_missing"
    stage.assert_sound()


@pytest.mark.parametrize("command", ["reparse", "approve"])
@pytest.mark.parametrize("name", ["robots.txt forbids", "quota"])
def test_what_could_not_be_compared_is_not_compared_by_reading_again(stage, name, command):
    """Where nothing was received, no page tells of it: the run's own gate does."""
    assert stage.run("html")["status"] == "OK"
    source, stage.api.switches, _ = FAILURES[name]
    held = stage.run("html", source, day=1)
    assert held["error"]["code"] == "source_missing"

    words = (
        ["reparse", "--run", held["run_id"], "--apply"]
        if command == "reparse"
        else ["approve", held["run_id"]]
    )
    exit_code, result = stage.home.command(*words, "--now", "2026-12-01T09:00:00+09:00")

    (run,) = result["runs"]
    assert (exit_code, run["status"]) == ((3, "HELD") if command == "reparse" else (0, "OK"))
    assert gate(run, "G-13")["outcome"] == "hold"
    stage.assert_sound()


def test_a_cross_check_that_fails_warns_where_the_board_says_so(stage):
    stage.allow("when_missing: hold", "when_missing: warn")
    stage.api.switches = Switches(open_api_quota=3)
    run = stage.run("html", "openapi")
    g13 = gate(run, "G-13")
    assert (g13["outcome"], g13["observed"]) == ("warn", None)
    assert "[api_quota]" in g13["message"]
    assert (run["status"], run["exit_code"], run["n_rows"]) == ("OK", 0, N_ROWS)
    stage.assert_sound()


def test_a_host_that_forbids_gets_no_request_but_for_its_robots_txt(stage):
    stage.api.switches = Switches(robots_text="User-agent: *\nDisallow: /1471000/")
    stage.run("html", "openapi")
    assert [request.path for request in stage.api.log] == ["/robots.txt"]
    run = stage.run("openapi", day=1)
    assert (run["exit_code"], run["error"]["code"]) == (7, "robots_disallowed")
    assert [request.path for request in stage.api.log] == ["/robots.txt"]
    assert stage.site.log == []


def test_blocked_paths_of_the_other_site_hold_for_its_host(stage):
    boards = stage.home.root / "config/boards.yaml"
    text = boards.read_text(encoding="utf-8")
    head, _, tail = text.partition("data_go_kr:")
    boards.write_text(
        head + "data_go_kr:" + tail.replace("blocked: []", "blocked: [/1471000]", 1),
        encoding="utf-8",
    )
    run = stage.run("openapi")
    assert (run["exit_code"], run["error"]["code"]) == (7, "blocked_address")
    assert stage.asked() == ["/robots.txt"]
    assert "[blocked_address]" in gate(stage.run("html", "openapi"), "G-13")["message"]


def test_what_robots_txt_of_another_host_says_is_told_with_its_name(stage):
    stage.api.switches = Switches(robots="not_found")
    run = stage.run("html", "openapi")
    assert "127.0.0.1: robots.txt가 HTTP 404로" in run["warnings"][0]
    stage.api.switches = Switches()
    stage.site.switches = Switches(robots="not_found")
    own = stage.run("html", "openapi", day=1)["warnings"]
    assert own
    assert all(warning.startswith("robots.txt") for warning in own)


def test_the_pause_of_each_host_is_its_own_and_the_next_run_keeps_the_longest(stage):
    stage.api.switches = Switches(robots_text="User-agent: *\nCrawl-delay: 0.2\nAllow: /\n")
    stage.run("openapi", "html")
    calls = [each for each in stage.api.log if each.path == SERVICE]
    assert all(after.arrived_at_s - before.ended_at_s >= 0.2 for before, after in pairwise(calls))
    assert stage.home.rows("SELECT delay_s FROM checkpoint") == [(0.2,)]


def test_a_list_that_was_refused_is_compared_with_nothing(stage):
    stage.site.switches = Switches(n_withheld_rows=5)
    run = stage.run("html", "openapi")
    assert run["status"] == "REJECTED"
    assert stage.api.log == []
    assert gate(run, "G-13")["observed"] is None


def test_the_robots_txt_of_another_host_is_not_told_as_a_change(stage):
    stage.run("html", "openapi")
    stage.api.switches = Switches(robots_text="User-agent: *\nDisallow: /private/\n")
    run = stage.run("html", "openapi", day=1)
    assert not [warning for warning in run["warnings"] if "robots.txt" in warning]
    assert stage.home.rows("SELECT count(*) FROM robots_seen") == [(1,)]


# --- the workbook --------------------------------------------------------------------------------


def test_a_workbook_with_as_many_rows_as_there_can_be_is_refused(stage):
    stage.home.edit("config/boards.yaml", "max_rows: 10000", f"max_rows: {N_ROWS}")
    run = stage.run("export")
    assert (run["exit_code"], run["error"]["code"]) == (4, "workbook_capped")


def test_a_workbook_that_lacks_rows_of_the_announced_total_is_refused(stage):
    stage.site.switches = Switches(export_cap=N_ROWS - 1)
    run = stage.run("export")
    assert (run["exit_code"], run["error"]["code"]) == (4, "short_list")


def test_without_pages_nobody_says_how_many_rows_there_must_be(stage):
    stage.home.edit(
        "config/boards.yaml", "    html:\n      path: /pbp", "    html2:\n      path: /pbp"
    )
    path = stage.home.root / "config/boards.yaml"
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"    html2:\n(?:      .*\n)+", "    html: null\n", text)
    path.write_text(text, encoding="utf-8")
    run = stage.run("export")
    assert (run["status"], run["n_rows"]) == ("OK", N_ROWS)
    assert stage.asked() == ["/robots.txt", "export"]
    stage.assert_sound()


def test_a_list_that_changes_around_its_workbook_is_read_again(stage, life):
    older = life.rows[1:]

    def grow(request: Any) -> None:
        if request.path == EXPORT and len(stage.site.rows) < N_ROWS:
            stage.site.rows = life.rows

    stage.show(older)
    stage.site.on_request = grow
    run = stage.run("export")
    assert (run["status"], run["n_rows"]) == ("OK", N_ROWS)
    assert stage.asked() == ["/robots.txt", *["list 1", "export", "list 1"] * 2]


def test_a_list_that_changes_around_every_workbook_is_refused(stage, life):
    def turn(request: Any) -> None:
        if request.path == EXPORT:
            first, *rest = stage.site.rows
            stage.site.rows = (replace(first, company=f"{first.company}."), *rest)

    stage.site.on_request = turn
    run = stage.run("export")
    assert (run["exit_code"], run["error"]["code"]) == (4, "race")
    assert stage.asked().count("export") == 3


def test_a_workbook_is_asked_for_again_after_an_error(stage):
    stage.site.spoilt = {EXPORT: in_turn(with_status(503), None)}
    run = stage.run("export")
    assert (run["status"], stage.asked().count("export")) == ("OK", 2)


# --- the open API --------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2, 5])
def test_a_list_that_changes_between_two_calls_is_read_until_two_passes_agree(stage, life, number):
    older = [row for row in life.rows if row is not next(r for r in life.rows if r.status == LIVE)]
    stage.show(older)
    calls = iter(range(100))

    def grow(request: Any) -> None:
        if request.path == SERVICE and next(calls) == number:
            stage.api.rows = life.rows

    stage.api.on_request = grow
    run = stage.run("openapi")
    assert (run["status"], run["n_rows"]) == ("OK", n_live(life.rows))
    assert stage.asked().count("api 1") == (3 if number == 2 else 4)


def test_a_list_that_changes_in_every_pass_is_refused(stage, life):
    def turn(request: Any) -> None:
        if request.path == SERVICE and request.query["pageNo"] == "2":
            stage.api.rows = (
                replace(stage.api.rows[0], company=f"{len(stage.api.log)}", status=LIVE),
                *stage.api.rows[1:],
            )

    stage.api.on_request = turn
    run = stage.run("openapi")
    assert (run["exit_code"], run["error"]["code"]) == (4, "race")
    assert stage.asked().count("api 1") == 4


@pytest.mark.parametrize(
    ("switches", "code"),
    [
        (Switches(open_api_quota=3), "api_quota"),
        (Switches(open_api_key="another-key"), "api_key_unknown"),
    ],
)
def test_a_refusal_of_the_open_api_is_named_and_not_asked_again(stage, switches, code):
    stage.api.switches = switches
    run = stage.run("openapi")
    assert (run["exit_code"], run["status"], run["error"]["code"]) == (6, "FAILED", code)
    calls = [each for each in stage.asked() if each.startswith("api")]
    assert len(calls) == len(set(calls))


def test_passes_that_do_not_fit_the_budget_are_not_begun(stage, life):
    n_needed = 2 * -(-n_live(life.rows) // 60)
    stage.home.edit(
        "config/settings.yaml", "requests_per_day: 500", f"requests_per_day: {n_needed}"
    )
    run = stage.run("openapi")
    assert (run["exit_code"], run["error"]["code"]) == (4, "budget_exceeded")
    assert stage.asked() == ["/robots.txt", "api 1"]
    stage.home.edit(
        "config/settings.yaml", f"requests_per_day: {n_needed}", f"requests_per_day: {n_needed + 3}"
    )
    assert stage.run("openapi", hour=7)["status"] == "OK"


def test_retry_after_holds_for_the_host_that_said_it(tmp_path, monkeypatch, life):
    monkeypatch.setenv("DMF_OPENAPI_KEY", "rehearsal-key")
    with SpoiltSite(life.rows) as site, SpoiltSite(life.rows) as api:
        # Names of one machine: what is remembered of a host goes by its name.
        api_url = api.base_url.replace("127.0.0.1", "localhost")
        home = new_home(tmp_path / "home", site.base_url, api_base_url=api_url)
        stage = Stage(site, api, home)
        wait = with_header("Retry-After", "7200")
        api.spoilt = {SERVICE: lambda answer: wait(with_status(503)(answer))}
        run = stage.run("html", "openapi")
        assert "[retry_after]" in gate(run, "G-13")["message"]
        assert home.rows("SELECT host FROM host_wait") == [("localhost",)]
        api.spoilt = {}
        run = stage.run("html", "openapi", hour=7)
        assert run["error"]["code"] == "source_missing"
        assert api.log == []
        assert gate(stage.run("html", "openapi", hour=9), "G-13")["observed"] == 0


def test_pages_of_an_open_api_that_failed_are_asked_for_again(stage, life):
    """Their order is another at every call; a page of an hour ago says nothing beside these."""
    stage.api.spoilt = {SERVICE: in_turn(None, None, with_status(404))}
    assert stage.run("openapi")["error"]["code"] == "http_status"
    stage.api.spoilt = {}
    run = stage.run("openapi", hour=7)
    n_pages = -(-n_live(life.rows) // 60)
    assert (run["status"], run["n_requests"]) == ("OK", 1 + 2 * n_pages)


# --- the other commands --------------------------------------------------------------------------


def test_every_command_works_on_runs_of_every_source(stage):
    runs = [
        stage.run(source, *others, day=day)
        for day, (source, *others) in enumerate(
            [("html", "openapi"), ("export",), ("openapi", "html"), ("html",)]
        )
    ]
    before = stage.home.history_content()
    for run in runs:
        exit_code, payload = stage.home.command("reparse", "--run", run["run_id"])
        (again,) = payload["runs"]
        assert exit_code == 0
        assert (again["n_rows"], again["n_pages"]) == (run["n_rows"], run["n_pages"])
        assert (again["counts"], again["missing"]) == (NO_EVENTS, 0)
        target = stage.home.root / f"{run['run_id']}.warc"
        words = ("raw", "export", "--warc", run["run_id"], "--out", str(target))
        exit_code, payload = stage.home.command(*words)
        assert (exit_code, payload["n_records"] >= 2 * run["n_requests"]) == (0, True)
        assert stage.home.command("report", "--run", run["run_id"])[0] == 0
    assert stage.home.history_content() == before
    exit_code, payload = stage.home.command("prune", "--dry-run")
    assert (exit_code, payload["raw"]) == (0, [])
    stage.assert_sound()


@pytest.mark.parametrize("source", ["export", "openapi"])
def test_a_dry_run_of_any_source_leaves_all_as_it_is(stage, source):
    stage.run("html")
    before = stage.home.history_content()
    stage.home.choose(source)
    run = stage.home.run("2026-12-01", "--dry-run")
    assert (run["status"], run["counts"]) == ("OK", NO_EVENTS)
    assert stage.home.history_content() == before


@pytest.mark.parametrize("source", ["export", "openapi"])
def test_a_run_is_corrected_from_its_own_source_whatever_is_primary_today(stage, life, source):
    stage.run("html")
    changed = next(row for row in life.rows if row.status == LIVE)
    rows = [replace(row, company="가나제약") if row is changed else row for row in life.rows]
    stage.show(rows)
    run = stage.run(source, day=1)
    stage.home.choose("html")
    exit_code, payload = stage.home.command(
        "reparse", "--run", run["run_id"], "--apply", "--now", "2026-12-01T09:00:00+09:00"
    )
    assert (exit_code, payload["runs"][0]["counts"]) == (0, NO_EVENTS)
    assert payload["runs"][0]["n_rows"] == run["n_rows"]
    stage.assert_sound()


def test_a_missing_page_of_the_list_is_missed_whatever_its_source(stage):
    for day, source in enumerate(("html", "openapi", "export")):
        run = stage.run(source, day=day)
        (index,) = stage.home.root.glob(f"raw/*/dmf_registry/{run['run_id']}/index.jsonl")
        whole = index.read_bytes()
        index.write_bytes(b"".join(whole.splitlines(keepends=True)[:1]))
        exit_code, payload = stage.home.command("verify")
        assert exit_code == 5, (source, whole)
        assert "raw_sources" in [check["name"] for check in payload["checks"] if not check["ok"]]
        index.write_bytes(whole)
    stage.assert_sound()


def test_one_host_with_two_names_in_the_configuration_is_asked_by_one_rule(
    tmp_path, monkeypatch, life
):
    """The shipped rehearsal: site and open API are one host, and one robots.txt counts."""
    monkeypatch.setenv("DMF_OPENAPI_KEY", "rehearsal-key")
    with RehearsalSite(life.rows) as site:
        home = new_home(tmp_path / "home", site.base_url)
        home.choose("html", "openapi", "export")
        run = home.run(DAY)
        assert gate(run, "G-13")["observed"] == 0
        assert [request.path for request in site.log].count("/robots.txt") == 1
        assert site.n_connections == 1
