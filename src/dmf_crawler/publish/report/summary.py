"""요약: what a reader needs to know first, and whether the list can be trusted today."""

from __future__ import annotations

from collections.abc import Mapping

from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.report import BoardReport, Report, RunRow
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.publish.report.blocks import (
    WIDTHS,
    Note,
    link_to_sheet,
    write_heading,
    write_line,
    write_notes,
    write_table_header,
)
from dmf_crawler.publish.report.cells import Cell, Role, Sheet, Tone
from dmf_crawler.publish.report.columns import Places
from dmf_crawler.publish.report.guide import write_end
from dmf_crawler.publish.report.pace import describe_pace
from dmf_crawler.publish.report.page_notes import (
    page_alerts,
    page_sentence,
    terms_alerts,
    write_alerts,
    write_page,
    write_terms,
)
from dmf_crawler.publish.report.tally import Tally, tally_board
from dmf_crawler.publish.report.wording import OUTCOME_WORDS, show_moment

WEEKDAYS = "월화수목금토일"

OUTCOME_ROLES: Mapping[Outcome, Role] = {
    Outcome.PASS: Role.TEXT,
    Outcome.WARN: Role.STRONG,
    Outcome.HOLD: Role.STRONG,
    Outcome.REJECT: Role.STRONG,
}


def write_summary(sheet: Sheet, report: Report, places: Places) -> None:
    """Write the title, a section a board, and how to read the workbook."""
    sheet.set_widths(WIDTHS)
    weekday = WEEKDAYS[report.day.weekday()]
    write_line(sheet, f"{title_of(report)} ({weekday})", Role.TITLE)
    written = f"사내용: 외부로 배포하지 마십시오. 작성 {show_moment(report.written_at)} (한국 시간)"
    write_line(sheet, written, Role.ALERT)
    for terms in report.terms:
        for alert in terms_alerts(terms):
            write_line(sheet, alert, Role.ALERT)
    if len(report.boards) + len(report.pages) > 1:
        _write_overview(sheet, report)
    for board in report.boards:
        _write_board(sheet, report, board, places)
    for page in report.pages:
        write_page(sheet, page, report.day)
    write_terms(sheet, report.terms)
    write_alerts(sheet, report.alerts)
    write_end(sheet, report, places)


def title_of(report: Report) -> str:
    """Return what the workbook is called."""
    mark = "[미채택] " if report.preview_of else ""
    return f"{mark}DMF 변동 보고서 {report.day.isoformat()}"


def _write_overview(sheet: Sheet, report: Report) -> None:
    """Write one line a board, so that none of them is overlooked further down."""
    write_heading(sheet, "게시판별 요약")
    write_table_header(sheet, "게시판", "내용")
    told = [
        (board.name_ko, _sentences(report, board, tally_board(board)), _alerts(report, board))
        for board in report.boards
    ]
    told += [
        (page.name_ko, [page_sentence(page, report.day)], page_alerts(page))
        for page in report.pages
    ]
    for name, sentences, alerts in told:
        if alerts:
            sentences.insert(0, f"먼저 볼 것이 {len(alerts):,}건 있습니다(아래 붉은 글씨).")
        role = Role.STRONG if alerts else Role.TEXT
        sheet.write_wide([Cell(name, role), Cell(" ".join(sentences), role)])


def _write_board(sheet: Sheet, report: Report, board: BoardReport, places: Places) -> None:
    tally = tally_board(board)
    write_heading(sheet, board.name_ko)
    for alert in _alerts(report, board):
        write_line(sheet, alert, Role.ALERT)
    for sentence in _sentences(report, board, tally):
        write_line(sheet, sentence, Role.NOTE)
    sheet.skip_row()
    _write_counts(sheet, report, board, tally, places.sheet_names[board.board_id])
    _write_gates(sheet, board.gates)
    _write_pace(sheet, board, report.missing_runs)
    _write_run(sheet, board)


