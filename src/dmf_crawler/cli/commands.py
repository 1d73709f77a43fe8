"""The command line's shape: every command with its options, and how its answer is given.

`--home` and `--json` are options of every command, written after its name. With `--json` one JSON
object goes to standard output and nothing else, whatever the exit code.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TextIO

from dmf_crawler import __version__
from dmf_crawler.cli.answer import Answer, print_answer
from dmf_crawler.cli.options import (
    add_calibrate_options,
    add_common_options,
    add_decision_options,
    add_history_options,
    add_no_options,
    add_prune_options,
    add_raw_options,
    add_rehearse_options,
    add_reparse_options,
    add_report_options,
    add_review_options,
    add_run_options,
    add_runs_options,
    add_selectors_options,
    add_terms_options,
    add_tune_options,
    add_where_options,
)
from dmf_crawler.cli.output import let_print_all, report_bug
from dmf_crawler.cli.question_options import (
    add_as_of_options,
    add_changes_options,
    add_export_options,
)
from dmf_crawler.cli.strict_parser import StrictParser
from dmf_crawler.errors import DmfCrawlerError, UsageError

Handler = Callable[[argparse.Namespace], Answer]


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        name: As typed.
        help: One Korean line.
        add_options: Adds its own options.
        handler: Module below `cli` and function; loaded late, so that `--help` does not load
            lxml, requests and SQLite.
        empty: Its JSON when it fails before it has anything to say.
    """

    name: str
    help: str
    add_options: Callable[[argparse.ArgumentParser], None]
    handler: str
    empty: dict[str, Any]

    def load(self) -> Handler:
        """Import the handler."""
        module, function = self.handler.split(".")
        handler: Handler = getattr(import_module(f"dmf_crawler.cli.{module}"), function)
        return handler


# Commands that a later version brings: asking for one is answered plainly.
LATER = frozenset(
    {
        *("probe", "schedule"),
        *("init", "watch", "alerts"),
    }
)


COMMANDS = (
    Command("run", "오늘의 수집 한 번", add_run_options, "run.run", {"runs": []}),
    Command(
        "rehearse",
        "연습 사이트에서 며칠을 살아 보고 찾은 것을 사실과 비교",
        add_rehearse_options,
        "rehearse.rehearse",
        {"false_events": 0, "missed_events": 0, "reports": [], "days": []},
    ),
    Command(
        "status",
        "진행 중인 수집의 상황, 또는 마지막 수집의 결과",
        add_no_options,
        "status.status",
        {"running": [], "last": []},
    ),
    Command(
        "reparse",
        "저장된 페이지를 다시 읽어 기록과 비교",
        add_reparse_options,
        "reparse.reparse",
        {"runs": []},
    ),
    Command(
        "calibrate",
        "감시 페이지가 저절로 움직이는 정도 재기",
        add_calibrate_options,
        "calibrate.calibrate",
        {
            "board": None,
            "n_reads": 0,
            "largest_distance": None,
            "threshold": None,
            "most_moving": None,
            "moving": [],
        },
    ),
    Command(
        "selectors",
        "셀렉터 파일을 검사하고 저장된 페이지에 대 보기",
        add_selectors_options,
        "selectors.check",
        {"files": []},
    ),
    Command("pending", "보류된 실행과 그 사유", add_no_options, "held.pending", {"held": []}),
    Command("approve", "보류된 실행 승인", add_decision_options, "held.approve", {"runs": []}),
    Command("reject", "보류된 실행 거부", add_decision_options, "held.reject", {"runs": []}),
    Command(
        "terms",
        "사이트 이용약관의 확인 상태, 사람이 읽었다는 기록",
        add_terms_options,
        "terms.terms",
        {"sites": []},
    ),
    Command(
        "review",
        "감시 페이지에서 바뀐 곳: 확인할 것을 보고, 확인했음을 적기",
        add_review_options,
        "review.review",
        {"reviews": []},
    ),
    Command("runs", "지난 실행 목록", add_runs_options, "history.list_runs", {"runs": []}),
    Command(
        "history",
        "한 기록에 일어난 모든 일",
        add_history_options,
        "history.show_history",
        {"key": None, "events": [], "versions": []},
    ),
    Command(
        "as-of",
        "어느 날 끝의 목록 전체",
        add_as_of_options,
        "as_of.as_of",
        {"date": None, "n_rows": 0, "records": []},
    ),
    Command(
        "changes",
        "기간, 항목, 신청인 등으로 찾은 변동",
        add_changes_options,
        "changes.changes",
        {"since": None, "until": None, "n_events": 0, "events": []},
    ),
    Command(
        "export",
        "이력 전체를 프로그램 없이도 읽을 수 있는 파일로",
        add_export_options,
        "export.export",
        {"folder": None, "files": [], "digest": None},
    ),
    Command(
        "where",
        "한 값을 읽은 페이지와 그 안의 자리",
        add_where_options,
        "where.where",
        dict.fromkeys(
            [
                *("key", "field", "value", "shown", "run_id", "page", "sha256", "url"),
                *("fetched_at", "row", "xpath", "line", "html", "is_same"),
            ]
        ),
    ),
    Command(
        "report",
        "보고서를 이력에서 다시 쓰기",
        add_report_options,
        "history.rewrite_report",
        {"report": None},
    ),
    Command(
        "verify",
        "이력이 온전한지 증명",
        add_no_options,
        "history.verify",
        {"ok": False, "checks": []},
    ),
    Command(
        "doctor",
        "이 PC와 설정, 저장된 자료에 문제가 없는지 점검",
        add_no_options,
        "doctor.doctor",
        {"checks": []},
    ),
    Command(
        "tune",
        "출발값으로 둔 기준을 이력의 실측과 견주기",
        add_tune_options,
        "tune.tune",
        {"boards": [], "review": []},
    ),
    Command(
        "raw",
        "보관된 페이지를 표준 형식(WARC)으로 내보내기",
        add_raw_options,
        "raw.export",
        {"file": None, "n_records": 0},
    ),
    Command(
        "prune",
        "보존 기간이 지난 페이지와 로그 정리",
        add_prune_options,
        "prune.prune",
        {"dry_run": False, "raw": [], "logs": [], "bytes": 0, "kept": [], "failed": []},
    ),
)


