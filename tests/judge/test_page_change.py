"""How a page moved: fields first, then the text; what can be news is never noise."""

import itertools
import random
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.judge.page_change import (
    MOST_THRESHOLD,
    calibrate,
    compare_fields,
    judge_page,
    moving_blocks,
)
from dmf_crawler.judge.telling import name_difference, telling_parts
from dmf_crawler.model.change import Grade
from dmf_crawler.model.record import FieldKind
from dmf_crawler.model.run import KST, Fault
from dmf_crawler.model.watched_page import (
    Calibration,
    Movement,
    PageJudgement,
    PageReading,
)
from dmf_crawler.settings import PageRules
from dmf_crawler.simhash import distance, simhash
from dmf_crawler.text import canonical

RULES = PageRules()
MOMENT = datetime(2026, 12, 1, 6, tzinfo=KST)
SYLLABLES = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼노도로모보소오조초코토포호"
LONG = tuple("".join(random.Random(n).choices(SYLLABLES, k=18)) for n in range(60))
DATED = "이 약관은 2026년 12월 1일부터 적용합니다"
SHORT = (DATED, "문의 1577-1255", "누구나 쓸 수 있다", "찾아오는 분의 말씀을 귀하게 여깁니다")


def _reading(*blocks: str, **fields: str) -> PageReading:
    forms = tuple(map(canonical, blocks))
    return PageReading(blocks=blocks, compared=forms, fields=fields)


def _judge(
    before: PageReading | None,
    after: PageReading,
    threshold: int | None = None,
    rules: PageRules = RULES,
) -> PageJudgement:
    kinds = {"day": FieldKind.DATE, "body": FieldKind.TEXT}
    judged = judge_page(
        before,
        after,
        rules,
        calibration=Calibration(MOMENT, 5, None, threshold),
        kinds=kinds,
        labels={"day": "시행일"},
    )
    assert judged.threshold == threshold
    assert judged.why.endswith(".")
    return judged


def _edit(blocks: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    assert sum(old in block for block in blocks) >= 1
    return tuple(block.replace(old, new) for block in blocks)


# --- none, first ---------------------------------------------------------------------------------


def test_the_first_read_has_nothing_to_be_compared_with():
    judged = _judge(None, _reading(*SHORT), threshold=3)
    assert (judged.movement, judged.distance) == (Movement.FIRST, None)


def test_the_same_compared_text_is_no_change_whatever_else_differs():
    before = PageReading(("09:05", "글"), ("글",), source="a")
    after = PageReading(("11:47", "글"), ("글",), source="b")
    assert _judge(before, after).movement is Movement.NONE
    assert _judge(before, after).distance == 0


@pytest.mark.parametrize("threshold", [None, 0, 64])
@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(min_size=1), max_size=5))
def test_what_is_compared_with_itself_has_not_changed(threshold, blocks):
    reading = _reading(*blocks)
    measured = Calibration(MOMENT, 5, None, threshold)
    judged = judge_page(reading, reading, RULES, calibration=measured, kinds={})
    assert judged.movement is Movement.NONE


# --- fields --------------------------------------------------------------------------------------


def test_a_changed_field_comes_before_the_text():
    before, after = _reading("글 1", day="2026-12-01"), _reading("글 2", day="2026-12-02")
    judged = _judge(before, after)
    assert judged.movement is Movement.FIELD
    [change] = judged.changes
    assert (change.field, change.before, change.after) == ("day", "2026-12-01", "2026-12-02")
    assert (change.kind, change.grade) == (FieldKind.DATE, Grade.SUBSTANTIVE)
    assert judged.distance
    assert judged.tokens
    assert "(시행일)" in judged.why
    assert "글은" in judged.why


def test_a_field_typed_otherwise_is_recorded_too():
    before, after = _reading("글", day="2026.12.1"), _reading("글", day="2026. 12. 1")
    judged = _judge(before, after)
    assert judged.movement is Movement.FIELD
    assert [change.grade for change in judged.changes] == [Grade.COSMETIC]
    # Beside news in the text it does not name the change.
    judged = _judge(before, _reading("다른 글", day="2026. 12. 1"))
    assert judged.movement is Movement.CONTENT
    assert judged.changes


def test_a_field_that_a_newer_file_adds_is_no_change():
    assert _judge(_reading("글"), _reading("글", day="1")).movement is Movement.NONE
    assert compare_fields({"old": "1"}, {"new": "1"}, {}) == ()


def test_changed_fields_keep_the_order_of_the_file():
    before = {"b": "1", "a": "1", "c": "1"}
    changes = compare_fields(before, {"c": "2", "b": "2", "a": "1"}, {})
    assert [change.field for change in changes] == ["c", "b"]


