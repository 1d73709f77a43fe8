"""Whether the detector still detects: pages with a known change, judged as real pages are.

Pages in Korean, Japanese and English are written here, read by `read_watched_page` and judged by
`judge_page` with the rules, the volatile passages and the threshold that are in force. A rule that
was set too loosely, or a library that reads pages in another way, is told by the first pattern that
is judged wrongly, not by a change that was missed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from dmf_crawler.extract.page_file import PageField, PageFile
from dmf_crawler.extract.watched_page import PageSelectors, compile_page, read_watched_page
from dmf_crawler.judge.page_change import calibrate, judge_page
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.record import FieldKind
from dmf_crawler.model.run import KST, Fault
from dmf_crawler.model.watched_page import Calibration, Movement, PageReading
from dmf_crawler.settings import PageRules

_Case = tuple[str, "_Page", Movement]
"""What changed, in Korean; the page afterwards; what that has to be judged as."""

_URL = "http://canary.invalid/terms"
_MOMENT = datetime(2026, 12, 1, 6, tzinfo=KST)
_N_LONG = 40
"""Sentences of a long page: over 1,000 characters in every language."""


@dataclass(frozen=True, slots=True)
class _Page:
    """One state of a page of terms, in one language.

    Attributes:
        day: When the terms come into force, in words.
        clause: What allows or forbids.
        number: A sentence with a number that is no date, period or amount.
        neutral: Sentences in which nothing is looked at for itself.
        rotating: Another one, which stands there at one visit and not at the next.
        moving: Clock, how long ago, token and long number, as one visit shows them.
        links: Of which the order says nothing.
        banner: Outside of what is watched.
        status: A field.
    """

    day: str
    clause: str
    number: str
    neutral: tuple[str, ...]
    rotating: str
    moving: tuple[str, ...]
    links: tuple[str, ...] = ("가", "나", "다")
    banner: str = "2026-12-01"
    status: str = "A-1"

    def write(self) -> str:
        """Return its HTML."""
        texts = (self.day, self.clause, self.number, *self.neutral, self.rotating)
        return (
            f"<html><body><span class=status>{self.status}</span><div id=canary>"
            f"<p class=banner>{self.banner}</p>"
            + "".join(f"<p>{text}</p>" for text in texts)
            + "".join(f"<p>{text}</p>" for text in self.moving)
            + f"<ul>{''.join(f'<li>{text}</li>' for text in self.links)}</ul>"
            + f"<script>var moving = {self.moving!r};</script></div></body></html>"
        )


@dataclass(frozen=True, slots=True)
class _Language:
    """The texts of a page, and what becomes of them.

    Attributes:
        name: Korean.
        page: A short page.
        other_day: Another day.
        other_clause: The clause denied.
        other_number: Another number.
        added: A sentence that forbids something.
        other_neutral: Another sentence in which nothing is looked at for itself.
        other_rotating: What other visits show.
        other_moving: The same.
    """

    name: str
    page: _Page
    other_day: str
    other_clause: str
    other_number: str
    added: str
    other_neutral: str
    other_rotating: tuple[str, str]
    other_moving: tuple[str, ...]


_LANGUAGES = (
    _Language(
        "한국어",
        _Page(
            day="이 약관은 2026년 12월 1일부터 시행합니다.",
            clause="자료는 누구나 쓸 수 있다.",
            number="문의 1577-1255",
            neutral=("우리 처는 멀리서 찾아오는 모든 분의 말씀을 늘 귀하게 여깁니다.",),
            rotating="오늘의 그림: 바다",
            moving=("오전 9시 5분", "3분 전 업데이트됨", "token=a1b2c3d4e5", "0f" * 16),
        ),
        other_day="이 약관은 2027년 12월 1일부터 시행합니다.",
        other_clause="자료는 누구나 쓸 수 없다.",
        other_number="문의 1577-1266",
        added="자동화된 수단으로 모으는 일은 금지합니다.",
        other_neutral="맑은 강가에 오래된 버드나무 그늘이 저녁마다 길게 드리운다.",
        other_rotating=("오늘의 그림: 하늘", "오늘의 그림: 호수"),
        other_moving=("오후 11시 47분", "방금", "token=z9y8x7w6v5", "a7" * 16),
    ),
    _Language(
        "일본어",
        _Page(
            day="本規約は2026年12月1日から適用します。",
            clause="資料はだれでも利用できる。",
            number="電話 03-5253-1111",
            neutral=("わたしたちは 遠くから 来る 皆様の 声を いつも 大切に しています。",),
            rotating="きょうの写真: うみ",
            moving=("午前9時5分", "3分前に更新", "sid=a1b2c3d4e5", "0f" * 16),
        ),
        other_day="本規約は2026年12月8日から適用します。",
        other_clause="資料はだれも利用できない。",
        other_number="電話 03-5253-2222",
        added="自動の手段による収集を禁止します。",
        other_neutral="しずかな 川の ほとりに 古い 柳の 影が 夕方 のびる。",
        other_rotating=("きょうの写真: そら", "きょうの写真: もり"),
        other_moving=("午後11時47分", "たった今", "sid=z9y8x7w6v5", "a7" * 16),
    ),
    _Language(
        "영어",
        _Page(
            day="In force from 2026-12-01.",
            clause="The data may be copied.",
            number="Call 1577-1255.",
            neutral=("We value the kind words of every guest who visits us.",),
            rotating="♠ ♣ ♥ ♦",
            moving=("9:05:33 am", "Updated 3 minutes ago", "csrf_token: a1b2c3d4e5", "0f" * 16),
        ),
        other_day="In force from 2026-12-11.",
        other_clause="The data may not be copied.",
        other_number="Call 1577-1266.",
        added="Automated collection is prohibited.",
        other_neutral="Old willows along the quiet river cast a long evening shade.",
        other_rotating=("♥ ♠ ♦ ♣", "♦ ♥ ♣ ♠"),
        other_moving=("11:47:02 pm", "just now", "csrf_token: z9y8x7w6v5", "a7" * 16),
    ),
)

_NAMES = {
    Movement.FIRST: "첫 읽기",
    Movement.NONE: "변경 없음",
    Movement.NOISE: "잡음",
    Movement.CONTENT: "내용 변경",
    Movement.FIELD: "항목 변경",
}


def prove_detector(
    rules: PageRules, *, volatile: tuple[str, ...] = (), threshold: int | None = None
) -> Fault | None:
    """Judge pages whose change is known.

    Args:
        rules: Those in force.
        volatile: A board's own volatile passages, which have to leave dates and words alone.
        threshold: Of a board's calibration; None for what these pages themselves need.

    Returns:
        None where all is judged rightly; else the fault `canary_failed`, which names the first
        pattern that was not.

    Raises:
        pattern_bounds.PatternError: A volatile passage is none, which `page_checks` says before.
    """
    selectors = compile_page(_page_file(volatile))
    for language in _LANGUAGES:
        if failed := _prove_page(_Prover(selectors, rules, threshold), language):
            return _canary_failed(language.name, failed)
    return None


@dataclass(frozen=True, slots=True)
class _Prover:
    """Judges pages as a run does.

    Attributes:
        selectors: Of the canary's pages.
        rules: Those in force.
        threshold: As in `prove_detector`.
        readings: Of the pages that were read.
    """

    selectors: PageSelectors
    rules: PageRules
    threshold: int | None
    readings: dict[_Page, PageReading | Fault] = field(default_factory=dict)

    def read(self, page: _Page) -> PageReading | Fault:
        """Read a page, once."""
        if page in self.readings:
            return self.readings[page]
        body = page.write().encode()
        digest = hashlib.sha256(body).hexdigest()
        request = PageRequest(_URL, "page")
        raw = RawPage(request, _URL, 200, "text/html; charset=utf-8", digest, body, _MOMENT)
        self.readings[page] = read_watched_page(raw, self.selectors)
        return self.readings[page]

    def calibrate(self, pages: tuple[_Page, ...]) -> Calibration | Fault:
        """Measure how much a page moves, by some visits."""
        readings = []
        for page in pages:
            reading = self.read(page)
            if isinstance(reading, Fault):
                return reading
            readings.append(reading)
        return calibrate(readings, self.rules, measured_at=_MOMENT)

    def judge(self, before: _Page, after: _Page, measured: Calibration) -> Movement | Fault:
        """Read two states and judge the later one."""
        old, new = self.read(before), self.read(after)
        if isinstance(old, Fault):
            return old
        if isinstance(new, Fault):
            return new
        judged = judge_page(old, new, self.rules, calibration=measured, kinds=self.selectors.kinds)
        return judged.movement


def _prove_page(prover: _Prover, language: _Language) -> str:
    """Return in Korean which page was judged wrongly first, and how; "" for none."""
    short = language.page
    long = replace(short, neutral=_many(short.neutral[0]))
    visits = (long, *(replace(long, rotating=each) for each in language.other_rotating))
    own = prover.calibrate(visits)
    if isinstance(own, Fault):
        return f"저절로 움직이는 부분만 다른 긴 글을 재지 못했습니다({own.code})"
    given = own
    if prover.threshold is not None:
        given = replace(own, threshold=prover.threshold, most_moving=None)
    cases = [("짧은", short, given, case) for case in _usual_cases(short, language)]
    cases += [("짧은", short, given, case) for case in _short_cases(short, language)]
    cases += [("긴", long, given, case) for case in _usual_cases(long, language)]
    cases += [("긴", long, given, case) for case in _long_cases(long, language)]
    if own.threshold is not None:  # else a board's own passages take what moves here away
        cases += [("긴", long, own, case) for case in _moving_cases(long, language)]
    for length, page, measured, (pattern, after, expected) in cases:
        judged = prover.judge(page, after, measured)
        if judged is not expected:
            found = judged.code if isinstance(judged, Fault) else _NAMES[judged]
            return f"{length} 글: {pattern} → {found}(옳은 판단: {_NAMES[expected]})"
    is_blind = own.threshold is None and not prover.selectors.own
    return "저절로 움직이는 한 줄을 잴 때 보지 못했습니다" if is_blind else ""


def _short_cases(page: _Page, language: _Language) -> Iterator[_Case]:
    yield "숫자 하나가 바뀜", replace(page, number=language.other_number), Movement.CONTENT


def _long_cases(page: _Page, language: _Language) -> Iterator[_Case]:
    other = replace(page, neutral=_many(language.other_neutral))
    yield "전혀 다른 글로 바뀜", other, Movement.CONTENT


def _moving_cases(page: _Page, language: _Language) -> Iterator[_Case]:
    """Yield what depends on how much these pages move by themselves."""
    rotated = replace(page, rotating=language.other_rotating[0])
    yield "돌아가며 나오는 한 줄만 바뀜", rotated, Movement.NOISE
    worded = replace(rotated, neutral=(language.other_neutral, *page.neutral[1:]))
    yield "그 줄과 함께 다른 한 줄도 바뀜", worded, Movement.CONTENT


def _usual_cases(page: _Page, language: _Language) -> Iterator[_Case]:
    content, none = Movement.CONTENT, Movement.NONE
    yield "같은 페이지", page, none
    yield "시각과 토큰만 바뀜", replace(page, moving=language.other_moving), none
    yield "순서에 뜻이 없는 목록의 순서가 바뀜", replace(page, links=page.links[::-1]), none
    yield "보지 않는 배너가 바뀜", replace(page, banner="2030-01-01"), none
    yield "시행일이 바뀜", replace(page, day=language.other_day), content
    yield "허용이 금지로 바뀜", replace(page, clause=language.other_clause), content
    added = replace(page, neutral=(*page.neutral, language.added))
    yield "금지하는 문장이 더해짐", added, content
    added = replace(page, neutral=(*page.neutral, language.other_neutral))
    yield "평범한 문장이 더해짐", added, content
    yield "항목의 값이 바뀜", replace(page, status="A-2"), Movement.FIELD


def _many(sentence: str) -> tuple[str, ...]:
    """Return sentences of the same words in other orders."""
    words = sentence.split()
    sentences = []
    for number in range(_N_LONG):
        turns, start = divmod(number, len(words))
        turned = words[start:] + words[:start]
        sentences.append(" ".join(turned[::-1] if turns % 2 else turned))
    return tuple(sentences)


def _page_file(volatile: tuple[str, ...]) -> PageFile:
    return PageFile(
        board_id="canary",
        schema_version=1,
        verified_at="2026-12-01",
        region="#canary",
        drop=(".banner",),
        unordered=("ul",),
        volatile=volatile,
        fields={
            "status": PageField(label_ko="상태", selector=".status", kind=FieldKind.EXACT),
        },
    )


def _canary_failed(page: str, what: str) -> Fault:
    return Fault(
        "canary_failed",
        "변경 감지기의 자체 점검에 실패했습니다. 무엇이 바뀌었는지 아는 시험 페이지를 잘못 "
        f"판단했습니다({page}, {what}). 이대로는 진짜 변경을 놓칠 수 있으므로 이 실행은 "
        "페이지를 판단하지 않습니다. config/settings.yaml의 pages와 이 게시판 selectors "
        "파일의 volatile을 되돌리거나 calibrate로 다시 재어 주십시오. 그래도 계속되면 "
        "개발자에게 알려 주십시오.",
        exit_code=1,
    )
