"""A world without a clock on the wall, a network or dice: time moves only when somebody sleeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from dmf_crawler.model.page import Reply, Request
from dmf_crawler.world import World

START = datetime(2026, 11, 29, 21, 0, tzinfo=UTC)  # 2026-11-30 06:00 KST

Answer = Reply | BaseException


@dataclass
class FakeClock:
    """Wall clock and stopwatch in one; `sleeps` has every sleep, seconds."""

    start: datetime = START
    elapsed_s: float = 0.0
    sleeps: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.start + timedelta(seconds=self.elapsed_s)

    def monotonic(self) -> float:
        return self.elapsed_s

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0, "time.sleep refuses negative seconds"
        self.sleeps.append(seconds)
        self.elapsed_s += seconds


@dataclass
class FakeSite:
    """Answers by address: always the same one, or a list that is used up one by one.

    `requested` has every request; `spans` start and end of each, seconds on the clock; an answer
    takes `latency_s`.
    """

    clock: FakeClock
    answers: Mapping[str, Answer | Sequence[Answer]]
    latency_s: float = 0.0
    requested: list[Request] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)

    def send(self, request: Request) -> Reply:
        self.requested.append(request)
        began = self.clock.elapsed_s
        self.clock.elapsed_s += self.latency_s
        self.spans.append((began, self.clock.elapsed_s))
        answer = self._answer_to(request.url)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _answer_to(self, url: str) -> Answer:
        answer = self.answers[url]
        if not isinstance(answer, Sequence):
            return answer
        n_before = [request.url for request in self.requested].count(url) - 1
        return answer[n_before]


def fake_world(clock: FakeClock, site: FakeSite, *, dice: float = 0.0) -> World:
    """Return a world whose dice always show the same share (0 to 1) of the asked range."""
    return World(
        now=clock.now,
        pc_now=clock.now,
        monotonic=clock.monotonic,
        sleep=clock.sleep,
        send=site.send,
        uniform=lambda low, high: low + dice * (high - low),
    )
