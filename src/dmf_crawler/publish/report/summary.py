"""요약: what a reader needs to know first, and whether the list can be trusted today."""

from __future__ import annotations

from collections.abc import Mapping

from dmf_crawler.model.decision import Decided, Decision
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.report import BoardReport, Report, RunRow
from dmf_crawler.model.verdict import Gate, Outcome
from dmf_crawler.publish.report.cells import Cell, Role, Sheet, Tone
from dmf_crawler.publish.report.columns import Places
from dmf_crawler.publish.report.pace import describe_pace
from dmf_crawler.publish.report.tally import Tally, tally_board
from dmf_crawler.publish.report.wording import OUTCOME_WORDS, show_moment

WIDTHS = (21.0, 11.0, 11.0, 11.0, 76.0)
WEEKDAYS = "월화수목금토일"

OUTCOME_ROLES: Mapping[Outcome, Role] = {
    Outcome.PASS: Role.TEXT,
    Outcome.WARN: Role.STRONG,
    Outcome.HOLD: Role.STRONG,
    Outcome.REJECT: Role.STRONG,
}

LEGEND: tuple[tuple[str, Tone, str], ...] = (
    ("신규", Tone.NEW, "목록에 새로 등록된 건입니다."),
    ("변경", Tone.CHANGED, "값이 바뀐 건입니다. 변경 시트에서는 바뀐 뒤의 값에 칠합니다."),
    ("취하", Tone.WITHDRAWN, "취하로 기록한 건입니다."),
    ("재등장", Tone.REAPPEARED, "취하로 기록했으나 다시 나타났거나 정상으로 돌아온 건입니다."),
    ("확인 중", Tone.MISSING, "목록에서 사라졌으나 아직 취하로 기록하지 않은 건입니다."),
)

SHEETS: tuple[tuple[str, str], ...] = (
    ("신규", "새로 등록된 건과 재등장한 건"),
    ("변경", "바뀐 항목마다 한 행: 이전 값과 이후 값"),
    ("취하", "취하로 기록한 건과 확인 중인 건"),
    ("이력", "최근 변동을 최신순으로 모은 표(표기 변경 포함)"),
    ("실행로그", "최근 수집 실행의 결과"),
)


def write_summary(sheet: Sheet, report: Report, places: Places) -> None:
    """Write the title, a section a board, and how to read the workbook."""
    sheet.set_widths(WIDTHS)
    weekday = WEEKDAYS[report.day.weekday()]
    _write_wide(sheet, Cell(f"{title_of(report)} ({weekday})", Role.TITLE))
    written = f"사내용: 외부로 배포하지 마십시오. 작성 {show_moment(report.written_at)} (한국 시간)"
    _write_wide(sheet, Cell(written, Role.ALERT))
    if len(report.boards) > 1:
        _write_overview(sheet, report)
    for board in report.boards:
        _write_board(sheet, report, board, places)
    _write_delay(sheet, report)
    _write_legend(sheet)
    _write_guide(sheet, report, places)


def title_of(report: Report) -> str:
    """Return what the workbook is called."""
    mark = "[미채택] " if report.preview_of else ""
    return f"{mark}DMF 변동 보고서 {report.day.isoformat()}"


def _write_overview(sheet: Sheet, report: Report) -> None:
    """Write one line a board, so that none of them is overlooked further down."""
    _write_heading(sheet, "게시판별 요약")
    _write_table_header(sheet, "게시판", "내용")
    for board in report.boards:
        sentences = _sentences(report, board, tally_board(board))
        n_alerts = len(_alerts(report, board))
        if n_alerts:
            sentences.insert(0, f"먼저 볼 것이 {n_alerts:,}건 있습니다(아래 붉은 글씨).")
        role = Role.STRONG if n_alerts else Role.TEXT
        sheet.write_wide([Cell(board.name_ko, role), Cell(" ".join(sentences), role)])


def _write_board(sheet: Sheet, report: Report, board: BoardReport, places: Places) -> None:
    tally = tally_board(board)
    _write_heading(sheet, board.name_ko)
    for alert in _alerts(report, board):
        _write_wide(sheet, Cell(alert, Role.ALERT))
    for sentence in _sentences(report, board, tally):
        _write_wide(sheet, Cell(sentence, Role.NOTE))
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
    _write_table_header(sheet, "구분", "건수", "설명")
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
        link = _link_to_sheet(target)
        cells = [Cell(label, tone=tone, link=link), Cell(count, tone=tone), Cell(meaning)]
        sheet.write_wide(cells)


