"""The key of the open API: sent to its host, and nowhere else to be found, whatever comes back."""

from __future__ import annotations

import gzip
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import pytest

from dmf_crawler.workbench.rehearsal.answers import Answer
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import Switches
from tests.end_to_end.homes import RehearsalHome, new_home
from tests.end_to_end.spoiling import (
    Spoil,
    SpoiltSite,
    cut_by_reset,
    cut_without_length,
    in_turn,
    with_header,
    with_status,
)

VARIABLE = "DMF_OPENAPI_KEY"
MARK = f"~{VARIABLE}~"
KEY = "aB3+/x9Kq/Zz+pQ0123456789abcdefghijKLMNOP=="
QUOTED = quote(KEY, safe="")
TWICE = quote(QUOTED, safe="")
JSON = json.dumps(KEY)[1:-1].replace("/", "\\/")
FORMS = (KEY, QUOTED, QUOTED.lower(), TWICE, JSON, KEY.replace("+", " "), KEY[:20], QUOTED[:24])

DAY = "2026-11-30"
SERVICE = "/1471000/MdcDmfInfoService02/getMdcDmfList02"
LIFE = Life(n_rows=60)


@dataclass(frozen=True)
class Stage:
    """Two hosts, and a home that reads its list from the second one's open API."""

    site: RehearsalSite
    api: SpoiltSite
    home: RehearsalHome

    def spoil(self, spoil: Spoil) -> None:
        self.api.spoilt = {SERVICE: spoil}

    def find_key(self, capfd: pytest.CaptureFixture[str]) -> list[str]:
        """Return where the key stands, in any form: every file, and all that was said."""
        texts = dict(enumerate([*self.home.said, *capfd.readouterr()]))
        contents = {f"output {number}": text.encode() for number, text in texts.items()}
        for path in filter(Path.is_file, self.home.root.rglob("*")):
            for name, content in read_file(path):
                contents[f"{path.relative_to(self.home.root)} {name}"] = content
        assert len(contents) > 10
        return sorted(
            f"{form!r} in {name}"
            for name, content in contents.items()
            for form in FORMS
            if form.encode() in content
        )

    def asked_api(self) -> list[str]:
        return [request.target for request in self.api.log if request.path != "/robots.txt"]


