"""`doctor`: checks this machine, the configuration and what is stored; asks no site anything.

It changes nothing: no lock is kept, no folder made, no history migrated.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from dmf_crawler.board_checks import is_loopback, used_sites
from dmf_crawler.boards import Board, Boards
from dmf_crawler.cli.commands import Answer
from dmf_crawler.cli.home import find_home, read_keys
from dmf_crawler.cli.lived import add_answers, collect_review_points
from dmf_crawler.cli.machine_checks import (
    Machine,
    check_disk,
    check_folders,
    check_lock,
    check_place,
    not_looked_at,
)
from dmf_crawler.config import Home, load_home
from dmf_crawler.errors import ConfigError, DmfCrawlerError, StoreError
from dmf_crawler.model.diagnosis import Diagnosis, Health
from dmf_crawler.model.run import RunStatus, day_of
from dmf_crawler.model.tuning import Lived
from dmf_crawler.persist.decisions import held_runs
from dmf_crawler.persist.runs import find_runs
from dmf_crawler.persist.store import Store
from dmf_crawler.settings import Politeness, Settings
from dmf_crawler.watch import read_selectors
from dmf_crawler.world import real_world

OF_CONFIGURATION = frozenset({"configuration", "contact", "selectors", "api_key"})
"""Checks whose failure is a mistake in the configuration; all others are of machine or data."""

MOST_DAYS_AGO = 1
"""Yesterday's list is the last one until today's run has ended."""

WORDS_KO = {Health.OK: "정상", Health.WARN: "주의", Health.FAIL: "이상"}


def doctor(arguments: argparse.Namespace) -> Answer:
    """Check everything that can be checked without a site."""
    root = find_home(arguments.home).resolve()
    with real_world(Politeness()) as world:
        machine = Machine(world.now())
    return tell_diagnoses(list(examine(root, machine)))


def examine(root: Path, machine: Machine) -> Iterator[Diagnosis]:
    """Yield every check of a home folder; one that fails does not stop those that can go on."""
    yield check_place(root, machine)
    try:
        home, error = load_home(root), None
    except ConfigError as caught:  # where its own folders lie, a home folder says by itself
        home, error = Home(root, Settings(), {}, (), {}), caught
    yield from _check_configuration(home, error)
    yield from check_folders(home, knows_reports=error is None)
    yield _look("lock", partial(check_lock, home))
    yield from _check_stored(home, machine, is_configured=error is None)


def _look(name: str, look: Callable[[], Diagnosis], board: str = "") -> Diagnosis:
    """Return what a check finds, or the error that it ends with as its finding."""
    try:
        return look()
    except DmfCrawlerError as error:
        return Diagnosis(
            name,
            Health.FAIL,
            f"[{error.code}] {error.message}",
            "설명대로 고친 뒤 doctor 를 다시 실행하십시오.",
            board,
        )


# --- configuration -------------------------------------------------------------------------------


def _check_configuration(home: Home, error: ConfigError | None) -> Iterator[Diagnosis]:
    if error is not None:
        yield Diagnosis(
            "configuration",
            Health.FAIL,
            f"[{error.code}] {error.message}",
            "설명에 나온 파일과 줄을 고치고 doctor 를 다시 실행하십시오.",
        )
        yield _refuse_contact() if "contact_missing" in error.codes else not_looked_at("contact")
        yield not_looked_at("selectors")
        yield not_looked_at("api_key")
        return
    names = ", ".join(board.id for board in home.enabled_boards)
    yield (
        Diagnosis("configuration", Health.OK, f"config 의 파일이 올바릅니다. 켜진 게시판: {names}")
        if names
        else Diagnosis(
            "configuration",
            Health.FAIL,
            "[no_boards] 켜져 있는 게시판이 없습니다.",
            "config/boards.yaml에서 하나를 enabled: true 로 켜십시오.",
        )
    )
    yield _check_contact(home)
    for board in home.enabled_boards:
        yield _look("selectors", partial(_check_selectors, home, board), board.id)
    yield from _check_keys(home)


def _check_contact(home: Home) -> Diagnosis:
    """Say who is named as responsible; a home with a real site and no name is not even loaded."""
    names = used_sites(Boards(sites=home.sites, boards=home.boards))
    if all(is_loopback(home.sites[name].base_url) for name in names):
        return Diagnosis("contact", Health.OK, "실제 사이트를 읽는 게시판이 없어 필요 없습니다.")
    return Diagnosis("contact", Health.OK, f"담당자 {home.settings.identity.contact}")


def _refuse_contact() -> Diagnosis:
    return Diagnosis(
        "contact",
        Health.FAIL,
        "실제 사이트를 읽는데 담당자의 전자우편 주소가 없습니다.",
        "config/settings.yaml의 identity.contact 에 적으십시오.",
    )


def _check_selectors(home: Home, board: Board) -> Diagnosis:
    version = read_selectors(home, board).file.schema_version
    found = f"selectors/{board.id}.yaml 이 올바릅니다(schema_version {version})."
    return Diagnosis("selectors", Health.OK, found, board=board.id)


def _check_keys(home: Home) -> Iterator[Diagnosis]:
    boards = [board for board in home.enabled_boards if "openapi" in board.used_sources]
    if not boards:
        yield Diagnosis("api_key", Health.OK, "공공데이터 API를 쓰는 게시판이 없어 필요 없습니다.")
    for board in boards:
        yield _look("api_key", partial(_check_key, board), board.id)


def _check_key(board: Board) -> Diagnosis:
    variable = board.openapi.key_variable if board.openapi else ""
    if read_keys([board]):
        found = f"환경 변수 {variable} 에 인증키가 있습니다."
        return Diagnosis("api_key", Health.OK, found, board=board.id)
    return Diagnosis(
        "api_key",
        Health.WARN,
        f"환경 변수 {variable} 에 인증키가 없거나 그 형식이 아니어서 교차 확인을 할 수 없습니다.",
        "공공데이터포털(data.go.kr)에서 받은 인증키를 환경 변수에 넣거나 cross_checks 에서 openapi "
        "를 빼십시오.",
        board.id,
    )


# --- what is stored ------------------------------------------------------------------------------


def _check_stored(home: Home, machine: Machine, *, is_configured: bool) -> Iterator[Diagnosis]:
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
        names = ("last_accepted", "held_runs", "review_points")
        yield from (not_looked_at(name) for name in names)
        return
    with store:
        yield _look("disk_free", partial(_check_room, home, store, machine))
        yield _look("history", partial(_check_file, home, store))
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
        yield _look(
            "last_accepted",
            partial(_check_last, store, board, machine),
            board.id,
        )
    if not is_configured:
        yield not_looked_at("last_accepted")
    yield _look("held_runs", partial(_check_held, store))
    if is_configured:
        yield _look("review_points", partial(_check_points, home, store))
    else:
        yield not_looked_at("review_points")


def _check_last(store: Store | None, board: Board, machine: Machine) -> Diagnosis:
    """Say how old the last accepted list is; a correction reads no new one."""
    name = "last_accepted"
    rows = find_runs(store, board_id=board.id) if store else ()
    row = next((each for each in rows if each.status is RunStatus.OK and not each.reparse_of), None)
    if row is None:
        found = "채택된 목록이 아직 없습니다."
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


# --- what is said --------------------------------------------------------------------------------


def tell_diagnoses(diagnoses: Sequence[Diagnosis]) -> Answer:
    """Return the answer; exit code 0 only where all is well.

    What a machine or stored data lack comes before mistakes in the configuration, those before
    warnings.
    """
    payload = {"checks": [_diagnosis_json(each) for each in diagnoses]}
    text = "\n".join(line for each in diagnoses for line in _say(each))
    failed = [each for each in diagnoses if each.outcome is Health.FAIL]
    warned = [each for each in diagnoses if each.outcome is Health.WARN]
    of_machine = [each for each in failed if each.name not in OF_CONFIGURATION]
    worst = next(iter([*of_machine, *failed, *warned]), None)
    if worst is None:
        return Answer(0, payload, text)
    message = (
        f"이상 {len(failed):,}건, 주의 {len(warned):,}건이 있습니다. 첫째({worst.name}): "
        f"{worst.found} {worst.next_step}"
    )
    if of_machine:
        return Answer(5, payload, text, ("doctor_failed", message))
    if failed:
        return Answer(2, payload, text, ("doctor_configuration", message))
    return Answer(2, payload, text, ("doctor_warnings", message))


def _diagnosis_json(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "name": diagnosis.name,
        "board": diagnosis.board or None,
        "outcome": str(diagnosis.outcome),
        "found": diagnosis.found,
        "next": diagnosis.next_step,
    }


def _say(diagnosis: Diagnosis) -> Iterator[str]:
    where = f"{diagnosis.name} ({diagnosis.board})" if diagnosis.board else diagnosis.name
    first, *rest = diagnosis.found.splitlines()
    yield f"{WORDS_KO[diagnosis.outcome]}  {where}: {first}"
    yield from (f"      {line}" for line in rest)
    if diagnosis.next_step:
        yield f"      할 일: {diagnosis.next_step}"
