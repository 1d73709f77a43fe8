"""Which real edits of a watched page three rules hide, and how often they cry without cause.

    python scripts/bench/pages.py [--pages N] [--seed N]

Pages of terms in Korean are made up, of about 300, 1,000 and 5,000 characters. Each has a part that
moves by itself: a line that is another one at each visit (rotating), or a counter. Five visits
calibrate it; then each real edit is made, once at a random place, while the moving part moves on as
well. A rule hides an edit where it says noise or none. The same visits without any edit say how
often it falsely says content. Three rules are told the same:

- the article's: ISO dates, times and tokens deleted, letters lowered, word trigrams, 3 bits;
- threshold alone: our reading of the text, noise up to the page's own calibrated distance;
- ours: the same, and what can be news, another number of blocks, or more other blocks than
  calibration saw, is content at any distance (`judge_page`).

The seed is printed. Ours must hide none of the edits that it promises to notice, or the exit code
is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from dmf_crawler.extract.page_file import PageFile
from dmf_crawler.extract.watched_page import PageSelectors, compile_page, restore_reading
from dmf_crawler.judge.page_change import calibrate, judge_page, text_of
from dmf_crawler.model.run import KST, Fault
from dmf_crawler.model.watched_page import Calibration, Movement, PageReading
from dmf_crawler.settings import PageRules
from dmf_crawler.simhash import distance, simhash

LENGTHS = (300, 1_000, 5_000)
RULES = PageRules()
MOMENT = datetime(2026, 12, 1, 6, tzinfo=KST)
ARTICLE_BITS = 3

SUBJECTS = (
    "이용자는",
    "운영자는",
    "신청인은",
    "우리 처는",
    "누구든지",
    "담당 부서는",
    "기관은",
    "회원은",
)
OBJECTS = (
    "자료를",
    "정보를",
    "서류를",
    "계정을",
    "화면을",
    "목록을",
    "문서를",
    "이름을",
    "주소를",
    "내용을",
)
PLACES = (
    "누리집에서",
    "창구에서",
    "우편으로",
    "전자문서로",
    "시스템에서",
    "게시판에서",
    "전화로",
    "문자로",
)
VERBS = (
    "확인한다",
    "살핀다",
    "보낸다",
    "받는다",
    "고친다",
    "적는다",
    "읽는다",
    "모은다",
    "나눈다",
    "알린다",
)
MANNERS = ("꼼꼼히", "빠르게", "차례대로", "함께", "따로", "먼저", "나중에", "늘", "가끔", "다시")
TITLES = (
    "안전한 여름나기",
    "함께 걷는 길",
    "우리 동네 이야기",
    "새 소식 한눈에",
    "바다를 지키는 손",
    "맑은 물 이야기",
    "어린이 그림 잔치",
    "숲에서 만난 하루",
    "따뜻한 겨울 밥상",
    "영상으로 보는 하루",
)
NEWS = (
    "이 약관은 2026년 12월 1일부터 시행한다",
    "변경할 때에는 30일 이전에 알린다",
    "수수료는 5만원으로 한다",
    "자료를 다시 쓸 수 있다",
    "상업적 이용을 허용한다",
    "문의는 대표번호 1577 으로 한다",
)
SENTENCES = (
    "자동화된 수단으로 자료를 모으는 일은 금지한다",
    "운영자는 책임을 지지 않는다",
    "이용자는 미리 승인을 받아야 한다",
    "위반하면 이용을 정지한다",
)
PLAIN_SENTENCES = (
    "담당 부서는 받은 서류를 다시 살핀다",
    "이름과 주소를 함께 적는다",
    "자료는 창구에서 나누어 준다",
    "운영자는 문서를 차례대로 모은다",
)

Blocks = tuple[str, ...]


@dataclass(frozen=True)
class Edit:
    """One kind of real edit; `is_wording` where ours does not promise to notice it."""

    name: str
    make: Callable[[Blocks, random.Random], Blocks]
    is_wording: bool = False


@dataclass
class Tried:
    """Hidden edits and false cries by rule, kind and length; tries; pages left out."""

    hidden: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    cried: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    n_tried: Counter[tuple[str, int]] = field(default_factory=Counter)
    n_refused: int = 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Which real edits of a watched page are hidden.")
    parser.add_argument("--pages", type=int, default=200, help="pages of each length and movement")
    parser.add_argument("--seed", type=int, default=20_261_201)
    wanted = parser.parse_args(arguments)
    print(f"seed {wanted.seed}; {wanted.pages} pages of each length and kind of movement\n")
    tried = try_pages(wanted.pages, wanted.seed)
    hidden = tried.hidden
    print_hidden(hidden, tried.n_tried)
    print_cried(tried.cried, tried.n_tried)
    if tried.n_refused:
        print(f"\n{tried.n_refused} pages could not be calibrated and are left out.")
    missed = [
        (edit.name, length)
        for edit in EDITS
        for length in LENGTHS
        if not edit.is_wording and hidden["ours", edit.name, length]
    ]
    for name, length in missed:
        print(f"ours hid: {name}, {length} characters", file=sys.stderr)
    return 1 if missed else 0


def try_pages(n_pages: int, seed: int) -> Tried:
    """Make pages, calibrate them and judge what becomes of them."""
    tried = Tried()
    selectors = compile_page(
        PageFile(board_id="bench", schema_version=1, verified_at="2026-12-01", region="body")
    )
    for length in LENGTHS:
        for movement in MOVEMENTS:
            for number in range(n_pages):
                try_page(tried, length, movement, f"{seed} {number}", selectors)
    return tried


def try_page(tried: Tried, length: int, movement: str, seed: str, selectors: PageSelectors) -> None:
    move = MOVEMENTS[movement]
    rng = random.Random(f"{seed} {length} {movement}")
    text = make_text(length, rng)
    visits = [move(text, rng) for _ in range(RULES.calibration_reads)]
    readings = [read(visit, selectors) for visit in visits]
    measured = calibrate(readings, RULES, measured_at=MOMENT)
    if isinstance(measured, Fault):
        tried.n_refused += 1
        return
    rules = dict(judges(visits[-1], measured, selectors))
    tried.n_tried[movement, length] += 1
    unedited = move(text, rng)
    for rule, says_content in rules.items():
        tried.cried[rule, movement, length] += says_content(unedited)
    for edit in EDITS:
        after = move(edit.make(text, rng), rng)
        tried.n_tried[edit.name, length] += 1
        for rule, says_content in rules.items():
            tried.hidden[rule, edit.name, length] += not says_content(after)


# --- pages and edits -----------------------------------------------------------------------------


def make_text(n_characters: int, rng: random.Random) -> Blocks:
    """Make clauses up until there are so many characters, what can be news among them."""
    clauses = list(NEWS)
    while sum(map(len, clauses)) < n_characters - 20:
        words = (rng.choice(SUBJECTS), rng.choice(PLACES), rng.choice(MANNERS))
        clauses.append(" ".join((*words, rng.choice(OBJECTS), rng.choice(VERBS))))
    rng.shuffle(clauses)
    return tuple(clauses)


def _rotate(text: Blocks, rng: random.Random) -> Blocks:
    return (*text, f"오늘의 읽을거리: {rng.choice(TITLES)}")


def _count(text: Blocks, rng: random.Random) -> Blocks:
    return (*text, f"오늘 다녀간 사람 {rng.randint(1_000, 9_999):,}")


MOVEMENTS: dict[str, Callable[[Blocks, random.Random], Blocks]] = {
    "rotating": _rotate,
    "counter": _count,
}


def _replacing(old: str, *new: str) -> Callable[[Blocks, random.Random], Blocks]:
    def make(text: Blocks, rng: random.Random) -> Blocks:
        changed = rng.choice(new)
        edited = tuple(block.replace(old, changed) for block in text)
        assert edited != text
        return edited

    return make


def _adding(sentences: tuple[str, ...]) -> Callable[[Blocks, random.Random], Blocks]:
    def make(text: Blocks, rng: random.Random) -> Blocks:
        place = rng.randint(0, len(text))
        return (*text[:place], rng.choice(sentences), *text[place:])

    return make


def _plain(text: Blocks) -> list[int]:
    return [place for place, block in enumerate(text) if block not in NEWS]


def _remove_sentence(text: Blocks, rng: random.Random) -> Blocks:
    place = rng.choice(_plain(text) or [0])
    return (*text[:place], *text[place + 1 :])


def _replace_word(text: Blocks, rng: random.Random) -> Blocks:
    place = rng.choice(_plain(text) or [0])
    words = text[place].split()
    words[-1] = rng.choice([verb for verb in VERBS if verb != words[-1]])
    return (*text[:place], " ".join(words), *text[place + 1 :])


EDITS = (
    Edit("date", _replacing("12월 1일", "12월 8일", "11월 1일", "12월 11일")),
    Edit("period", _replacing("30일", "7일", "60일", "31일")),
    Edit("amount", _replacing("5만원", "6만원", "50만원", "3만원")),
    Edit("negation", _replacing("쓸 수 있다", "쓸 수 없다")),
    Edit("allowed to forbidden", _replacing("허용", "금지", "제한")),
    Edit("sentence that forbids added", _adding(SENTENCES)),
    Edit("bare number", _replacing("1577", "1588", "1599", "1577-1"), is_wording=True),
    Edit("plain word", _replace_word, is_wording=True),
    Edit("plain sentence added", _adding(PLAIN_SENTENCES)),
    Edit("plain sentence removed", _remove_sentence),
)


# --- rules ---------------------------------------------------------------------------------------


def judges(
    before: Blocks, measured: Calibration, selectors: PageSelectors
) -> Iterator[tuple[str, Callable[[Blocks], bool]]]:
    """Yield each rule's name, and what says whether a state after `before` is content for it."""
    known = read(before, selectors)
    old, old_article = simhash(text_of(known)), article_simhash(before)
    noise = 0 if measured.threshold is None else measured.threshold

    def threshold_alone(after: Blocks) -> bool:
        return distance(old, simhash(text_of(read(after, selectors)))) > noise

    def ours(after: Blocks) -> bool:
        reading = read(after, selectors)
        judged = judge_page(known, reading, RULES, calibration=measured, kinds={})
        return judged.movement is Movement.CONTENT

    yield "article", lambda after: distance(old_article, article_simhash(after)) > ARTICLE_BITS
    yield "threshold", threshold_alone
    yield "ours", ours


