"""Which selectors found the fields of the detail pages that a run received."""

from __future__ import annotations

from collections import Counter
from datetime import date

from dmf_crawler.details import Details
from dmf_crawler.model.detail import DetailPage
from dmf_crawler.model.record import Delivery, Snapshot
from dmf_crawler.model.reuse import Deliveries
from dmf_crawler.model.run import day_of
from dmf_crawler.watch import Watch

NOT_MODIFIED = 304


def count_detail_deliveries(
    snapshot: Snapshot, details: Details, watch: Watch, *, day: date
) -> Deliveries:
    """Return how many records' detail pages each selector found its field on.

    A page that this day's visits did not receive tells nothing of the site as it is: one that was
    not due, that answered 304, or that was taken over from an earlier day for its files' sake.

    Args:
        snapshot: As the list says.
        details: What is kept of the detail pages.
        watch: The board.
        day: On which the list was read.

    Returns:
        In the order of the selectors file; a field's primary selector stands there with 0 where
        others found it everywhere, or where none found it on any page.
    """
    found: Counter[Delivery] = Counter()
    n_received = 0
    for record in snapshot.records.values():
        page = details.pages.get(record.detail_url)
        if isinstance(page, DetailPage) and _was_received(details, record.detail_url, day):
            n_received += 1
            found.update(page.delivered)
    located = watch.selectors.details
    if not n_received or located is None:
        return {}
    used = [
        Delivery(field.field, position, locator.source)
        for field in located.fields
        for position, locator in enumerate(field.locators)
    ]
    return {each: found[each] for each in used if found[each] or not each.position}


def _was_received(details: Details, url: str, day: date) -> bool:
    raw = details.raw_pages[url]
    return raw.status != NOT_MODIFIED and day_of(raw.fetched_at) >= day
