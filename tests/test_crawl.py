"""Between two runs lies the same pause as between two requests."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from dmf_crawler.config import load_home
from dmf_crawler.crawl import CrawlOptions, crawl
from dmf_crawler.model.page import Reply
from dmf_crawler.model.run import RunStatus, kst
from dmf_crawler.model.verdict import RunSummary
from dmf_crawler.persist.runs import begin_run, finish_run
from dmf_crawler.persist.store import Store
from dmf_crawler.watch import open_watch
from tests.end_to_end.homes import new_home
from tests.fakes.world import START, FakeClock, FakeSite, fake_world

BASE = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("seconds_ago", "rest_s"), [(0, 3.0), (1, 2.0), (3, None), (3600, None), (-5, 3.0)]
)
def test_a_run_rests_after_the_one_before(tmp_path, seconds_ago, rest_s):
    """Also a manual run straight after another, and a clock that was set back a little."""
    home = new_home(tmp_path / "home", BASE)
    home.edit("config/settings.yaml", "min_delay_s: 0.0", "min_delay_s: 2.0")
    clock = FakeClock()
    site = FakeSite(clock, {f"{BASE}/robots.txt": Reply(200, (), b"User-agent: *\nDisallow: /")})
    world = fake_world(clock, site)
    loaded = load_home(home.root)
    with Store(loaded.database) as store:
        watch = open_watch(loaded, loaded.boards[0], store)
        before = begin_run(store, "dmf_registry", START - timedelta(hours=2), selector_version=1)
        ended = RunSummary(before, RunStatus.FAILED, 6, n_requests=3)
        with store.atomic():
            finish_run(store, ended, START - timedelta(seconds=seconds_ago))
        run = replace(before, started_at=kst(START))

        crawl(run, watch, world, on_progress=lambda *_: None, options=CrawlOptions())

    assert len(site.requested) == 1
    assert (clock.sleeps[:1] == [rest_s]) is (rest_s is not None)
