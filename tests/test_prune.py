from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path

import pytest

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.config import Home
from dmf_crawler.model.detail import KnownPage
from dmf_crawler.model.run import KST, Run, RunStatus
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.pages import record_pages
from dmf_crawler.persist.runs import begin_dry_run, begin_run, finish_run, get_run
from dmf_crawler.persist.store import Store
from dmf_crawler.prune import KeepReason, PrunePlan, carry_out, plan_prune
from dmf_crawler.settings import Retention, Settings

BOARD = "dmf_registry"
TODAY = date(2027, 1, 15)
OLDEST = date(2026, 7, 19)  # 180 days before
OK, HELD, REJECTED, FAILED, RUNNING = (
    RunStatus.OK, RunStatus.HELD, RunStatus.REJECTED, RunStatus.FAILED, RunStatus.RUNNING,
)  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, Settings(), {}, (), {})


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with Store(home.database) as store:
        yield store


def keep_folder(home: Home, run: Run, content: bytes = b"{}\n") -> Path:
    folder = RawStore(home.raw).folder(run)
    (folder / "files").mkdir(parents=True)
    (folder / "index.jsonl").write_bytes(content)
    (folder / "files" / "0123456789abcdef_a.pdf").write_bytes(b"pdf")
    return folder


def a_run(
    home: Home,
    store: Store,
    day: date,
    status: RunStatus = OK,
    *,
    board: str = BOARD,
    hour: int = 6,
    is_dry: bool = False,
    reparse_of: str = "",
) -> str:
    """Record a run that ended so, with its folder; return its id."""
    at = datetime.combine(day, time(hour), KST)
    corrected = get_run(store, reparse_of) if reparse_of else None
    run = (
        begin_dry_run(store, board, at)
        if is_dry
        else begin_run(store, board, at, selector_version=1, reparse_of=corrected)
    )
    if status is not RUNNING and not is_dry:
        with store.atomic():
            finish_run(store, RunSummary(run, status, 0), at)
    if not reparse_of:
        keep_folder(home, run)
    return run.run_id


def names(plan: PrunePlan) -> list[str]:
    return [path.name for path in plan.raw]


def reasons(plan: PrunePlan) -> dict[str, KeepReason]:
    return {kept.run_id: kept.reason for kept in plan.kept}


def days(text: str) -> list[date]:
    """Return days of 2026 written as `05-01 05-02`."""
    return [date.fromisoformat(f"2026-{day}") for day in text.split()]


# --- which run of a month stays ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statuses", "kept"),
    [
        ((OK, OK, OK), 2),
        ((OK, OK, REJECTED), 1),
        ((OK, REJECTED, FAILED), 0),
        ((REJECTED, FAILED, REJECTED), 2),
        ((FAILED,), 0),
    ],
    ids=["the last", "the last accepted", "the only accepted", "the last at all", "alone"],
)
def test_one_run_of_a_month_stays(
    home: Home, store: Store, statuses: tuple[RunStatus, ...], kept: int
):
    runs = [
        a_run(home, store, day, status)
        for day, status in zip(days("05-01 05-02 05-03"), statuses, strict=False)
    ]

    plan = plan_prune(home, store, today=TODAY)

    assert reasons(plan) == {runs[kept]: KeepReason.LAST_OF_MONTH}
    assert names(plan) == [run for run in runs if run != runs[kept]]


def test_each_board_and_each_month_keeps_its_own(home: Home, store: Store):
    runs = [
        a_run(home, store, day, board=board)
        for day in days("04-29 04-30 05-01 05-31")
        for board in (BOARD, "mfds_notice")
    ]

    plan = plan_prune(home, store, today=TODAY)

    assert sorted(reasons(plan)) == sorted(runs[2:4] + runs[6:])
    assert sorted(names(plan)) == sorted(runs[:2] + runs[4:6])


def test_of_several_runs_of_a_day_the_later_stays(home: Home, store: Store):
    early, late = (a_run(home, store, days("05-31")[0], hour=hour) for hour in (6, 20))

    plan = plan_prune(home, store, today=TODAY)

    assert (names(plan), list(reasons(plan))) == ([early], [late])


def test_of_runs_in_one_second_the_highest_number_stays(home: Home, store: Store):
    runs = [a_run(home, store, days("05-01")[0], REJECTED) for _ in range(11)]
    assert runs[-1].endswith("-11")

    assert list(reasons(plan_prune(home, store, today=TODAY))) == [runs[-1]]


def test_what_is_180_days_old_stays_and_what_is_older_goes(home: Home, store: Store):
    """The month's own run is younger than the limit, so nothing older of that month stays."""
    runs = [a_run(home, store, day) for day in (date(2026, 7, 18), OLDEST, date(2026, 7, 20))]

    plan = plan_prune(home, store, today=TODAY)

    assert names(plan) == runs[:1]
    assert plan.kept == ()
    assert plan_prune(home, store, today=OLDEST).raw == ()