def _alerts(report: Report, board: BoardReport) -> list[str]:
    """Return what a reader must not miss: runs that were held or not accepted, missed days."""
    alerts = [board.notice] if board.notice else []
    alerts += [_say_decision(report, row, row.decision) for row in board.decided if row.decision]
    if board.missed_days:
        alerts.append(
            f"이 목록 전에 수집하지 못한 날이 {board.missed_days:,}일 있습니다."
            " 그 사이의 변동은 이번에 함께 기록했습니다."
        )
    return [*alerts, *board.warnings]


def _say_decision(report: Report, row: RunRow, decision: Decision) -> str:
    """Return what became of a held run, and what the person wrote who decided."""
    held = f"{row.run.day} 실행 {row.run.run_id} 은 게이트가 보류했고,"
    if row.run.run_id == report.preview_of:
        return f"{held} 아직 결정되지 않았습니다. 승인하면 나올 보고서를 미리 보여 드립니다."
    when = f" {show_moment(decision.at)} 에" if decision.at else ""
    happened = {
        Decided.APPROVED: f"사람이{when} 승인하여 채택했습니다.",
        Decided.REJECTED: f"사람이{when} 거부하여 채택하지 않았습니다.",
        Decided.SUPERSEDED: "결정 없이 더 새로운 실행이 채택되어 끝났습니다.",
    }[decision.what]
    note = f" 메모: {decision.note}" if decision.note else ""
    return f"{held} {happened}{note}"


def _sentences(report: Report, board: BoardReport, tally: Tally) -> list[str]:
    """Return what happened, in one to three sentences."""
    if board.accepted is None:
        return ["아직 채택한 수집이 없어 보여 드릴 목록이 없습니다."]
    if board.accepted.is_baseline:
        return [_say_baseline(tally)]
    happened = (
        _say_events(report, tally)
        if board.accepted.run.day == report.day
        else f"이날 채택한 수집이 없어 {board.accepted.run.day}에 채택한 목록을 보여 드립니다."
    )
    sentences = [happened, _say_rest(report, tally), _say_size(tally)]
    return [sentence for sentence in sentences if sentence]


def _say_baseline(tally: Tally) -> str:
    return (
        f"최초 수집(기준선): {tally.n_records:,}건을 등록했습니다."
        " 변경 비교는 다음 실행부터 시작됩니다."
    )


def _say_events(report: Report, tally: Tally) -> str:
    if not tally.n_events:
        return "직전에 채택한 수집 이후 신규, 변경, 취하, 재등장이 없습니다."
    parts = [
        f"신규 {tally.n_new:,}건" if tally.n_new else "",
        f"변경 {tally.n_changed:,}건(항목 {tally.n_changed_fields:,}개)" if tally.n_changed else "",
        f"취하 {tally.n_withdrawn:,}건" if tally.n_withdrawn else "",
        f"재등장 {tally.n_reappeared:,}건" if tally.n_reappeared else "",
    ]
    said = ", ".join(part for part in parts if part)
    back = (
        f" 이 가운데 값 {tally.n_changed_back:,}개는 최근 {report.changed_back_days:,}일 안에"
        " 바뀌었다가 되돌아온 것입니다."
        if tally.n_changed_back
        else ""
    )
    return f"직전에 채택한 수집 이후 {said}이 있었습니다.{back}"


def _say_rest(report: Report, tally: Tally) -> str:
    parts = [
        f"표기만 바뀐 {tally.n_cosmetic:,}건은 이력 시트에만 실었습니다."
        if tally.n_cosmetic
        else "",
        f"목록에서 사라진 {tally.n_missing:,}건은 확인 중이며, 연속 {report.missing_runs}회"
        " 확인하면 취하로 기록합니다."
        if tally.n_missing
        else "",
    ]
    return " ".join(part for part in parts if part)


def _say_size(tally: Tally) -> str:
    if tally.n_normal is None:
        return f"현재 목록은 {tally.n_records:,}건입니다."
    return f"현재 목록은 {tally.n_records:,}건이고, 이 가운데 정상은 {tally.n_normal:,}건입니다."


