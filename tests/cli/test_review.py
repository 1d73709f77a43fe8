from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock

from dmf_crawler.config import load_home
from dmf_crawler.persist.store import Store
from dmf_crawler.workbench.rehearse import make_home
from tests.cli.asking import at, say
from tests.persist.page_days import live_five_days


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose page changed twice in five days."""
    root = tmp_path / "home"
    make_home(root, "http://127.0.0.1:9")
    with Store(load_home(root).database) as store:
        live_five_days(store)
    return root


def test_what_waits_is_listed_newest_first_with_what_changed(home: Path):
    second, first = at(home, "review", "list").json["reviews"]
    assert (second["id"], first["id"]) == (2, 1)
    assert first == {
        "id": 1,
        "board": "nedrug_terms",
        "board_name": "의약품안전나라 이용약관",
        "date": "2026-12-02",
        "run_id": "20261202T060000-nedrug_terms",
        "movement": "content",
        "is_terms": True,
        "distance": 9,
        "threshold": 3,
        "why": "글이 달라졌습니다.",
        "fields": [],
        "removed": [],
        "added": ["+ 제2조"],
        "url": "http://127.0.0.1/cmn/terms",
        "before_run": "20261130T060000-nedrug_terms",
        "diff": None,
        "done_at": None,
        "note": "",
        "commands": first["commands"],
    }
    assert first["commands"]["done"] == (
        f'dmf-crawler review done 1 --home {home} --note "확인한 내용"'
    )
    assert second["fields"] == [
        {
            "field": "effective_on",
            "label": "시행일",
            "before": "2026-01-05",
            "after": "2026-12-01",
        }
    ]


def test_a_person_is_told_the_same_with_the_next_step(home: Path):
    text = say(home, "review", "list", "--board", "nedrug_terms").out
    assert text.startswith("확인할 변경 2건\n\n2  2026-12-04  의약품안전나라 이용약관")
    assert "항목 변경 (거리 0, 임계값 3)  이용약관" in text
    assert "시행일: '2026-01-05' -> '2026-12-01'" in text
    assert f"비교 파일: 없음. dmf-crawler report --home {home} --date 2026-12-04" in text
    assert "terms confirm" in text


def test_the_file_that_shows_both_is_named_once_the_report_was_written(home: Path):
    assert at(home, "report", "--date", "2026-12-04").exit_code == 0
    for each in at(home, "review", "list").json["reviews"]:
        assert Path(each["diff"]).parent == home / "reports"
        assert Path(each["diff"]).is_file()


def test_what_was_looked_at_is_noted_once_and_leaves_the_list(home: Path):
    done = at(home, "review", "done", "1", "--note", "읽음", "--now", "2026-12-05T09:00:00+09:00")
    (item,) = done.json["reviews"]
    assert (item["id"], item["note"], item["done_at"]) == (1, "읽음", "2026-12-05T09:00:00+09:00")
    assert [each["id"] for each in at(home, "review", "list").json["reviews"]] == [2]
    assert [each["id"] for each in at(home, "review", "list", "--all").json["reviews"]] == [2, 1]
    again = at(home, "review", "done", "1")
    assert (again.exit_code, again.error_code) == (2, "review_done")
    told = say(home, "review", "list", "--all").out
    assert "2026-12-05 09:00에 확인했습니다. 다음 보고서부터" in told
    assert (home / "logs/dmf-2026-12-05.jsonl").read_text("utf-8").count('"review_done"') == 1


def test_nothing_that_waits_is_said_to_be_nothing(home: Path):
    for number in ("1", "2"):
        assert at(home, "review", "done", number).exit_code == 0
    assert say(home, "review", "list").out.strip() == "확인할 변경이 없습니다."


def test_a_number_is_marked_only_while_no_run_is_at_work(home: Path):
    with FileLock(home / "var/run.lock"):
        refused = at(home, "review", "done", "1")
        assert (refused.exit_code, refused.error_code) == (8, "lock_held")
        assert at(home, "review", "list").exit_code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["done", "9"], "no_such_review"),
        (["done"], "usage"),
        (["done", "0"], "usage"),
        (["done", "1", "--all"], "usage"),
        (["list", "1"], "usage"),
        (["list", "--note", "x"], "usage"),
        (["list", "--board", "dmf_registry"], "no_such_board"),
        (["watch"], "usage"),
    ],
)
def test_what_cannot_be_meant_is_refused(home: Path, words: list[str], code: str):
    refused = at(home, "review", *words)
    assert (refused.exit_code, refused.error_code) == (2, code)
    assert refused.json["reviews"] == []