def test_whatever_the_day_of_the_prune_the_same_run_of_a_month_stays_in_the_end(
    home: Home, store: Store
):
    """One prune a day for months ends as one prune at the end does."""
    runs = [a_run(home, store, date(2026, 5, day), (OK, REJECTED)[day % 2]) for day in range(1, 32)]
    for ordinal in range(date(2026, 10, 20).toordinal(), date(2026, 12, 10).toordinal()):
        assert carry_out(plan_prune(home, store, today=date.fromordinal(ordinal))) == ()

    assert [path.name for path in home.raw.glob("*/*/*")] == [runs[29]]


# --- what stays whatever its age -----------------------------------------------------------------


@pytest.mark.parametrize(("status", "reason"), [(HELD, "held"), (RUNNING, "running")])
def test_what_is_held_or_at_work_stays(home: Home, store: Store, status: RunStatus, reason: str):
    waiting = a_run(home, store, days("05-01")[0], status)
    other, last = (a_run(home, store, day) for day in days("05-02 05-03"))

    plan = plan_prune(home, store, today=TODAY)

    assert names(plan) == [other]
    assert reasons(plan) == {waiting: reason, last: "last_of_month"}


def test_pages_that_a_held_correction_reads_stay(home: Home, store: Store):
    first, other, last = (a_run(home, store, day) for day in days("05-01 05-02 05-03"))
    a_run(home, store, days("06-01")[0], HELD, reparse_of=first)

    plan = plan_prune(home, store, today=TODAY)

    assert names(plan) == [other]
    assert reasons(plan) == {first: "held", last: "last_of_month"}


def test_an_accepted_correction_makes_its_pages_those_of_an_accepted_run(home: Home, store: Store):
    refused = a_run(home, store, days("05-01")[0], REJECTED)
    failed = a_run(home, store, days("05-02")[0], FAILED)
    a_run(home, store, days("05-03")[0], OK, reparse_of=refused)

    plan = plan_prune(home, store, today=TODAY)

    assert (names(plan), list(reasons(plan))) == ([failed], [refused])


def test_pages_that_a_conditional_request_still_needs_stay(home: Home, store: Store):
    first, other, last = (a_run(home, store, day) for day in days("05-01 05-02 05-03"))
    row = get_run(store, first)
    page = KnownPage(
        ("GET", "http://127.0.0.1/bbs/21/1", ""), "detail", '"1"', "", 0, "ab" * 32, row.raw_dir,
        "", row.run.started_at, row.run.day,
    )  # fmt: skip
    with store.atomic():
        record_pages(store, row.run, [("1", page)])

    plan = plan_prune(home, store, today=TODAY)

    assert names(plan) == [other]
    assert reasons(plan) == {first: "known_page", last: "last_of_month"}


def test_a_dry_run_counts_as_not_accepted(home: Home, store: Store):
    accepted = a_run(home, store, days("05-01")[0])
    dry = a_run(home, store, days("05-02")[0], is_dry=True)
    assert dry.endswith("-dry")
    numbered = home.raw / "2026-05-02" / BOARD / f"{dry}-2"
    numbered.mkdir()

    plan = plan_prune(home, store, today=TODAY)

    assert names(plan) == [dry, numbered.name]
    assert list(reasons(plan)) == [accepted]


def test_a_refused_run_stands_for_its_month_before_a_dry_one(home: Home, store: Store):
    refused = a_run(home, store, days("05-01")[0], REJECTED)
    a_run(home, store, days("05-02")[0], is_dry=True)

    assert list(reasons(plan_prune(home, store, today=TODAY))) == [refused]


def test_what_the_history_does_not_know_is_named_and_left_alone(home: Home, store: Store):
    known = a_run(home, store, days("05-31")[0])
    at = datetime(2026, 5, 1, 6, tzinfo=KST)
    for board, run_id in (
        (BOARD, f"20260501T060000-{BOARD}"),
        (BOARD, "20260501T060000-other-dry"),
        ("other", "20260501T060000-other-dry"),
    ):
        keep_folder(home, Run(run_id, board, at, at.date()))

    plan = plan_prune(home, store, today=TODAY)

    assert plan.raw == ()
    assert [(kept.run_id, kept.reason) for kept in plan.kept] == [
        (f"20260501T060000-{BOARD}", "unknown_run"),
        ("20260501T060000-other-dry", "unknown_run"),
        ("20260501T060000-other-dry", "unknown_board"),
        (known, "last_of_month"),
    ]