def _write_counts(
    sheet: Sheet, report: Report, board: BoardReport, tally: Tally, records_sheet: str
) -> None:
    write_table_header(sheet, "구분", "건수", "설명")
    on_list = board.accepted.n_rows if board.accepted is not None else None
    size = (
        f"사이트 목록 {on_list:,}건과 확인 중 {tally.n_missing:,}건" if on_list is not None else ""
    )
    if board.accepted is not None and board.accepted.unlisted:
        size += f", 원천에 나오지 않는 취하 {board.accepted.unlisted:,}건"
    rows: tuple[tuple[str, int | None, Tone, str, str], ...] = (
        ("신규", tally.n_new, Tone.NEW, "신규", "새로 등록된 건"),
        (
            "변경",
            tally.n_changed,
            Tone.CHANGED,
            "변경",
            f"값이 바뀐 건(바뀐 항목 {tally.n_changed_fields:,}개)",
        ),
        (
            "취하",
            tally.n_withdrawn,
            Tone.WITHDRAWN,
            "취하",
            _say_withdrawal(report, board),
        ),
        ("재등장", tally.n_reappeared, Tone.REAPPEARED, "신규", "취하로 기록했으나 돌아온 건"),
        (
            "표기 변경만",
            tally.n_cosmetic,
            Tone.PLAIN,
            "이력",
            "띄어쓰기나 기호 같은 표기만 바뀐 건",
        ),
        ("확인 중", tally.n_missing, Tone.MISSING, "취하", "목록에서 사라져 확인하고 있는 건"),
        ("전체 건수", tally.n_records, Tone.PLAIN, records_sheet, size),
    )
    if tally.n_normal is not None:
        normal = ("정상 건수", tally.n_normal, Tone.PLAIN, records_sheet, "상태가 정상인 건")
        rows = (*rows, normal)
    for label, count, tone, target, meaning in rows:
        link = link_to_sheet(target)
        cells = [Cell(label, tone=tone, link=link), Cell(count, tone=tone), Cell(meaning)]
        sheet.write_wide(cells)


def _say_withdrawal(report: Report, board: BoardReport) -> str:
    gone = f"연속 {report.missing_runs}회 목록에 없던 건"
    return f"상태가 취하·취소로 바뀌었거나 {gone}" if board.status_field else gone


def _write_gates(sheet: Sheet, gates: tuple[Gate, ...]) -> None:
    if not gates:
        return
    write_heading(sheet, "게이트: 오늘의 목록을 믿을 수 있는지 확인한 결과")
    write_table_header(sheet, "게이트", "결과", "관측값", "기준값", "설명")
    for gate in gates:
        role = OUTCOME_ROLES[gate.outcome]
        cells = [
            Cell(f"{gate.code} {gate.name_ko}"),
            Cell(OUTCOME_WORDS[gate.outcome], role),
            Cell(gate.observed if gate.observed is not None else "해당 없음"),
            Cell(gate.limit if gate.limit is not None else "없음"),
            Cell(gate.message, role),
        ]
        sheet.write_row(cells)


def _write_pace(sheet: Sheet, board: BoardReport, missing_runs: int) -> None:
    lines = describe_pace(board, missing_runs)
    if not lines:
        return
    write_heading(sheet, "변동 주기와 지연: 이 목록은 얼마나 자주 바뀌고, 얼마나 늦게 아는가")
    write_notes(sheet, lines)


def _write_run(sheet: Sheet, board: BoardReport) -> None:
    if board.accepted is None:
        return
    write_heading(sheet, "이 목록을 만든 수집")
    write_notes(sheet, _run_facts(board.accepted))


def _run_facts(row: RunRow) -> tuple[Note, ...]:
    return (
        Note("run_id", row.run.run_id),
        Note("기준일", row.run.day.isoformat()),
        Note("시작", show_moment(row.run.started_at)),
        Note("종료", show_moment(row.finished_at)),
        Note("요청 수", f"{row.n_requests:,}회"),
        Note("셀렉터 버전", f"{row.selector_version}"),
    )
