"""The command line's shape: options, answers, exit codes, one JSON object whatever happens."""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from dmf_crawler import __version__
from dmf_crawler.__main__ import main
from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.commands import (
    COMMANDS,
    LATER,
    Command,
    Handler,
    make_parser,
    run_command,
)
from dmf_crawler.cli.options import add_runs_options
from dmf_crawler.cli.output import PIECES_AT_ONCE, write_pieces
from tests.cli.asking import ask, at, say

SRC = Path(__file__).parents[2] / "src/dmf_crawler"
NAMES = [command.name for command in COMMANDS]
DESIGNED = [
    *("run", "status", "rehearse", "reparse", "pending", "approve", "reject", "runs", "history"),
    *("as-of", "report", "verify", "doctor", "probe", "selectors", "calibrate", "schedule"),
    *("prune", "init", "where", "changes", "export", "watch", "raw", "alerts", "tune", "terms"),
    "review",
]


# --- which commands there are -------------------------------------------------------------------


def test_every_command_of_the_contract_is_there_or_comes_later():
    assert sorted([*NAMES, *LATER]) == sorted(DESIGNED)


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_every_handler_can_be_loaded(command):
    assert callable(command.load())


@pytest.mark.parametrize("name", sorted(LATER))
def test_command_of_a_later_version_is_answered_plainly(name):
    asked = ask(name, "--json", "whatever")
    assert (asked.exit_code, asked.error_code) == (2, "not_available")
    assert __version__ in asked.json["error"]["message"]
    assert asked.json["runs"] == []
    assert f"'{name}'" in ask(name).err


# --- help ---------------------------------------------------------------------------------------

