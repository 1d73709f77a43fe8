"""What the server saw of a full run: writes the table of docs/politeness.md.

    python scripts/politeness.py [--rows N] [--delay S]

A rehearsal site (12,000 rows and the notice board) is crawled once with the shipped settings but
for the address; it takes some five minutes, since every pause is kept. The table is made from the
site's own log, never from what the crawler says of itself. With other options than the defaults
the table is only printed.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from dmf_crawler.cli.run import run_once
from dmf_crawler.config import load_home
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.notice_life import NoticeLife
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.terms import TermsText
from dmf_crawler.workbench.rehearse import make_home

DOCUMENT = Path(__file__).parents[1] / "docs/politeness.md"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"
N_SHOWN = 4


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--delay", type=float, default=2.0)
    options = parser.parse_args(arguments)
    log = record_run(options.rows, options.delay)
    table = write_table(log)
    print(table)
    if (options.rows, options.delay) == (12_000, 2.0):
        DOCUMENT.write_text(
            put_table(DOCUMENT.read_text(encoding="utf-8"), table), encoding="utf-8", newline="\n"
        )
    return 0


def record_run(n_rows: int, delay_s: float) -> list[LoggedRequest]:
    """Run all boards once and return what the server saw."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder) / "home"
        with RehearsalSite(
            Life(n_rows=n_rows).rows, notices=NoticeLife().rows, terms=TermsText()
        ) as site:
            make_home(root, site.base_url, delay_s=delay_s)
            home = load_home(root)
            for summary in run_once(home, home.enabled_boards, starts_at=None):
                assert summary.fault is None, summary.fault
            return site.log


def write_table(log: Sequence[LoggedRequest]) -> str:
    """Return the log as Markdown: figures first, then its first and last lines."""
    gaps = [later.arrived_at_s - earlier.ended_at_s for earlier, later in pairwise(log)]
    facts = [
        ("requests", f"{len(log):,}"),
        ("of them robots.txt", f"{sum(request.path == '/robots.txt' for request in log)}"),
        ("connections", f"{len({request.connection_id for request in log})}"),
        (
            "requests that met another one still open",
            f"{sum(request.n_open_at_arrival > 0 for request in log)}",
        ),
        ("gap from the last byte of an answer to the next request, least", f"{min(gaps):.3f} s"),
        ("the same, median", f"{statistics.median(gaps):.3f} s"),
        ("the same, most", f"{max(gaps):.3f} s"),
        ("whole run", f"{log[-1].ended_at_s - log[0].arrived_at_s:,.0f} s"),
        (
            "different sets of request headers (conditional ones left out)",
            f"{len({_headers(request) for request in log})}",
        ),
        ("addresses asked for twice (but robots.txt and page 1)", f"{_count_repeats(log)}"),
    ]
    lines = ["| what the server saw | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in facts]
    lines += ["", "| | second | gap | request | status | bytes |", "|---|---|---|---|---|---|"]
    shown = [*range(N_SHOWN), *range(len(log) - N_SHOWN, len(log))]
    for place, number in enumerate(shown):
        if place == N_SHOWN:
            lines.append("| … | | | | | |")
        lines.append(_line(log, number))
    lines += ["", "Headers of every request:", "", "```text"]
    lines += [f"{name}: {value}" for name, value in _headers(log[0])]
    lines.append("```")
    return "\n".join(lines)


def _headers(request: LoggedRequest) -> tuple[tuple[str, str], ...]:
    conditional = {"if-none-match", "if-modified-since", "host"}
    return tuple(item for item in request.headers.items() if item[0] not in conditional)


def _count_repeats(log: Sequence[LoggedRequest]) -> int:
    """Count addresses asked for again, but for robots.txt and page 1, which have to be."""
    addresses = [
        f"{request.path}?{request.query_text}"
        for request in log
        if request.path != "/robots.txt" and request.query.get("page") != "1"
    ]
    return len(addresses) - len(set(addresses))


def _line(log: Sequence[LoggedRequest], number: int) -> str:
    request = log[number]
    gap = f"{request.arrived_at_s - log[number - 1].ended_at_s:.3f}" if number else ""
    address = request.path + (f"?{request.query_text}" if request.query_text else "")
    second = request.arrived_at_s - log[0].arrived_at_s
    return (
        f"| {number + 1} | {second:.3f} | {gap} | `{request.method} {address}` | {request.status} "
        f"| {request.n_bytes:,} |"
    )


def put_table(document: str, table: str) -> str:
    """Return the document with the table between its two marks."""
    head, begin, rest = document.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{DOCUMENT} lacks the two marks of the table")
    return f"{head}{BEGIN}\n{table}\n\n{END}{tail}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
