"""The options of each command, and what their values must be."""

from __future__ import annotations

import argparse
from datetime import date, datetime
from pathlib import Path

from dmf_crawler.model.run import KST

MOST_REHEARSED_ROWS = 200_000
"""More would not fit into the memory of a usual PC."""


MOST_NOTE_CHARACTERS = 1_000


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add what every command takes."""
    parser.add_argument(
        "--home", type=parse_path, metavar="DIR", help="홈 폴더 (기본: DMF_HOME 또는 상위)"
    )
    parser.add_argument("--json", action="store_true", help="결과를 JSON 하나로")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `run`."""
    parser.add_argument(
        "--board",
        type=parse_text,
        action="append",
        metavar="ID",
        help="이 게시판만 (여러 번 쓸 수 있음)",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="조건부 요청 없이 모두 받기 (목록은 항상 모두 받습니다)",
    )
    when = parser.add_mutually_exclusive_group()
    when.add_argument(
        "--scheduled",
        action="store_true",
        help="작업 스케줄러용: 오늘 할 일이 남았을 때만 시작합니다",
    )
    parser.add_argument("--now", type=_moment, metavar="ISO", help="이 시각인 것처럼 실행 (연습용)")
    when.add_argument(
        "--dry-run",
        action="store_true",
        help="수집하고 판정만 하며 이력과 보고서는 그대로 둡니다",
    )


def add_rehearse_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `rehearse`."""
    parser.add_argument("--days", type=_positive, default=3, metavar="N", help="며칠 (기본 3)")
    parser.add_argument(
        "--keep",
        type=parse_path,
        metavar="DIR",
        help="홈 폴더를 만들 곳 (비어 있어야 함; --home과 같음)",
    )
    parser.add_argument(
        "--serve", action="store_true", help="끝난 뒤에도 연습 사이트를 켜 둡니다 (Ctrl+C로 종료)"
    )
    parser.add_argument("--rows", type=_rows, default=12_000, metavar="N", help="목록 건수")
    parser.add_argument("--seed", type=int, default=20261130, metavar="N", help="난수 씨앗")


def add_reparse_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `reparse`."""
    parser.add_argument("--run", type=parse_text, metavar="ID", help="이 실행의 페이지")
    parser.add_argument("--date", type=parse_day, metavar="D", help="이 날의 실행")
    parser.add_argument("--since", type=parse_day, metavar="D", help="이 날부터 (--until 과 함께)")
    parser.add_argument("--until", type=parse_day, metavar="D", help="이 날까지")
    parser.add_argument("--now", type=_moment, metavar="ISO", help="이 시각인 것처럼 실행 (연습용)")
    parser.add_argument(
        "--apply", action="store_true", help="차이를 정정 실행으로 이력에 기록합니다"
    )
    parser.add_argument(
        "--jobs",
        type=_positive,
        metavar="N",
        help="동시에 읽을 실행 수 (기본: 쓸 수 있는 CPU 수; --apply 는 늘 하나씩)",
    )


def add_calibrate_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `calibrate`."""
    parser.add_argument("board", type=parse_text, metavar="BOARD", help="kind: page 인 게시판의 id")
    parser.add_argument("--now", type=_moment, metavar="ISO", help="이 시각인 것처럼 실행 (연습용)")


def add_decision_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `approve` and `reject`."""
    parser.add_argument(
        "run", type=parse_text, metavar="RUN", help="보류된 실행의 번호 (pending 참조)"
    )
    parser.add_argument(
        "--note",
        type=_note,
        default="",
        metavar="T",
        help="무엇을 확인했는지, 왜 거부하는지 (보고서에 실립니다)",
    )
    parser.add_argument("--now", type=_moment, metavar="ISO", help="이 시각인 것처럼 실행 (연습용)")


def add_runs_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `runs`."""
    parser.add_argument(
        "--limit", type=_positive, default=30, metavar="N", help="최근 몇 건 (기본 30)"
    )


def add_selectors_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `selectors`."""
    parser.add_argument(
        "action",
        choices=["check", "propose", "pending", "approve", "reject"],
        metavar="check",
        help="검사하고, 저장된 페이지에서 셀렉터마다 찾은 행을 셉니다",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--board",
        type=parse_text,
        action="append",
        metavar="ID",
        help="이 게시판만 (기본: 켜진 게시판 모두)",
    )
    which.add_argument(
        "--file", type=parse_path, metavar="FILE", help="홈 폴더의 것 대신 이 셀렉터 파일"
    )
    pages = parser.add_mutually_exclusive_group()
    pages.add_argument(
        "--run", type=parse_text, metavar="RUN", help="이 실행의 페이지에 (기본: 마지막 실행)"
    )
    pages.add_argument(
        "--page",
        type=parse_path,
        action="append",
        metavar="FILE",
        help="이 페이지 파일에 (.html 또는 .html.gz, 여러 번 쓸 수 있음)",
    )


