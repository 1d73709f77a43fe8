"""What moves by itself goes; dates, periods, opening hours and ratios stay."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmf_crawler.extract.page_file import UsualVolatile
from dmf_crawler.extract.volatile import compile_volatile, drop_volatile

USUAL: tuple[UsualVolatile, ...] = ("tokens", "hex", "clock", "relative")


def _drop(block: str, *own: str, usual: tuple[UsualVolatile, ...] = USUAL) -> str:
    return drop_volatile(block, *compile_volatile(own, usual))


@pytest.mark.parametrize(
    "block",
    [
        # tokens
        "csrf_token=ab12cd34ef",
        "csrf: Zm9vYmFyMTIz==",
        "JSESSIONID=AB12CD34EF56.node1",
        "_nonce = a1b2c3d4",
        "sid=550e8400-e29b",
        # long hexadecimal numbers
        "0123456789abcdef01234567",
        "0123456789ABCDEF0123456789ABCDEF01234567",
        "550e8400-e29b-41d4-a716-446655440000",
        # the time of day
        "09:05",
        "９：０５：３３",
        "9:05:33",
        "09:05:33.123",
        "9:05 pm",
        "09:05 A.M.",
        "오전 9:05",
        "오전 9시 5분",
        "9시 5분 33초",
        "午前9時5分",
        "午後 11時47分 3秒",
        "09:05:33+09:00",
        # how long ago
        "3분 전",
        "３분전",
        "방금",
        "방금 전",
        "2시간 전",
        "3분 전 업데이트됨",
        "3일 전 수정됨",
        "최종 수정: 3일 전",
        "마지막 업데이트 2주 전",
        "업데이트 5분 전",
        "3分前",
        "たった今",
        "3分前に更新",
        "最終更新: 2日前",
        "3 minutes ago",
        "an hour ago",
        "just now",
        "Updated 3 days ago",
        "Last updated: 5 hours ago",
    ],
)
def test_usual_passages_go_altogether(block):
    assert _drop(block) == ""


@pytest.mark.parametrize(
    ("block", "left"),
    [
        ("2026-12-01 09:05", "2026-12-01"),
        ("2026-12-01T09:05:33+09:00", "2026-12-01"),
        ("2026-12-01T09:05:33.123Z", "2026-12-01"),
        ("2026. 12. 1. 오전 9시 5분", "2026. 12. 1."),
        ("2026年12月1日 9時5分 更新", "2026年12月1日 更新"),
        ("홍길동 · 3분 전 · 공지", "홍길동 · · 공지"),
        ("현재 시각 09:05:33 입니다", "현재 시각 입니다"),
        ("글 [token=a1b2c3d4e5] 끝", "글 [ ] 끝"),
    ],
)
def test_the_rest_of_a_block_stays(block, left):
    assert _drop(block) == left


@pytest.mark.parametrize(
    "block",
    [
        # dates, in whatever form
        "2026-12-01",
        "2026. 12. 1.",
        "2026년 12월 1일",
        "2026年12月1日",
        "12/1/2026",
        "December 1, 2026",
        "20261201",
        "session: 2026-12-01",
        "token: 20261201",
        # periods of notice
        "시행 30일 전",
        "시행 30일 전에 알립니다",
        "7일 전",
        "24시간 전",
        "이용 2시간 전까지 취소",
        "등록 30일 전",
        "30日前までに通知",
        # opening hours and other limits
        "09:00~18:00",
        "09:00 ~ 18:00",
        "09:00-18:00",
        "9:00 am - 6:00 pm",
        "09:00 am - 06:00 pm",
        "오전 9시 30분부터 오후 6시 30분까지",
        "평일 09:30부터 18:30까지",
        "9時30分から18時30分まで",
        "between 09:00 and 18:00",
        "from 09:00 to 18:00",
        "9시부터 18시",
        # ratios, laws, short numbers
        "1:10 희석",
        "3:16",
        "제9조 5항",
        "0123456789abcdef",
        "session: Registration",
        "token",
        "시분초",
    ],
)
def test_what_could_be_the_news_stays(block):
    assert _drop(block) == block


_NEWS = st.sampled_from(
    ["2026-12-01", "2026. 12. 1.", "2026년 12월 1일", "2026年12月1日", "1 December 2026"]
)
_AROUND = st.sampled_from(
    ["09:05", "3분 전", "방금", "token=a1b2c3d4", "오전 9시 5분", "just now", "(", ")", "·", "시행"]
)


@settings(max_examples=200, deadline=None)
@given(_NEWS, st.lists(_AROUND, max_size=3), st.lists(_AROUND, max_size=3))
def test_no_usual_passage_ever_takes_a_date_with_it(day, before, after):
    assert day in _drop(" ".join([*before, day, *after]))


def test_only_the_chosen_kinds_go():
    assert _drop("09:05", usual=()) == "09:05"
    assert _drop("09:05 token=a1b2c3d4", usual=("tokens",)) == "09:05"


def test_a_page_s_own_passages_go_as_they_are_shown():
    assert _drop("조회수：1,234 목록", "조회수：[0-9,]+") == "목록"
    assert _drop("최종 갱신: 2026-12-01", "최종 갱신: [0-9-]{10}") == ""
    assert _drop("시행일: 2026-12-01", "최종 갱신: [0-9-]{10}") == "시행일: 2026-12-01"
