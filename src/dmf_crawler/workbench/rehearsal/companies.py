"""Who applies: about 440 company names, a few of them with hundreds of rows."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import accumulate

N_COMPANIES = 441

_BUSIEST = (
    ("(주)삼오제약", 394),
    ("(주)파마피아", 384),
    ("에이징생명과학(주)", 277),
    ("(주)국전", 272),
    ("에이스바이오팜주식회사", 249),
    ("대신무약(주)", 215),
    ("화일약품(주)", 188),
    ("(주)마성엘에스", 179),
    ("성우화학(주)", 156),
    ("(주)성진엑심", 153),
)
_N_LIVE = 9149  # rows that the counts above are out of

# Made-up names for the rest, written in each of the ways in which applicants write theirs.
_STEMS = (
    *("가람", "나래", "다온", "라온", "마루", "바름", "새론", "아람", "자연"),
    *("찬솔", "터전", "푸름", "한빛", "해온", "예담", "유림", "도담", "미래로"),
)
_TRADES = ("제약", "바이오", "파마", "약품", "케미칼", "헬스케어", "생명과학", "화학")
_FORMS = ("(주){}", "{}(주)", "주식회사 {}", "{}주식회사", "㈜{}", "주식회사{}")


class Applicants:
    """Company names with their share of the register.

    Args:
        known: Names that must be among them.
    """

    def __init__(self, known: Iterable[str]) -> None:
        busiest = dict(_BUSIEST)
        others = dict.fromkeys([*(name for name in known if name not in busiest), *_invent_names()])
        names = [*busiest, *others][:N_COMPANIES]
        rest = (_N_LIVE - sum(busiest.values())) / (len(names) - len(busiest))
        self._names = names
        self._cumulated = list(accumulate(busiest.get(name, rest) for name in names))

    def pick(self, rng: random.Random) -> str:
        """Return a name, the busiest ones more often."""
        return rng.choices(self._names, cum_weights=self._cumulated)[0]


def rename_company(name: str, n_renamed: int) -> str:
    """Return the new name of a company whose name changes (the `n_renamed`-th to do so)."""
    stem = name.replace("(주)", "").replace("㈜", "").replace("주식회사", "").strip()
    return f"{stem}{('홀딩스', '라이프', '사이언스')[n_renamed % 3]}(주)"


def _invent_names() -> list[str]:
    pairs = [(stem, trade) for trade in _TRADES for stem in _STEMS]
    first = [_FORMS[i % 6].format(stem + trade) for i, (stem, trade) in enumerate(pairs)]
    second = [_FORMS[i % 5].format("뉴" + stem + trade) for i, (stem, trade) in enumerate(pairs)]
    third = [_FORMS[i % 4].format(stem + "인터" + trade) for i, (stem, trade) in enumerate(pairs)]
    return first + second + third