# --- from words to an answer --------------------------------------------------------------------


def run_command(
    words: Sequence[str],
    *,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    commands: Sequence[Command] = COMMANDS,
) -> int:
    """Run one command line; print its answer; return its exit code."""
    out = stdout if stdout is not None else let_print_all(sys.stdout)
    err = stderr if stderr is not None else let_print_all(sys.stderr)
    answer = _answer(words, commands, err)
    print_answer(answer, as_json="--json" in words, out=out, err=err)
    return answer.exit_code


def _answer(words: Sequence[str], commands: Sequence[Command], err: TextIO | None) -> Answer:
    command = next((each for each in commands if words and each.name == words[0]), None)
    empty: dict[str, Any] = dict(command.empty) if command else {"runs": []}
    arguments = argparse.Namespace(home=None)
    try:
        shown = io.StringIO()
        try:
            with redirect_stdout(shown):
                arguments = _parse(words, commands)
        except SystemExit:  # --help or --version: argparse has shown it
            text = shown.getvalue().rstrip()
            return Answer(0, empty | {"text": text}, text)
        if command is None:
            raise _unknown(words[0], commands)
        return command.load()(arguments)
    except DmfCrawlerError as error:
        return Answer(error.exit_code, empty, error=(error.code, error.message))
    except KeyboardInterrupt:
        message = "사용자가 중단했습니다. 다시 실행하면 같은 날 받아 둔 쪽은 다시 받지 않습니다."
        return Answer(1, empty, error=("interrupted", message))
    except Exception as error:  # noqa: BLE001 - a bug still ends with an answer and exit code 1
        report_bug(error, arguments.home, err)
        message = (
            f"프로그램 오류입니다({type(error).__name__}: {error}). "
            "홈 폴더의 logs 에 있는 로그를 개발자에게 보내 주십시오."
        )
        return Answer(1, empty, error=("bug", message))


def _parse(words: Sequence[str], commands: Sequence[Command]) -> argparse.Namespace:
    parser = make_parser(commands)
    if not words:
        raise UsageError("usage", f"명령이 없습니다.\n{parser.format_help().rstrip()}")
    first = words[0].partition("=")[0]
    if first in {"--home", "--json"}:
        raise UsageError("usage", f"{first} 은 명령 이름 뒤에 적습니다. 예: runs {first}")
    if not first.startswith("-") and all(each.name != first for each in commands):
        raise _unknown(first, commands)
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        raise UsageError(
            "usage",
            f"모르는 옵션이나 값입니다: {' '.join(unknown)}. "
            f"{parser.prog} {first} --help 를 보십시오.",
        )
    return arguments


def _unknown(name: str, commands: Sequence[Command]) -> UsageError:
    if name in LATER:
        return UsageError(
            "not_available",
            f"'{name}' 명령은 이 판({__version__})에 아직 없습니다. "
            "지금 쓸 수 있는 명령은 --help 에 있습니다.",
        )
    return UsageError(
        "unknown_command",
        f"'{name}' 이라는 명령은 없습니다. "
        f"쓸 수 있는 명령: {', '.join(command.name for command in commands)}.",
    )


def make_parser(commands: Sequence[Command] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = StrictParser(
        prog="dmf-crawler",
        description="원료의약품등록(DMF) 목록에서 무엇이 새로 생기고 바뀌고 취하되었는지 알립니다.",
    )
    parser.add_argument("--version", action="version", version=f"dmf-crawler {__version__}")
    families = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands:
        sub = families.add_parser(command.name, help=command.help, description=command.help)
        add_common_options(sub)
        command.add_options(sub)
    return parser
