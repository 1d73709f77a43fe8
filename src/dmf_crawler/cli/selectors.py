"""`selectors check`: what a selectors file does wrong, and what it finds on saved pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.home import open_home
from dmf_crawler.cli.page_trial import check_page, is_page_file
from dmf_crawler.cli.run import choose_boards
from dmf_crawler.cli.selector_trial import (
    Trial,
    find_pages,
    refuse_other_board,
    try_pages,
)
from dmf_crawler.cli.wording import width_of
from dmf_crawler.config import Home
from dmf_crawler.document import Document, Finding, read_document, word_finding
from dmf_crawler.document_checks import convert_document
from dmf_crawler.errors import ConfigError, UsageError
from dmf_crawler.extract.selector_checks import check_selectors
from dmf_crawler.extract.selector_lint import (
    LintFinding,
    lint_anchors,
    lint_headers,
    lint_selectors,
)
from dmf_crawler.extract.selectors import compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.model.record import Delivery

_N_SHOWN_FAULTS = 5

_N_SHOWN_TABLES = 10
"""Kinds of tables that are not the list, those on most pages first."""


def check(arguments: argparse.Namespace) -> Answer:
    """Lint selectors files and try them on saved pages."""
    if arguments.action != "check":
        raise UsageError(
            "not_available",
            f"'selectors {arguments.action}' 명령은 이 판에 아직 없습니다. selectors check 만 "
            "쓸 수 있습니다.",
        )
    answers = [_check_one(*each, arguments) for each in _choose_files(arguments)]
    error = next((each.error for each in answers if each.error), None)
    return Answer(
        max((each.exit_code for each in answers), key=(0, 4, 2).index, default=0),
        {"files": [each.payload for each in answers]},
        "\n\n".join(each.text for each in answers),
        error,
    )


def _choose_files(arguments: argparse.Namespace) -> Iterator[tuple[Document, Home | None]]:
    """Yield the files to check, and the home whose pages they are for.

    Raises:
        UsageError: `board_needed`, or what `refuse_other_board` and `choose_boards` raise.
    """
    if arguments.file is not None:
        name = arguments.file.as_posix()
        yield read_document(arguments.file, name), _find_home_of_pages(arguments)
        return
    home = open_home(arguments.home)
    wanted = arguments.board
    if arguments.run:
        wanted = [refuse_other_board(home, arguments.run, wanted or [])]
    boards = choose_boards(home, wanted)
    if arguments.page and len(boards) > 1:
        raise UsageError(
            "board_needed",
            f"페이지 파일만으로는 어느 게시판의 것인지 알 수 없습니다(대상 게시판 {len(boards)}개: "
            f"{', '.join(board.id for board in boards)}). --board 로 하나를 정하십시오.",
        )
    for board in boards:
        yield home.selectors[board.id], home


def _find_home_of_pages(arguments: argparse.Namespace) -> Home | None:
    """Return the home in whose pages a file given by name is tried; None where there is none."""
    if arguments.page:
        return None
    try:
        return open_home(arguments.home)
    except ConfigError as error:
        if error.code != "no_home" or arguments.run:
            raise
        return None


def _check_one(document: Document, home: Home | None, arguments: argparse.Namespace) -> Answer:
    if is_page_file(document):
        return check_page(document, home, arguments)
    file = convert_document(document, SelectorsFile)
    findings = [Finding(each.key, each.found, each.expected) for each in check_selectors(file)]
    lint = [] if findings else lint_selectors(file)
    refused = [word_finding(document, each) for each in findings]
    refused += [_word_lint(document, each) for each in lint if each.is_refused]
    warnings = [_word_lint(document, each) for each in lint if not each.is_refused]
    warnings += _warn_of_stranger(document, file, home)
    trial = Trial(source="파일을 고친 뒤에 저장된 페이지에 대 봅니다.")
    if not findings:
        pages, trial.source = find_pages(file, home, arguments)
        try_pages(trial, pages, compile_selectors(file))
        refused += [_word_lint(document, each) for each in lint_headers(file, trial.headers)]
        refused += [_word_lint(document, each) for each in lint_anchors(file, trial.anchors)]
    payload = {
        "file": document.path,
        "board": file.board_id,
        "refused": refused,
        "warnings": warnings,
        **_trial_json(trial),
    }
    text = "\n".join(_say(document, refused, warnings, trial, file))
    if refused:
        message = f"{document.path}: 쓸 수 없는 셀렉터가 {len(refused)}곳 있습니다. {refused[0]}"
        return Answer(2, payload, text, ("selectors_refused", message))
    if trial.faults:
        page, fault = trial.faults[0]
        return Answer(4, payload, text, (fault.code, f"{page}: {fault.message}"))
    return Answer(0, payload, text)


def _word_lint(document: Document, finding: LintFinding) -> str:
    line = document.line_of(finding.key)
    where = f"{document.path} {line}행" if line else document.path
    return f"{where}: {'.'.join(map(str, finding.key))}: {finding.found}: {finding.why}."


def _warn_of_stranger(document: Document, file: SelectorsFile, home: Home | None) -> list[str]:
    """Say that a file is of no board of the home, so that it has no pages there."""
    boards = [board.id for board in home.boards] if home else []
    if home is None or file.board_id in boards:
        return []
    where = f"{document.path} {document.line_of(('board_id',))}행: board_id: {file.board_id}"
    known = ", ".join(boards)
    return [f"{where}: {home.root} 의 config/boards.yaml에 없는 게시판입니다(있는 것: {known})."]


# --- what is said --------------------------------------------------------------------------------


def _trial_json(trial: Trial) -> dict[str, Any]:
    return {
        "pages": trial.pages,
        "n_rows": trial.n_rows,
        "n_details": trial.n_details,
        "hits": _hits_json(trial.hits, trial),
        "detail_hits": _hits_json(trial.detail_hits, trial),
        "faults": [
            {"page": page, "code": fault.code, "message": fault.message}
            for page, fault in trial.faults
        ],
        "n_other_tables": len(trial.losers),
        "other_tables": [
            {"table": text, "n_pages": n} for text, n in trial.losers.most_common(_N_SHOWN_TABLES)
        ],
    }


def _hits_json(hits: Mapping[Delivery, int], trial: Trial) -> list[dict[str, Any]]:
    return [
        {
            "field": each.field,
            "position": each.position,
            "selector": each.selector,
            "n_hits": n_hits,
            "n_pages": trial.served[each],
        }
        for each, n_hits in hits.items()
    ]


def _say(
    document: Document,
    refused: Sequence[str],
    warnings: Sequence[str],
    trial: Trial,
    file: SelectorsFile,
) -> Iterator[str]:
    verdict = f"거부 {len(refused)}건" if refused else "쓸 수 있음"
    version = f"{document.path} (schema_version {file.schema_version})"
    yield f"{version}: {verdict}, 주의 {len(warnings)}건"
    yield from (f"  거부: {each}" for each in refused)
    yield from (f"  주의: {each}" for each in warnings)
    if not trial.pages:
        yield f"  {trial.source}"
        return
    yield f"  {trial.source}, {trial.pages:,}쪽 {trial.n_rows:,}행에 대 본 결과:"
    yield from (f"    {line}" for line in _lay_out_hits(trial.hits, trial, "찾은 행"))
    if trial.n_details:
        yield f"  그 실행의 상세 페이지 {trial.n_details:,}쪽에 대 본 결과:"
        lines = _lay_out_hits(trial.detail_hits, trial, "찾은 쪽")
        yield from (f"    {line}" for line in lines)
    tables = trial.losers.most_common(_N_SHOWN_TABLES)
    yield from (f"  목록이 아닌 표 {text} ({n:,}쪽)" for text, n in tables)
    if len(trial.losers) > len(tables):
        yield f"  그 밖에 목록이 아닌 표 {len(trial.losers) - len(tables):,}가지"
    for page, fault in islice(trial.faults, _N_SHOWN_FAULTS):
        yield f"  읽지 못함: {page}: [{fault.code}] {fault.message}"
    if len(trial.faults) > _N_SHOWN_FAULTS:
        yield f"  그 밖에 읽지 못한 페이지 {len(trial.faults) - _N_SHOWN_FAULTS:,}쪽"


def _lay_out_hits(hits: Mapping[Delivery, int], trial: Trial, counted: str) -> list[str]:
    """Return the table of hits, one line a selector."""
    lines = [("항목", "순서", counted, "쓴 쪽", "셀렉터")]
    for each, n_hits in hits.items():
        order = "기본" if each.position == 0 else f"예비 {each.position}"
        lines.append((each.field, order, f"{n_hits:,}", f"{trial.served[each]:,}", each.selector))
    widths = [max(width_of(line[column]) for line in lines) for column in range(4)]
    return [
        "  ".join(
            [*(_pad(text, width) for text, width in zip(line, widths, strict=False)), line[4]]
        )
        for line in lines
    ]


def _pad(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))
