"""Does a damaged list reach a report, and is a right one held up for nothing?

    python scripts/bench/drift.py [recall] [holds] [smallest] [OPTIONS]

`recall`: every breakage of the catalogue (`workbench/perturb`) at its usual severities, on days of
several simulated lists. A breakage counts as seen when the gates hold or refuse the read on the day
(or, for one that comes slowly, within its days). `holds`: days that are read as they are, true bulk
days among them; counted is how many are held. `smallest`: the least severity of which every trial
is seen. Without a word, the first two.

The same reads are shown to two other rules: the one that was drafted for this program, and the item
count with field coverage that users of Spidermon configure (`workbench/rivals.py`). Every share has
its 95 % interval (Wilson); days and trials of one world are taken for independent, though they
share its history.

About half of the breakages are held out: chosen by a hash of their names (`is_held_out`), never
looked at while limits are tuned. Without `--all` they are not even tried, and misses are listed.

Options: --all          both halves, apart; misses are counted and none is listed
         --rows N       rows of a list (6,000)
         --worlds N     simulated lists; every second one is messy (4)
         --points N     days of each on which all is tried (1)
         --days N       clean days of each (400)
         --only A,B     these breakages alone
         --processes N  (2)
         --write FILE   the tables also into FILE, between its two marks
"""

from __future__ import annotations

import argparse
import functools
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from dmf_crawler.workbench.perturb.breakage import Breakage
from dmf_crawler.workbench.perturb.catalogue import CATALOGUE, is_held_out
from dmf_crawler.workbench.simulation import Reader
from dmf_crawler.workbench.trials import (
    CleanDay,
    Point,
    Trial,
    WorldPlan,
    find_smallest,
    live_clean_days,
    live_points,
)

BEGIN, END = "<!-- drift.py: begin -->", "<!-- drift.py: end -->"
FIRST_SEED = 4_000
Z = 1.96
RULES = ("gates", "drafted rule", "item count")

T = TypeVar("T")
Table = list[list[str]]


def main(arguments: Sequence[str]) -> int:
    options = read_options(arguments)
    kinds = [each for each in CATALOGUE if options.all or not is_held_out(each)]
    if options.only:
        kinds = [each for each in kinds if each.name in options.only.split(",")]
    plans = [
        WorldPlan(FIRST_SEED + i, i % 2 == 1, options.rows, n_points=options.points)
        for i in range(options.worlds)
    ]
    names = tuple(each.name for each in kinds)
    started = time.perf_counter()
    parts, misses = [tell_size(options, kinds)], ""
    with ProcessPoolExecutor(options.processes) as pool:
        if "recall" in options.what:
            trials = spread(pool, functools.partial(try_all, names=names), plans)
            parts.append(tell_recall(trials, kinds))
            if not options.all:
                misses = tell_misses([t for t in trials if t.is_changed and not t.stopped_by])
        if "holds" in options.what:
            days = spread(pool, functools.partial(live_clean, n_days=options.days), plans)
            parts.append(tell_holds(days))
        if "smallest" in options.what:
            least = spread(pool, functools.partial(find_least, names=names), plans)
            parts.append(tell_smallest(least, kinds))
    text = "\n".join(parts)
    print(text)
    print(misses)
    print(f"\n{time.perf_counter() - started:.0f} s")
    if options.write:
        put_between(Path(options.write), text)
    return 0


def read_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", nargs="*", default=["recall", "holds"])
    parser.add_argument("--all", action="store_true")
    for name, default in (("rows", 6000), ("worlds", 4), ("points", 1), ("days", 400)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--only", default="")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", default="")
    return parser.parse_args(arguments)


def spread(
    pool: ProcessPoolExecutor, work: Callable[[WorldPlan], list[T]], plans: Sequence[WorldPlan]
) -> list[T]:
    return [each for found in pool.map(work, plans) for each in found]


# --- work of one process -------------------------------------------------------------------------


def try_all(plan: WorldPlan, names: Sequence[str]) -> list[Trial]:
    reader, kinds = Reader(), [each for each in CATALOGUE if each.name in names]
    return [
        point.attempt(reader, kind, severity)
        for point in live_points(reader, plan, max(each.n_days for each in kinds))
        for kind in kinds
        for severity in kind.usual
    ]


def live_clean(plan: WorldPlan, n_days: int) -> list[CleanDay]:
    return list(live_clean_days(Reader(), plan, n_days))


def find_least(plan: WorldPlan, names: Sequence[str]) -> list[tuple[str, float | None]]:
    reader, kinds = Reader(), [each for each in CATALOGUE if each.name in names]
    points = list(live_points(reader, plan, max(each.n_days for each in kinds)))
    found = []
    for kind in kinds:
        if not kind.is_harmless:

            def attempt(point: Point, severity: float, draw: int, kind: Breakage = kind) -> Trial:
                return point.attempt(reader, kind, severity, draw)

            found.append((kind.name, find_smallest(points, kind, attempt)))
    return found


# --- tables --------------------------------------------------------------------------------------


def tell_size(options: argparse.Namespace, kinds: Sequence[Breakage]) -> str:
    command = f"python scripts/bench/drift.py {' '.join(options.what)}"
    for name in ("rows", "worlds", "points", "days"):
        command += f" --{name} {getattr(options, name)}"
    command += " --all" if options.all else ""
    return f"Made with `{command}`: {len(kinds)} kinds of breakage.\n"


