"""Whether the pages of one pass make one list, told page by page.

A list that is read page by page can change while it is read: an insert shifts rows down and shows
one twice, a delete shifts them up and hides one. So page 1 is read once more at the end. A pass
counts only if nothing moved, or if rows were only added on top, newest first: then each page says
by its total how many rows came since the page above, and exactly so many of its first rows are the
last ones of that page, once more. A list at rest is the case of none.

`PassCheck` judges a pass while it is asked for and keeps next to nothing; `dedup.merge_pages` makes
the snapshot. Both join by `Joining`, so they never disagree.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from dmf_crawler.extract import list_faults as faults
from dmf_crawler.extract.quoting import shorten
from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.extract.selectors_file import KeySelector
from dmf_crawler.model.record import Fields, PageRow, PageTable, Value
from dmf_crawler.model.run import Fault
from dmf_crawler.text import key_form

Identity = tuple[str, str, str, str]
"""Key forms of number, ingredient (only of a row without number), applicant and first date."""

LEAST_ROWS = 2
"""A page is only called a repetition from so many rows on; one row can be a doubled one."""

N_DIGESTS = 2048
"""So many digests at a time are looked through for twins."""

NO_PAGE = PageTable(page_no=0, rows=(), announced_total=0, source="", url="")


@dataclass(frozen=True, slots=True)
class JoinedRow:
    """A row of the list, the page that it stands on, and what makes it the record it is."""

    table: PageTable
    row: PageRow
    identity: Identity

    def __str__(self) -> str:
        page = f"{self.table.page_no}페이지 " if self.table.page_no else ""
        return f"{page}{self.row.row_no}행"


def place_twins(first: JoinedRow, second: JoinedRow) -> str:
    """Say where two rows of one identity stand."""
    return f"{first}과 {second}({shorten(first.identity[0] or first.identity[1])})"


@dataclass(slots=True)
class Joining:
    """How the pages of one pass go on from each other.

    Remembers the first page, the last one with rows, and counts; nothing else of any page.

    Attributes:
        key: The fields that identify a row.
        n_pages: Pages added.
        n_rows: Rows of the list that they hold, none counted twice for being shown again.
        is_moved: Whether the list grew during the pass; known once it is finished.
        pinned_only: Pinned rows that stand nowhere else in the list as far as it was read.
    """

    key: KeySelector
    n_pages: int = 0
    n_rows: int = 0
    is_moved: bool = False
    pinned_only: list[JoinedRow] = field(default_factory=list)
    _first: PageTable = NO_PAGE
    _last: PageTable = NO_PAGE
    _last_rows: Sequence[JoinedRow] = ()
    _partial: PageTable | None = None
    _is_broken: bool = False
    _doubled: str = ""

    def add(self, table: PageTable) -> list[JoinedRow] | Fault:
        """Join the next page.

        Returns:
            Its rows without those that the page above has shown; or the fault that makes every
            further request of this pass useless: `race` or `repeated_page`.
        """
        n_again = 0
        if self.n_pages:
            n_again = table.announced_total - self._last.announced_total
            if fault := self._find_fault(table, n_again):
                return fault
        else:
            self._first = self._last = table
            self.pinned_only = self._join_rows(table, _drop_repeated(table.pinned))
        self.n_pages += 1
        self._note_size(table)
        rows = self._join_rows(table, table.rows[n_again:])
        self._take(rows)
        if table.rows:
            self._doubled = self._doubled or _find_doubled(self._last_rows, rows)
            self._last, self._last_rows = table, rows
        return rows

    def finish(self, recheck: PageTable) -> list[JoinedRow] | Fault:
        """End the pass with page 1, read once more.

        Returns:
            The rows that were added on top meanwhile; or the fault for which the pass does not
            count: `race`, `short_list` or `empty_list`.
        """
        n_new = recheck.announced_total - self._first.announced_total
        self.is_moved = n_new != 0
        if fault := self._find_move(recheck, n_new):
            return fault
        if not self.is_moved and not (self._first.announced_total and self._first.rows):
            return faults.empty_list(self._first.announced_total, self.n_rows)
        rows = self._join_rows(recheck, recheck.rows[:n_new])
        self._take(rows)
        return self._find_misfit(recheck.announced_total) or rows

    def _join_rows(self, table: PageTable, rows: Sequence[PageRow]) -> list[JoinedRow]:
        return [JoinedRow(table, row, identify(row.fields, self.key)) for row in rows]

    def _take(self, rows: Sequence[JoinedRow]) -> None:
        self.n_rows += len(rows)
        if self.pinned_only:
            listed = {_bearer(joined.identity) for joined in rows}
            self.pinned_only = [
                joined for joined in self.pinned_only if _bearer(joined.identity) not in listed
            ]

    def _note_size(self, table: PageTable) -> None:
        """Note the first page that is not full, and whether the list goes on behind it."""
        if self._partial is None:
            self._partial = table if len(table.rows) != len(self._first.rows) else None
        elif table.rows:
            self._is_broken = True

    def _find_fault(self, table: PageTable, n_again: int) -> Fault | None:
        """Say why a page cannot be the one behind the page above."""
        if n_again < 0:
            return self._fallen(f"{table.page_no}페이지", table)
        if _contents(table.pinned) != _contents(self._first.pinned):
            return faults.race(f"{table.page_no}페이지의 고정 행이 1페이지와 다릅니다")
        if not n_again:
            for earlier in (self._first, self._last):
                if len(table.rows) >= LEAST_ROWS and _fields(table.rows) == _fields(earlier.rows):
                    return faults.repeated_page(table.page_no, earlier.page_no)
        is_grown = table.announced_total != self._first.announced_total
        goes_on = _repeats_end(self._last, table, n_again)
        if not goes_on or (is_grown and table.rows and self._partial is not None):
            return faults.race(f"{table.page_no}페이지가 앞 페이지에 이어지지 않습니다")
        return None

    def _find_move(self, recheck: PageTable, n_new: int) -> Fault | None:
        """Say what changed on page 1 besides the rows added on top."""
        if recheck.announced_total < self._last.announced_total:
            return self._fallen("다시 읽은 1페이지", recheck)
        if _contents(recheck.pinned) != _contents(self._first.pinned):
            return faults.race("다시 읽은 1페이지의 고정 행이 처음과 다릅니다")
        n_kept = len(recheck.rows) - n_new
        is_shorter = len(recheck.rows) < len(self._first.rows) or (self.is_moved and n_kept < 1)
        if is_shorter or _fields(recheck.rows[n_new:]) != _fields(self._first.rows[:n_kept]):
            return faults.race(
                f"다시 읽은 1페이지가 맨 위에 추가된 {n_new}행 말고도 처음과 다릅니다"
            )
        return None

    def _find_misfit(self, total: int) -> Fault | None:
        """Say that the rows are not those that the site announces, on pages of one size."""
        n_counted = self.n_rows + len(self.pinned_only)
        # Before the list has ended, pinned rows fill up no total: rows may be left to read.
        is_whole = self.n_rows == total or (n_counted == total and self._partial is not None)
        if not is_whole:
            found, expected = f"모두 {self.n_rows}행을 읽었습니다", f"사이트가 알린 전체 {total}건"
            return faults.misfit(found, expected, is_moved=self.is_moved)
        if self._is_broken and self._partial is not None:
            found = f"{self._partial.page_no}페이지에 {len(self._partial.rows)}행이 있습니다"
            expected = f"1페이지와 같은 {len(self._first.rows)}행"
            return faults.misfit(found, expected, is_moved=self.is_moved)
        return faults.twins(self._doubled, is_moved=True) if self._doubled else None

    def _fallen(self, where: str, table: PageTable) -> Fault:
        before, after = self._last.announced_total, table.announced_total
        return faults.race(f"{where}에서 전체가 {before}건에서 {after}건으로 줄었습니다")


class PassCheck:
    """Whether a pass is one list; of each row it keeps a digest of 8 bytes."""

    def __init__(self, selectors: Selectors) -> None:
        self._joining = Joining(selectors.file.key)
        self._digests = array("Q")

    def add(self, table: PageTable) -> Fault | None:
        """Look at the next page; say why no further page of this pass is worth asking for."""
        rows = self._joining.add(table)
        if isinstance(rows, Fault):
            return rows
        self._note(rows)
        return None

    def finish(self, recheck: PageTable) -> Fault | None:
        """Look at page 1, read once more; say why the pass does not count."""
        rows = self._joining.finish(recheck)
        if isinstance(rows, Fault):
            return rows
        self._note(rows)
        self._note(self._joining.pinned_only)
        if has_twins(self._digests):
            return faults.twins("목록의 두 자리", is_moved=self._joining.is_moved)
        return None

    def _note(self, rows: Sequence[JoinedRow]) -> None:
        self._digests.extend(digest_identity(joined.identity) for joined in rows)


def digest_identity(identity: Identity) -> int:
    """Return 64 bits that two of a million rows share by accident once in 37 million lists."""
    return int.from_bytes(blake2b(repr(identity).encode(), digest_size=8).digest(), "big")


def has_twins(digests: Sequence[int]) -> bool:
    """Say whether a number stands there twice; looks through a bounded share of them at a time."""
    n_shares = len(digests) // N_DIGESTS + 1
    for share in range(n_shares):
        seen: set[int] = set()
        n_seen = 0
        for digest in digests:
            if digest % n_shares == share:
                seen.add(digest)
                n_seen += 1
        if len(seen) != n_seen:
            return True
    return False


def identify(fields: Fields, key: KeySelector) -> Identity:
    """Return what makes a row the record it is."""
    number = _form(fields[key.number])
    ingredient = "" if number else _form(fields[key.ingredient])
    return number, ingredient, _form(fields[key.applicant]), _form(fields[key.first_date])


def _form(value: Value) -> str:
    return key_form(value if isinstance(value, str) else "|".join(value))


def _bearer(identity: Identity) -> Identity:
    """Return what a pinned row and its twin in the list share: the number, where there is one."""
    return (identity[0], "", "", "") if identity[0] else identity


def _repeats_end(above: PageTable, table: PageTable, n_again: int) -> bool:
    """Say whether a page begins with the last n_again rows of the one above."""
    end = above.rows[max(len(above.rows) - n_again, 0) :]
    return n_again <= len(table.rows) and _fields(end) == _fields(table.rows[:n_again])


def _find_doubled(above: Sequence[JoinedRow], rows: Sequence[JoinedRow]) -> str:
    """Say where a row stands at the end of one page and, the same, on the next; "" for nowhere."""
    shown = {joined.identity: joined for joined in above}
    for joined in rows:
        first = shown.get(joined.identity)
        if first is not None and first.row.fields == joined.row.fields:
            return place_twins(first, joined)
    return ""


def _drop_repeated(rows: Sequence[PageRow]) -> list[PageRow]:
    return list({tuple(row.fields.items()): row for row in reversed(rows)}.values())[::-1]


def _contents(rows: Sequence[PageRow]) -> set[tuple[tuple[str, Value], ...]]:
    return {tuple(row.fields.items()) for row in rows}


def _fields(rows: Sequence[PageRow]) -> list[Fields]:
    return [row.fields for row in rows]
