"""The notice board as it lives from day to day (README, item 12)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dmf_crawler.workbench.rehearsal.days import DayTruth, Ledger
from dmf_crawler.workbench.rehearsal.notice_writer import NoticeWriter, grow_notices
from dmf_crawler.workbench.rehearsal.notices import COLUMNS, Notice
from dmf_crawler.workbench.rehearsal.working_days import (
    ONE_DAY,
    is_working_day,
    list_working_days,
)

# With it the default life shows every ordinary kind of change in its first two days.
_BOARD_SEED = 293

NEWEST = 40
"""Posts whose text or files change: a visit that asks for the newest 40 sees them all."""

SILENT_WEEKDAYS = range(1, 5)
"""Tuesday to Friday: whatever a crawler checks in full on Sunday, it is through by then."""


@dataclass(frozen=True, slots=True)
class NoticePace:
    """How often things happen: weights of 0, 1, 2, … a working day, or a chance a working day.

    Attributes:
        new_posts: New posts.
        retitled: A title changes, and with it the row in the list.
        edited_text: A text changes and its row does not; on a day on which the total rises.
        replaced_file: The same with a file.
        unpinned: A pinned post is unpinned; the next post is pinned then.
        glitch: A post vanishes and is back within three days.
        removed: A post vanishes.
    """

    new_posts: tuple[float, ...] = (35, 45, 20)
    retitled: float = 0.15
    edited_text: float = 0.4
    replaced_file: float = 0.2
    unpinned: float = 0.03
    glitch: float = 0.02
    removed: float = 0.02


ORDINARY_NOTICE_PACE = NoticePace()


class NoticeLife:
    """The board as it lives from `first_day` on.

    Attributes:
        day: Today.
        rows: The posts that the site shows today, newest first.
        columns: What must be recorded of each post.

    Args:
        n_posts: How many there are on the first day.
        seed: The same seed lives the same life.
        first_day: Its posts are the baseline: nothing of them counts.
        pace: How often things happen.
    """

    def __init__(
        self,
        n_posts: int = 60,
        seed: int = 20261130,
        first_day: date = date(2026, 11, 30),
        pace: NoticePace = ORDINARY_NOTICE_PACE,
    ) -> None:
        self._rng = random.Random(seed + _BOARD_SEED)
        self._writer = NoticeWriter(self._rng)
        self._pace = pace
        posts = grow_notices(n_posts, self._writer, first_day)
        self._posts = {post.post_id: post for post in reversed(posts)}  # oldest first
        self._lost: dict[str, date | None] = {}  # back on (None: never)
        self.day = first_day
        self.rows = tuple(posts)
        self.columns = COLUMNS
        self._ledger = Ledger(posts, COLUMNS)

    def advance(self) -> DayTruth:
        """Go to the next calendar day and live it."""
        self.day += ONE_DAY
        before = self.rows
        for post_id in [post_id for post_id, day in self._lost.items() if day == self.day]:
            del self._lost[post_id]
        if is_working_day(self.day):
            self._work(before)
        self.rows = self._list_posts()
        return self._ledger.record_day(self.day, self.rows)

    def _work(self, before: Sequence[Notice]) -> None:
        rng, pace = self._rng, self._pace
        for _ in range(rng.choices(range(len(pace.new_posts)), pace.new_posts)[0]):
            self._add_post()
        self._lose_post(pace)
        if rng.random() < pace.unpinned:
            self._change([post for post in self._list_posts() if post.is_pinned], _unpin)
        edited = self._list_posts()[:NEWEST]
        if rng.random() < pace.retitled:
            self._change(edited, self._writer.retitle)
        if self.day.weekday() in SILENT_WEEKDAYS and _has_risen(before, self._list_posts()):
            self._change_silently()

    def _change_silently(self) -> None:
        posts = [post for post in self._list_posts()[:NEWEST] if post.posted_on < str(self.day)]
        if self._rng.random() < self._pace.edited_text:
            self._change(posts, lambda post: self._writer.edit_text(post, self.day))
        with_files = [post for post in posts if post.attachments]
        if self._rng.random() < self._pace.replaced_file:
            self._change(with_files, lambda post: self._writer.replace_file(post, self.day))

    def _change(self, posts: Sequence[Notice], edit: Callable[[Notice], Notice]) -> None:
        if posts:
            post_id = self._rng.choice(posts).post_id
            self._posts[post_id] = edit(self._posts[post_id])

    def _add_post(self) -> None:
        post = self._writer.write_post(self.day)
        n_pinned = sum(post.is_pinned for post in self._posts.values())
        self._posts[post.post_id] = replace(post, is_pinned=n_pinned < 2)

    def _lose_post(self, pace: NoticePace) -> None:
        """Let a post vanish now and then: for some days, or for good."""
        posts = [post for post in self._list_posts() if post.posted_on < str(self.day)]
        back_on = list_working_days(self.day + ONE_DAY, self.day + 3 * ONE_DAY)
        if back_on and posts and self._rng.random() < pace.glitch:
            self._lost[self._rng.choice(posts).post_id] = self._rng.choice(back_on)
        posts = [post for post in posts if post.post_id not in self._lost]
        # What vanishes counts on the fourth day without it: a working day, so that days off rest.
        is_due_at_work = is_working_day(self.day + timedelta(days=3))
        if is_due_at_work and posts and self._rng.random() < pace.removed:
            self._lost[self._rng.choice(posts).post_id] = None

    def _list_posts(self) -> tuple[Notice, ...]:
        posts = reversed(self._posts.values())
        return tuple(post for post in posts if post.post_id not in self._lost)


def _unpin(post: Notice) -> Notice:
    return replace(post, is_pinned=False)


def _has_risen(before: Sequence[Notice], after: Sequence[Notice]) -> bool:
    """Return whether the total rises whichever posts it counts: all, or those not pinned."""
    n_pinned_before, n_pinned = (sum(post.is_pinned for post in posts) for posts in (before, after))
    n_more = len(after) - len(before)
    return n_more > 0 and n_more > n_pinned - n_pinned_before
