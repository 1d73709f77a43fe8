"""The options of the commands that question the whole history: `as-of`, `changes`, `export`."""

from __future__ import annotations

import argparse

from dmf_crawler.cli.options import parse_day, parse_path, parse_text
from dmf_crawler.model.change import EventType, Grade
from dmf_crawler.text import search_form

EVENT_TYPES = {
    "신규": EventType.NEW,
    "변경": EventType.MODIFIED,
    "취하": EventType.WITHDRAWN,
    "재등장": EventType.REAPPEARED,
}
GRADES = {
    "표기": Grade.COSMETIC,
    "경미": Grade.MINOR,
    "실질": Grade.SUBSTANTIVE,
    "대폭": Grade.MAJOR,
}

GRADE_NAMES = tuple(GRADES.values())


def add_as_of_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `as-of`."""
    parser.add_argument("date", type=parse_day, metavar="DATE", help="이 날 끝(다음 날 06:00)")
    parser.add_argument(
        "--board", type=parse_text, metavar="ID", help="이 게시판 (기본: 켜진 첫 목록 게시판)"
    )
    file = parser.add_mutually_exclusive_group()
    file.add_argument(
        "--csv",
        type=parse_path,
        metavar="FILE",
        help="목록을 CSV 파일로 (폴더를 적으면 이름을 정함)",
    )
    file.add_argument(
        "--xlsx", type=parse_path, metavar="FILE", help="목록을 엑셀 파일로 (위와 같음)"
    )


def add_changes_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `changes`."""
    parser.add_argument(
        "--since", type=parse_day, metavar="D", help="이 날부터 (기본: 마지막 채택일까지 7일)"
    )
    parser.add_argument(
        "--until", type=parse_day, metavar="D", help="이 날까지 (기본: 마지막 채택일)"
    )
    parser.add_argument(
        "--board",
        type=parse_text,
        action="append",
        metavar="ID",
        help="이 게시판만 (여러 번 쓸 수 있음; 기본: 모두)",
    )
    parser.add_argument("--key", type=parse_text, metavar="KEY", help="이 등록번호만")
    parser.add_argument(
        "--field", type=parse_text, metavar="F", help="이 항목이 바뀐 것만: 신청인 또는 company"
    )
    for option, name in (
        ("--applicant", "신청인"),
        ("--ingredient", "성분명"),
        ("--country", "제조국가"),
        ("--maker", "제조소명"),
    ):
        parser.add_argument(
            option, type=_words, metavar="T", help=f"{name}에 이 말이 있는 기록만 (전이나 후에)"
        )
    parser.add_argument(
        "--type",
        type=_event_type,
        action="append",
        metavar="T",
        help=f"사건의 종류: {', '.join((*EventType, *EVENT_TYPES))} (여러 번 쓸 수 있음)",
    )
    parser.add_argument(
        "--grade",
        type=_grade,
        action="append",
        metavar="G",
        help=f"변경의 정도: {', '.join((*GRADE_NAMES, *GRADES))} (여러 번 쓸 수 있음)",
    )
    parser.add_argument("--baseline", action="store_true", help="최초 수집(기준선)의 신규도")
    parser.add_argument(
        "--csv", type=parse_path, metavar="FILE", help="바뀐 항목마다 한 행인 CSV 파일로"
    )


def add_export_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `export`."""
    parser.add_argument(
        "folder", type=parse_path, metavar="DIR", help="쓸 폴더 (비어 있거나 없어야 함)"
    )


def _words(text: str) -> str:
    if not search_form(parse_text(text)):
        raise argparse.ArgumentTypeError("찾을 말이 비어 있습니다")
    return text


def _event_type(text: str) -> EventType:
    found = EVENT_TYPES.get(text) or next((e for e in EventType if e == text.upper()), None)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"'{text}' 은 사건의 종류가 아닙니다. 쓸 수 있는 것: "
            f"{', '.join((*EventType, *EVENT_TYPES))}"
        )
    return found


def _grade(text: str) -> Grade:
    found = GRADES.get(text) or next((each for each in GRADE_NAMES if each == text.lower()), None)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"'{text}' 은 변경의 정도가 아닙니다. 쓸 수 있는 것: "
            f"{', '.join((*GRADE_NAMES, *GRADES))}"
        )
    return found
