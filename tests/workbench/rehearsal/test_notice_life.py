"""The notice board's days, and their truth against an independent comparison of the posts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date

import pytest

from dmf_crawler.workbench.rehearsal.notice_life import NEWEST, NoticeLife, NoticePace
from dmf_crawler.workbench.rehearsal.notices import COLUMNS, Attachment, Notice
from dmf_crawler.workbench.rehearsal.working_days import is_working_day

BUSY = NoticePace(retitled=0.5, unpinned=0.3, glitch=0.3, removed=0.2)
SILENT = {"body", "files"}


def live_days(life, n_days):
    """Return the posts of each day, the first included, and the truth of all days but the first."""
    days, truths = {life.day: life.rows}, []
    for _ in range(n_days):
        truths.append(life.advance())
        days[life.day] = life.rows
    return days, truths


@pytest.fixture(scope="module", params=["ordinary", "busy"])
def year(request):
    if request.param == "ordinary":
        return live_days(NoticeLife(), 366)
    return live_days(NoticeLife(seed=5, pace=BUSY), 366)


def test_the_truth_of_each_day_is_what_a_plain_comparison_of_the_posts_finds(year):
    days, truths = year
    first, *_ = days
    last_seen = {post.post_id: (first, post) for post in days[first]}
    for truth in truths:
        today = {post.post_id: post for post in days[truth.day]}
        expected = set()
        for key, post in today.items():
            seen_on, before = last_seen.get(key, (None, None))
            fields = changed_fields(before, post) if before else ()
            if seen_on is None:
                expected.add(("NEW", key, (), ""))
            elif (truth.day - seen_on).days > 4:
                expected.add(("REAPPEARED", key, fields, "returned"))
            elif fields:
                expected.add(("MODIFIED", key, fields, ""))
        for key in last_seen.keys() - today.keys():
            if (truth.day - last_seen[key][0]).days == 4:
                expected.add(("WITHDRAWN", key, (), "missing"))
        assert {(h.kind, h.key, h.fields, h.reason) for h in truth.happenings} == expected
        last_seen |= {key: (truth.day, post) for key, post in today.items()}


def changed_fields(before, after):
    return tuple(f for f, _ in COLUMNS if getattr(before, f) != getattr(after, f))


def test_a_silent_change_comes_only_where_a_risen_total_makes_all_posts_due(year):
    """From Tuesday to Friday, on one of the newest posts, its row in the list unchanged."""
    days, truths = year
    yesterday, *_ = days
    n_silent = 0
    for truth in truths:
        before, after = days[yesterday], days[truth.day]
        newest = [post.post_id for post in after[: NEWEST + 3]]
        for happening in truth.happenings:
            if SILENT & set(happening.fields):
                n_silent += 1
                assert happening.key in newest
                assert truth.day.weekday() in range(1, 5)
                assert len(after) > len(before)
                assert count_unpinned(after) > count_unpinned(before)
        yesterday = truth.day
    assert n_silent > 30


def count_unpinned(posts):
    return sum(not post.is_pinned for post in posts)


def test_nothing_happens_on_days_off_and_nothing_is_cosmetic(year):
    _, truths = year
    assert [t.day for t in truths if t.happenings and not is_working_day(t.day)] == []
    assert sum(t.counts["COSMETIC"] for t in truths) == 0


def test_at_most_two_posts_are_pinned_and_a_day_brings_two_new_ones_at_most(year):
    days, truths = year
    assert {sum(post.is_pinned for post in posts) for posts in days.values()} <= {0, 1, 2}
    assert max(t.counts["NEW"] for t in truths) == 2


def test_posts_stay_ordered_newest_first(year):
    days, _ = year
    for posts in days.values():
        ids = [int(post.post_id) for post in posts]
        assert ids == sorted(ids, reverse=True)
        dates = [post.posted_on for post in posts]
        assert dates == sorted(dates, reverse=True)


def test_everything_that_can_happen_happens_in_a_busy_year():
    days, truths = live_days(NoticeLife(seed=5, pace=BUSY), 366)
    kinds = {(h.kind, h.reason) for t in truths for h in t.happenings}
    assert kinds == {("NEW", ""), ("MODIFIED", ""), ("WITHDRAWN", "missing")}
    fields = Counter(f for t in truths for h in t.happenings for f in h.fields)
    assert min(fields[f] for f in ("title", "body", "files")) > 10
    assert any(t.missing for t in truths)
    pinned = [{post.post_id for post in posts if post.is_pinned} for posts in days.values()]
    assert len(set(map(frozenset, pinned))) > 10


def test_the_default_life_shows_every_ordinary_change_on_its_first_days():
    life = NoticeLife()
    assert (len(life.rows), life.day) == (60, date(2026, 11, 30))
    assert count_unpinned(life.rows) == 58
    _, truths = live_days(life, 2)
    assert all(t.counts["NEW"] for t in truths)
    fields = {f for t in truths for h in t.happenings for f in h.fields}
    assert fields == {"title", "body", "files"}


@pytest.mark.parametrize("seed", range(20))
def test_one_visit_of_a_hundred_requests_sees_all_posts_and_files_of_the_first_day(seed):
    posts = NoticeLife(seed=seed).rows
    n_files = sum(len(post.attachments) for post in posts)
    assert n_files > 10
    assert len(posts) + n_files <= 100


def test_posts_look_real_and_are_told_apart():
    posts = NoticeLife(n_posts=200, seed=3).rows
    files = [file for post in posts for file in post.attachments]
    assert len({file.document_id for file in files}) == len(files)
    assert len({file.content for file in files}) == len(files)
    assert {len(post.attachments) for post in posts} == {0, 1, 2, 3}
    assert all(len(set(post.files)) == len(post.files) for post in posts)
    texts = [post.title + post.body for post in posts]
    assert not any("{" in text or "\n\n" in text or "  " in text for text in texts)
    assert {mark for mark in "<&「→" if any(mark in text for text in texts)} == set("<&「→")
    assert all(is_working_day(date.fromisoformat(post.posted_on)) for post in posts)


def test_a_body_is_its_lines_and_the_rows_of_its_tables():
    post = Notice("1", "제목", "과", "2026-11-30", ("가\n나", (("a", "b"), ("c", "d")), "다"))
    assert post.body == "가\n나\na b\nc d\n다"
    assert (post.key, post.is_live, post.files) == ("1", True, ())


def test_a_file_is_recorded_by_name_and_digest():
    file = Attachment("1abc", "가 나.pdf", b"")
    assert file.value == "가 나.pdf (sha256:e3b0c44298fc1c14)"


def test_pinning_is_no_change():
    life = NoticeLife(n_posts=3, pace=NoticePace((1,), 0, 0, 0, 1, 0, 0))
    truths = [life.advance() for _ in range(3)]
    assert [t.happenings for t in truths] == [()] * 3
    assert not any(post.is_pinned for post in life.rows)


def test_a_life_without_posts_goes_on():
    life = NoticeLife(n_posts=0, pace=replace(BUSY, new_posts=(1,)))
    assert [life.advance().happenings for _ in range(10)] == [()] * 10


def test_the_same_seed_lives_the_same_life():
    lives = [live_days(NoticeLife(seed=9), 40) for _ in range(2)]
    assert lives[0] == lives[1]
    assert live_days(NoticeLife(seed=8), 40)[1] != lives[0][1]
