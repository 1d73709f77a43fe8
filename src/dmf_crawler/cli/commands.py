"""The command line's shape: every command with its options, and how its answer is given.

`--home` and `--json` are options of every command, written after its name. With `--json` one JSON
object goes to standard output and nothing else, whatever the exit code.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TextIO

from dmf_crawler import __version__
from dmf_crawler.errors import DmfCrawlerError, UsageError
from dmf_crawler.model import KST


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command has to say.

    Attributes:
        exit_code: Of the process (design §5).
        payload: The JSON object, without `exit_code` and `error`.
        text: Korean lines for a person.
        error: Code and message, or None.
    """

    exit_code: int
    payload: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    error: tuple[str, str] | None = None


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


# The names of design §5 whose work is not here yet: asking for one is answered plainly.
LATER = frozenset(
    {
        "status",
        "pending",
        "approve",
        "reject",
        "as-of",
        "doctor",
        "probe",
        "selectors",
        "calibrate",
        "schedule",
        "prune",
        "init",
        "where",
        "changes",
        "export",
        "watch",
        "raw",
        "alerts",
        "tune",
        "terms",
        "review",
    }
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(
            "usage", f"명령을 이해하지 못했습니다: {message}. {self.prog} --help 를 보세요."
        )


# --- options ------------------------------------------------------------------------------------


def _run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--board", action="append", metavar="ID", help="이 게시판만 (여러 번 쓸 수 있음)"
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="조건부 요청 없이 모두 받기 (목록은 항상 모두 받습니다)",
    )
    parser.add_argument("--now", type=_moment, metavar="ISO", help="이 시각인 것처럼 실행 (연습용)")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="수집하고 판정만 하며 이력과 리포트는 그대로 둡니다",
    )


def _rehearse_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=_positive, default=3, metavar="N", help="며칠 (기본 3)")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="홈 폴더를 만들 곳 (비어 있어야 함)"
    )
    parser.add_argument(
        "--serve", action="store_true", help="끝난 뒤에도 연습 사이트를 켜 둡니다 (Ctrl+C로 종료)"
    )
    parser.add_argument("--rows", type=_positive, default=12_000, metavar="N", help="목록 건수")
    parser.add_argument("--seed", type=int, default=20261130, metavar="N", help="난수 씨앗")


def _reparse_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run", metavar="ID", help="이 실행의 페이지")
    parser.add_argument("--date", type=_day, metavar="D", help="이 날의 실행")
    parser.add_argument("--since", type=_day, metavar="D", help="이 날부터 (--until 과 함께)")
    parser.add_argument("--until", type=_day, metavar="D", help="이 날까지")
    parser.add_argument("--now", type=_moment, metavar="ISO", help="이 시각인 것처럼 실행 (연습용)")
    parser.add_argument(
        "--apply", action="store_true", help="차이를 정정 실행으로 이력에 기록합니다"
    )


def _runs_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--limit", type=_positive, default=30, metavar="N", help="최근 몇 건 (기본 30)"
    )


def _history_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="등록번호")


def _report_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run", metavar="ID", help="이 실행이 속한 날")
    parser.add_argument("--date", type=_day, metavar="D", help="이 날 (기본: 마지막 채택된 날)")


def _no_options(parser: argparse.ArgumentParser) -> None:
    del parser


COMMANDS = (
    Command("run", "오늘의 수집 한 번", _run_options, "run.run", {"runs": []}),
    Command(
        "rehearse",
        "연습 사이트에서 며칠을 살아 보고 찾은 것을 사실과 비교",
        _rehearse_options,
        "rehearse.rehearse",
        {"false_events": 0, "missed_events": 0, "reports": [], "days": []},
    ),
    Command(
        "reparse",
        "저장된 페이지를 다시 읽어 기록과 비교",
        _reparse_options,
        "reparse.reparse",
        {"runs": []},
    ),
    Command("runs", "지난 실행 목록", _runs_options, "history.list_runs", {"runs": []}),
    Command(
        "history",
        "한 기록에 일어난 모든 일",
        _history_options,
        "history.show_history",
        {"key": None, "events": [], "versions": []},
    ),
    Command(
        "report",
        "리포트를 이력에서 다시 쓰기",
        _report_options,
        "history.rewrite_report",
        {"report": None},
    ),
    Command(
        "verify", "이력이 온전한지 증명", _no_options, "history.verify", {"ok": False, "checks": []}
    ),
)


# --- from words to an answer --------------------------------------------------------------------


def run_command(
    words: Sequence[str], *, stdout: TextIO | None = None, stderr: TextIO | None = None
) -> int:
    """Run one command line; print its answer; return its exit code."""
    out, err = stdout or sys.stdout, stderr or sys.stderr
    command = next((each for each in COMMANDS if words and each.name == words[0]), None)
    try:
        arguments = _parse(words)
        if command is None:
            raise AssertionError("argparse accepted an unknown command")
        answer = command.load()(arguments)
    except DmfCrawlerError as error:
        answer = Answer(
            error.exit_code,
            dict(command.empty) if command else {"runs": []},
            error=(error.code, error.message),
        )
    except Exception as error:  # noqa: BLE001 - a bug still ends with an answer and exit code 1
        traceback.print_exc(file=err)
        answer = Answer(
            1,
            dict(command.empty) if command else {"runs": []},
            error=("bug", f"프로그램 오류입니다({type(error).__name__}: {error})."),
        )
    _print_answer(answer, as_json="--json" in words, out=out, err=err)
    return answer.exit_code


def _parse(words: Sequence[str]) -> argparse.Namespace:
    if words and words[0] in LATER:
        raise UsageError(
            "not_available",
            f"'{words[0]}' 명령은 이 판({__version__})에 아직 없습니다. "
            "지금 쓸 수 있는 명령은 --help 에 있습니다.",
        )
    parser = make_parser()
    if not words:
        raise UsageError("usage", f"명령이 없습니다.\n{parser.format_help()}")
    return parser.parse_args(words)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(
        prog="dmf-crawler",
        description="원료의약품등록(DMF) 목록에서 무엇이 새로 생기고 바뀌고 취하되었는지 알립니다.",
    )
    parser.add_argument("--version", action="version", version=f"dmf-crawler {__version__}")
    families = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        sub = families.add_parser(command.name, help=command.help, description=command.help)
        sub.add_argument(
            "--home", type=Path, metavar="DIR", help="홈 폴더 (기본: DMF_HOME 또는 상위)"
        )
        sub.add_argument("--json", action="store_true", help="결과를 JSON 하나로")
        command.add_options(sub)
    return parser


def _print_answer(answer: Answer, *, as_json: bool, out: TextIO, err: TextIO) -> None:
    if as_json:
        error = {"code": answer.error[0], "message": answer.error[1]} if answer.error else None
        payload = {"exit_code": answer.exit_code, "error": error, **answer.payload}
        # ASCII only: a Korean console's code page cannot spoil it.
        print(json.dumps(payload, ensure_ascii=True, indent=2), file=out)
        return
    if answer.text:
        print(answer.text, file=out)
    if answer.error:
        print(f"오류 [{answer.error[0]}] {answer.error[1]}", file=err)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}' 은 ISO 8601 시각이 아닙니다. 예: 2026-12-01T06:00:00+09:00"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=KST)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' 은 날짜가 아닙니다. 예: 2026-12-01") from None


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' 은 1 이상의 정수가 아닙니다")
    return number
