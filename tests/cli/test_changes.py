"""`changes`: what is found of a known history, on screen, as JSON and csv."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from dmf_crawler.model.record import Record
from dmf_crawler.persist.store import Store
from dmf_crawler.publish.change_files import CHANGE_COLUMNS
from tests.cli.asking import at, say
from tests.cli.told import RENAMED, STAYS, VANISHES, WITHDRAWN
from tests.persist.builders import DIGEST, PAGE_URL, Diary, a_record, moment


def found(home: Path, *words: str) -> list[str]:
    """Return day and last letter of the key of each event that is found."""
    return [f"{e['date'][-2:]} {e['key'][-1]}" for e in at(home, "changes", *words).json["events"]]


# --- which days ---------------------------------------------------------------------------------


def test_without_days_the_last_seven_up_to_the_last_accepted_one_are_shown(told):
    answer = at(told, "changes").json
    assert (answer["since"], answer["until"]) == ("2026-12-02", "2026-12-08")
    assert (answer["n_events"], len(answer["events"])) == (4, 4)
    assert found(told) == ["03 4", "05 1", "06 3", "08 3"]


def test_both_days_count_and_a_day_begins_at_six(told):
    assert found(told, "--since", "2026-12-01", "--until", "2026-12-01") == ["01 2"]
    assert found(told, "--until", "2026-12-03") == ["01 2", "03 4"]
    assert found(told, "--since", "2026-12-06") == ["06 3", "08 3"]
    answer = at(told, "changes", "--since", "2030-01-01").json
    assert (answer["since"], answer["until"], answer["events"]) == ("2030-01-01", "2030-01-01", [])


def test_days_in_the_wrong_order_are_refused(told):
    asked = at(told, "changes", "--since", "2026-12-05", "--until", "2026-12-04")
    assert (asked.exit_code, asked.error_code) == (2, "usage")
    assert "바꾸어" in asked.json["error"]["message"]


def test_the_baseline_is_left_out_unless_it_is_asked_for(told):
    assert found(told, "--since", "2026-11-30", "--until", "2026-11-30") == []
    words = ("--since", "2026-11-30", "--until", "2026-11-30", "--baseline")
    assert found(told, *words) == [f"30 {n}" for n in "12345"]


# --- which events -------------------------------------------------------------------------------

SINCE = ("--since", "2026-11-30")


@pytest.mark.parametrize(
    ("words", "events"),
    [
        (["--field", "신청인"], ["01 2"]),
        (["--field", "company"], ["01 2"]),
        (["--field", "취소 / 취하구분"], ["03 4"]),
        (["--applicant", "국전"], ["01 2"]),
        (["--applicant", "가나제약(주)"], ["01 2"]),
        (["--applicant", "주식회사 삼오제약"], ["03 4", "05 1", "06 3", "08 3"]),
        (["--ingredient", "바르게읽은"], ["05 1"]),
        (["--ingredient", "로사르탄"], ["01 2", "03 4", "05 1", "06 3", "08 3"]),
        (["--maker", "HETERO DRUGS"], ["01 2", "03 4", "05 1", "06 3", "08 3"]),
        (["--maker", "없음"], []),
        (["--country", "인도"], []),
        (["--type", "WITHDRAWN"], ["03 4", "06 3"]),
        (["--type", "취하", "--type", "재등장"], ["03 4", "06 3", "08 3"]),
        (["--type", "modified", "--applicant", "삼오"], ["05 1"]),
        (["--grade", "실질"], ["03 4"]),
        (["--grade", "major", "--grade", "표기"], ["01 2", "05 1"]),
        (["--key", RENAMED.key.lower()], ["01 2"]),
        (["--board", "dmf_registry", "--key", VANISHES.key], ["06 3", "08 3"]),
        (["--board", "mfds_notice", "--board", "dmf_registry", "--field", "제목"], []),
    ],
)
def test_all_that_is_asked_for_has_to_fit(told, words, events):
    assert found(told, *SINCE, *words) == events


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--field", "없는 항목"], "no_such_field"),
        (["--board", "nedrug_terms", "--applicant", "국전"], "nothing_accepted"),
        (["--board", "gone"], "no_such_board"),
        (["--key", "1"], "no_such_key"),
        (["--board", "mfds_notice"], "nothing_accepted"),
    ],
)
def test_what_there_is_not_is_refused(told, words, code):
    asked = at(told, "changes", *words)
    assert (asked.exit_code, asked.error_code) == (2, code)
    assert (asked.json["n_events"], asked.json["events"]) == (0, [])


def test_a_board_that_lacks_the_field_is_told_so(told_home):
    with Store(told_home / "var/dmf.sqlite3") as store:
        post = Record("N", {"title": "공지"}, {}, DIGEST, PAGE_URL, 1)
        Diary(store, board_id="mfds_notice").read(post, at=moment(3))
    words = ("--board", "mfds_notice", "--applicant", "국전")
    assert at(told_home, "changes", *words).error_code == "no_such_field"


def test_events_of_several_boards_stand_in_the_order_of_time(told_home):
    with Store(told_home / "var/dmf.sqlite3") as store:
        diary = Diary(store, board_id="mfds_notice")
        diary.read(a_record("N7"), at=moment(3))
        diary.read(a_record("N7"), a_record("N8"), at=moment(4))
    assert found(told_home) == ["03 4", "04 8", "05 1", "06 3", "08 3"]
    lines = say(told_home, "changes").out.splitlines()
    assert lines[2].endswith("[의약품안전나라 공지]")


# --- how it is told -----------------------------------------------------------------------------


def test_an_event_as_json_has_what_it_changed_under_both_names(told):
    (event,) = at(told, "changes", *SINCE, "--key", RENAMED.key).json["events"]
    assert (event["date"], event["board"], event["key"]) == (
        "2026-12-01",
        "dmf_registry",
        RENAMED.key,
    )
    assert event["occurred_at"] == "2026-12-02T05:00:00+09:00"
    (change,) = event["changes"]
    assert (change["field"], change["label"]) == ("company", "신청인")
    assert (change["before"], change["after"]) == ("가나제약(주)", "국전약품(주)")
    assert event["record"]["company"] == "국전약품(주)"


def test_people_get_one_line_an_event(told):
    head, *lines = say(told, "changes").out.splitlines()
    assert head == "2026-12-02 ~ 2026-12-08 의 변동 4건"
    assert lines[0] == (
        f"  2026-12-03  취하 (상태가 취하·취소로 바뀜)  {WITHDRAWN.key}"
        "  로사르탄칼륨 · (주)삼오제약  취소/취하구분: '정상' -> '취하'"
    )
    assert lines[2] == (
        f"  2026-12-06  취하 (목록에서 사라짐)  {VANISHES.key}  로사르탄칼륨 · (주)삼오제약"
    )
    assert len(lines) == 4


def test_a_csv_file_has_one_row_a_changed_field(told, tmp_path):
    answer = at(told, "changes", "--csv", str(tmp_path)).json
    out = Path(answer["file"])
    assert out.name == "DMF_변동_2026-12-02_2026-12-08_사내용.csv"
    text = out.read_bytes().decode("utf-8-sig")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert tuple(header) == CHANGE_COLUMNS
    assert "사내용" in header[0]
    named = [dict(zip(header, row, strict=True)) for row in rows]
    assert [row["구분"] for row in named] == ["취하", "변경", "취하", "재등장"]
    assert named[1]["키 (사내용)"] == STAYS.key
    assert (named[1]["항목"], named[1]["이전"]) == ("성분명", "로사르탄칼륨")
    assert (named[1]["이후"], named[1]["정도"]) == ("바르게 읽은 성분", "대폭")
    assert (named[2]["사유"], named[2]["처음 사라진 날"]) == ("목록에서 사라짐", "2026-12-04")
    assert (named[2]["항목"], named[2]["이전"], named[2]["이후"]) == ("", "", "")
    assert at(told, "changes", "--csv", str(out)).error_code == "file_exists"
