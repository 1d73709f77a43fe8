"""How long 12,000 rows take to read: our reader, bare lxml and BeautifulSoup, on the same pages.

    python scripts/bench/parse.py time [ROUNDS]
    python scripts/bench/parse.py memory

Both read 120 pages of 100 rows each, saved from a rehearsal site.

`time`: each round times the three in turn, in CPU seconds of this process; the first round warms up
and does not count. Our reader does all of its work: decoding, checks of the page, of the table and
of each row, links, the announced total, text as shown. Bare lxml and BeautifulSoup (with lxml) know
where everything stands and only read the cells into dicts: label spans left out, tables inside
cells as lists, values stripped. BeautifulSoup reads every fifth page. Ratios are taken in each
round, per page; printed are the medians. All three must read the same values; of ours CR LF counts
as LF, because the others' parser makes it so.

`memory`: our reader reads 30, 60 and 120 pages one by one, each number in a fresh process, and
keeps nothing but the rows. Printed is how much the peak of the process rose above its size before
the first page, and how much a process grows that gets the same rows from a file: what is left is
what reading costs beside the rows (Linux: VmHWM of /proc/self/status).

Run it with the Python of .venv after `bootstrap.py test`, which installs BeautifulSoup.
"""

import json
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from urllib.request import urlopen

import msgspec
from bs4 import BeautifulSoup
from bs4.element import Tag
from lxml.etree import HTMLParser, XPath
from lxml.html import document_fromstring

from dmf_crawler.document import read_document
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.selectors import Selectors, compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.record import PageRow, PageTable
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite

SELECTORS = Path(__file__).parents[2] / "selectors" / "dmf_registry.yaml"
N_PAGES = 120
N_ROWS_A_PAGE = 100
EVERY = 5
MIB = 1024 * 1024

Row = dict[str, str | list[str]]

FIELDS = (
    *("target", "reg_no", "ingredient_name", "company", "maker_names", "maker_addresses"),
    *("maker_countries", "registered_on", "changed_on", "report_year", "status", "withdrawn_on"),
    *("document_no", "linked_document_no"),
)
NESTED = frozenset({"maker_names", "maker_addresses", "maker_countries"})


def main(arguments: list[str]) -> int:
    match arguments:
        case ["time", *rest]:
            return compare_times(int(rest[0]) if rest else 5)
        case ["memory"]:
            return compare_memory()
        case ["read", folder, n_pages, *target]:
            return read_and_keep(Path(folder), int(n_pages), *map(Path, target))
        case ["load", file]:
            return load(Path(file))
    print(__doc__, file=sys.stderr)
    return 2


def save_pages() -> list[bytes]:
    """Return the bodies of all list pages of a rehearsal site."""
    bodies = []
    with RehearsalSite(Life(n_rows=N_PAGES * N_ROWS_A_PAGE).rows) as site:
        for page_no in range(1, N_PAGES + 1):
            address = f"{site.base_url}/pbp/CCBAC03/getList?page={page_no}&limit={N_ROWS_A_PAGE}"
            with urlopen(address) as answer:
                bodies.append(answer.read())
    return bodies


# --- the three readers -------------------------------------------------------------------------

# An XPath may find anything, and so its types say; these find a list.
Find = Callable[[Any], list[Any]]
FIND_ROWS = cast("Find", XPath("//table[@class='tb_list']/tbody/tr"))
FIND_CELLS = cast("Find", XPath("td"))
FIND_INNER_CELLS = cast("Find", XPath("table//td"))
# Without smart strings, which know the element that they are from, and take their time for it.
FIND_TEXTS = cast("Find", XPath("text()|*[not(@class='s-th')]//text()", smart_strings=False))


def read_with_lxml(body: bytes) -> list[Row]:
    document = document_fromstring(body, parser=HTMLParser(encoding="utf-8"))
    rows = []
    for element in FIND_ROWS(document):
        row: Row = {}
        for field, cell in zip(FIELDS, FIND_CELLS(element)[1:], strict=True):
            if field in NESTED:
                values = ["".join(FIND_TEXTS(inner)).strip() for inner in FIND_INNER_CELLS(cell)]
                row[field] = [] if values == [""] else values
            else:
                row[field] = "".join(FIND_TEXTS(cell)).strip()
        rows.append(row)
    return rows


def read_with_soup(body: bytes) -> list[Row]:
    soup = BeautifulSoup(body, "lxml", from_encoding="utf-8")
    for label in soup.find_all("span", class_="s-th"):
        label.extract()
    table = soup.find("table", class_="tb_list")
    assert isinstance(table, Tag)
    assert isinstance(table.tbody, Tag)
    rows = []
    for element in table.tbody.find_all("tr", recursive=False):
        row: Row = {}
        cells = element.find_all("td", recursive=False)
        for field, cell in zip(FIELDS, cells[1:], strict=True):
            if field in NESTED:
                values = [inner.get_text().strip() for inner in cell.find_all("td")]
                row[field] = [] if values == [""] else values
            else:
                row[field] = cell.get_text().strip()
        rows.append(row)
    return rows


