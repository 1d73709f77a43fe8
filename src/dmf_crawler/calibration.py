"""How far a watched page moves by itself: asked for a few times, shortly after another.

The pages are kept like those of a run, in a folder of their own, and count for the day's budget; no
line of the history stands for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dmf_crawler.extract.watched_page import read_watched_page
from dmf_crawler.judge.page_change import calibrate, moving_blocks
from dmf_crawler.model.run import Fault, Run, kst
from dmf_crawler.model.watched_page import Calibration, PageReading
from dmf_crawler.page_run import check_detector, fetch_page
from dmf_crawler.page_watch import PageWatch
from dmf_crawler.persist.page_visits import write_calibration
from dmf_crawler.persist.runs import begin_dry_run
from dmf_crawler.run_line import find_free_folder
from dmf_crawler.world import World


@dataclass(frozen=True, slots=True)
class Calibrated:
    """How a calibration ended.

    Attributes:
        run_id: Name of its raw folder.
        n_requests: Requests sent, robots.txt included.
        calibration: What was measured, None where nothing could be.
        fault: Why not, None where it was.
        warnings: Korean sentences.
        moving: Blocks of the compared text that are not in all reads.
    """

    run_id: str
    n_requests: int
    calibration: Calibration | None = None
    fault: Fault | None = None
    warnings: tuple[str, ...] = ()
    moving: tuple[str, ...] = ()


def calibrate_page(watch: PageWatch, world: World) -> Calibrated:
    """Ask for a page a few times, politely, and record how far its readings lie apart.

    Nothing is recorded where one of them cannot be read, or where they say different things: then
    the page changed meanwhile, or shows something else each time that the selectors file should
    name.
    """
    rules = watch.home.settings.pages
    run = _name(watch, world)
    fetched = fetch_page(run, watch, world, n_reads=rules.calibration_reads)
    ended = Calibrated(run.run_id, fetched.n_requests, warnings=fetched.warnings)
    fault = fetched.fault or check_detector(watch)
    if fault is not None:
        return replace(ended, fault=fault)
    readings = _read_pages(watch, run)
    if isinstance(readings, Fault):
        return replace(ended, fault=readings)
    measured = calibrate(readings, rules, measured_at=kst(world.now()), labels=watch.labels)
    if isinstance(measured, Fault):
        return replace(ended, fault=measured)
    version = watch.selectors.file.schema_version
    write_calibration(watch.store, watch.board.id, measured, schema_version=version)
    return replace(ended, calibration=measured, moving=moving_blocks(readings))


def _name(watch: PageWatch, world: World) -> Run:
    dry = begin_dry_run(watch.store, watch.board.id, world.now())
    return find_free_folder(
        watch, replace(dry, run_id=f"{dry.run_id.removesuffix('-dry')}-calibrate")
    )


def _read_pages(watch: PageWatch, run: Run) -> Sequence[PageReading] | Fault:
    """Read what the disk has of each read; the last usable answer of it counts."""
    readings: dict[int, PageReading] = {}
    for page in watch.raw_store.pages(watch.raw_store.folder(run)):
        if page.request.kind == "page" and page.is_usable:
            reading = read_watched_page(page, watch.selectors)
            if isinstance(reading, Fault):
                continue  # asked for again; `fetch_page` has seen each read to its end
            readings[page.request.pass_no] = reading
    return list(readings.values())
