"""A page of terms of use before and after a change, as a report shows them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

from dmf_crawler.model.record import Fields
from dmf_crawler.model.run import KST
from dmf_crawler.model.watched_page import (
    Calibration,
    Movement,
    PageReport,
    PageState,
    PageVisitRow,
    ReviewItem,
)
from tests.publish.builders import DAY

BOARD = "nedrug_terms"
PAGE_URL = "https://nedrug.mfds.go.kr/cntnts/3"
RUN = f"20261130T060400-{BOARD}"
RUN_BEFORE = f"20261102T060400-{BOARD}"
LABELS = {"effective_on": "시행일", "body": "본문"}

TERMS = """\
의약품안전나라 이용약관
제1조 (목적)
이 약관은 의약품안전나라(이하 "누리집"이라 한다)가 제공하는 서비스의 이용을 정함을 목적으로 한다.
제2조 (용어의 정의)
1. "이용자"란 누리집에 접속하여 이 약관에 따라 처가 제공하는 서비스를 이용하는 자를 말한다.
2. "자료"란 누리집에 게시된 의약품 정보, 고시, 통계와 그 밖의 저작물을 말한다.
제3조 (약관의 효력과 변경)
1. 이 약관은 누리집에 게시함으로써 효력이 생긴다.
2. 처는 약관을 변경할 때 시행일 7일 전부터 누리집에 알린다.
제4조 (서비스의 제공)
1. 서비스는 연중무휴, 하루 24시간 제공함을 원칙으로 한다.
2. 처는 설비의 점검이 필요한 때 서비스를 잠시 멈출 수 있다.
제5조 (자료의 이용)
1. 이용자는 출처를 밝히고 자료를 이용할 수 있다.
2. 자동화된 수단으로 자료를 수집하는 것은 허용한다.
3. 공공데이터는 공공데이터의 제공 및 이용 활성화에 관한 법률에 따라 이용한다.
제6조 (책임의 제한)
처는 이용자가 자료를 잘못 이용하여 생긴 손해에 대하여 책임을 지지 아니한다.
제7조 (관할 법원)
서비스 이용으로 생긴 분쟁의 소는 민사소송법에 따른 법원에 제기한다.
부칙
이 약관은 2026년 1월 5일부터 시행한다."""

CLAUSE = "4. 접속이 1분에 60회를 넘어 지장을 주는 때에는 처가 그 접속을 제한할 수 있다."


def changed_terms() -> str:
    """Return the terms with a negation, a clause more and another day."""
    text = TERMS
    for old, new in (
        ("수집하는 것은 허용한다.", "수집하는 것은 허용하지 아니한다."),
        ("에 따라 이용한다.", f"에 따라 이용한다.\n{CLAUSE}"),
        ("시행일 7일 전부터", "시행일 30일 전부터"),
        ("2026년 1월 5일", "2026년 12월 1일"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def a_state(run_id: str, day: date, digest: str) -> PageState:
    """Return where a state of the page was read."""
    raw_dir = f"raw/{day}/{BOARD}/{run_id}"
    return PageState(run_id, day, day, PAGE_URL, digest * 32, raw_dir)


def a_review(
    review_id: int = 3,
    *,
    before: Fields | None = None,
    after: Fields | None = None,
    movement: Movement = Movement.FIELD,
) -> ReviewItem:
    """Return a change of the terms that waits for a person."""
    old_day = date(2026, 11, 2)
    old = replace(a_state(RUN_BEFORE, old_day, "1f"), last_day=DAY - timedelta(days=1))
    return ReviewItem(
        review_id=review_id,
        board_id=BOARD,
        run_id=RUN,
        day=DAY,
        movement=movement,
        is_terms=True,
        distance=9,
        before=before or {"effective_on": "2026-01-05", "body": TERMS},
        after=after or {"effective_on": "2026-12-01", "body": changed_terms()},
        threshold=3,
        why="항목 시행일의 값이 바뀌었고, 글의 지문 거리 9비트가 임계값 3비트를 넘습니다.",
        before_at=old,
        after_at=a_state(RUN, DAY, "c4"),
    )


def a_visit(
    movement: Movement = Movement.FIELD, distance: int | None = 9, threshold: int | None = 3
) -> PageVisitRow:
    """Return what the day's run saw."""
    return PageVisitRow(RUN, DAY, movement, distance, threshold, 812, is_same_bytes=False)


def a_page(*waiting: ReviewItem, movement: Movement = Movement.FIELD) -> PageReport:
    """Return what the report says of the terms, with these changes waiting."""
    return PageReport(
        board_id=BOARD,
        name_ko="의약품안전나라 이용약관",
        url=PAGE_URL,
        labels=LABELS,
        last=a_visit(movement),
        rates={
            Movement.FIRST: 1,
            Movement.NONE: 24,
            Movement.NOISE: 3,
            Movement.CONTENT: 0,
            Movement.FIELD: 1,
        },
        calibration=Calibration(datetime(2026, 11, 3, 9, 30, tzinfo=KST), 5, 2, 3),
        waiting=waiting,
        found=waiting,
    )