def test_what_is_no_run_is_not_looked_at(home: Home, store: Store):
    for name in ("README.md", "backup/x/y/z", f"2026-05-01/{BOARD}/notes.txt", "2026-13-01/a/b/c"):
        path = home.raw / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")

    assert plan_prune(home, store, today=TODAY) == PrunePlan((), (), 0, ())


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_to_elsewhere_is_not_followed(home: Home, store: Store, tmp_path: Path):
    first = a_run(home, store, days("05-01")[0])
    a_run(home, store, days("05-02")[0])
    folder = home.raw / "2026-05-01" / BOARD / first
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)

    assert plan_prune(home, store, today=TODAY).raw == ()


# --- logs ----------------------------------------------------------------------------------------


def test_logs_go_by_the_day_in_their_name(home: Home, store: Store):
    home.logs.mkdir()
    for name in ("dmf-2026-10-16", "dmf-2026-10-17", "dmf-2027-01-15", "dmf-2026-02-30", "other"):
        (home.logs / f"{name}.jsonl").write_bytes(b"12345")
    (home.logs / "dmf-2026-01-01.jsonl.bak").write_bytes(b"")

    plan = plan_prune(home, store, today=TODAY)
    assert [path.name for path in plan.logs] == ["dmf-2026-10-16.jsonl"]
    assert plan.n_bytes == 5

    assert carry_out(plan) == ()
    assert not plan.logs[0].exists()
    assert len(list(home.logs.iterdir())) == 5
    assert carry_out(plan) == ()


def test_retention_is_a_setting(home: Home, store: Store):
    settings = Settings(retention=Retention(raw_days=31, log_days=7))
    strict = Home(home.root, settings, {}, (), {})
    home.logs.mkdir()
    (home.logs / "dmf-2027-01-07.jsonl").write_bytes(b"")
    runs = [a_run(home, store, date(2026, 12, day)) for day in (13, 14, 15)]

    plan = plan_prune(strict, store, today=TODAY)

    assert names(plan) == runs[:2]
    assert [path.name for path in plan.logs] == ["dmf-2027-01-07.jsonl"]


# --- removal -------------------------------------------------------------------------------------


def test_folders_go_with_the_days_that_are_empty_then(home: Home, store: Store):
    gone, shared = (a_run(home, store, day) for day in days("05-01 05-02"))
    stays = a_run(home, store, days("05-02")[0], hour=9)
    a_run(home, store, days("05-03")[0], is_dry=True)
    plan = plan_prune(home, store, today=TODAY)
    assert plan.n_bytes == 3 * len(b"{}\npdf")

    assert carry_out(plan) == ()

    assert [path.name for path in home.raw.iterdir()] == ["2026-05-02"]
    assert [path.name for path in home.raw.glob("*/*/*")] == [stays]
    assert not (home.raw / "2026-05-01").exists()
    assert gone not in stays
    assert shared not in stays
    again = plan_prune(home, store, today=TODAY)
    assert (again.raw, again.n_bytes) == ((), 0)


def test_a_removal_that_was_cut_short_is_finished(home: Home, store: Store):
    """Killed after the first step: the folder has another name, some of its files are gone."""
    first, last = (a_run(home, store, day) for day in days("05-01 05-02"))
    folder = home.raw / "2026-05-01" / BOARD / first
    half = folder.rename(folder.with_name(f"{first}.pruned"))
    (half / "index.jsonl").unlink()

    assert {problem.path.parent.name for problem in RawStore(home.raw).verify()} == {last}
    plan = plan_prune(home, store, today=TODAY)
    assert plan.raw == (half,)
    assert carry_out(plan) == ()
    assert not half.exists()


def test_a_young_leftover_is_finished_too(home: Home, store: Store):
    half = home.raw / "2027-01-14" / BOARD / "x.pruned"
    half.mkdir(parents=True)

    assert plan_prune(home, store, today=TODAY).raw == (half,)


def test_what_cannot_be_removed_is_named_and_the_rest_goes(home: Home, store: Store):
    """As on Windows, where somebody has a folder open: here its new name is taken by a file."""
    blocked, gone, _ = (a_run(home, store, day) for day in days("05-01 05-02 05-03"))
    plan = plan_prune(home, store, today=TODAY)
    folder = next(home.raw.glob(f"*/*/{blocked}"))
    folder.with_name(f"{blocked}.pruned").write_bytes(b"")
    home.logs.mkdir()
    log = home.logs / "dmf-2026-01-01.jsonl"
    (log / "x").mkdir(parents=True)  # no file can be removed there
    plan = PrunePlan(plan.raw, (log,), 0, ())

    left = carry_out(plan)

    assert [each.path for each in left] == [folder, log]
    assert all(each.what for each in left)
    assert (folder / "index.jsonl").exists()
    assert not list(home.raw.glob(f"*/*/{gone}"))
