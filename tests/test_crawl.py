"""Between two runs, or two boards of one run, lies the same pause as between two requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dmf_crawler.config import load_home
from dmf_crawler.crawl import ENDED, CrawlOptions, crawl
from dmf_crawler.model.page import Reply
from dmf_crawler.model.run import Checkpoint
from dmf_crawler.persist.checkpoints import note_checkpoint, read_checkpoints
from dmf_crawler.persist.runs import begin_dry_run, begin_run
from dmf_crawler.persist.store import Store
from dmf_crawler.watch import Watch, open_watch
from tests.end_to_end.homes import new_home
from tests.fakes.world import START, FakeClock, FakeSite, fake_world

BASE = "http://127.0.0.1:9"
BOARD = "dmf_registry"
PC_NOW = datetime(2027, 9, 1, 4, 30, tzinfo=UTC)
FORBIDDEN = Reply(200, (), b"User-agent: *\nDisallow: /")


@dataclass(frozen=True)
class Morning:
    """A board at 06:00, with what earlier runs left; a crawl ends behind robots.txt."""

    watch: Watch

    def leave(
        self,
        seconds_ago: float,
        *,
        delay_s: float = 2.0,
        board_id: str = BOARD,
        run_id: str = "",
        phase: str = ENDED,
    ) -> None:
        """Let an earlier run have noted its last request so long ago."""
        noted_at = START - timedelta(seconds=seconds_ago)
        checkpoint = Checkpoint(
            run_id=run_id or f"20261130T055000-{board_id}",
            board_id=board_id,
            phase=phase,
            pass_no=1,
            n_done=0,
            n_pages=0,
            n_requests=3,
            delay_s=delay_s,
            last_fault="",
            noted_at=noted_at,
            noted_at_pc=PC_NOW - timedelta(seconds=seconds_ago),
            ends_at=None,
        )
        note_checkpoint(self.watch.store, checkpoint)

    def crawl(self, *, at: datetime = START, is_dry: bool = False) -> float:
        """Return how many seconds after its start a crawl sent its only request."""
        clock = FakeClock(at)
        site = FakeSite(clock, {f"{BASE}/robots.txt": FORBIDDEN})
        store = self.watch.store
        run = (
            begin_dry_run(store, BOARD, at)
            if is_dry
            else begin_run(store, BOARD, at, selector_version=1)
        )
        crawl(
            run,
            self.watch,
            replace(fake_world(clock, site), pc_now=lambda: PC_NOW),
            on_progress=lambda *_: None,
            options=CrawlOptions(is_dry=is_dry),
        )
        ((began_s, _),) = site.spans
        return began_s


@pytest.fixture
def least_s() -> float:
    """Return the least pause that the settings ask for, seconds."""
    return 2.0


@pytest.fixture
def morning(tmp_path: Path, least_s: float) -> Iterator[Morning]:
    home = new_home(tmp_path / "home", BASE)
    home.edit("config/settings.yaml", "min_delay_s: 0.0", f"min_delay_s: {least_s}")
    loaded = load_home(home.root)
    with Store(loaded.database) as store:
        yield Morning(open_watch(loaded, loaded.boards[0], store))


def test_a_crawl_notes_its_end_by_its_own_clock_and_by_the_pcs(morning):
    morning.crawl(at=START + timedelta(microseconds=1))

    (checkpoint,) = read_checkpoints(morning.watch.store)
    assert (checkpoint.phase, checkpoint.n_requests, checkpoint.ends_at) == (ENDED, 1, None)
    assert checkpoint.noted_at == START + timedelta(microseconds=1)
    assert checkpoint.noted_at_pc == PC_NOW


def test_the_very_first_run_rests_for_nobody(morning):
    assert morning.crawl() == 0


@pytest.mark.parametrize(
    ("board_id", "seconds_ago", "rest_s"),
    [
        (BOARD, 0, 2.0),
        (BOARD, 1.999, 0.001),
        (BOARD, 2, 0),
        ("another_board", 0.25, 1.75),
        ("another_board", 3600, 0),
    ],
)
def test_a_run_rests_from_the_last_request_of_the_run_before(
    morning, board_id, seconds_ago, rest_s
):
    """A run by hand straight after another one, or the next board of the same run."""
    morning.leave(seconds_ago, board_id=board_id)

    assert morning.crawl() == pytest.approx(rest_s)


def test_of_several_boards_the_one_that_asked_last_counts(morning):
    morning.leave(3, delay_s=4.0)
    morning.leave(0.5)
    morning.leave(1, board_id="another_board", delay_s=2.0)

    assert morning.crawl() == pytest.approx(1.5)


@pytest.mark.parametrize(("seconds_ago", "rest_s"), [(29, 1.0), (30, 0)])
def test_the_pause_that_was_in_force_is_kept_also_a_crawl_delay(morning, seconds_ago, rest_s):
    """One board's slow answers, or its robots.txt, asked for more than the settings do."""
    morning.leave(seconds_ago, delay_s=30.0, board_id="another_board")

    assert morning.crawl() == pytest.approx(rest_s)


