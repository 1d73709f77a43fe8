"""Comparison of values: what counts as the same text, and how much a change weighs.

Every difference is graded, none is dropped. The canonical form only unifies ways of typing the same
characters (white space, full-width letters, kinds of dashes and quotes, the mark of a stock
company); it never folds superscripts, circled digits, Roman numerals or anything in parentheses,
because these carry meaning (NFKC would turn 10² into 102).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from dmf_crawler.model.change import Grade
from dmf_crawler.model.detail import split_file
from dmf_crawler.model.record import FieldKind, Value

_MINOR_JACCARD = 0.8
"""Trigram overlap from which a change without critical tokens is minor."""

_WITHOUT_WORDING = frozenset(
    {FieldKind.KEY, FieldKind.EXACT, FieldKind.DATE, FieldKind.NUMBER, FieldKind.ENUM}
)
"""Kinds of which another text is another value."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
"""Soft hyphen, joiners, direction marks, Hangul fillers, variation selectors, tag characters."""


_OUTER_BLANKS = frozenset(
    char
    for char in map(chr, (*range(0x3200), *range(0xFE00, 0xFFA1), *range(0xE0000, 0xE0200)))
    if char.isspace() or _INVISIBLE.match(char)
)


def strip_all(texts: Iterable[str]) -> list[str]:
    """Return `strip_blanks` of each of some texts."""
    stripped = [text.strip() for text in texts]
    if "".join(stripped).isascii():
        return stripped
    edges = {text[0] for text in stripped if text}
    edges.update([text[-1] for text in stripped if text])
    return stripped if edges.isdisjoint(_OUTER_BLANKS) else list(map(strip_blanks, stripped))


def strip_blanks(text: str) -> str:
    """Return a text without the white space and the invisible characters around it."""
    text = text.strip()
    if text.isascii() or _OUTER_BLANKS.isdisjoint((text[0], text[-1])):
        return text
    start, end = 0, len(text)
    while start < end and text[start] in _OUTER_BLANKS:
        start += 1
    while start < end and text[end - 1] in _OUTER_BLANKS:
        end -= 1
    return text[start:end]


def _unit_letters() -> dict[int, str]:
    """Map the squared units (U+3371 to U+33DF) and ℃ ℉ ℓ to the letters they are drawn with.

    Only one level of decomposition: ㎡ becomes m², never m2.
    """
    table = {}
    for code in (*range(0x3371, 0x33E0), 0x2103, 0x2109, 0x2113):
        letters = unicodedata.decomposition(chr(code)).split()[1:]
        drawn = "".join(chr(int(letter, 16)) for letter in letters)
        table[code] = drawn.replace("\u2113", "l").replace("\u2215", "/")
    return table