def read_file(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of a file and of what is packed in it."""
    yield "", path.read_bytes()
    if path.suffix == ".gz":
        yield "unpacked", gzip.decompress(path.read_bytes())
    elif path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            for name in book.namelist():
                yield name, book.read(name)
    elif path.suffix == ".sqlite3":
        with closing(sqlite3.connect(path)) as connection:
            yield "dump", "\n".join(connection.iterdump()).encode()


@pytest.fixture
def stage(tmp_path, monkeypatch) -> Iterator[Stage]:
    monkeypatch.setenv(VARIABLE, KEY)
    switches = Switches(open_api_key=KEY)
    with RehearsalSite(LIFE.rows) as site, SpoiltSite(LIFE.rows, switches=switches) as api:
        home = new_home(tmp_path / "home", site.base_url, api_base_url=api.base_url)
        home.choose("openapi")
        home.edit("config/boards.yaml", "page_size: 500", "page_size: 20")
        yield Stage(site, api, home)


def echo(status: int = 200, content_type: str = "application/xml") -> Spoil:
    """Repeat the key in every form, in body and header fields."""
    told = " ".join(FORMS)
    body = (
        "<OpenAPI_ServiceResponse><cmmMsgHeader><errMsg>SERVICE ERROR</errMsg>"
        f"<returnAuthMsg>{told}</returnAuthMsg><returnReasonCode>30</returnReasonCode>"
        "</cmmMsgHeader></OpenAPI_ServiceResponse>"
    )
    fields = (("X-Echo", told), ("Set-Cookie", f"key={QUOTED}"), ("X-" + KEY[:1], KEY))
    return lambda _answer: Answer(body.encode(), status, content_type, headers=fields)


def lead_to(location: str) -> Spoil:
    return lambda _answer: Answer(b"", 302, headers=(("Location", location),))


def with_item(name: str, value: str) -> Spoil:
    """Put one more name, or value, into each item."""

    def spoil(answer: Answer) -> Answer:
        page = json.loads(answer.body)
        for item in page["body"]["items"]:
            item[name] = value
        return replace(answer, body=json.dumps(page).encode())

    return spoil


SPOILT: dict[str, tuple[Spoil, str | None]] = {
    "error with 200": (echo(), "api_key_unknown"),
    "error with 500": (echo(500), "http_status"),
    "error with 403": (echo(403), "http_status"),
    "text": (echo(200, "text/plain"), "api_key_unknown"),
    "a page in its place": (
        lambda _answer: Answer(f"<html><title>{KEY}</title><p>{QUOTED}</html>".encode()),
        "not_an_api_answer",
    ),
    "redirect out of scope": (lead_to(f"/login?next={TWICE}&k={QUOTED}"), "redirect_out_of_scope"),
    "redirect to another host": (
        lead_to(f"//evil.example/{QUOTED}?{KEY}"),
        "redirect_out_of_scope",
    ),
    "redirect in scope, without end": (
        lead_to(f"{SERVICE}?serviceKey={QUOTED}"),
        "redirect_out_of_scope",
    ),
    "unknown name": (with_item(KEY, "x"), "unknown_column"),
    "broken value": (with_item("INGR_KOR_NAME", f"{KEY}\ufffd"), "mojibake"),
    "value": (with_item("INGR_KOR_NAME", f"성분 {KEY} {QUOTED}"), None),
    "header": (with_header("X-Echo", KEY), None),
    "cut": (cut_by_reset, "connection_reset"),
    "cut without a length": (cut_without_length, "not_an_api_answer"),
    "not found": (with_status(404), "http_status"),
}


@pytest.mark.parametrize(("spoil", "code"), SPOILT.values(), ids=SPOILT.keys())
def test_whatever_comes_back_the_key_is_nowhere_to_be_found(stage, capfd, spoil, code):
    stage.spoil(spoil)
    run = stage.home.run(DAY)

    assert (run["error"] or {}).get("code") == code, run["error"]
    assert stage.asked_api()[0].count(f"serviceKey={QUOTED}&") == 1, "the server got it"
    assert stage.find_key(capfd) == []
    (index,) = stage.home.root.glob("raw/*/dmf_registry/*/index.jsonl")
    assert MARK in index.read_text(encoding="utf-8")


def test_a_list_that_is_read_leaves_no_key_in_any_command(stage, capfd):
    run = stage.home.run(DAY)
    again = stage.home.run("2026-12-01", "--dry-run")
    for words in (
        ["runs"],
        ["status"],
        ["verify"],
        ["report", "--date", DAY],
        ["reparse", "--run", run["run_id"]],
        ["raw", "export", "--warc", run["run_id"], "--out", str(stage.home.root / "run.warc")],
        ["history", LIFE.rows[0].reg_no],
    ):
        assert stage.home.command(*words)[0] == 0, words

    assert (run["status"], again["status"]) == ("OK", "OK")
    assert stage.find_key(capfd) == []
    assert MARK.encode() in (stage.home.root / "run.warc").read_bytes()


def test_a_redirect_inside_the_scope_is_followed_with_the_key(stage, capfd):
    moved = "/1471000/MdcDmfInfoService02/getMdcDmfList02"
    stage.spoil(in_turn(lead_to(f"{moved}?serviceKey={TWICE}"), None))
    stage.home.edit("config/settings.yaml", "max_attempts: 3", "max_attempts: 1")

    stage.home.run(DAY)

    assert stage.asked_api()[1] == f"{moved}?serviceKey={QUOTED}"
    assert stage.find_key(capfd) == []


def test_a_bug_behind_a_request_tells_no_key(stage, capfd, monkeypatch):
    """A traceback goes into the log."""

    def stumble(*_: object, **__: object) -> None:
        raise RuntimeError("stumbled")

    monkeypatch.setattr("dmf_crawler.api_visit.read_api_page", stumble)
    run = stage.home.run(DAY)

    assert run["exit_code"] == 1
    assert "stumbled" in next(stage.home.root.glob("logs/*.jsonl")).read_text(encoding="utf-8")
    assert stage.find_key(capfd) == []


def test_an_already_encoded_key_is_sent_encoded_once(stage, capfd, monkeypatch):
    monkeypatch.setenv(VARIABLE, QUOTED)
    run = stage.home.run(DAY)

    assert run["status"] == "OK"
    assert {request.query["serviceKey"] for request in stage.api.log if request.query} == {KEY}
    assert stage.find_key(capfd) == []


def test_the_other_host_never_gets_it(stage):
    stage.home.choose("html", "openapi", "export")
    run = stage.home.run(DAY)

    (cross_check,) = (gate for gate in run["gates"] if gate["code"] == "G-13")
    assert cross_check["observed"] == 0
    told = [f"{request.target} {request.headers}" for request in stage.site.log]
    assert told
    assert not [text for text in told if MARK in text or KEY[:8] in text or QUOTED[:8] in text]


# --- no key --------------------------------------------------------------------------------------


def set_key(monkeypatch: pytest.MonkeyPatch, key: str | None) -> None:
    if key is None:
        monkeypatch.delenv(VARIABLE)
    else:
        monkeypatch.setenv(VARIABLE, key)


@pytest.mark.parametrize("key", [None, "", "   ", "short", "인증키를 여기에 붙여넣기"])
@pytest.mark.parametrize("words", [[], ["--scheduled"], ["--dry-run"]])
def test_without_a_key_a_list_of_the_open_api_is_not_begun(stage, monkeypatch, key, words):
    set_key(monkeypatch, key)
    exit_code, payload = stage.home.command("run", "--now", f"{DAY}T06:00:00+09:00", *words)

    assert (exit_code, payload["error"]["code"]) == (2, "api_key_missing")
    assert VARIABLE in payload["error"]["message"]
    assert stage.site.log == stage.api.log == []
    assert not list(stage.home.root.glob("raw/*/*"))
    if (stage.home.root / "var/dmf.sqlite3").exists():
        assert stage.home.rows("SELECT count(*) FROM attempt") == [(0,)]


@pytest.mark.parametrize("key", [None, "", "short"])
@pytest.mark.parametrize(
    ("when_missing", "status", "exit_code"), [("hold", "HELD", 3), ("warn", "OK", 0)]
)
def test_without_a_key_a_cross_check_cannot_be_read(
    stage, monkeypatch, key, when_missing, status, exit_code
):
    set_key(monkeypatch, key)
    stage.home.choose("html", "openapi")
    stage.home.edit("config/boards.yaml", "when_missing: hold", f"when_missing: {when_missing}")
    run = stage.home.run(DAY)

    assert (run["status"], run["exit_code"]) == (status, exit_code)
    (gate,) = (gate for gate in run["gates"] if gate["code"] == "G-13")
    assert (gate["outcome"], gate["observed"]) == (when_missing, None)
    assert "[api_key_missing]" in gate["message"]
    assert any("[api_key_missing]" in warning for warning in run["warnings"])
    assert stage.api.log == [], "nothing is asked of a host that would refuse"


def test_a_source_that_nothing_uses_needs_no_key(stage, monkeypatch):
    set_key(monkeypatch, None)
    stage.home.choose("html")
    assert stage.home.run(DAY)["status"] == "OK"
