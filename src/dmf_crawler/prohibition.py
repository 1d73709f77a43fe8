"""Does a sentence forbid crawling? By the settings' patterns, which may not be blind; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dmf_crawler.document import Finding
from dmf_crawler.patterns import MOST_CHARACTERS, Pattern, compile_pattern
from dmf_crawler.settings import TermsRules
from dmf_crawler.terms_words import PLAIN

MOST_PASSAGE_CHARACTERS = 300

_OVERLAP = 300
"""Of two pieces of a very long sentence: what is shorter stands whole in one of them."""

_BEFORE = 100
"""Characters shown before what was found in a long sentence."""


@dataclass(frozen=True, slots=True)
class Prohibition:
    """The settings' patterns, compiled."""

    forbidding: tuple[Pattern, ...]
    excepted: tuple[Pattern, ...]

    def narrow(self, text: str) -> Prohibition:
        """Return what any sentence of a text may match, from the text's words alone."""
        return replace(self, forbidding=tuple(_find_likely(text, self.forbidding)))

    def find_in(self, sentence: str) -> Iterator[tuple[str, str]]:
        """Yield pattern and passage of everything in a sentence that forbids crawling.

        Args:
            sentence: On one line; every white space is one blank.
        """
        for piece in _cut(sentence):
            likely = list(_find_likely(piece, self.forbidding))
            masked = _mask(piece, self.excepted) if likely else piece
            for pattern in likely:
                if match := pattern.regex.search(masked):
                    yield pattern.text, _quote(piece, match.start())


def compile_prohibition(rules: TermsRules) -> Prohibition:
    """Compile the settings' patterns, which were checked before; raises `ValueError` else."""
    return _compile(rules.forbidding, rules.excepted)


@lru_cache(maxsize=8)
def _compile(forbidding: tuple[str, ...], excepted: tuple[str, ...]) -> Prohibition:
    return Prohibition(
        tuple(map(compile_pattern, forbidding)), tuple(map(compile_pattern, excepted))
    )


def find_rule_faults(rules: TermsRules) -> Iterator[Finding]:
    """Yield what is wrong with the patterns: none, or blind to what plainly forbids crawling."""
    findings = [
        finding
        for name in ("forbidding", "excepted")
        for index, text in enumerate(getattr(rules, name))
        if (finding := _check_pattern(name, index, text)) is not None
    ]
    yield from findings
    if findings:
        return
    prohibition = compile_prohibition(rules)
    for sentence in PLAIN:
        if not any(prohibition.find_in(sentence)):
            is_masked = any(_compile(rules.forbidding, ()).find_in(sentence))
            yield Finding(
                ("terms", "excepted" if is_masked else "forbidding"),
                f"'{sentence}' 를 찾지 못하는 정규식들",
                "수집을 금지하는 분명한 문장을 모두 찾는 정규식들",
                "금지 문구를 무시하는 설정은 없습니다. 배포본의 정규식을 되돌려 놓으십시오.",
            )


def _check_pattern(name: str, index: int, text: str) -> Finding | None:
    try:
        compile_pattern(text)
    except ValueError as error:
        key = ("terms", name, index)
        return Finding(key, f"'{text}' ({error})", "올바르고 오래 걸리지 않는 정규식")
    return None


def _find_likely(text: str, patterns: Sequence[Pattern]) -> Iterator[Pattern]:
    """Yield the patterns of which a text has all words; the others have no match in it."""
    has_word = text.lower().__contains__
    return (each for each in patterns if each.may_match(has_word))


def _cut(sentence: str) -> Iterator[str]:
    """Yield a sentence in pieces that can be searched in bounded time, nearly always one."""
    step = MOST_CHARACTERS - _OVERLAP
    for start in range(0, max(len(sentence) - _OVERLAP, 1), step):
        yield sentence[start : start + MOST_CHARACTERS]


def _mask(piece: str, excepted: Sequence[Pattern]) -> str:
    """Blot out what means something else: no pattern reaches over the line feeds there."""
    for pattern in _find_likely(piece, excepted):
        piece = pattern.regex.sub(lambda match: "\n" * len(match[0]), piece)
    return piece


def _quote(piece: str, position: int) -> str:
    """Return the passage around a place, short enough for a message and fit to be stored."""
    if len(piece) > MOST_PASSAGE_CHARACTERS:
        start = max(0, min(position - _BEFORE, len(piece) - MOST_PASSAGE_CHARACTERS))
        piece = piece[start : start + MOST_PASSAGE_CHARACTERS]
    return piece.encode("utf-8", "replace").decode("utf-8")
