from __future__ import annotations

from pathlib import Path

from dmf_crawler.acquire.measures import AnswerCost, measure_answers
from dmf_crawler.acquire.raw_store import RawStore
from tests.acquire.test_raw_store import RUN, a_page


def test_each_answer_tells_its_time_and_what_it_takes(tmp_path: Path):
    raw_store = RawStore(tmp_path)
    raw_store.put(RUN, a_page(b"<p>1</p>", elapsed_s=0.5))
    raw_store.put(RUN, a_page(b"", status=503, elapsed_s=2.0))
    folder = raw_store.folder(RUN)

    costs = list(measure_answers(folder))

    sizes = sorted(path.stat().st_size for path in folder.glob("*.gz"))
    assert [(cost.status, cost.elapsed_s) for cost in costs] == [(200, 0.5), (503, 2.0)]
    assert sorted(cost.n_bytes for cost in costs) == sizes


def test_a_body_that_is_gone_takes_nothing_and_so_does_a_folder(tmp_path: Path):
    raw_store = RawStore(tmp_path)
    raw_store.put(RUN, a_page(elapsed_s=0.5))
    folder = raw_store.folder(RUN)
    for path in folder.glob("*.gz"):
        path.unlink()

    assert list(measure_answers(folder)) == [AnswerCost(200, 0.5, 0)]
    assert list(measure_answers(tmp_path / "none")) == []
