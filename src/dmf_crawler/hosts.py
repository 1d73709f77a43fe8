"""The hosts that one run asks, one after the other: each with its fetcher and its robots.txt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic
from urllib.parse import urlsplit

from dmf_crawler.acquire.fetcher import Fetcher, FetchLimits
from dmf_crawler.acquire.frontier import LIST_KINDS
from dmf_crawler.boards import Board, SourceName
from dmf_crawler.model.page import PageRequest
from dmf_crawler.model.run import Fault, Run
from dmf_crawler.persist.earlier_runs import n_killed
from dmf_crawler.persist.host_waits import host_wait
from dmf_crawler.robots_gate import pass_robots
from dmf_crawler.terms import refuse_stopped
from dmf_crawler.visit import KeptPages, Visit
from dmf_crawler.watch import W
from dmf_crawler.world import World


@dataclass(slots=True)
class Hosts(Generic[W]):
    """The hosts of one run.

    Two sites of the configuration that have one address are one host: it has one pause, one budget
    and one robots.txt.

    Attributes:
        run: Which run.
        watch: Its board.
        world: Clock, network and dice.
        kept: Pages that need not be asked for again.
        deadline_s: Reading of the monotonic clock after which no host is asked.
        warnings: Korean sentences about what robots.txt says.
    """

    run: Run
    watch: W
    world: World
    kept: KeptPages
    deadline_s: float
    warnings: list[str] = field(default_factory=list)
    _visits: dict[str, Visit[W]] = field(default_factory=dict)
    _refusals: dict[str, Fault | None] = field(default_factory=dict)
    _last: Visit[W] | None = None

    def enter(self, source: SourceName, first: PageRequest) -> Visit[W] | Fault:
        """Go to the host that a source lies on.

        Args:
            source: Which source.
            first: What is asked for there first.

        Returns:
            The visit; or why nothing, or not this request, may be sent there.
        """
        return self.enter_site(self.watch.home.base_url_of(self.watch.board, source), first)

    def enter_site(self, base_url: str, first: PageRequest) -> Visit[W] | Fault:
        """Go to a host by its address; as `enter`."""
        visit = self._last = self._visits.get(base_url) or self._open(base_url)
        visit.n_before = self.n_requests - visit.fetcher.n_requests
        others = (each.fetcher.throttle.delay_s for each in self._visits.values())
        visit.rest_s = max(others, default=0.0)
        if base_url not in self._refusals:
            refusal = self.stopped or refuse_stopped(self.watch.store, base_url)
            self._refusals[base_url] = refusal or self._ask_robots(visit)
        return self._refusals[base_url] or self.stopped or visit.fetcher.forbid(first) or visit

    @property
    def stopped(self) -> Fault | None:
        """Why this run asks no host any more: a page that it received forbids crawling."""
        stops = (visit.fetcher.stopped for visit in self._visits.values())
        return next((fault for fault in stops if fault is not None), None)

    @property
    def n_requests(self) -> int:
        """Requests sent so far, to all hosts."""
        return sum(visit.fetcher.n_requests for visit in self._visits.values())

    @property
    def n_taken_over(self) -> int:
        """Pages that were not asked for again."""
        return sum(visit.n_taken_over for visit in self._visits.values())

    def end(self, phase: str) -> None:
        """Say, for whoever watches, that no host is asked any more."""
        if self._last is not None:
            self._last.begin_phase(phase)

    def _open(self, base_url: str) -> Visit[W]:
        fetcher = _make_fetcher(self, base_url)
        visit = Visit(self.run, self.watch, fetcher, self.world, base_url, self.kept)
        self._visits[base_url] = visit
        return visit

    def _ask_robots(self, visit: Visit[W]) -> Fault | None:
        """Ask robots.txt; say why nothing else may be asked for."""
        visit.begin_phase("robots")
        gate, told = pass_robots(visit)
        host = "" if visit.base_url == self.watch.base_url else f"{visit.host}: "
        self.warnings += [f"{host}{sentence}" for sentence in told]
        return gate if isinstance(gate, Fault) else None


def _make_fetcher(hosts: Hosts[W], base_url: str) -> Fetcher:
    run, watch, world = hosts.run, hosts.watch, hosts.world
    settings = watch.home.settings
    host = urlsplit(base_url).hostname or ""
    sites = [site for site in watch.home.sites.values() if site.base_url == base_url]
    # A run that was killed may have had a request on its way of which no line tells.
    n_sent = watch.raw_store.n_requests(run.day, host) + n_killed(watch.store, run.day)
    limits = FetchLimits(
        n_requests=settings.budget.requests_per_day - n_sent,
        deadline_s=hosts.deadline_s,
        scopes=_find_scopes(watch.board),
        blocked=tuple(path for site in sites for path in site.blocked),
        not_before=host_wait(watch.store, host),
    )
    return Fetcher(
        world=world, identity=settings.identity, politeness=settings.politeness, limits=limits
    )


def _find_scopes(board: Board) -> Mapping[str, tuple[str, ...]]:
    """Return kind of request → where its redirects may lead."""
    scopes: dict[str, tuple[str, ...]] = {}
    if board.html is not None:
        scopes |= dict.fromkeys(LIST_KINDS, board.html.scope)
    if board.export is not None:
        scopes["export"] = board.export.scope
    if board.openapi is not None:
        scopes["api"] = board.openapi.scope
    if board.page is not None:
        scopes["page"] = board.page.scope
    if board.details is not None:
        scopes |= {"detail": board.details.scope, "file": board.details.file_scope}
    return scopes
