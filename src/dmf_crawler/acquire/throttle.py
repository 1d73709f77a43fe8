"""How long to wait before the next request, and that there is only one at a time.

The pause follows the server: it aims at `delay_factor` times the time that the last answer took
(Heritrix's delayFactor) and moves half of the way there each time (Scrapy's AutoThrottle). An
error answers fast and says nothing about how much the server can bear, so it never shortens the
pause.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dmf_crawler.settings import Politeness


@dataclass(slots=True)
class Slot:
    """One turn to send.

    Attributes:
        is_success: Set by the holder when the answer was 2xx or 304.
        elapsed_s: How long the turn took; known when it has ended.
    """

    is_success: bool = False
    elapsed_s: float = 0.0


class Throttle:
    """The pauses between the requests to one host.

    Attributes:
        delay_s: Pause that is due after the last answer, before jitter.
    """

    def __init__(
        self,
        politeness: Politeness,
        *,
        monotonic: Callable[[], float],
        sleep: Callable[[float], None],
        uniform: Callable[[float, float], float],
    ) -> None:
        self._politeness = politeness
        self._monotonic = monotonic
        self._sleep = sleep
        self._uniform = uniform
        self._lower_s = politeness.min_delay_s
        self._last_end: float | None = None
        self._is_taken = threading.Lock()
        self.delay_s = self._lower_s

    def require_delay_s(self, seconds: float) -> None:
        """Never pause less than that from now on, even if it is more than `max_delay_s`."""
        self._lower_s = max(self._lower_s, seconds)
        self.delay_s = self._clamp(self.delay_s)

    def due_in_s(self) -> float:
        """Return the seconds until the next request may start, 0 or more, before jitter."""
        if self._last_end is None:
            return 0.0
        return max(0.0, self._last_end + self.delay_s - self._monotonic())

    @contextmanager
    def slot(self) -> Iterator[Slot]:
        """Wait for the turn, then hold it: the body sends one request and reads the whole answer.

        Raises:
            RuntimeError: Another request is on its way; nothing here sends two at once.
        """
        if not self._is_taken.acquire(blocking=False):
            raise RuntimeError("a second request to the same host at the same time")
        try:
            self._pause()
            turn = Slot()
            started = self._monotonic()
            try:
                yield turn
            finally:
                self._last_end = self._monotonic()
                turn.elapsed_s = self._last_end - started
                self._adapt(turn)
        finally:
            self._is_taken.release()

    def _pause(self) -> None:
        if self._last_end is None:
            return
        # Jitter only lengthens: the promised least delay holds for every single pause.
        stretch = 1.0 + self._uniform(0.0, self._politeness.jitter_ratio)
        left_s = self._last_end + self.delay_s * stretch - self._monotonic()
        if left_s > 0:
            self._sleep(left_s)

    def _adapt(self, turn: Slot) -> None:
        aim_s = self._politeness.delay_factor * turn.elapsed_s
        next_s = (self.delay_s + aim_s) / 2
        if not turn.is_success:
            next_s = max(next_s, self.delay_s)
        self.delay_s = self._clamp(next_s)

    def _clamp(self, delay_s: float) -> float:
        # A crawl-delay above max_delay_s is the site's own word and wins over our upper limit.
        upper_s = max(self._politeness.max_delay_s, self._lower_s)
        return min(max(delay_s, self._lower_s), upper_s)
