"""How much faster the fingerprint is than the plain loop that defines it, with the same bits.

    python scripts/bench/simhash.py [ROUNDS]

Korean texts of 20, 200, 2,000 and 20,000 characters. The plain loop is the drafted one (a counter a
bit, a pass over 64 bits for each piece) with our rule for ties. Ours with its hashes kept, as in a
run that fingerprints a text again which hardly changed, and with the cache emptied before each
text. Both are timed in turn in this process, CPU time; printed are the medians and their ratios, 15
rounds unless told otherwise. Every fingerprint is compared: one that differs ends it with exit
code 1, and so does a ratio below 15 at 200 characters and more.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from hashlib import blake2b

from dmf_crawler import simhash as fast

LENGTHS = (20, 200, 2_000, 20_000)
LEAST_RATIO = 15
TEXT = (
    "이 약관은 식품의약품안전처가 제공하는 원료의약품 등록 정보의 이용 조건과 절차를 정합니다. "
    "이용자는 출처를 밝히고 자료를 쓸 수 있으며, 시행일은 {day}입니다. "
)


def main(arguments: list[str]) -> int:
    n_rounds = int(arguments[0]) if arguments else 15
    print(f"medians of {n_rounds} rounds, CPU time\n")
    print("| characters | plain loop, ms | cold, ms | times | warm, ms | times |")
    print("|---:|---:|---:|---:|---:|---:|")
    is_fast = True
    for length in LENGTHS:
        text = "".join(TEXT.format(day=f"2026년 {day}월 {day}일") for day in range(300))[:length]
        if plain_simhash(text) != fast.simhash(text):
            print(f"{length}: the fingerprints differ", file=sys.stderr)
            return 1
        plain, cold, warm = measure(text, n_rounds)
        is_fast = is_fast and (length < 200 or plain / warm >= LEAST_RATIO)
        figures = f"{cold:.3f} | {plain / cold:.1f} | {warm:.3f} | {plain / warm:.1f}"
        print(f"| {length:,} | {plain:.3f} | {figures} |")
    return 0 if is_fast else 1


def plain_simhash(text: str) -> int:
    """The definition, one bit and one piece at a time."""
    hashes = [
        int.from_bytes(blake2b(text[at : at + 3].encode(), digest_size=8).digest(), "big")
        for at in range(max(1, len(text) - 2))
    ]
    counters = [0] * 64
    for each in hashes:
        for bit in range(64):
            counters[bit] += 1 if each >> bit & 1 else -1
    tie = min(hashes)
    found = 0
    for bit, votes in enumerate(counters):
        if votes > 0 or (votes == 0 and tie >> bit & 1):
            found |= 1 << bit
    return found


def measure(text: str, n_rounds: int) -> tuple[float, float, float]:
    """Return the median milliseconds of the plain loop, ours cold, ours warm."""

    def run_cold() -> int:
        fast._hash_piece.cache_clear()  # noqa: SLF001  (no one else needs it cold)
        return fast.simhash(text)

    runs: tuple[Callable[[], int], ...] = (
        lambda: plain_simhash(text),
        run_cold,
        lambda: fast.simhash(text),
    )
    times: list[list[float]] = [[], [], []]
    for _ in range(n_rounds):
        for run, taken in zip(runs, times, strict=True):
            start = time.process_time_ns()
            n_times = 0
            while not n_times or time.process_time_ns() - start < 5_000_000:
                run()
                n_times += 1
            taken.append((time.process_time_ns() - start) / n_times / 1e6)
    plain, cold, warm = map(statistics.median, times)
    return plain, cold, warm


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