def add_tune_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `tune`."""
    parser.add_argument(
        "--board",
        type=parse_text,
        action="append",
        metavar="ID",
        help="이 게시판만 (기본: 켜진 게시판 모두)",
    )


def add_terms_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `terms`."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=["show", "confirm"],
        default="show",
        metavar="show|confirm",
        help="show(기본)는 상태를 보이고, confirm은 사람이 읽고 허용됨을 확인했다고 기록합니다",
    )
    parser.add_argument(
        "--note",
        type=_note,
        default="",
        metavar="T",
        help="(confirm) 무엇을 읽고 확인했는지; 꼭 적어야 합니다",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--site", type=parse_text, metavar="NAME", help="(confirm) 이 사이트의 약관")
    which.add_argument(
        "--board", type=parse_text, metavar="ID", help="(confirm) 이 게시판의 사이트"
    )
    parser.add_argument("--now", type=_moment, metavar="ISO", help="이 시각인 것처럼 (연습용)")


def add_history_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `history`."""
    parser.add_argument("key", type=parse_text, metavar="KEY", help="등록번호")


def add_where_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `where`."""
    parser.add_argument("key", type=parse_text, metavar="KEY", help="등록번호")
    parser.add_argument(
        "field",
        type=parse_text,
        metavar="FIELD",
        help="항목 이름: 신청인, 또는 company 같은 영문 이름",
    )
    parser.add_argument(
        "--board", type=parse_text, metavar="ID", help="이 게시판의 기록 (번호가 겹칠 때)"
    )
    parser.add_argument(
        "--date", type=parse_day, metavar="D", help="이 날 끝의 값 (기본: 마지막으로 기록한 값)"
    )


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `report`."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--run", type=parse_text, metavar="ID", help="이 실행이 속한 날")
    either.add_argument(
        "--date", type=parse_day, metavar="D", help="이 날 (기본: 마지막 채택된 날)"
    )


def add_review_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `review`."""
    parser.add_argument(
        "action",
        choices=["list", "done"],
        metavar="list|done",
        help="list: 확인할 변경 보기, done N: N번을 확인했다고 적기",
    )
    parser.add_argument("number", type=_positive, nargs="?", metavar="N", help="검토 번호 (done)")
    parser.add_argument("--board", type=parse_text, metavar="ID", help="이 게시판만 (list)")
    parser.add_argument("--all", action="store_true", help="이미 확인한 것도 (list)")
    parser.add_argument(
        "--note", type=_note, default="", metavar="T", help="무엇을 확인했는지 (done)"
    )
    parser.add_argument(
        "--now", type=_moment, metavar="ISO", help="이 시각인 것처럼 실행 (done, 연습용)"
    )


def add_raw_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `raw`."""
    parser.add_argument(
        "action", choices=["export"], metavar="export", help="보관된 페이지 내보내기"
    )
    parser.add_argument(
        "--warc",
        type=parse_text,
        required=True,
        metavar="RUN",
        help="이 실행의 페이지를 WARC 파일 하나로",
    )
    parser.add_argument(
        "--out", type=parse_path, metavar="FILE", help="쓸 파일 (기본: var/warc/RUN.warc.gz)"
    )


def add_prune_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `prune`."""
    parser.add_argument(
        "--dry-run", action="store_true", help="지울 것과 남길 것만 보이고 아무것도 지우지 않습니다"
    )


def add_no_options(parser: argparse.ArgumentParser) -> None:
    """Add none."""
    del parser


# --- values ---------------------------------------------------------------------------------------


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}' 은 ISO 8601 시각이 아닙니다. 예: 2026-12-01T06:00:00+09:00"
        ) from None
    _check_year(text, moment.year)
    return moment if moment.tzinfo else moment.replace(tzinfo=KST)


def parse_day(text: str) -> date:
    """Read a day, as argparse calls it."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' 은 날짜가 아닙니다. 예: 2026-12-01") from None
    _check_year(text, day.year)
    return day


def _check_year(text: str, year: int) -> None:
    if not 2000 <= year < 2100:  # dates are reckoned with; Python's end at the years 1 and 9999
        raise argparse.ArgumentTypeError(f"'{text}' 은 2000년에서 2099년 사이가 아닙니다")


def parse_text(text: str) -> str:
    """Take a text that is one; bytes of another encoding are none."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # bytes of another encoding, as Linux hands them over
        raise argparse.ArgumentTypeError(f"{text!a} 은 글자로 읽을 수 없습니다") from None
    return text


def _note(text: str) -> str:
    note = " ".join(parse_text(text).split())
    if len(note) > MOST_NOTE_CHARACTERS:
        raise argparse.ArgumentTypeError(f"메모가 {MOST_NOTE_CHARACTERS:,}자를 넘습니다")
    if any(ord(char) < 32 or 127 <= ord(char) < 160 for char in note):
        raise argparse.ArgumentTypeError("메모에 제어 문자가 있습니다")
    return note


def parse_path(text: str) -> Path:
    """Take the path of a file or folder."""
    if not text:
        raise argparse.ArgumentTypeError("폴더 이름이 비어 있습니다")
    return Path(text)


def _rows(text: str) -> int:
    if (number := _positive(text)) > MOST_REHEARSED_ROWS:
        raise argparse.ArgumentTypeError(f"'{text}' 은 {MOST_REHEARSED_ROWS:,}건을 넘습니다")
    return number


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 1_000_000_000:
        raise argparse.ArgumentTypeError(f"'{text}' 은 1 이상 10억 이하의 정수가 아닙니다")
    return number