_ONE_FORM: dict[int, str] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},  # full-width ASCII
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc`\u00b4\uff40"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u301d\u301e\u301f"), '"'),
    **dict.fromkeys(
        map(ord, "\u0387\u119e\u2022\u2024\u2027\u2219\u22c5\u318d\u30fb\uff65"), "\u00b7"
    ),
    **dict.fromkeys(map(ord, "\u02dc\u2053\u223c\u301c"), "~"),
    **dict.fromkeys(map(ord, "\u3014\u3010\u3016"), "["),
    **dict.fromkeys(map(ord, "\u3015\u3011\u3017"), "]"),
    **dict.fromkeys(map(ord, "\ufe59\u2768"), "("),
    **dict.fromkeys(map(ord, "\ufe5a\u2769"), ")"),
    **dict.fromkeys(map(ord, "\u2329\u27e8\u3008"), "<"),
    **dict.fromkeys(map(ord, "\u232a\u27e9\u3009"), ">"),
    **dict.fromkeys(map(ord, "\u3002\uff61"), "."),
    ord("\u00b5"): "\u03bc",  # micro sign
    **_unit_letters(),
}

_DROPPABLE_BLANK = re.compile(r"(?<![A-Za-z0-9]) | (?![A-Za-z0-9])")
_FINAL_FULL_STOP = re.compile(r"(?<=[가-힣])\.$")
_STOCK_COMPANY = re.compile(r"주식회사|\(주\)")
_NAME_BORDER = re.compile(r"([,;/|&()\[\]])")
_MARK = "㈜"
_MARK_IN_LETTERS = list("주식회사")
_ASCII_WORD = re.compile("[A-Za-z0-9]{2}")
_MAYBE_MARKS = re.compile("[^\x00-\u02ff\u1100-\u11ff\u3100-\ua4ff\uac00-\ud7ff]{30,}")
"""Where a long run of combining marks may stand: outside Latin, Hangul and ideographs."""

JOINT = ","
"""What the open API writes between the values of several sites."""

_SEPARATORS = re.compile(r"[\s,]+")

_LATIN_UPPER = {code: chr(code - 32) for code in range(ord("a"), ord("z") + 1)}


def canonical(text: str) -> str:
    """Return the form under which two texts differ at most in how they were typed.

    NFC; invisible characters dropped; full-width ASCII, hyphens, quotes, middle dots, tildes,
    brackets and squared units in one form each; ㈜ and 주식회사 written (주) and moved to the
    front of the name they belong to; white space collapsed, a blank kept only between two ASCII
    letters or digits; one final full stop after Hangul dropped. Idempotent.
    """
    form = _canonical_once(text)
    # Dropping a blank can bring two characters together that compose, or uncover a full stop.
    while form != text:
        text, form = form, _canonical_once(form)
    return form


def key_form(text: str) -> str:
    """Return the canonical form without blanks, ASCII letters in upper case: for keys, headers."""
    return canonical(text).replace(" ", "").translate(_LATIN_UPPER)


def search_form(text: str) -> str:
    """Return what a text is searched by: its key form without the marks of stock companies.

    Whoever asks for 한림제약(주) or for 제약(주) means the name, wherever the mark stands in it.
    """
    return key_form(text).replace("(주)", "")


def critical_tokens(text: str) -> Counter[str]:
    """Count the parts of a text whose change is never a matter of wording.

    Numbers with their inner separators (dates, ratios, 1,234.5), numerals such as ², ① and Ⅲ,
    Latin, Greek and Cyrillic words (units too), signs, and words of status and negation.
    """
    return Counter(critical_parts(canonical(text)))


def critical_parts(form: str) -> list[str]:
    """Return what `critical_tokens` counts of a canonical form, in text order."""
    return _CRITICAL.findall(form)


def grade_change(before: str, after: str) -> Grade:
    """Grade the change of one text."""
    if before == after:
        return Grade.SAME
    old, new = canonical(before), canonical(after)
    if old == new:
        return Grade.COSMETIC
    if critical_tokens(old) != critical_tokens(new):
        return Grade.SUBSTANTIVE
    return Grade.MINOR if overlap(old, new) >= _MINOR_JACCARD else Grade.MAJOR


def grade_values(before: Value | None, after: Value | None, kind: FieldKind) -> Grade:
    """Grade the change of one field; None is a field that the record does not have.

    A key, number, date, document number or word of a vocabulary has no wording: whatever differs
    in its canonical form is at least SUBSTANTIVE. Of two ordered lists the heaviest change of an
    element counts; another number of elements or another order is at least SUBSTANTIVE, since
    positions pair with those of other columns. Of attachments the order says nothing; any other
    name or digest is SUBSTANTIVE.
    """
    if before == after:
        return Grade.SAME
    if kind is FieldKind.ATTACHMENTS:
        return _grade_files(list_values(before), list_values(after))
    if isinstance(before, str | None) and isinstance(after, str | None):
        return _worst(Grade.COSMETIC, _grade_text(before or "", after or "", kind))
    return _grade_lists(list_values(before), list_values(after), kind)


def bare_form(value: Value) -> str:
    """Return a value as one text without white space and without what separates values."""
    return _SEPARATORS.sub("", value if isinstance(value, str) else "".join(value))


def is_same_joined(left: Value, right: Value) -> bool:
    """Say whether two nested values are the same, one of them joined to a single text.

    The open API writes commas between the values of several sites, and names have commas, too.
    """
    if not (isinstance(left, tuple) and isinstance(right, tuple)):
        return False
    is_joined = any(len(value) == 1 and JOINT in value[0] for value in (left, right))
    return is_joined and bare_form(left) == bare_form(right)


def _canonical_once(text: str) -> str:
    text = _INVISIBLE.sub("", text).translate(_ONE_FORM)
    text = " ".join(_compose(text).split())
    text = _DROPPABLE_BLANK.sub("", text)
    text = _STOCK_COMPANY.sub(_MARK, text)
    if _MARK in text:
        text = "".join(map(_mark_first, _NAME_BORDER.split(text))).replace(_MARK, "(주)")
    return _compose(_FINAL_FULL_STOP.sub("", text))


def _compose(text: str) -> str:
    """Return the NFC of a text, in time proportional to its length.

    `unicodedata` orders combining marks by insertion; a long run of them is sorted for it before.
    """
    return unicodedata.normalize("NFC", _MAYBE_MARKS.sub(_order_marks, text))


def _order_marks(run: re.Match[str]) -> str:
    groups = groupby(run[0], key=lambda char: unicodedata.combining(char) > 0)
    return "".join(
        "".join(sorted(group, key=unicodedata.combining) if is_marks else group)
        for is_marks, group in groups
    )


def _mark_first(name: str) -> str:
    """Move the marks of a stock company to the front of one name, keeping their number.

    Names are separated by commas and the like; one inside parentheses is a name of its own. Where
    a mark is taken out, its neighbours may join to the next one (주식㈜회사), so each character is
    looked at once with what is kept before it.
    """
    n_marks = 0
    kept: list[str] = []
    for char in name:
        if char != _MARK:
            _append(char, kept)
            if kept[-4:] != _MARK_IN_LETTERS:
                continue
            del kept[-4:]
        n_marks += 1
        # The blank keeps 1(주)2 apart from 12(주).
        kept.append(" ")
    return _MARK * n_marks + "".join(kept).strip()


def _append(char: str, kept: list[str]) -> None:
    """Append a character; between others than ASCII letters and digits the blanks before go."""
    n_blanks = 0
    while n_blanks < len(kept) and kept[-1 - n_blanks] == " ":
        n_blanks += 1
    if not n_blanks:
        kept.append(char)
        return
    del kept[-n_blanks:]
    if kept and _ASCII_WORD.fullmatch(kept[-1] + char):
        kept.append(" ")
    composed = unicodedata.normalize("NFC", kept[-1] + char) if kept else char
    if kept and len(composed) == 1:
        kept[-1] = composed
    else:
        kept.append(char)


_CRITICAL = re.compile(
    r"\d+(?:[-.,:/]\d+)*"
    "|[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u2189\u2460-\u24ff\u2776-\u2793"
    "\u3251-\u325f\u32b1-\u32bf]+"
    "|[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1eff]+"
    r"|\([-+±]\)|[%‰°±+→]"
    # Status and negation; a word stands before those that it begins with.
    "|미등록|미승인|부적합|미포함|불가능|불필요|취하|취소|말소|정상|정지|등록|신규|변경|보고|승인"
    "|반려|허가|신고|인정|적합|이상|이하|초과|미만|있음|없음|있다|없다|가능|불가|필요|유효|무효"
    "|해당|제외|포함|아님|아니|않|못"
)


def overlap(left: str, right: str) -> float:
    """Return the share of common trigrams of two texts (Jaccard), 0 to 1."""
    left_grams, right_grams = _trigrams(left), _trigrams(right)
    return len(left_grams & right_grams) / len(left_grams | right_grams)


def _trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(max(1, len(text) - 2))}


_WEIGHT = {grade: weight for weight, grade in enumerate(Grade)}


def _worst(*grades: Grade) -> Grade:
    return max(grades, key=_WEIGHT.__getitem__)


def escape_unprintable(text: str) -> str:
    """Return a text on one line, with all that no printable character is written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def list_values(value: Value | None) -> tuple[str, ...]:
    """Return the values of a nested column; a single text is one value, an empty one none."""
    if isinstance(value, tuple):
        return value
    return (value,) if value else ()


def _grade_text(before: str, after: str, kind: FieldKind) -> Grade:
    grade = grade_change(before, after)
    return Grade.SUBSTANTIVE if grade is Grade.MINOR and kind in _WITHOUT_WORDING else grade


def _grade_files(before: tuple[str, ...], after: tuple[str, ...]) -> Grade:
    is_same = _count_files(before) == _count_files(after)
    return Grade.COSMETIC if is_same else Grade.SUBSTANTIVE


def _count_files(files: tuple[str, ...]) -> Counter[tuple[str, str, str]]:
    """Count files by name, digest and why they were not received; the same one may come twice."""
    parts = map(split_file, files)
    return Counter((canonical(name), digest, code) for name, digest, code in parts)


def _grade_lists(before: tuple[str, ...], after: tuple[str, ...], kind: FieldKind) -> Grade:
    if len(before) != len(after):
        return _worst(Grade.SUBSTANTIVE, grade_change("\n".join(before), "\n".join(after)))
    grades = [_grade_text(old, new, kind) for old, new in zip(before, after, strict=True)]
    if _has_moved_element(before, after):
        grades.append(Grade.SUBSTANTIVE)
    return _worst(Grade.COSMETIC, *grades)


def _has_moved_element(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """Whether an element left its place and stands at another one."""
    pairs = [(canonical(old), canonical(new)) for old, new in zip(before, after, strict=True)]
    left = {old for old, new in pairs if old != new}
    return any(new in left for old, new in pairs if old != new)
