"""A history that grows without a crawl is one that the program could have lived."""

from __future__ import annotations

from pathlib import Path

from dmf_crawler.persist.recording import known_records
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.verification import verify_history
from dmf_crawler.workbench.long_history import LongHistory
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.simulation import BOARD


def test_a_grown_history_verifies_and_knows_what_its_model_knows(reader, tmp_path: Path):
    with Store(tmp_path / "dmf.sqlite3") as store:
        grown = LongHistory(store, Life(150, 20_261_130), reader=reader)
        grown.grow(45)

        assert [check for check in verify_history(store) if not check.ok] == []
        assert known_records(store, BOARD) == grown.history.known
        ((n_runs, n_days, n_baselines),) = store.rows(
            "SELECT count(*), count(DISTINCT day), sum(is_baseline) FROM crawl_run"
            " WHERE status = 'OK'"
        )
        assert (n_runs, n_days, n_baselines) == (45, 45, 1)
        kinds = {row[0] for row in store.rows("SELECT DISTINCT event_type FROM dmf_event")}
        assert kinds >= {"NEW", "MODIFIED", "WITHDRAWN"}
        for table in ("gate_result", "drift_baseline", "change_rate", "change_observation"):
            assert store.rows(f"SELECT count(*) AS n FROM {table}")[0]["n"] > 40, table


def test_days_may_be_added_later_and_the_same_seed_lives_the_same_days(reader, tmp_path: Path):
    def events(store: Store) -> list[tuple[object, ...]]:
        return [tuple(row) for row in store.rows("SELECT * FROM dmf_event ORDER BY event_id")]

    with Store(tmp_path / "once.sqlite3") as once, Store(tmp_path / "twice.sqlite3") as twice:
        LongHistory(once, Life(60, 7), reader=reader).grow(20)
        grown = LongHistory(twice, Life(60, 7), reader=reader)
        grown.grow(8)
        grown.grow(12)

        assert grown.n_days == 20
        assert events(once) == events(twice)
