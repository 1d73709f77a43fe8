"""Spoil saved pages in many ways and see whether a reader crashes, hangs or invents something.

    python scripts/fuzz_extract.py --seconds 600 --seed 1 --keep findings
    python scripts/fuzz_extract.py --replay findings/1-204-hang.list.bin

Each case is read in a worker process: 5 seconds of CPU, 1 GB of address space (no memory limit on
Windows). A reader may answer with a table or with one of our faults; anything else is a finding,
and so is a value that does not occur in the page. Findings are written to --keep, made smaller
where the same mistake stays, beside a text that says which seed and mutations made them. Records
that have the value of another row or column of the page are written there too, as `doubtful`: most
are what the spoiled page really says, none is counted. Exit code 1 where there are findings.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.fuzzing.corpus import Seed, collect_seeds
from scripts.fuzzing.doubts import find_doubt
from scripts.fuzzing.mutations import Mutation, mutate
from scripts.fuzzing.packages import draw_mutations
from scripts.fuzzing.readers import READERS, Case, Outcome
from scripts.fuzzing.worker import Worker

_MOST_OF_A_KIND = 3
_SMALLER_S = 40.0
"""How long one finding may be made smaller."""


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A case, and how it came about."""

    number: int
    seed: Seed
    case: Case
    mutations: tuple[Mutation, ...]


def main(arguments: Sequence[str]) -> int:
    options = _parse(arguments)
    if options.replay:
        with Worker() as worker:
            outcome = worker.run(_load(options.replay))
        print(outcome.kind, outcome.detail, sep="\n")
        return int(outcome.is_finding)
    options.keep.mkdir(parents=True, exist_ok=True)
    print(f"seed {options.seed}", file=sys.stderr)
    with Worker() as worker:
        campaign = Campaign(worker, options.seed, options.keep)
        campaign.run(options.seconds, options.only)
    campaign.tell()
    return int(bool(campaign.n_findings))


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--only", default="", choices=["", *READERS], help="one reader alone")
    parser.add_argument("--replay", type=Path)
    return parser.parse_args(arguments)


class Campaign:
    """Cases one after the other, and what became of them."""

    def __init__(self, worker: Worker, seed: int, keep: Path) -> None:
        self._worker = worker
        self._seed = seed
        self._keep = keep
        self._kinds: Counter[str] = Counter()
        self._places: Counter[tuple[str, str]] = Counter()
        self.n_findings = 0

    def run(self, seconds: float, only: str) -> None:
        seeds = [seed for seed in collect_seeds() if only in {"", seed.reader}]
        plain = {seed.name: self._worker.run(_case_of(seed)) for seed in seeds}
        ends_at = time.monotonic() + seconds
        number = 0
        while time.monotonic() < ends_at:
            number += 1
            spoiled = spoil(seeds, f"{self._seed}:{number}", number)
            outcome = self._worker.run(spoiled.case)
            self._kinds[f"{spoiled.seed.reader}: {outcome.kind}"] += 1
            if outcome.is_finding:
                self._keep_finding(spoiled, outcome)
            elif doubt := find_doubt(plain[spoiled.seed.name].records, outcome.records):
                self._keep_doubt(spoiled, outcome, doubt)
            if number % 500 == 0:
                print(f"{number} cases, {self.n_findings} findings", file=sys.stderr, flush=True)

    def tell(self) -> None:
        for kind, n in sorted(self._kinds.items()):
            print(f"{n:8} {kind}")
        for (kind, place), n in sorted(self._places.items()):
            print(f"{n:8} times {kind}: {place}")
        print(f"seed {self._seed}: {self._kinds.total()} cases, {self.n_findings} findings")

    def _keep_finding(self, spoiled: Spoiled, outcome: Outcome) -> None:
        self.n_findings += 1
        place = outcome.kind, f"{spoiled.seed.reader} {outcome.place}"
        self._places[place] += 1
        if self._places[place] <= _MOST_OF_A_KIND:
            case = self._make_smaller(spoiled.case, outcome)
            self._write(spoiled, outcome.kind, outcome.detail, case)
            print(f"{outcome.kind}: {place[1]} ({len(case.body)} bytes)", file=sys.stderr)

    def _keep_doubt(self, spoiled: Spoiled, outcome: Outcome, doubt: str) -> None:
        self._kinds[f"{spoiled.seed.reader}: doubtful table"] += 1
        place = "doubtful", " ".join(mutation.__name__ for mutation in spoiled.mutations)
        self._places[place] += 1
        if self._places[place] == 1:
            self._write(spoiled, "doubtful", f"{doubt}\n{outcome.kind}", spoiled.case)

    def _make_smaller(self, case: Case, outcome: Outcome) -> Case:
        """Leave out parts, larger ones first, as long as the same mistake stays."""
        ends_at = time.monotonic() + _SMALLER_S
        size = len(case.body) // 2
        while size >= max(1, len(case.body) // 256):
            start = 0
            while start < len(case.body) and time.monotonic() < ends_at:
                shorter = replace(case, body=case.body[:start] + case.body[start + size :])
                found = self._worker.run(shorter)
                if (found.kind, found.place) == (outcome.kind, outcome.place):
                    case = shorter
                else:
                    start += size
            size //= 2
        return case

    def _write(self, spoiled: Spoiled, kind: str, detail: str, case: Case) -> None:
        stem = f"{self._seed}-{spoiled.number}-{kind}.{case.reader}"
        names = ", ".join(mutation.__name__ for mutation in spoiled.mutations)
        (self._keep / f"{stem}.bin").write_bytes(case.body)
        (self._keep / f"{stem}.txt").write_text(
            f"{case.content_type}\npage {spoiled.seed.name}, seed {self._seed}, case "
            f"{spoiled.number}: {names}\n{len(spoiled.case.body)} bytes, made smaller to "
            f"{len(case.body)}\n{detail}\n",
            encoding="utf-8",
        )


def spoil(seeds: Sequence[Seed], label: str, number: int) -> Spoiled:
    """Make a case; the same label makes the same one of the same seeds."""
    rng = random.Random(label)
    reader = rng.choice([*sorted({seed.reader for seed in seeds}), *["list"] * 3])
    seed = rng.choice([seed for seed in seeds if seed.reader == reader] or list(seeds))
    other = rng.choice(seeds)
    mutations = tuple(draw_mutations(rng, seed.body))
    body = mutate(label, seed.body, other.body, mutations)
    content_type = rng.choice([seed.content_type] * 8 + ["", "text/html; charset=euc-kr"])
    return Spoiled(number, seed, Case(seed.reader, body, content_type), mutations)


def _case_of(seed: Seed) -> Case:
    return Case(seed.reader, seed.body, seed.content_type)


def _load(path: Path) -> Case:
    """Read a kept case again; the first line beside it is its content type."""
    content_type = path.with_suffix(".txt").read_text(encoding="utf-8").partition("\n")[0]
    return Case(path.suffixes[-2].lstrip("."), path.read_bytes(), content_type)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
