"""What survives a redesign: our reader, absolute XPath, class-only CSS, on the same pages.

    python scripts/bench/survival.py [--pages N] [--kind NAME]… [--json]

Applies every kind of redesign to saved list pages of the rehearsal site and compares what comes
back with the rows that the site put there. Ours: the same records, refused (with the code), or
wrong. The baselines cannot refuse: the same records, others (wrong), or none (lost). They were
written for the untouched page, on which they are right, and need no total. A kind counts as broken
for a tool where at least one page did not come back the same (Leotta 2016 counts locators so).
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from math import sqrt
from pathlib import Path
from typing import cast

import msgspec
from lxml.etree import _Element as Element
from lxml.html import document_fromstring

from dmf_crawler.document import read_document
from dmf_crawler.extract.decode import decode_page
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.paths import compile_css, find_elements
from dmf_crawler.extract.selectors import Selectors, compile_selectors
from dmf_crawler.extract.selectors_file import FieldSelector, SelectorsFile
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Value
from dmf_crawler.workbench.redesign.catalogue import KINDS
from dmf_crawler.workbench.redesign.kind import Kind
from dmf_crawler.workbench.redesign.page import SavedPage, cells_of, read_saved, write_saved
from dmf_crawler.workbench.redesign.specimen import (
    Specimen,
    save_notice_page,
    save_register_page,
)
from dmf_crawler.workbench.rehearsal import notices, register
from dmf_crawler.workbench.survival import (
    Outcome,
    compare,
    dice_of,
    find_difference,
    save_page,
)

SELECTORS = Path(__file__).parents[2] / "selectors"
TOOLS = ("ours", "absolute XPath", "class-only CSS")
Read = Callable[[RawPage], Outcome]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="What survives a redesign.")
    parser.add_argument("--pages", type=int, default=None, help="saved pages to use, all if absent")
    parser.add_argument("--kind", action="append", default=[], help="one kind alone; repeatable")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args(arguments)
    specimens = save_specimens()[: options.pages]
    kinds = [kind for kind in KINDS if not options.kind or kind.name in options.kind]
    trials = [trial for specimen in specimens for trial in try_kinds(specimen, kinds)]
    if options.json:
        print(json.dumps([asdict(trial) for trial in trials], ensure_ascii=False, indent=1))
    else:
        print_totals(trials, n_pages=len(specimens))
        print_table(trials)
    return 0


def save_specimens() -> list[Specimen]:
    """Return the saved pages: other registers, page sizes and switches of the rehearsal site."""
    save = save_register_page
    return [
        save("usual", n_rows=60, seed=251),
        save_notice_page("notices"),
        save("header in first row", n_rows=300, seed=4, page_no=2, headers="first_row"),
        save("values in span", n_rows=1_500, seed=5, page_no=3, limit=30, value_in_span=True),
        save("nested without tbody", n_rows=200, seed=6, page_no=7, nested_tbody=False),
        save("long values cut", n_rows=300, seed=8, truncates_long_values=True),
        save("hundred rows", n_rows=12_000, seed=9, page_no=4, limit=100),
        save_notice_page("notices, second page", page_no=2, pinned_posts="on_top_uncounted"),
        save("empty marked", n_rows=120, seed=10, limit=20, empty_mark="-"),
        save("label of number", n_rows=90, seed=11, label_in_number=True, total_text="title_only"),
    ]  # fmt: skip


# --- trials ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """One kind on one page: what each tool made of it, in the order of `TOOLS`."""

    kind: str
    group: str
    acceptable: str
    page: str
    outcomes: tuple[Outcome, ...]


def try_kinds(specimen: Specimen, kinds: Sequence[Kind]) -> list[Trial]:
    readers = write_readers(specimen)
    untouched = [read(save_page(specimen, None)) for read in readers]
    for tool, outcome in zip(TOOLS, untouched, strict=True):
        if outcome.verdict != "same":
            raise SystemExit(f"{tool} cannot read the untouched page {specimen.name}: {outcome}")
    return [try_kind(kind, specimen, readers) for kind in kinds if changes(kind, specimen)]


def changes(kind: Kind, specimen: Specimen) -> bool:
    """Whether a kind is for the page's board and finds something to change there."""
    if specimen.board not in kind.boards:
        return False
    html = kind.redesign(specimen.html, dice_of(specimen, kind, 0))
    return html not in {specimen.html, write_saved(read_saved(specimen.html))}


def try_kind(kind: Kind, specimen: Specimen, readers: Sequence[Read]) -> Trial:
    page = save_page(specimen, kind)
    outcomes = tuple(read(page) for read in readers)
    return Trial(kind.name, kind.group, kind.acceptable, specimen.name, outcomes)