def read(blocks: Blocks, selectors: PageSelectors) -> PageReading:
    return restore_reading({"body": "\n".join(blocks)}, selectors)


_ARTICLE_VOLATILE = (
    r"\b\d{1,2}:\d{2}(?::\d{2})?\s?(?:am|pm|AM|PM)?\b",
    r"\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?\b",
    r"\b\d+\s+(?:second|minute|hour|day)s?\s+ago\b",
    r"\b(?:csrf|nonce|token|session|sid)[\w-]*[=:]\s*[\w-]+",
    r"\b[0-9a-f]{24,}\b",
)


def article_simhash(blocks: Blocks) -> int:
    """The article's own: its normal form, word trigrams, ties as zeros."""
    text = " ".join(blocks)
    for pattern in _ARTICLE_VOLATILE:
        text = re.sub(pattern, " ", text, flags=re.IGNORECASE)
    words = text.lower().split()
    weights = [0] * 64
    for at in range(max(1, len(words) - 2)):
        gram = " ".join(words[at : at + 3])
        each = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big")
        for bit in range(64):
            weights[bit] += 1 if each >> bit & 1 else -1
    return sum(1 << bit for bit in range(64) if weights[bit] > 0)


# --- tables --------------------------------------------------------------------------------------

RULE_NAMES = ("article", "threshold", "ours")


