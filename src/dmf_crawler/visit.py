"""One run's visit to the site: what every request of it has in common.

Asked politely, or taken over from a run of the same day that was cut short; kept on disk; looked
at as the disk gives it back; noted, so that somebody else can see how far the crawl has come.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from dmf_crawler.acquire.fetcher import Fetcher
from dmf_crawler.acquire.frontier import Frontier
from dmf_crawler.errors import SendError, StoreError
from dmf_crawler.extract.forbidding import find_forbidding
from dmf_crawler.model.detail import KnownPage
from dmf_crawler.model.page import FetchedPage, PageRequest, RawPage, RequestIdentity
from dmf_crawler.model.run import Checkpoint, Fault, Run, day_of, kst
from dmf_crawler.persist.checkpoints import note_checkpoint
from dmf_crawler.persist.earlier_runs import unfinished_runs
from dmf_crawler.persist.host_waits import set_host_wait
from dmf_crawler.persist.terms import decided_passages
from dmf_crawler.terms import stop_site
from dmf_crawler.watch import OpenBoard, W
from dmf_crawler.world import World

T = TypeVar("T")

TAKEN_OVER = frozenset({"list", "detail", "file"})
"""Kinds of pages that a later run of the day may take over."""

Place = tuple[str, int, RequestIdentity]
"""Kind, pass and identity: where a page stands in a crawl."""

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptPages:
    """Pages that runs of the same day kept before they were cut short.

    Attributes:
        pages: Place → page, its body left on disk, and the folder of the run that kept it.
    """

    pages: Mapping[Place, tuple[RawPage, Path]] = field(default_factory=dict)

    def find(self, request: PageRequest, watch: OpenBoard) -> RawPage | None:
        """Return the kept page of a request with its body, None where there is none or no more."""
        page, folder = self.pages.get(place_of(request), (None, Path()))
        body = None if page is None else watch.raw_store.find_body(folder, page.sha256)
        return None if page is None or body is None else replace(page, body=body)

    def has(self, request: PageRequest) -> bool:
        """Say whether there is a page of a request."""
        return place_of(request) in self.pages

    def without_details(self) -> KeptPages:
        """Return the pages of the list alone."""
        return KeptPages({place: page for place, page in self.pages.items() if place[0] == "list"})


def place_of(request: PageRequest) -> Place:
    """Return where a request stands in a crawl."""
    return request.kind, request.pass_no, request.identity


def find_kept_pages(run: Run, watch: OpenBoard) -> KeptPages:
    """Return what crawls of this board and day that were cut short have left on disk.

    Of several runs the newest page of a place counts. Left out, and so asked for again: robots.txt
    and page 1 once more, which must be of this very run; the workbook, which is one request and
    stands between two page 1 of its run; pages of the open API, whose order is another at every
    call, and which has no page 1 once more that would tell an older page from this list; pages of
    another day; pages that somebody else received, with other headers or through another proxy.
    """
    pages: dict[Place, tuple[RawPage, Path]] = {}
    for row in unfinished_runs(watch.store, watch.board.id, run.day):
        folder = watch.home.root / row.raw_dir
        if row.identity != watch.identity:
            continue
        found = {
            place_of(page.request): (page, folder)
            for page in watch.raw_store.answers(folder)
            if page.is_usable
            and page.request.kind in TAKEN_OVER
            and day_of(page.fetched_at) == run.day
            and not (page.request.kind == "file" and _is_half_known(page))
        }
        pages = found | pages
    return KeptPages(pages)


def _is_half_known(page: RawPage) -> bool:
    """Say whether an answer without a length still needs a second one that agrees."""
    return not (page.has_length or page.taken_from)


@dataclass(frozen=True, slots=True)
class StoredBody:
    """The body of an earlier answer, for a page that says 304; and the run that received it."""

    body: bytes
    run_id: str


@dataclass(slots=True)
class Visit(Generic[W]):
    """One run's visit to one host.

    Attributes:
        run: Which run.
        watch: Its board.
        fetcher: Sends its requests.
        world: Clock and sleep.
        base_url: Scheme, host and port of all that is asked for.
        kept: Pages that need not be asked for again.
        frontier: What is still to be asked for, and what was.
        phase: As in `Checkpoint`.
        pass_no: Which reading of the list.
        n_done: Pages of this phase that are done with.
        n_pages: Pages that this phase has, 0 while that is not known.
        n_taken_over: Pages that were not asked for again.
        last_fault: Code and sentence of the last failed request.
        n_before: Requests that the run has sent to other hosts.
        rest_s: Longest pause of another host that the run visited; the next run keeps it.
    """

    run: Run
    watch: W
    fetcher: Fetcher
    world: World
    base_url: str
    kept: KeptPages = field(default_factory=KeptPages)
    frontier: Frontier = field(default_factory=Frontier)
    phase: str = "robots"
    pass_no: int = 1
    n_done: int = 0
    n_pages: int = 0
    n_taken_over: int = 0
    last_fault: str = ""
    n_before: int = 0
    rest_s: float = 0.0
    _last_elapsed_s: float = 0.0

    @property
    def host(self) -> str:
        """Name of the host."""
        return urlsplit(self.base_url).hostname or ""

    def ask_in_turn(self, request: PageRequest, look: Callable[[RawPage], T | Fault]) -> T | Fault:
        """Put a request into the frontier and ask for what is next there: this one, or a bug."""
        if not self.frontier.add(request) or self.frontier.next() != request:
            raise RuntimeError(f"{request.kind} {request.page_no} was asked for out of turn")
        return self.ask(request, look)

    def ask(
        self,
        request: PageRequest,
        look: Callable[[RawPage], T | Fault],
        *,
        stored: StoredBody | None = None,
    ) -> T | Fault:
        """Return what a look at one page says; the page is kept before.

        Args:
            request: What to ask for.
            look: Reads the page as the disk gives it back; a retryable fault makes the fetcher ask
                once more.
            stored: What a 304 stands for; given whenever the request has validators.
        """
        taken = self._take_over(request, look)
        if taken is not None:
            return taken
        seen: list[T] = []

        def keep_and_look(page: FetchedPage) -> Fault | None:
            raw = self._keep(page, stored)
            if self.fetcher.stopped is not None or not raw.is_usable:
                return self.fetcher.stopped
            found = look(raw)
            if isinstance(found, Fault):
                self.log("page_unusable", url=request.url, attempt=page.attempt, code=found.code)
                self.last_fault = f"{found.code}: {found.message}"
                return found
            seen.append(found)
            return None

        try:
            answer = self.fetcher.fetch(request, keep=keep_and_look, on_failure=self._note_failure)
            if isinstance(answer, Fault):
                self.last_fault = f"{answer.code}: {answer.message}"
        finally:  # the next run keeps the pause to this request, whatever became of it
            self.note_checkpoint()
        return answer if isinstance(answer, Fault) else seen[-1]

    def _take_over(
        self, request: PageRequest, look: Callable[[RawPage], T | Fault]
    ) -> T | Fault | None:
        page = self.kept.find(request, self.watch)
        if page is None:
            return None
        if stopped := self._heed_terms(page):  # the run before may have been killed just then
            return stopped
        found = look(page)
        if isinstance(found, Fault):
            return None  # what cannot be used is asked for again
        _, folder = self.kept.pages[place_of(request)]
        self.watch.raw_store.take_over(self.run, page, folder, folder.name)
        self.n_taken_over += 1
        return found

    def take_known(self, request: PageRequest, known: KnownPage) -> RawPage | None:
        """Take a page over from the run that received it last, None where its body is gone."""
        raw_store, folder = self.watch.raw_store, self.watch.home.root / known.raw_dir
        of_request = (
            page
            for page in raw_store.answers(folder)
            if page.sha256 == known.sha256 and page.request.identity == request.identity
        )
        page = next(of_request, None)
        if page is None or raw_store.find_body(folder, known.sha256) is None:
            return None
        raw = raw_store.take_over(self.run, page, folder, folder.name)
        return None if self._heed_terms(raw) else raw

    def ask_robots(self, request: PageRequest) -> FetchedPage | Fault:
        """Ask for robots.txt, which is asked for by every run, and keep every answer."""

        def keep(page: FetchedPage) -> None:
            self._keep(page, None)

        try:
            return self.fetcher.fetch(request, keep=keep, on_failure=self._note_failure)
        finally:
            self.note_checkpoint()

    def _keep(self, page: FetchedPage, stored: StoredBody | None) -> RawPage:
        self._last_elapsed_s = page.elapsed_s
        if self.fetcher.not_before is not None:  # at once: it holds, too, if this run is killed
            set_host_wait(self.watch.store, self.host, self.fetcher.not_before)
        if page.status != 304 or stored is None:
            raw = self.watch.raw_store.put(self.run, page)
        else:
            whole = replace(page, body=stored.body)
            raw = self.watch.raw_store.put(self.run, whole, taken_from=stored.run_id)
        self._heed_terms(raw)
        return raw

    def _heed_terms(self, raw: RawPage) -> Fault | None:
        """Ask the host for nothing more where a kept answer forbids crawling; say why."""
        store, rules = self.watch.store, self.watch.home.settings.terms
        found = find_forbidding(raw, rules)
        if found:  # hardly ever; most of these a person has decided on
            decided = decided_passages(store, self.base_url)
            found = find_forbidding(raw, rules, decided=decided)
        if not found:
            return None
        for each in found:
            self.log("terms_forbid", url=each.url, passage=each.passage, pattern=each.pattern)
        at = self.world.now()
        fault = stop_site(self.watch.home, store, self.run, self.base_url, found, at=at)
        self.fetcher.stop(fault)
        return fault

    def _note_failure(self, request: PageRequest, error: SendError, attempt: int) -> None:
        self.log("request_failed", url=request.url, attempt=attempt, code=error.code)
        self.last_fault = f"{error.code}: {error.message}"
        self.watch.raw_store.note_failure(
            self.run, request, code=error.code, at=self.world.now(), attempt=attempt
        )
        self.note_checkpoint()

    def note_unsent(self, request: PageRequest, code: str) -> None:
        """Note a request that was not sent, so that nobody waits for its answer."""
        self.log("request_not_sent", url=request.url, code=code)
        self.watch.raw_store.note_failure(
            self.run, request, code=code, at=self.world.now(), attempt=1, sent=False
        )

    def log(self, event: str, **details: object) -> None:
        """Write one line of the log."""
        LOG.info(event, extra={"run_id": self.run.run_id, **details})

    def begin_phase(self, phase: str, n_pages: int = 0) -> None:
        """Say what comes next, for whoever watches."""
        self.phase, self.n_pages, self.n_done, self.pass_no = phase, n_pages, 0, 1
        self.note_checkpoint()

    def note_progress(self, n_done: int, n_pages: int | None = None) -> None:
        """Say how many pages of the phase are on disk, and how many there are."""
        self.n_done = n_done
        self.n_pages = self.n_pages if n_pages is None else n_pages
        self.note_checkpoint()

    def note_checkpoint(self) -> None:
        """Note how far the crawl has come, so that `status` can tell from another process.

        It only serves whoever watches, and the next run's first pause: a history that is locked
        for a while does not end the crawl.
        """
        now, delay_s = self.world.now(), self.fetcher.throttle.delay_s
        n_left = self.n_pages - self.n_done
        ends_at = now + timedelta(seconds=n_left * (delay_s + self._last_elapsed_s))
        checkpoint = Checkpoint(
            run_id=self.run.run_id,
            board_id=self.run.board_id,
            phase=self.phase,
            pass_no=self.pass_no,
            n_done=self.n_done,
            n_pages=self.n_pages,
            n_requests=self.n_before + self.fetcher.n_requests,
            delay_s=max(delay_s, self.rest_s),
            last_fault=self.last_fault,
            noted_at=now,
            noted_at_pc=self.world.pc_now(),
            ends_at=kst(ends_at) if self.n_pages else None,
        )
        try:
            note_checkpoint(self.watch.store, checkpoint)
        except StoreError as error:
            LOG.warning("checkpoint_not_noted", extra={"detail": error.message})