def our_selectors() -> Selectors:
    document = read_document(SELECTORS, SELECTORS.name)
    return compile_selectors(msgspec.convert(document.value, SelectorsFile))


def read_with_ours(body: bytes, selectors: Selectors) -> tuple[PageRow, ...]:
    url = "http://127.0.0.1/pbp/CCBAC03/getList"
    request = PageRequest(url, "list", 1)
    page = RawPage(request, url, 200, "text/html", "0" * 64, body, datetime.now(UTC))
    table = read_page(page, selectors)
    assert isinstance(table, PageTable), table
    return table.rows


def plain(rows: Iterable[PageRow]) -> list[Row]:
    """Return our rows as the other readers have them."""
    return [
        {
            field: (
                value.replace("\r\n", "\n")
                if isinstance(value, str)
                else [each.replace("\r\n", "\n") for each in value]
            )
            for field, value in row.fields.items()
        }
        for row in rows
    ]


# --- time --------------------------------------------------------------------------------------


def compare_times(n_rounds: int) -> int:
    bodies, selectors = save_pages(), our_selectors()
    for body in bodies:
        ours = plain(read_with_ours(body, selectors))
        assert len(ours) == N_ROWS_A_PAGE
        assert ours == read_with_lxml(body)
    for body in bodies[::EVERY]:
        assert plain(read_with_ours(body, selectors)) == read_with_soup(body)
    rounds = [
        (
            time_a_page(lambda body: read_with_ours(body, selectors), bodies),
            time_a_page(read_with_lxml, bodies),
            time_a_page(read_with_soup, bodies[::EVERY]),
        )
        for _ in range(n_rounds + 1)
    ][1:]
    print(f"{N_PAGES} pages of {N_ROWS_A_PAGE} rows, medians of {n_rounds} rounds, CPU time\n")
    print("| reader | ms a page | s for 12,000 rows | times bare lxml |")
    print("|---|---:|---:|---:|")
    for name, position in (("bare lxml", 1), ("our reader", 0), ("BeautifulSoup", 2)):
        seconds = statistics.median(each[position] for each in rounds)
        ratio = statistics.median(each[position] / each[1] for each in rounds)
        print(f"| {name} | {1000 * seconds:.2f} | {N_PAGES * seconds:.2f} | {ratio:.2f} |")
    to_bare = statistics.median(ours / bare for ours, bare, _ in rounds)
    to_soup = statistics.median(soup / ours for ours, _, soup in rounds)
    print(f"\nour reader: {to_bare:.2f} x bare lxml (at most 1.5 wanted),", end=" ")
    print(f"{to_soup:.1f} x faster than BeautifulSoup (at least 6 wanted)")
    return 0 if to_bare <= 1.5 and to_soup >= 6 else 1


def time_a_page(read: Callable[[bytes], object], bodies: list[bytes]) -> float:
    """Return the CPU seconds that a page takes."""
    started = time.process_time()
    for body in bodies:
        read(body)
    return (time.process_time() - started) / len(bodies)


# --- memory ------------------------------------------------------------------------------------


def compare_memory() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for page_no, body in enumerate(save_pages()):
            (folder / f"{page_no:03}.html").write_bytes(body)
        print("| pages | rows | peak of reading | the rows alone | beside the rows |")
        print("|---:|---:|---:|---:|---:|")
        for n_pages in (N_PAGES // 4, N_PAGES // 2, N_PAGES):
            kept = folder / f"{n_pages}.rows"
            in_a_process("read", folder, n_pages, kept)
            peak = statistics.median(in_a_process("read", folder, n_pages) for _ in range(5))
            alone = statistics.median(in_a_process("load", kept) for _ in range(5))
            print(
                f"| {n_pages} | {n_pages * N_ROWS_A_PAGE:,} | {peak / MIB:.1f} MiB | "
                f"{alone / MIB:.1f} MiB | {(peak - alone) / MIB:.1f} MiB |"
            )
    return 0


def in_a_process(*words: object) -> int:
    """Return by how many bytes the peak of a fresh process rose."""
    done = subprocess.run(
        [sys.executable, __file__, *map(str, words)],
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    rose: int = json.loads(done.stdout)
    return rose


def read_and_keep(folder: Path, n_pages: int, target: Path | None = None) -> int:
    """Read pages one by one and keep their rows, in a file where one is named."""
    selectors = our_selectors()
    paths = sorted(folder.glob("*.html"))[:n_pages]
    before = peak_bytes()
    kept = [read_with_ours(path.read_bytes(), selectors) for path in paths]
    print(peak_bytes() - before)
    if target:  # page by page, so that it can be read with as little beside the rows
        target.write_bytes(b"".join(map(pickle.dumps, kept)))
    return 0


def load(path: Path) -> int:
    """Get rows from a file."""
    our_selectors()
    before = peak_bytes()
    kept = []
    with path.open("rb") as file:
        while file.peek(1):
            kept.append(pickle.load(file))
    print(peak_bytes() - before)
    return 0


def peak_bytes() -> int:
    """Return the highest resident size of this process so far."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
