"""How many records the page says that the whole list has.

Read from the parsed document, not from its source: what a script, a comment or the attribute of
something else holds is no announcement, and a value of the list is none either.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from lxml.etree import _Element as Element

from dmf_crawler.extract.selectors import Selectors
from dmf_crawler.model.run import Fault

_NEVER_READ = frozenset({"script", "style", "template", "noscript"})
_INLINE = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i"),
        *("kbd", "label", "mark", "nobr", "output", "q", "samp", "small", "span", "strong"),
        *("time", "tt", "u", "var", "wbr"),
    }
)
"""Elements that leave a number whole; any other separates the texts before and after it."""

_NUMBER = re.compile("[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+")
_N_DIGITS = 9
_N_QUOTED_NUMBERS = 5


def read_total(
    document: Element, tables: Collection[Element], selectors: Selectors
) -> int | Fault | None:
    """Return the announced total; None where the page does not say one.

    Args:
        document: Root of the page, parsed without comments.
        tables: The list, whose texts do not count.
        selectors: The board's; group 1 of a pattern is the number.

    Returns:
        The one number that the text of the page and its `title` attributes announce; or the fault
        `ambiguous_total` where they announce several.
    """
    text: list[str] = []
    titles: list[str] = []
    _collect(document, tables, text, titles)
    places = ["".join(text), *titles]
    numbers = list(dict.fromkeys(_find_numbers(places, selectors)))
    if len(numbers) > 1:
        return _ambiguous_total(numbers)
    return numbers[0] if numbers else None


def no_total(selectors: Selectors) -> Fault:
    """Say that no pattern found a number."""
    return Fault(
        "no_total",
        "페이지에서 전체 건수를 찾지 못했습니다. selectors 파일의 total.patterns("
        f"{', '.join(selectors.file.total.patterns)}) 가운데 하나가 맞아야 합니다. 건수 표시가 "
        "바뀌었으면 total.patterns를 고친 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )


def _collect(
    element: Element, tables: Collection[Element], text: list[str], titles: list[str]
) -> None:
    """Gather the texts outside the list, and the titles; nesting is limited by the parser."""
    if element.tag in _NEVER_READ:
        return
    gap = "" if element.tag in _INLINE else "\n"
    text.append(gap)
    if element in tables:
        for caption in element.iterchildren("caption"):
            _collect(caption, tables, text, titles)
        return
    titles.append(element.get("title") or "")
    text.append(element.text or "")
    for child in element:
        _collect(child, tables, text, titles)
        text.append(child.tail or "")
    text.append(gap)


def _find_numbers(places: list[str], selectors: Selectors) -> Iterator[int]:
    for place in places:
        plain = place.replace("\u00a0", " ")
        for pattern in selectors.total:
            for match in pattern.finditer(plain):
                digits = (match[1] or "").strip()
                number = digits.replace(",", "")
                if _NUMBER.fullmatch(digits) and len(number) <= _N_DIGITS:
                    yield int(number)


def _ambiguous_total(numbers: list[int]) -> Fault:
    quoted = ", ".join(f"{number:,}" for number in numbers[:_N_QUOTED_NUMBERS])
    return Fault(
        "ambiguous_total",
        f"페이지에 전체 건수가 서로 다르게 {len(numbers)}가지 있습니다({quoted}). 모두 같은 수여야 "
        "합니다. 보관된 페이지를 열어 보고, 목록의 건수만 맞도록 selectors 파일의 "
        "total.patterns를 고친 뒤 다시 실행해 주십시오.",
        exit_code=4,
    )