OPTIONS = {
    "run": ["--board", "--full", "--now", "--dry-run"],
    "rehearse": ["--days", "--keep", "--serve", "--rows", "--seed"],
    "reparse": ["--run", "--date", "--since", "--until", "--apply", "--now"],
    "runs": ["--limit"],
    "history": ["KEY"],
    "as-of": ["DATE", "--board", "--csv", "--xlsx"],
    "changes": [
        *("--since", "--until", "--board", "--key", "--field", "--applicant", "--ingredient"),
        *("--country", "--maker", "--type", "--grade", "--baseline", "--csv"),
    ],
    "export": ["DIR"],
    "selectors": ["check", "--board", "--file", "--run", "--page"],
    "where": ["KEY", "FIELD", "--board", "--date"],
    "report": ["--run", "--date"],
    "verify": [],
    "status": [],
    "doctor": [],
    "tune": ["--board"],
    "calibrate": ["BOARD", "--now"],
    "raw": ["export", "--warc", "--out"],
    "prune": ["--dry-run"],
    "pending": [],
    "approve": ["RUN", "--note", "--now"],
    "reject": ["RUN", "--note", "--now"],
    "terms": [r"show\|confirm", "--note", "--site", "--board", "--now"],
    "review": [r"list\|done", "N", "--board", "--all", "--note", "--now"],
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_of_each_command_lists_its_options(name, option):
    asked = ask(name, option)
    assert (asked.exit_code, asked.err) == (0, "")
    for word in ["--home", "--json", *OPTIONS[name]]:
        assert re.search(rf"^\s+{word}\b", asked.out, re.MULTILINE), word


def test_help_of_the_program_lists_every_command():
    asked = ask("--help")
    assert asked.exit_code == 0
    assert all(re.search(rf"^\s+{name}\s", asked.out, re.MULTILINE) for name in NAMES)


def test_help_needs_no_home_and_no_complete_command_line():
    assert ask("history", "--help", "--home", "/nowhere").exit_code == 0


@pytest.mark.parametrize("words", [["run", "--help", "--json"], ["--version", "--json"]])
def test_help_as_json_is_one_object_too(words):
    asked = ask(*words)
    assert asked.exit_code == 0
    assert asked.json["text"]
    assert asked.json["runs"] == []


def test_version_is_told():
    assert ask("--version").out == f"dmf-crawler {__version__}\n"


# --- words that cannot be understood ------------------------------------------------------------

USAGE_ERRORS = [
    ([], "usage"),
    (["fetch"], "unknown_command"),
    (["RUN"], "unknown_command"),
    ([""], "unknown_command"),
    (["원료"], "unknown_command"),
    (["--home", "x", "runs"], "usage"),
    (["--json", "runs"], "usage"),
    (["--home=x"], "usage"),
    (["--verbose"], "usage"),
    (["--"], "usage"),
    (["run", "extra"], "usage"),
    (["run", "--fast"], "usage"),
    (["run", "--boar", "x"], "usage"),
    (["run", "--home"], "usage"),
    (["run", "--home", ""], "usage"),
    (["run", "--board"], "usage"),
    (["run", "--now", "today"], "usage"),
    (["run", "--now", "0001-01-01T00:00:00+09:00"], "usage"),
    (["run", "--now", "9999-12-31T23:59:59-09:00"], "usage"),
    (["runs", "--limit", "0"], "usage"),
    (["runs", "--limit", "-1"], "usage"),
    (["runs", "--limit", "many"], "usage"),
    (["runs", "--limit", "9" * 5000], "usage"),
    (["runs", "--limit", "10000000000000000000"], "usage"),
    (["history"], "usage"),
    (["history", "half \ud800 pair"], "usage"),
    (["as-of"], "usage"),
    (["as-of", "yesterday"], "usage"),
    (["as-of", "2026-12-01", "--csv", "a.csv", "--xlsx", "a.xlsx"], "usage"),
    (["changes", "--type", "GONE"], "usage"),
    (["changes", "--grade", "same"], "usage"),
    (["changes", "--applicant", " (주) "], "usage"),
    (["export"], "usage"),
    (["export", ""], "usage"),
    (["report", "--run", "\udcff"], "usage"),
    (["run", "--board", "\udcff"], "usage"),
    (["history", "a", "b"], "usage"),
    (["report", "--date", "2026-02-30"], "usage"),
    (["report", "--date", "0001-01-01"], "usage"),
    (["report", "--date", "2026-12-01", "--run", "x"], "usage"),
    (["reparse", "--since", "yesterday"], "usage"),
    (["rehearse", "--days", "0"], "usage"),
    (["rehearse", "--rows", "200001"], "usage"),
    (["rehearse", "--seed", "x"], "usage"),
    (["rehearse", "--keep", ""], "usage"),
]


@pytest.mark.parametrize(("words", "code"), USAGE_ERRORS)
def test_usage_error_is_one_json_object_and_exit_code_2(words, code):
    asked = ask(*words, "--json")
    assert (asked.exit_code, asked.error_code) == (2, "usage" if not words else code)
    assert asked.err == ""
    command = next((each for each in COMMANDS if words and each.name == words[0]), None)
    empty = command.empty if command else {"runs": []}
    assert {key: asked.json[key] for key in empty} == empty


@pytest.mark.parametrize(
    ("words", "code"), [error for error in USAGE_ERRORS if "--json" not in error[0]]
)
def test_usage_error_for_people_leaves_standard_output_empty(words, code):
    asked = ask(*words)
    assert (asked.exit_code, asked.out) == (2, "")
    assert asked.err.startswith(f"오류 [{code}] ")
    assert "Traceback" not in asked.err


def test_command_line_without_a_command_shows_the_help():
    assert all(name in ask().err for name in NAMES)


@pytest.mark.parametrize("words", [["runs", "--js"], ["runs", "--jso"], ["runs", "--hom", "x"]])
def test_abbreviated_option_is_refused_as_its_error_could_not_be_told_as_json(words):
    assert ask(*words).err.startswith("오류 [usage] 모르는 옵션")


def test_moment_without_a_zone_is_korean_time():
    arguments = make_parser().parse_args(["run", "--now", "2026-12-01T06:00:00"])
    assert arguments.now.isoformat() == "2026-12-01T06:00:00+09:00"
    arguments = make_parser().parse_args(["run", "--now", "2026-12-01T06:00:00Z"])
    assert arguments.now.utcoffset().total_seconds() == 0


# --- homes that are none ------------------------------------------------------------------------

ALL_COMMANDS = [
    ["run"],
    ["runs"],
    ["review", "list"],
    ["review", "done", "1"],
    ["history", "x"],
    ["as-of", "2026-12-01"],
    ["changes"],
    ["export", "/nowhere/at/all"],
    ["report"],
    ["verify"],
    ["reparse", "--date", "2026-12-01"],
]


@pytest.mark.parametrize("words", ALL_COMMANDS)
def test_home_without_configuration_is_named(words, tmp_path):
    asked = at(tmp_path / "none", *words)
    assert (asked.exit_code, asked.error_code) == (2, "missing_file")
    assert "config/settings.yaml" in asked.json["error"]["message"]


@pytest.mark.parametrize("words", ALL_COMMANDS)
def test_unknown_key_ends_every_command_before_it_begins(words, empty_home):
    path = empty_home / "config/settings.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "speed: 9\n", encoding="utf-8")
    asked = at(empty_home, *words)
    assert (asked.exit_code, asked.error_code) == (2, "unknown_key")
    assert "speed" in asked.json["error"]["message"]
    assert not (empty_home / "var").exists()
    assert not (empty_home / "logs").exists()


@pytest.mark.parametrize("words", [words for words in ALL_COMMANDS if words != ["run"]])
def test_home_without_history_says_what_to_run_first(words, empty_home):
    asked = at(empty_home, *words)
    assert (asked.exit_code, asked.error_code) == (2, "no_history")
    assert not (empty_home / "var/dmf.sqlite3").exists()


@pytest.mark.parametrize("words", ALL_COMMANDS)
def test_history_that_is_no_database_ends_with_5(words, empty_home):
    (empty_home / "var").mkdir()
    (empty_home / "var/dmf.sqlite3").write_bytes(b"no database " * 100)
    asked = at(empty_home, *words)
    assert (asked.exit_code, asked.error_code) == (5, "database_damaged")


# --- bugs ---------------------------------------------------------------------------------------


def log_lines(home: Path) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in sorted((home / "logs").glob("dmf-*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


class Broken(Command):
    """A command with a bug, or one that the user stops."""

    def load(self) -> Handler:
        def handle(arguments: argparse.Namespace) -> Answer:
            if arguments.limit == 7:
                raise KeyboardInterrupt
            raise ZeroDivisionError("by \ud800 zero")

        return handle


class Missing(Command):
    def load(self) -> Handler:
        raise ModuleNotFoundError("No module named 'lxml'")


def break_down(
    home: Path, *words: str, kind: type[Command] = Broken
) -> tuple[int, dict[str, Any], str]:
    command = kind("break", "", add_runs_options, "", {"runs": [], "more": 1})
    out, err = io.StringIO(), io.StringIO()
    exit_code = run_command(
        ["break", "--home", str(home), "--json", *words],
        stdout=out,
        stderr=err,
        commands=[command],
    )
    return exit_code, json.loads(out.getvalue()), err.getvalue()


@pytest.mark.parametrize("kind", [Broken, Missing])
def test_bug_ends_with_1_one_json_object_and_its_traceback_on_standard_error(empty_home, kind):
    exit_code, answer, err = break_down(empty_home, kind=kind)
    assert (exit_code, answer["exit_code"], answer["error"]["code"]) == (1, 1, "bug")
    assert (answer["runs"], answer["more"]) == ([], 1)
    assert err.startswith("Traceback (most recent call last)")


def test_bug_is_kept_in_the_log_with_its_traceback(empty_home):
    break_down(empty_home)
    (line,) = log_lines(empty_home)
    assert (line["level"], line["event"]) == ("ERROR", "bug")
    assert "Traceback (most recent call last)" in str(line["traceback"])
    assert "ZeroDivisionError" in str(line["traceback"])


def test_bug_is_answered_even_where_no_log_can_be_written(empty_home):
    (empty_home / "logs").write_bytes(b"")
    exit_code, answer, err = break_down(empty_home)
    assert (exit_code, answer["error"]["code"]) == (1, "bug")
    assert "ZeroDivisionError" in err
    assert "home_not_writable" in err


def test_bug_without_a_home_is_answered_all_the_same(tmp_path):
    exit_code, _, err = break_down(tmp_path / "none")
    assert exit_code == 1
    assert "ZeroDivisionError" in err
    assert list(tmp_path.iterdir()) == []


def test_interruption_by_the_user_is_no_bug(empty_home):
    exit_code, answer, err = break_down(empty_home, "--limit", "7")
    assert (exit_code, answer["error"]["code"], err) == (1, "interrupted", "")
    assert not (empty_home / "logs").exists()


# --- how it is said -----------------------------------------------------------------------------


class Closed(io.StringIO):
    """A pipe that nobody reads any more."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError

    def fileno(self) -> int:
        return self.descriptor

    descriptor: int = -1


def test_output_that_nobody_reads_leaves_the_exit_code_alone(tmp_path):
    out = Closed()
    with (tmp_path / "pipe").open("wb") as file:
        out.descriptor = file.fileno()
        assert run_command(["--version"], stdout=out) == 0
        os.write(file.fileno(), b"lost")  # the descriptor leads to the null device
    assert (tmp_path / "pipe").read_bytes() == b""


def test_output_without_a_descriptor_may_be_closed_too():
    assert run_command(["--version"], stdout=Closed()) == 0


def test_program_speaks_on_its_own_streams(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["dmf-crawler", "--version"])
    assert main() == 0
    assert capsys.readouterr().out == f"dmf-crawler {__version__}\n"


def test_missing_streams_are_not_each_others_stand_in(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert run_command(["fetch"]) == 2
    assert capsys.readouterr().out == ""


def test_result_and_error_of_a_command_are_told_apart(lived_home):
    (path,) = [*(lived_home / "raw").glob("*/*/*/*.gz")][:1]
    path.write_bytes(b"spoiled")
    asked = say(lived_home, "verify")
    assert asked.exit_code == 5
    assert "이상 없음" in asked.out
    assert asked.err.startswith("오류 [not_verified] ")


def test_answer_says_nothing_by_default():
    assert Answer(0) == Answer(0, {}, "", None)


def test_every_text_of_ours_fits_a_korean_code_page():
    others = ("config", "document", "document_checks", "settings", "crawl", "pipeline", "reparse")
    modules = [*SRC.glob("cli/*.py"), *(SRC / f"{name}.py" for name in others)]
    for module in modules:
        tree = ast.parse(module.read_text(encoding="utf-8"))
        docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node not in docstrings:
                str(node.value).encode("cp949")


def test_a_long_answer_is_written_in_parts():
    """Years of changes as one text would be in memory twice."""
    parts: list[str] = []

    class Kept(io.StringIO):
        def write(self, text: str) -> int:
            parts.append(text)
            return len(text)

    write_pieces((str(n % 10) for n in range(3 * PIECES_AT_ONCE)), Kept())

    assert max(map(len, parts)) == PIECES_AT_ONCE
    assert "".join(parts) == "0123456789" * (3 * PIECES_AT_ONCE // 10) + "\n"
