"""The program as a process of its own: what it loads, its streams, its code page."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dmf_crawler.cli.home import hold_lock, open_home
from tests.persist.tampering import tamper
from tests.processes import environment

HEAVY = ("lxml", "requests", "urllib3", "sqlite3", "openpyxl", "xlsxwriter", "tqdm", "yaml")


def python(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-B", *words],
        cwd=cwd,
        env=environment(**more),
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"], ["probe"]])
def test_help_loads_nothing_heavy(words, tmp_path):
    source = (
        "import sys; from dmf_crawler.cli.commands import run_command; "
        f"run_command({words!r}, stdout=sys.stderr); "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    assert python("-c", source, cwd=tmp_path).stdout.decode().strip() == "[]"


def test_module_is_the_program(lived):
    done = python("-m", "dmf_crawler", "runs", "--json", cwd=lived)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(done.stdout)["runs"]) == 2


def test_home_is_named_by_the_environment(lived, tmp_path):
    done = python("-m", "dmf_crawler", "runs", "--json", cwd=tmp_path, DMF_HOME=str(lived))
    assert done.returncode == 0


def test_missing_home_is_one_json_object(tmp_path):
    done = python("-m", "dmf_crawler", "runs", "--json", cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["exit_code"], answer["error"]["code"]) == (2, 2, "no_home")
    assert (answer["runs"], done.stderr) == ([], b"")


def test_lock_of_another_process_ends_with_8(lived_home):
    with hold_lock(open_home(lived_home)):
        done = python("-m", "dmf_crawler", "verify", "--json", cwd=lived_home)
    assert done.returncode == 8
    assert json.loads(done.stdout)["error"]["code"] == "lock_held"


EVERY_TEXT = """
import sys
from dmf_crawler.cli.commands import COMMANDS, run_command
key, day = sys.argv[1:]
for words in [["--help"], ["--version"], *([command.name, "--help"] for command in COMMANDS)]:
    assert run_command(words) == 0, words
for words in [["runs"], ["history", key], ["report"], ["verify"], ["reparse", "--date", day],
              ["as-of", day], ["changes"]]:
    # The name below stands where a run that went well has none: verify says so, in that name.
    assert run_command(words) == (5 if words == ["verify"] else 0), words
odd = chr(0x1f600) + chr(0x2014) + chr(0xe9) + chr(0x85)
for words in [[], ["probe"], [odd], ["history", odd], ["report", "--run", odd], ["runs", odd]]:
    assert run_command(words) == 2, words
"""


def test_every_text_reaches_a_strict_korean_code_page(lived_home):
    """A name with a letter that cp949 lacks must not end a command."""
    connection = sqlite3.connect(lived_home / "var/dmf.sqlite3")
    ((key, day),) = connection.execute(
        "SELECT natural_key, substr(occurred_at, 1, 10) FROM dmf_event"
        " WHERE event_type = 'MODIFIED' LIMIT 1"
    )
    connection.close()
    change = "UPDATE crawl_run SET error_code = 'x', reject_reason = 'caf\u00e9'"
    tamper(lived_home / "var/dmf.sqlite3", change)
    done = python("-c", EVERY_TEXT, key, day, cwd=lived_home, PYTHONIOENCODING="cp949:strict")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    out, err = done.stdout.decode("cp949"), done.stderr.decode("cp949")
    assert r"[x] caf\xe9" in out
    assert "보고서: " in out
    assert "오류 [not_available]" in err
    assert r"\U0001f600\u2014" in err


@pytest.mark.parametrize("code_page", ["cp949:strict", "ascii:strict", "utf-8:strict"])
def test_run_reaches_a_strict_code_page(site_home, code_page):
    run = python("-m", "dmf_crawler", "run", cwd=site_home, PYTHONIOENCODING=code_page)
    assert (run.returncode, run.stderr) == (0, b"")
    assert b"dmf_registry: " in run.stdout


def test_rehearsal_reaches_a_strict_korean_code_page(tmp_path):
    keep = tmp_path / "보관"
    done = python(
        *("-m", "dmf_crawler", "rehearse", "--rows", "60", "--days", "1", "--keep", str(keep)),
        cwd=tmp_path,
        PYTHONIOENCODING="cp949:strict",
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "찾은 것이 실제와 모두 같습니다." in done.stdout.decode("cp949")


@pytest.mark.parametrize(
    ("words", "exit_code"),
    [
        (["runs"], 0),
        (["verify", "--json"], 0),
        (["reparse", "--since", "2001-01-01", "--until", "2099-01-01", "--jobs", "2"], 0),
        (["run", "--now", "2027-01-01T06:00:00+09:00"], 6),
        (["--help"], 0),
        (["history"], 2),
        (["fetch", "--json"], 2),
    ],
)
def test_process_without_streams_ends_with_its_exit_code(lived_home, words, exit_code):
    """Task Scheduler starts pythonw, which has neither standard output nor standard error."""
    source = (
        "import sys; sys.stdin = sys.stdout = sys.stderr = None\n"
        "from dmf_crawler.cli.commands import run_command\n"
        f"sys.exit(run_command({words!r}))"
    )
    done = python("-c", source, cwd=lived_home)
    assert (done.returncode, done.stdout, done.stderr) == (exit_code, b"", b"")


def test_error_goes_nowhere_where_only_standard_error_is_missing(lived_home):
    source = (
        "import sys; sys.stderr = None\n"
        "from dmf_crawler.cli.commands import run_command\n"
        "sys.exit(run_command(['history', 'nothing']))"
    )
    done = python("-c", source, cwd=lived_home)
    assert (done.returncode, done.stdout) == (2, b"")


def test_reader_that_has_gone_changes_no_exit_code(lived):
    with subprocess.Popen(
        [sys.executable, "-B", "-m", "dmf_crawler", "runs"],
        cwd=lived,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaint = process.stderr.read()
        assert (process.wait(60), complaint) == (0, b"")