# --- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "token"),
    [
        ("2026년 12월 1일", "2026년 12월 2일", "2026년12월2일"),
        ("1577-1255", "1577-1266", "1577-1266"),
        ("있다", "없다", "없다"),
        ("쓸", "못 쓸", "못"),
        ("귀하게", "GMP로", "GMP"),
    ],
)
def test_in_a_short_text_any_critical_part_is_content(old, new, token):
    judged = _judge(_reading(*SHORT), _reading(*_edit(SHORT, old, new)), threshold=64)
    assert judged.movement is Movement.CONTENT
    assert token in judged.tokens
    assert token in judged.why


def test_wording_alone_is_noise_within_the_threshold():
    before, after = _reading(*SHORT), _reading(*_edit(SHORT, "귀하게", "소중히"))
    bits = distance(simhash("\n".join(before.compared)), simhash("\n".join(after.compared)))
    assert bits > 0
    judged = _judge(before, after, threshold=bits)
    assert (judged.movement, judged.distance) == (Movement.NOISE, bits)
    assert _judge(before, after, threshold=bits - 1).movement is Movement.CONTENT
    assert _judge(before, after, threshold=None).movement is Movement.CONTENT


def test_a_text_is_short_when_one_of_the_two_is():
    long, short = _reading(*LONG, "문의 12"), _reading("문의 12")
    assert len("\n".join(long.compared)) >= RULES.short_characters
    number = _reading("문의 13")
    assert _judge(long, number, threshold=64).movement is Movement.CONTENT
    assert _judge(number, long, threshold=64).movement is Movement.CONTENT
    for one, other in ((short, _reading("".join(LONG))), (_reading("".join(LONG)), short)):
        assert "문의" not in "".join(LONG)
        judged = _judge(one, other, threshold=64)
        assert (judged.movement, judged.tokens) == (Movement.CONTENT, ("12",))
    other = _reading(*_edit((*LONG, "문의 12"), "12", "13"))
    assert _judge(long, other, threshold=64).movement is Movement.NOISE
    assert _judge(short, number, threshold=64).movement is Movement.CONTENT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2026-12-01", "2026-12-11"),
        ("2026. 12. 1.", "2027. 12. 1."),
        ("2026년 12월 1일", "2026년 11월 1일"),
        ("2026年12月1日", "2026年12月3日"),
        ("12월 1일", "12월 2일"),
        ("12/1/2026", "12/2/2026"),
        ("December 1, 2026", "December 2, 2026"),
        ("1 Dec 2026", "2 Dec 2026"),
        ("30일 이내", "60일 이내"),
        ("3개월", "6개월"),
        ("10만원", "20만원"),
        ("50%", "60%"),
        ("제3조", "제4조"),
        ("₩5,000", "₩6,000"),
        ("정상", "취하"),
        ("할 수 있다", "할 수 없다"),
        ("허용", "금지"),
        ("동의하면", "동의하지 않으면"),
        ("以上", "以下"),
        ("利用できる", "利用できない"),
        ("may", "may not"),
        ("is allowed", "is prohibited"),
    ],
)
def test_in_a_long_text_what_can_be_news_is_content_at_any_distance(old, new):
    before = (*LONG[:30], f"글 {old} 글", *LONG[30:])
    judged = _judge(_reading(*before), _reading(*_edit(before, old, new)), threshold=64)
    assert judged.movement is Movement.CONTENT
    assert judged.tokens


def test_a_paragraph_more_or_less_is_content_at_any_distance():
    long, more = _reading(*LONG), _reading(*LONG[:30], LONG[7], *LONG[30:])
    for before, after in ((long, more), (more, long)):
        judged = _judge(before, after, threshold=64)
        assert judged.movement is Movement.CONTENT
        assert "61개" in judged.why


def test_two_dates_that_change_places_are_content():
    before = (*LONG, "공포 2026-12-01", "적용 2027-01-01")
    after = (*LONG, "공포 2027-01-01", "적용 2026-12-01")
    judged = _judge(_reading(*before), _reading(*after), threshold=64)
    assert judged.movement is Movement.CONTENT
    assert "unordered" in judged.why


def test_a_page_whose_only_change_is_a_date_is_content():
    # The owner's article deletes dates before it compares (fault A1): there this is noise.
    before = (*LONG, "취하일 2026-12-01")
    after = (*LONG, "취하일 2026-12-08")
    for threshold in (None, 0, 3, MOST_THRESHOLD):
        assert _judge(_reading(*before), _reading(*after), threshold).movement is Movement.CONTENT


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(LONG), max_size=40),
    st.lists(st.sampled_from((*LONG, "2026-12-01", "금지", "문의 1")), max_size=40),
    st.none() | st.integers(0, 64),
)
def test_noise_is_never_more_than_the_threshold_nor_news(before, after, threshold):
    judged = _judge(_reading(*before), _reading(*after), threshold)
    if judged.movement is Movement.NOISE:
        assert threshold is not None
        assert judged.distance is not None
        assert judged.distance <= threshold
        texts = ["\n".join(map(canonical, blocks)) for blocks in (before, after)]
        assert telling_parts(texts[0]) == telling_parts(texts[1])
        assert len(before) == len(after)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(LONG), max_size=20),
    st.lists(st.sampled_from(LONG), max_size=20),
    st.integers(0, 63),
)
def test_a_lower_threshold_never_makes_noise_of_content(before, after, threshold):
    one = _judge(_reading(*before), _reading(*after), threshold).movement
    other = _judge(_reading(*before), _reading(*after), threshold + 1).movement
    assert one is other or (one, other) == (Movement.CONTENT, Movement.NOISE)