def write_readers(specimen: Specimen) -> tuple[Read, ...]:
    """Return the three tools, each as somebody would write it who looks at the untouched page."""
    selectors = load_selectors(specimen)
    saved = read_saved(specimen.html)
    columns = place_fields(saved, specimen)
    xpath, css = AbsoluteXPath.write(saved, columns), ClassOnlyCss(columns)
    return (
        lambda page: compare(read_page(page, selectors), specimen),
        lambda page: judge_baseline(xpath.read(parse(page)), specimen),
        lambda page: judge_baseline(css.read(parse(page)), specimen),
    )


def load_selectors(specimen: Specimen) -> Selectors:
    """Return the shipped selectors; with `title_attr` where the site cuts long values."""
    path = SELECTORS / f"{specimen.board}.yaml"
    file = msgspec.convert(read_document(path, path.name).value, SelectorsFile)
    if "…" in specimen.html:
        titled = {name: use_titles(field) for name, field in file.fields.items()}
        file = msgspec.structs.replace(file, fields=titled)
    return compile_selectors(file)


def use_titles(field: FieldSelector) -> FieldSelector:
    return msgspec.structs.replace(field, title_attr=field.strategy != "attr")


def judge_baseline(records: Sequence[Mapping[str, Value]], specimen: Specimen) -> Outcome:
    """A baseline that returns nothing, or only empty texts, has lost the list."""
    if not any(any(record.values()) for record in records):
        return Outcome("refused", "lost")
    difference = find_difference(records, specimen)
    return Outcome("wrong", difference) if difference else Outcome("same")


# --- baselines ---------------------------------------------------------------------------------

HEADER_OF = {**dict(register.COLUMNS), **dict(notices.LIST_COLUMNS), "post_id": "제목"}
"""Field id → header of the column that holds it."""

Columns = Mapping[str, int]
"""Field id → 0-based column."""


def place_fields(saved: SavedPage, specimen: Specimen) -> Columns:
    return {name: saved.headers.index(HEADER_OF[name]) for name in specimen.truth[0]}


def parse(page: RawPage) -> Element:
    """Parse a page as our reader decodes it, so that no baseline fails on a charset."""
    text = decode_page(page.body, page.content_type)
    assert isinstance(text, str), text
    document: Element = document_fromstring(text)
    return document


@dataclass(frozen=True)
class AbsoluteXPath:
    """One absolute XPath a cell and one for its label, as browsers copy them."""

    rows: tuple[Mapping[str, str], ...]
    label: str
    nested: str

    @classmethod
    def write(cls, saved: SavedPage, columns: Columns) -> "AbsoluteXPath":
        tree = saved.document.getroottree()
        listed = [row for row in saved.rows if row.get("class") != "notice"]
        rows = tuple(
            {name: str(tree.getpath(cells_of(row)[index])) for name, index in columns.items()}
            for row in listed
        )
        has_tbody = next(listed[0].iter("tbody"), None) is not None
        return cls(rows, "span[1]", "table/tbody/tr/td" if has_tbody else "table/tr/td")

    def read(self, document: Element) -> list[dict[str, Value]]:
        records = []
        for paths in self.rows:
            cells = {name: find(document, path) for name, path in paths.items()}
            if all(cells.values()):
                records.append({name: self.read_cell(name, c[0]) for name, c in cells.items()})
        return records

    def read_cell(self, name: str, cell: Element) -> Value:
        labels = set(find(cell, self.label))
        return read_cell(name, cell, find(cell, self.nested), find(cell, "a"), labels)


@dataclass(frozen=True)
class ClassOnlyCss:
    """The rows by the table's class, the cells by their place, the labels by their class."""

    columns: Columns

    def read(self, document: Element) -> list[dict[str, Value]]:
        labels = set(find_elements(LABELS, document))
        rows = [cells_of(row) for row in find_elements(ROWS, document)]
        return [
            {name: read_below(name, row[at], labels) for name, at in self.columns.items()}
            for row in rows
            if len(row) > max(self.columns.values()) and row[1].tag == "td"
        ]


ROWS = compile_css(".tb_list > tbody > tr:not(.notice)")
LABELS = compile_css(".s-th")


def read_below(name: str, cell: Element, labels: set[Element]) -> Value:
    return read_cell(name, cell, find(cell, ".//td"), find(cell, ".//a"), labels)