def tell_recall(trials: Sequence[Trial], kinds: Sequence[Breakage]) -> str:
    of_name = {each.name: each for each in kinds}
    harmless = [each for each in trials if not each.is_changed]
    counted = [each for each in trials if each.is_changed]
    halves = (
        ("looked at while tuning", [t for t in counted if not is_held_out(of_name[t.name])]),
        ("held out", [t for t in counted if is_held_out(of_name[t.name])]),
    )
    parts = ["**Breakages seen**, all severities that are usual\n"]
    rows = [["", "kinds", "trials", *RULES]]
    rows += [[title, *count_seen(half)] for title, half in halves if half]
    if all(half for _, half in halves):
        rows.append(["both halves", *count_seen(counted)])
    parts.append(write_table(rows))
    for title, attribute in (("family", "family"), ("layer that should see it first", "layer")):
        groups: dict[str, list[Trial]] = {}
        for trial in counted:
            group = str(getattr(of_name[trial.name], attribute))
            groups.setdefault(group, []).append(trial)
        rows = [[title, "kinds", "trials", *RULES]]
        rows += [[name, *count_seen(groups[name])] for name in sorted(groups)]
        parts.append(write_table(rows))
    held = sum(bool(each.stopped_by) for each in harmless)
    parts.append(
        f"{len(harmless)} trials left every value as it was (other order, other markup, a charset "
        f"that can be told); {held} of them were held.\n"
    )
    by_gate = Counter(code for trial in counted for code in trial.stopped_by)
    told = ", ".join(f"{code} {n}" for code, n in by_gate.most_common())
    parts.append(f"Trials stopped by each gate (several can): {told}.\n")
    slow = [each.on_day for each in counted if each.on_day and of_name[each.name].n_days > 1]
    if slow:
        median = statistics.median(slow)
        parts.append(
            f"Slow breakages were seen on day {median:.0f} (median), at last on {max(slow)}.\n"
        )
    return "\n".join(parts)


def tell_misses(missed: Sequence[Trial]) -> str:
    missed = sorted(missed, key=lambda trial: (trial.name, trial.severity))
    lines = [f"- {each.name} {each.severity} in {each.place}: {each.said}" for each in missed]
    return "\n".join(["Missed:", "", *lines]) + "\n"


def count_seen(trials: Sequence[Trial]) -> list[str]:
    """Return kinds, trials, and the share that each rule saw."""
    seen = (
        [bool(each.stopped_by) for each in trials],
        [bool(each.drafted) for each in trials],
        [bool(each.counted) for each in trials],
    )
    kinds = len({each.name for each in trials})
    return [str(kinds), str(len(trials)), *(tell_share(sum(each), len(each)) for each in seen)]


def tell_holds(days: Sequence[CleanDay]) -> str:
    rows = [["days without damage", "days", *RULES]]
    rows += [
        [title, str(len(chosen)), *tell_alarms(chosen)]
        for title, chosen in (
            ("all", list(days)),
            ("working days", [each for each in days if each.is_working_day]),
            ("ordinary working days", [d for d in days if d.is_working_day and not d.is_bulk]),
            ("true bulk days", [each for each in days if each.is_bulk]),
            ("first 30 days of a history", [each for each in days if each.n_before <= 30]),
        )
    ]
    held = [each for each in days if each.stopped_by]
    lines = ["", "Held without damage:", ""] if held else []
    lines += [
        f"- {each.day} in {each.place} ({'bulk day' if each.is_bulk else 'ordinary'}): "
        f"{', '.join(each.stopped_by)}: {each.said}"
        for each in held
    ]
    return "**Days held for nothing**\n\n" + write_table(rows) + "\n".join(lines) + "\n"


def tell_alarms(days: Sequence[CleanDay]) -> list[str]:
    alarms = (
        sum(bool(each.stopped_by) for each in days),
        sum(bool(each.drafted) for each in days),
        sum(bool(each.counted) for each in days),
    )
    return [tell_rate(n, len(days)) for n in alarms]


def tell_smallest(found: Sequence[tuple[str, float | None]], kinds: Sequence[Breakage]) -> str:
    rows = [
        ["breakage", "half", "unit", "smallest tried", "always seen from", "what one would see"]
    ]
    for kind in kinds:
        least = [severity for name, severity in found if name == kind.name]
        if not least:
            continue
        from_on = "never always" if None in least else f"{max(each or 0 for each in least):g}"
        half = "held out" if is_held_out(kind) else "tuned"
        row = [kind.name, half, str(kind.unit), f"{kind.severities[0]:g}", from_on, kind.symptom]
        rows.append(row)
    return "**The smallest damage of which every trial is seen**\n\n" + write_table(rows)


def tell_share(n: int, of: int) -> str:
    low, high = interval(n, of)
    return f"{n / of:.3f} ({low:.3f} to {high:.3f})" if of else "no trial"


def tell_rate(n: int, of: int) -> str:
    """Return a count of days as one in so many, with the interval of that number."""
    if not of:
        return "no day"
    low, high = interval(n, of)
    often = f"1 in {of / n:.3g}" if n else "none"
    return f"{n}: {often} (1 in {1 / high:.3g} to {f'1 in {1 / low:.3g}' if n else 'never'})"


def interval(n: int, of: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share."""
    if not of:
        return 0.0, 1.0
    share, spread_ = n / of, Z * Z / of
    middle = (share + spread_ / 2) / (1 + spread_)
    half = Z / (1 + spread_) * math.sqrt(share * (1 - share) / of + spread_ / (4 * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def write_table(rows: Table) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines) + "\n"


def put_between(path: Path, text: str) -> None:
    """Put the tables between the two marks of a document."""
    document = path.read_text(encoding="utf-8")
    before, rest = document.split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