def test_the_parts_that_came_and_went_are_named_once_and_not_too_many():
    assert name_difference(["1", "2", "2"], ["2", "3"]) == ("1", "2", "3")
    assert len(name_difference([], [str(n) for n in range(1_000)])) == 50
    assert name_difference(["1", "2"], ["2", "1"]) == ()


def test_texts_of_a_hundred_thousand_characters_are_judged():
    # Anything quadratic here would take minutes.
    numbers, letters = ("1" * 50_000, "." * 50_000), ("가" * 50_000, "a " * 25_000)
    assert _judge(_reading(*numbers), _reading(*letters), 3).movement is Movement.CONTENT
    many = tuple("글" for _ in range(50_000))
    assert _judge(_reading(*many), _reading(*many, "2026-12-01"), 64).movement is Movement.CONTENT


# --- calibration ---------------------------------------------------------------------------------


def _calibrate(*readings: PageReading, rules: PageRules = RULES) -> Calibration | Fault:
    return calibrate(readings, rules, measured_at=MOMENT, labels={"day": "시행일"})


def test_a_page_that_stands_still_needs_no_threshold():
    assert _calibrate(*[_reading(*LONG)] * 5) == Calibration(MOMENT, 5, None, None)


def test_the_threshold_lies_above_the_largest_of_all_distances():
    pictures = ("바다와 파도와 모래와 물새", "구름과 바람과 하늘과 노을", "호수")
    turning = [_reading(*LONG, f"오늘의 그림 {each}") for each in (*pictures, pictures[0])]
    found = _calibrate(*turning, rules=PageRules(margin_bits=2))
    assert isinstance(found, Calibration)
    prints = [simhash("\n".join(each.compared)) for each in turning]
    largest = max(distance(one, other) for one in prints for other in prints)
    assert largest > 0
    assert (found.n_reads, found.largest_distance, found.threshold) == (4, largest, largest + 2)
    assert found.most_moving == 1
    for one in turning:
        for other in turning:
            assert _judge(one, other, found.threshold).movement in {Movement.NONE, Movement.NOISE}


def test_more_moving_blocks_than_calibration_saw_are_content():
    before, after = _reading(*LONG), _reading("다른 말", "또 다른 말", *LONG[2:])
    for most, movement in ((None, Movement.NOISE), (2, Movement.NOISE), (1, Movement.CONTENT)):
        measured = Calibration(MOMENT, 5, None, 64, most)
        judged = judge_page(before, after, RULES, calibration=measured, kinds={})
        assert judged.movement is movement


def test_reads_that_are_not_neighbours_are_compared_as_well():
    # Each read moves a little further from the first one.
    reads = [_reading(*(LONG[n][::-1] for n in range(moved)), *LONG[moved:]) for moved in range(5)]
    found = _calibrate(*reads, rules=PageRules(margin_bits=0))
    assert isinstance(found, Calibration)
    prints = [simhash("\n".join(each.compared)) for each in reads]
    steps = [distance(one, other) for one, other in itertools.pairwise(prints)]
    assert found.most_moving == 4
    assert found.largest_distance == found.threshold
    assert found.largest_distance is not None
    assert found.largest_distance > max(steps)


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (_reading("글", day="1"), _reading("글", day="2"), "시행일"),
        (_reading("글"), _reading("글", day="2"), "시행일"),
        (_reading(*LONG), _reading(*LONG, LONG[0]), "61개"),
        (_reading(*LONG, "2026-12-01"), _reading(*LONG, "2026-12-02"), "2026-12-02"),
        (_reading(*LONG, "있다"), _reading(*LONG, "없다"), "없다"),
        (_reading("1일", "2일", *LONG), _reading("2일", "1일", *LONG), "순서"),
    ],
)
def test_a_page_that_really_changed_is_not_calibrated(one, other, what):
    fault = _calibrate(one, one, other)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("page_changed_meanwhile", 4)
    assert what in fault.message


def test_a_page_that_moves_too_much_is_not_calibrated():
    fault = _calibrate(_reading(*LONG[:20]), _reading(*LONG[20:40]))
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("page_too_restless", 4)


def test_the_blocks_that_moved_are_named():
    turning = [_reading(*LONG, f"오늘의 그림 {word}") for word in ("바다", "하늘", "바다")]
    assert moving_blocks(turning) == ("오늘의그림바다", "오늘의그림하늘")
    assert moving_blocks(turning[:1]) == ()
    assert len(moving_blocks([_reading(*map(str, range(99))), _reading("가")])) == 50


def test_one_read_is_no_calibration():
    with pytest.raises(ValueError, match="1 readings"):
        _calibrate(_reading("글"))