def read_cell(
    name: str, cell: Element, nested: list[Element], links: list[Element], labels: set[Element]
) -> Value:
    """Return what a baseline makes of a cell: its texts, its title where the text was cut."""
    if name == "post_id":
        return (links[0].get("href") or "").partition("?")[0].rpartition("/")[2] if links else ""
    if name.startswith("maker_"):
        return tuple(text_without(one, labels) for one in nested)
    return text_without(cell, labels)


def text_without(element: Element, labels: set[Element]) -> str:
    """Return an element's text without labels; its title where it was cut, "" for a dash."""
    text = "".join(iter_texts(element, labels)).strip()
    titles = [title for one in element.iter() if (title := one.get("title"))]
    if text.endswith("…") and titles:
        return titles[0].strip()
    return "" if text == "-" else text


def iter_texts(element: Element, labels: set[Element]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child not in labels and isinstance(child.tag, str):
            yield from iter_texts(child, labels)
        yield child.tail or ""


def find(root: Element, path: str) -> list[Element]:
    return cast("list[Element]", root.xpath(path))


# --- figures -----------------------------------------------------------------------------------


def print_table(trials: Sequence[Trial]) -> None:
    """Print a table a group, a row a kind: pages read the same, refused or lost, and wrong."""
    tried = {trial.kind for trial in trials}
    kinds = [kind for kind in KINDS if kind.name in tried]
    for group, members in groupby(kinds, key=lambda kind: kind.group):
        print(f"\n### {group}\n\n| kind | what the site did | wanted | {' | '.join(TOOLS)} |")
        print("|---|---|---|---|---|---|")
        for kind in members:
            mine = [trial for trial in trials if trial.kind == kind.name]
            shown = " | ".join(count_outcomes(mine, index) for index in range(len(TOOLS)))
            wanted = kind.acceptable.replace("refuse_ok", "refusal")
            print(f"| `{kind.name}` | {kind.sentence} | {wanted} | {shown} |")


def count_outcomes(trials: Sequence[Trial], index: int) -> str:
    outcomes = [trial.outcomes[index] for trial in trials]
    counts = Counter(outcome.verdict for outcome in outcomes)
    codes = Counter(f"`{outcome.detail}`" for outcome in outcomes if outcome.verdict == "refused")
    parts = [
        f"{counts['same']} same" if counts["same"] else "",
        f"{counts['refused']} {', '.join(codes)}" if counts["refused"] else "",
        f"**{counts['wrong']} wrong**" if counts["wrong"] else "",
    ]
    return "; ".join(filter(None, parts))


def print_totals(trials: Sequence[Trial], *, n_pages: int) -> None:
    wanted = [trial for trial in trials if trial.acceptable == "same"]
    n_kinds, n_wanted = (len({trial.kind for trial in some}) for some in (trials, wanted))
    print(f"{n_kinds} kinds on {n_pages} pages, {len(trials)} trials; of {n_wanted} kinds the "
          f"same records are wanted, {len(wanted)} trials.\n")  # fmt: skip
    print("| | same, where wanted | refused or lost, where same is wanted | wrong, of all | "
          "kinds broken, where same is wanted | fragility |")  # fmt: skip
    print("|---|---|---|---|---|---|")
    fragility = {tool: find_broken(wanted, index) for index, tool in enumerate(TOOLS)}
    for index, (tool, broken) in enumerate(fragility.items()):
        shares = [
            count_share(wanted, index, "same"),
            count_share(wanted, index, "refused"),
            count_share(trials, index, "wrong"),
        ]
        print(
            f"| {tool} | {' | '.join(shares)} | {broken} of {n_wanted} | {broken / n_wanted:.1%} |"
        )
    ours, absolute, css = fragility.values()
    print(f"\nFragility against absolute XPath: {compare_fragility(ours, absolute)} "
          "(Leotta 2016 reports 90 % less), against class-only CSS: "
          f"{compare_fragility(ours, css)}.")  # fmt: skip


def find_broken(trials: Sequence[Trial], index: int) -> int:
    """Return how many kinds a tool did not survive on every page."""
    return len({trial.kind for trial in trials if trial.outcomes[index].verdict != "same"})


def compare_fragility(ours: int, other: int) -> str:
    if not other:
        return "nothing to compare with"
    return f"{abs(1 - ours / other):.1%} {'less' if ours <= other else 'more'}"


def count_share(trials: Sequence[Trial], index: int, verdict: str) -> str:
    if not trials:
        return "–"
    hits = sum(trial.outcomes[index].verdict == verdict for trial in trials)
    low, high = wilson(hits, len(trials))
    return f"{hits} of {len(trials)}: {hits / len(trials):.1%} ({low:.1%} to {high:.1%})"


def wilson(hits: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    share, spread = hits / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
