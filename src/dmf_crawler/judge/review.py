"""When a decision of the design should be looked at again, by what the program can see; pure.

Of the owner's four points two are for people alone: whether many attached files must be compared,
and whether summaries by a language model please (none are made).
"""

from __future__ import annotations

from dmf_crawler.model.tuning import ReviewPoint

MOST_BOARDS = 10
MOST_RUN_S = 1_800.0
GAVE_WAY_DAYS = 30
"""One change of selectors in so many days is one too many."""


def find_review_points(
    *, n_boards: int, longest_day_s: float, n_gave_way: int
) -> tuple[ReviewPoint, ...]:
    """Return the points that are reached.

    Args:
        n_boards: Boards that are switched on.
        longest_day_s: The longest that the runs of one of the last 30 days took together.
        n_gave_way: How often in the last 30 days selectors began to give way, or were replaced.
    """
    points = []
    if n_boards > MOST_BOARDS or longest_day_s > MOST_RUN_S:
        points.append(
            ReviewPoint(
                "uneven_schedule",
                f"게시판 {n_boards}개, 하루 수집 시간은 길게 {longest_day_s / 60:.0f}분입니다. "
                f"게시판이 {MOST_BOARDS}개를 넘거나 {MOST_RUN_S / 60:.0f}분을 넘으면 변동률에 따라 "
                "게시판마다 다른 주기로 확인하는 방식을 검토합니다(설계 B.7).",
            )
        )
    if n_gave_way:
        points.append(
            ReviewPoint(
                "unstable_site",
                f"최근 {GAVE_WAY_DAYS}일 동안 셀렉터가 {n_gave_way}번 물러났거나 바뀌었습니다. 한 "
                "달에 한 번 이상이면 사이트가 불안정하다는 뜻이므로 공공데이터 API를 주 원천으로 "
                "쓰는 것을 검토합니다(설계 B.7).",
            )
        )
    return tuple(points)
