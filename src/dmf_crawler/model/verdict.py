"""What the gates say of a run, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from dmf_crawler.model.change import Counts
from dmf_crawler.model.decision import Decision
from dmf_crawler.model.record import Value
from dmf_crawler.model.reuse import Deliveries, measure_reuse
from dmf_crawler.model.run import Fault, Run, RunStatus
from dmf_crawler.model.watched_page import Movement


class Outcome(StrEnum):
    """What a gate says of a run."""

    PASS = "pass"  # noqa: S105 - an outcome, no password
    WARN = "warn"
    HOLD = "hold"
    REJECT = "reject"


class LimitFrom(StrEnum):
    """Where the number came from that a gate held its own against."""

    RULE = "rule"  # nobody sets it: no unknown status, no record of the list too few
    SETTING = "setting"  # config/settings.yaml or config/boards.yaml
    SELECTORS = "selectors"  # the selectors file
    SITE = "site"  # what the pages themselves announce
    FLOOR = "floor"  # the list's own history is too short or too quiet to say more
    HISTORY = "history"  # the list's own accepted days
    CAP = "cap"  # its own history would allow more, but nobody should
    FUSE = "fuse"  # what no approval may pass


@dataclass(frozen=True, slots=True)
class Example:
    """One place that a gate saw something in.

    Attributes:
        key: Natural key of the record.
        field: Field id, "" for the record as a whole.
        before: The value in the last accepted list, None where there was none.
        after: The value as read now, None where there is none.
        source: SHA-256 of the page that shows it, "" where no page of this run does.
        url: That page's address.
        row_no: 1-based row on it, 0 for none.
    """

    key: str
    field: str = ""
    before: Value | None = None
    after: Value | None = None
    source: str = ""
    url: str = ""
    row_no: int = 0


@dataclass(frozen=True, slots=True)
class Gate:
    """What one gate saw.

    Attributes:
        code: `G-0` … `G-14` (docs/operations.md, gates).
        outcome: pass, warn, hold or reject.
        observed: The number seen, None where the gate does not apply or could not be computed.
        limit: The number it was held against, None where there is none.
        message: One Korean sentence.
        fault_code: For a refusal, the English code of the reason (`missing_column`, …).
        limit_from: Where the limit came from, None without one.
        examples: At most ten places, the most telling first.
    """

    code: str
    outcome: Outcome
    observed: float | None
    limit: float | None
    message: str
    fault_code: str = ""
    limit_from: LimitFrom | None = None
    examples: tuple[Example, ...] = ()

    @property
    def name_ko(self) -> str:
        """Return what the gate is called."""
        return GATE_NAMES[self.code]


GATE_NAMES = {
    "G-0": "수집 허용",
    "G-1": "최소 건수",
    "G-2": "건수와 신규",
    "G-3": "필수 항목",
    "G-4": "번호와 값의 형식",
    "G-5": "취하와 사라진 행",
    "G-6": "셀렉터 재사용",
    "G-7": "변동 정지",
    "G-8": "실행 시간",
    "G-9": "열의 모양",
    "G-10": "완전성",
    "G-11": "지난 목록과의 비교",
    "G-12": "새 행의 값",
    "G-13": "다른 원천과의 비교",
    "G-14": "변동 급증",
}
"""Code of a gate → its Korean name; all that there are, in order."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What became of one run; the JSON of `run` and `reparse` (docs/operations.md).

    Attributes:
        run: Which run.
        status: OK, HELD, REJECTED or FAILED.
        exit_code: 0, 1, 3, 4, 5, 6 or 7.
        gates: All gates in order; empty when the crawl ended before them.
        counts: What was recorded, or (HELD, REJECTED by a number) would have been. The baseline
            counts its records as NEW.
        n_rows: Records read, None when no list could be read.
        n_requests: HTTP requests sent, robots.txt included.
        n_pages: List pages in the snapshot.
        missing: Keys that are missing and not yet withdrawn for it.
        unlisted: Keys of withdrawn records that the source does not list.
        is_baseline: Whether it is the board's first accepted run.
        fault: Why it is not OK; None when it is.
        report: Path of the workbook, None when none was written.
        warnings: Korean sentences for 요약 and the log.
        identity: Who asked: the constant headers and the proxy, one line; "" where nobody did.
        full_check_from: Day on which the full check began that the run took part in.
        full_check_left: Pages that the full check has still to do.
        deliveries: Which selectors found the values of the list; empty when none could be read.
        approval: That a gate held it and a person let it pass; else None.
        selector_version: Of the selectors file that a held run was read with when it was approved;
            None leaves the one that it began with.
        preview: Path of the workbook that a held run would become, None where there is none.
        movement: How a whole page differs from its last kept state; None for a list, and where no
            page could be read.
    """

    run: Run
    status: RunStatus
    exit_code: int
    gates: tuple[Gate, ...] = ()
    counts: Counts = field(default_factory=Counts)
    n_rows: int | None = None
    n_requests: int = 0
    n_pages: int = 0
    missing: int = 0
    unlisted: int = 0
    is_baseline: bool = False
    fault: Fault | None = None
    report: str | None = None
    warnings: tuple[str, ...] = ()
    identity: str = ""
    full_check_from: date | None = None
    full_check_left: int = 0
    deliveries: Deliveries = field(default_factory=dict)
    approval: Decision | None = None
    selector_version: int | None = None
    preview: str | None = None
    movement: Movement | None = None

    @property
    def is_approved(self) -> bool:
        """Whether a gate held it and a person let it pass."""
        return self.approval is not None

    @property
    def reuse_rate(self) -> float | None:
        """Share of fields that primary selectors alone found, None when no list was read."""
        return measure_reuse(self.deliveries)