def test_a_pause_that_was_shorter_than_the_settings_ask_for_is_not_the_rest(morning):
    morning.leave(0.5, delay_s=0.1)

    assert morning.crawl() == pytest.approx(1.5)


@pytest.mark.parametrize("seconds_ahead", [1, 86_400])
def test_after_a_clock_that_was_set_back_a_run_rests_one_pause_and_no_longer(
    morning, seconds_ahead
):
    morning.leave(-seconds_ahead)

    assert morning.crawl() == pytest.approx(2.0)


def test_a_dry_run_rests_and_is_rested_for_like_any_other(morning):
    morning.leave(1)

    assert morning.crawl(is_dry=True) == pytest.approx(1.0)
    assert morning.crawl(at=START + timedelta(seconds=1.5)) == pytest.approx(1.5)


@pytest.mark.parametrize("run_id", ["", f"20261130T055000-{BOARD}-dry"])
@pytest.mark.parametrize(("seconds_ago", "rest_s"), [(1, 2.0), (100, 2.0), (154, 2.0), (155, 0)])
def test_after_a_crawl_that_was_cut_short_lies_a_whole_pause(morning, seconds_ago, rest_s, run_id):
    """Its last request may be on its way still: a retry waits 60 s and takes 90 s at most."""
    morning.leave(seconds_ago, phase="list", run_id=run_id)

    assert morning.crawl() == pytest.approx(rest_s)


def test_after_a_crawl_that_was_cut_short_the_pause_that_was_in_force_is_kept_whole(morning):
    morning.leave(60, delay_s=30.0, phase="robots", board_id="another_board")

    assert morning.crawl() == pytest.approx(30.0)


def test_a_crawl_is_noted_before_its_first_request(morning):
    """So that one that is killed in its very first request is known to have been cut short."""
    seen: list[Checkpoint] = []

    class Watcher(FakeSite):
        def send(self, request):
            seen.extend(read_checkpoints(morning.watch.store))
            return super().send(request)

    clock = FakeClock(START)
    site = Watcher(clock, {f"{BASE}/robots.txt": FORBIDDEN})
    run = begin_run(morning.watch.store, BOARD, START, selector_version=1)
    world = replace(fake_world(clock, site), pc_now=lambda: PC_NOW)
    crawl(run, morning.watch, world, on_progress=lambda *_: None, options=CrawlOptions())

    assert [(each.phase, each.n_requests) for each in seen] == [("robots", 0)]


@pytest.mark.parametrize("least_s", [0.0])
@pytest.mark.parametrize(("delay_s", "rest_s"), [(0.0, 0), (0.5, 0.5)])
def test_a_rehearsal_without_a_least_pause_rests_only_for_the_pause_in_force(
    morning, delay_s, rest_s
):
    morning.leave(0, delay_s=delay_s)

    assert morning.crawl() == pytest.approx(rest_s)


@pytest.mark.parametrize("least_s", [0.0])
def test_a_rehearsal_without_a_least_pause_goes_on_at_once_after_a_kill(morning):
    morning.leave(0, delay_s=0.0, phase="list")

    assert morning.crawl() == 0
