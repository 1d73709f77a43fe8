"""What `doctor` asks of what is stored: the history, and the room for the pages to come."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import fmean

from dmf_crawler.boards import Board
from dmf_crawler.cli.checks import look, not_looked_at
from dmf_crawler.cli.lived import add_answers, collect_review_points
from dmf_crawler.cli.machine_checks import Machine, check_disk
from dmf_crawler.config import Home
from dmf_crawler.errors import StoreError
from dmf_crawler.model.diagnosis import Diagnosis, Health
from dmf_crawler.model.run import RunStatus, day_of
from dmf_crawler.model.tuning import Lived
from dmf_crawler.persist.decisions import held_runs
from dmf_crawler.persist.runs import find_runs
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.terms import open_stops
from dmf_crawler.terms import TermsSite, list_sites, terms_state

MOST_DAYS_AGO = 1
"""Yesterday's list is the last one until today's run has ended."""


def check_stored(home: Home, machine: Machine, *, is_configured: bool) -> Iterator[Diagnosis]:
    """Yield what the history says; each question for itself, since a part of it may be damaged."""
    if not home.database.is_file():
        yield check_disk(home.root, machine, day_bytes=0)
        yield Diagnosis("history", Health.OK, "이력이 아직 없습니다. 첫 run 이 만듭니다.")
        yield from _check_history(home, machine, None, is_configured=is_configured)
        return
    try:
        store = Store(home.database, for_reading=True)
    except StoreError as error:
        yield check_disk(home.root, machine, day_bytes=0)
        yield _tell_closed(error)
        names = ("last_accepted", "held_runs", "terms", "review_points")
        yield from (not_looked_at(name) for name in names)
        return
    with store:
        yield look("disk_free", partial(_check_room, home, store, machine))
        yield look("history", partial(_check_file, home, store))
        yield from _check_history(home, machine, store, is_configured=is_configured)


def _tell_closed(error: StoreError) -> Diagnosis:
    found = f"[{error.code}] {error.message}"
    if error.code == "database_older":  # the next run brings it up to date
        return Diagnosis("history", Health.WARN, found, "runs 를 한 번 실행하십시오.")
    step = "설명대로 고치고, 손상되었으면 홈 폴더를 백업에서 되살리십시오."
    return Diagnosis("history", Health.FAIL, found, step)


def _check_room(home: Home, store: Store, machine: Machine) -> Diagnosis:
    of_boards = (
        add_answers(home, store, board, Lived(n_days=0)).day_bytes for board in home.enabled_boards
    )
    day_bytes = sum(fmean(each) for each in of_boards if each)
    return check_disk(home.root, machine, day_bytes=day_bytes)


def _check_file(home: Home, store: Store) -> Diagnosis:
    damage = store.find_damage()
    if not damage:
        found = f"{home.database} 를 열었고 SQLite의 빠른 검사에 이상이 없습니다."
        return Diagnosis("history", Health.OK, found)
    return Diagnosis(
        "history",
        Health.FAIL,
        f"{home.database} 가 손상되었습니다: {damage}",
        "verify 로 확인하고 홈 폴더를 백업에서 되살리십시오.",
    )


def _check_history(
    home: Home, machine: Machine, store: Store | None, *, is_configured: bool
) -> Iterator[Diagnosis]:
    for board in home.enabled_boards:
        yield look(
            "last_accepted",
            partial(_check_last, store, board, machine),
            board.id,
        )
    if not is_configured:
        yield not_looked_at("last_accepted")
    yield look("held_runs", partial(_check_held, store))
    if not is_configured:
        yield not_looked_at("terms")
    for site in list_sites(home):
        yield look("terms", partial(_check_terms, home, store, site, machine))
    if is_configured:
        yield look("review_points", partial(_check_points, home, store))
    else:
        yield not_looked_at("review_points")


def _check_last(store: Store | None, board: Board, machine: Machine) -> Diagnosis:
    """Say how old the last accepted list is; a correction reads no new one."""
    name, what = "last_accepted", "페이지가" if board.kind == "page" else "목록이"
    rows = find_runs(store, board_id=board.id) if store else ()
    row = next((each for each in rows if each.status is RunStatus.OK and not each.reparse_of), None)
    if row is None:
        found = f"채택된 {what} 아직 없습니다."
        return Diagnosis(name, Health.WARN, found, "run 을 실행하십시오.", board.id)
    n_days = (day_of(machine.now) - row.run.day).days
    if n_days < 0:
        return Diagnosis(
            name,
            Health.WARN,
            f"마지막으로 채택한 날 {row.run.day} 이 오늘({day_of(machine.now)})보다 늦습니다.",
            "이 PC의 시계를 확인하십시오.",
            board.id,
        )
    ago = f"{n_days:,}일 전" if n_days else "오늘"
    found = f"마지막으로 채택한 날 {row.run.day} ({ago})"
    if n_days <= MOST_DAYS_AGO:
        return Diagnosis(name, Health.OK, found, board=board.id)
    step = "runs 로 그 뒤의 실행이 왜 채택되지 않았는지 보고 run 을 실행하십시오."
    return Diagnosis(name, Health.WARN, found, step, board.id)


def _check_held(store: Store | None) -> Diagnosis:
    held = held_runs(store) if store else ()
    if not held:
        return Diagnosis("held_runs", Health.OK, "결정을 기다리는 실행이 없습니다.")
    names = ", ".join(row.run.run_id for row in held)
    return Diagnosis(
        "held_runs",
        Health.WARN,
        f"보류되어 결정을 기다리는 실행 {len(held):,}건: {names}",
        "pending 으로 사유를 보고 approve 나 reject 하십시오.",
    )


def _check_terms(home: Home, store: Store | None, site: TermsSite, machine: Machine) -> Diagnosis:
    state = terms_state(store, site, home.settings.terms, day_of(machine.now))
    step = (
        "robots.txt와 이용약관을 읽고, 수집이 허용되면 terms confirm "
        f'--site {site.names[0]} --note "확인한 내용" 을 실행하십시오.'
    )
    for stop in open_stops(store, site.base_url) if store else ():
        found = f"{site.base_url} 의 수집 금지 문구 때문에 멈춰 있습니다: '{stop.found.passage}'"
        return Diagnosis("terms", Health.FAIL, f"{found} ({stop.found.url})", step)
    if state.due_since is not None:
        found = f"{site.base_url} 의 약관을 읽을 때가 되었습니다({state.due_since} 부터). "
        return Diagnosis("terms", Health.WARN, found + state.why_due, step)
    if state.confirmed_at is None:
        found = f"{site.base_url} 은 이 PC의 연습 사이트이므로 확인할 약관이 없습니다."
        return Diagnosis("terms", Health.OK, found)
    found = f"{site.base_url} 의 약관을 {day_of(state.confirmed_at)} 에 확인했습니다."
    return Diagnosis("terms", Health.OK, found)


def _check_points(home: Home, store: Store | None) -> Diagnosis:
    points = collect_review_points(home, store)
    if not points:
        return Diagnosis("review_points", Health.OK, "다시 검토할 설계 결정이 없습니다.")
    return Diagnosis(
        "review_points",
        Health.WARN,
        " ".join(point.message for point in points),
        "tune 으로 실측을 보고 설명대로 검토하십시오.",
    )