def print_hidden(hidden: Counter[tuple[str, str, int]], n_tried: Counter[tuple[str, int]]) -> None:
    print("Real edits hidden (article / threshold alone / ours)\n")
    print("| edit | promised | " + " | ".join(f"{length:,}" for length in LENGTHS) + " |")
    print("|---|---|" + "---|" * len(LENGTHS))
    for edit in EDITS:
        cells = (
            _shares(hidden, edit.name, length, n_tried[edit.name, length]) for length in LENGTHS
        )
        print(f"| {edit.name} | {'' if edit.is_wording else 'yes'} | {' | '.join(cells)} |")


def print_cried(cried: Counter[tuple[str, str, int]], n_tried: Counter[tuple[str, int]]) -> None:
    print("\nVisits without any edit that are called content (article / threshold alone / ours)\n")
    print("| what moves | " + " | ".join(f"{length:,}" for length in LENGTHS) + " |")
    print("|---|" + "---|" * len(LENGTHS))
    for movement in MOVEMENTS:
        cells = (_shares(cried, movement, length, n_tried[movement, length]) for length in LENGTHS)
        print(f"| {movement} | {' | '.join(cells)} |")


def _shares(found: Counter[tuple[str, str, int]], kind: str, length: int, n: int) -> str:
    return " / ".join(f"{found[rule, kind, length] / max(1, n):.2f}" for rule in RULE_NAMES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
