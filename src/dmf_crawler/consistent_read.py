"""One consistent read of a paged list: page 1, all pages, page 1 again; all of it again if need be.

The protocol alone: how a page is asked for and kept is the caller's (docs/decisions.md, page 1
twice).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dmf_crawler.acquire.frontier import count_pages
from dmf_crawler.extract.joining import PassCheck
from dmf_crawler.model.record import PageTable
from dmf_crawler.model.run import Fault

Read = Callable[[int, int, str], PageTable | Fault]
"""Ask for one page: its number, the pass, and `list` or `recheck`."""

OnPage = Callable[[int, int, int], None]
"""Told how many pages of a pass are read, how many it has, and which pass it is."""


@dataclass(frozen=True, slots=True)
class _PassEnd:
    """How a pass ended: with a fault, with pages that `process` judges, or to be read again."""

    fault: Fault | None = None
    is_race: bool = False


def read_consistent(
    read: Read,
    *,
    max_passes: int,
    check: Callable[[], PassCheck],
    may_go_on: Callable[[PageTable, int], Fault | None],
    on_page: OnPage,
) -> Fault | None:
    """Read a list until a pass is consistent, at most `max_passes` times.

    Args:
        read: Asks for a page; nothing is asked for in advance.
        max_passes: 1 or more.
        check: Begins the check of a pass.
        may_go_on: Says, from page 1 of a pass, why the rest of it must not be asked for.
        on_page: Told before each request behind page 1, and at the end of a pass.

    Returns:
        Why there are no pages that make a list. None where there are, and also where the list
        changed until the last pass, is refused or must not be read again: all this is seen from
        the pages that were kept, and named there.
    """
    for pass_no in range(1, max_passes + 1):
        first = read(1, pass_no, "list")
        if isinstance(first, Fault):
            return first
        if refusal := may_go_on(first, pass_no):
            return refusal if pass_no == 1 else None
        end = _read_pass(first, pass_no, read, check(), on_page)
        if not end.is_race:
            return end.fault
    return None


def _read_pass(
    first: PageTable, pass_no: int, read: Read, check: PassCheck, on_page: OnPage
) -> _PassEnd:
    """Read pages 2 to n and page 1 once more; how many rows a page has, page 1 showed."""
    n_pages = max(count_pages(first.announced_total, max(len(first.rows), 1)), 1)
    table = first
    for n_done, (page_no, kind) in enumerate(_plan_pass(n_pages), start=1):
        if fault := check.add(table):
            return _PassEnd(None if fault.is_retryable else fault, is_race=fault.is_retryable)
        on_page(n_done, n_pages + 1, pass_no)
        answer = read(page_no, pass_no, kind)
        if isinstance(answer, Fault):
            return _PassEnd(answer)
        table = answer
    on_page(n_pages + 1, n_pages + 1, pass_no)
    fault = check.finish(table)
    return _PassEnd(is_race=fault is not None and fault.is_retryable)


def _plan_pass(n_pages: int) -> Iterator[tuple[int, str]]:
    """Yield what is asked for behind page 1: page number and kind."""
    for page_no in range(2, n_pages + 1):
        yield page_no, "list"
    yield 1, "recheck"