def _say_withdrawal(report: Report, board: BoardReport) -> str:
    gone = f"연속 {report.missing_runs}회 목록에 없던 건"
    return f"상태가 취하·취소로 바뀌었거나 {gone}" if board.status_field else gone


def _write_gates(sheet: Sheet, gates: tuple[Gate, ...]) -> None:
    if not gates:
        return
    _write_heading(sheet, "게이트: 오늘의 목록을 믿을 수 있는지 확인한 결과")
    _write_table_header(sheet, "게이트", "결과", "관측값", "기준값", "설명")
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
    _write_heading(sheet, "변동 주기와 지연: 이 목록은 얼마나 자주 바뀌고, 얼마나 늦게 아는가")
    for line in lines:
        role = Role.STRONG if line.is_strong else Role.TEXT
        sheet.write_wide([Cell(line.label, role), Cell(line.text, role)])


def _write_run(sheet: Sheet, board: BoardReport) -> None:
    if board.accepted is None:
        return
    _write_heading(sheet, "이 목록을 만든 수집")
    for label, text in _run_facts(board.accepted):
        sheet.write_wide([Cell(label), Cell(text)])


def _run_facts(row: RunRow) -> tuple[tuple[str, str], ...]:
    return (
        ("run_id", row.run.run_id),
        ("기준일", row.run.day.isoformat()),
        ("시작", show_moment(row.run.started_at)),
        ("종료", show_moment(row.finished_at)),
        ("요청 수", f"{row.n_requests:,}회"),
        ("셀렉터 버전", f"{row.selector_version}"),
    )


def _write_delay(sheet: Sheet, report: Report) -> None:
    _write_heading(sheet, "변동이 보고서에 나타나기까지")
    durations = [
        board.accepted.duration_ms
        for board in report.boards
        if board.accepted is not None and board.accepted.duration_ms is not None
    ]
    spent = f"(이번 {_show_duration(sum(durations))})" if durations else ""
    _write_wide(
        sheet,
        Cell(
            f"신규, 변경, 상태에 따른 취하는 사이트에 올라온 뒤 24시간과 실행 시간{spent} 안에"
            " 나타납니다. 목록에서 사라진 행은 그 안에 '확인 중'으로 바로 표시하고, 연속"
            f" {report.missing_runs}회 확인한 뒤 취하로 기록합니다. 보류된 날과 수집하지 못한 날이"
            " 있으면 그만큼 늦어집니다.",
            Role.NOTE,
        ),
    )
    if any(column.field == BODY for board in report.boards for column in board.columns):
        _write_wide(
            sheet,
            Cell(
                "게시글의 행은 그대로이고 본문이나 첨부파일만 바뀐 경우에는 늦어도 다음 전체"
                " 재확인(매주 일요일, 놓치면 7일 안)에 나타납니다. 한 번에 다 받지 못한 것은 다음"
                " 날 이어서 받으므로 그만큼 더 늦을 수 있습니다.",
                Role.NOTE,
            ),
        )


def _show_duration(duration_ms: int) -> str:
    minutes, seconds = divmod(round(duration_ms / 1000), 60)
    return f"{minutes}분 {seconds}초" if minutes else f"{seconds}초"


def _write_legend(sheet: Sheet) -> None:
    _write_heading(sheet, "색 안내")
    for label, tone, meaning in LEGEND:
        sheet.write_wide([Cell(label, tone=tone), Cell(meaning)])


def _write_guide(sheet: Sheet, report: Report, places: Places) -> None:
    _write_heading(sheet, "시트 안내")
    records = [
        (places.sheet_names[board.board_id], f"{board.name_ko}의 현재 목록")
        for board in report.boards
    ]
    for name, meaning in [*SHEETS[:3], *records[:1], *SHEETS[3:], *records[1:]]:
        sheet.write_wide([Cell(name, link=_link_to_sheet(name)), Cell(meaning)])


def _write_heading(sheet: Sheet, text: str) -> None:
    sheet.skip_row()
    _write_wide(sheet, Cell(text, Role.HEADING))


def _write_wide(sheet: Sheet, cell: Cell) -> None:
    sheet.write_wide([cell])


def _write_table_header(sheet: Sheet, *labels: str) -> None:
    cells = [Cell(label, Role.HEADER) for label in labels]
    if len(cells) < len(WIDTHS):
        sheet.write_wide(cells)
    else:
        sheet.write_row(cells)


def _link_to_sheet(name: str) -> str:
    return f"internal:'{name}'!A1"
