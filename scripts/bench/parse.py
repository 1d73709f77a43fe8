"""How long one list page takes: our reader, bare lxml and BeautifulSoup, on the same page.

    python scripts/bench/parse.py [ROUNDS]

Each round times the three in turn on one page of 100 rows of the rehearsal site; printed are the
median milliseconds of CPU and the median of the per-round ratios to bare lxml. Bare lxml and
BeautifulSoup only build the tree and read the text of every cell; our reader does all of its work.
Run it with the Python of .venv after `bootstrap.py test`, which installs BeautifulSoup.
"""

import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.request import urlopen

import msgspec
from bs4 import BeautifulSoup
from lxml.html import document_fromstring

from dmf_crawler.document import read_document
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.selectors import compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.record import PageTable
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite

SELECTORS = Path(__file__).parents[2] / "selectors" / "dmf_registry.yaml"
N_ROWS = 100


def main(arguments: list[str]) -> int:
    n_rounds = int(arguments[0]) if arguments else 15
    with RehearsalSite(Life(n_rows=1_000).rows) as site:
        url = f"{site.base_url}/pbp/CCBAC03/getList?page=1&limit={N_ROWS}"
        with urlopen(url) as answer:
            body = answer.read()
    text = body.decode("utf-8")
    selectors = compile_selectors(
        msgspec.convert(read_document(SELECTORS, SELECTORS.name).value, SelectorsFile)
    )
    page = RawPage(
        PageRequest(url, "list", 1), url, 200, "text/html", "0" * 64, body, datetime.now(UTC)
    )

    def read_ours() -> int:
        table = read_page(page, selectors)
        assert isinstance(table, PageTable), table
        return len(table.rows)

    readers: dict[str, Callable[[], int]] = {
        "bare lxml": lambda: len(
            ["".join(map(str, cell.itertext())) for cell in document_fromstring(text).iter("td")]
        ),
        "our reader": read_ours,
        "BeautifulSoup with lxml": lambda: len(
            [cell.get_text() for cell in BeautifulSoup(text, "lxml").find_all("td")]
        ),
    }
    seconds: dict[str, list[float]] = {name: [] for name in readers}
    for _ in range(n_rounds + 1):
        for name, read in readers.items():
            started = time.process_time()
            assert read() >= N_ROWS
            seconds[name].append(time.process_time() - started)
    bare = seconds["bare lxml"][1:]  # the first round warms up
    for name, all_rounds in seconds.items():
        rounds = all_rounds[1:]
        ratio = statistics.median(mine / its for mine, its in zip(rounds, bare, strict=True))
        print(f"{name}: median {1000 * statistics.median(rounds):.1f} ms, {ratio:.1f} x bare lxml")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
