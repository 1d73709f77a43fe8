"""Which selectors will not survive a redesign, and why (docs/selectors.md, ranks of anchors).

A selector is judged by what it hangs on, from the best to the worst: an id; data-*, itemprop, a
role; the text of a header; structure; the text of a label; a class. Absolute paths, positions and
long chains are refused: they broke most often in the field (Leotta et al. 2016, ROBULA+).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dmf_crawler.extract.css_shape import shape_of_css
from dmf_crawler.extract.page_anchors import PageAnchors
from dmf_crawler.extract.selector_shape import Anchor, Shape
from dmf_crawler.extract.selectors_file import FallbackSelector, FieldSelector, SelectorsFile
from dmf_crawler.extract.xpath_shape import shape_of_xpath
from dmf_crawler.model.reuse import ROW

MAX_DEPTH = 5
"""Steps of a chain; a longer one is refused."""

USUAL_DEPTH = 3

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that a selector should not be.

    Attributes:
        key: Keys and list positions from the top of the file to the selector.
        is_refused: Whether the file may not be used; else it is a piece of advice.
        found: The selector.
        why: Korean: the rule, its reason, and what to write instead.
    """

    key: KeyPath
    is_refused: bool
    found: str
    why: str


def lint_selectors(file: SelectorsFile) -> list[LintFinding]:
    """Judge every selector of a file in which `check_selectors` found no fault."""
    return [
        *(finding for key, text in _all_paths(file) for finding in _judge_path(key, text)),
        *_judge_primaries(file),
        *_judge_gaps(file),
    ]


def lint_headers(file: SelectorsFile, headers: Mapping[str, str]) -> list[LintFinding]:
    """Judge, by what the pages show, the fields that hang on a class.

    Args:
        file: The file.
        headers: Field id → the header over what its primary selector finds.
    """
    return [
        LintFinding(
            ("fields", name, "selector"),
            is_refused=True,
            found=selector.selector,
            why=f"클래스에 기대는데 그 열에 머리글 '{headers[name]}'이 있습니다. strategy: "
            "header_text로 찾으십시오(클래스는 최후 수단입니다)",
        )
        for name, selector in file.fields.items()
        if name in headers and anchor_of(selector) is Anchor.CLASS
    ]


def lint_anchors(file: SelectorsFile, anchors: Mapping[str, PageAnchors]) -> list[LintFinding]:
    """Judge, by what the pages show, the rows and fields that hang on a class.

    Args:
        file: The file.
        anchors: Field id or `row` → what would find the same as its primary selector.
    """
    primaries: dict[str, tuple[KeyPath, str]] = {ROW: (("row", "primary"), file.row.primary)}
    for name, selector in file.fields.items():
        primaries[name] = ("fields", name, "selector"), selector.selector
    return [
        LintFinding(
            primaries[name][0],
            is_refused=True,
            found=primaries[name][1],
            why="클래스에 기대는데 저장된 페이지에서 같은 것을 "
            f"{', '.join(sorted(found.usable))} 속성으로 찾을 수 있습니다. 그 속성으로 "
            "찾으십시오(클래스는 최후 수단입니다)",
        )
        for name, found in anchors.items()
        if found.usable
    ]


def anchor_of(selector: FieldSelector | FallbackSelector) -> Anchor:
    """Return what a field's selector hangs on."""
    if selector.strategy == "header_text":
        return Anchor.HEADER
    if selector.strategy == "json_ld":
        return Anchor.DATA
    if selector.strategy in {"label", "between"}:
        return Anchor.LABEL
    return _shape_of(selector.selector, is_xpath=selector.strategy == "xpath").anchor


def _shape_of(text: str, *, is_xpath: bool) -> Shape:
    return shape_of_xpath(text) if is_xpath else shape_of_css(text)


# --- which selectors there are -------------------------------------------------------------------


def _all_paths(file: SelectorsFile) -> Iterator[tuple[KeyPath, tuple[str, bool]]]:
    """Yield the place of each CSS selector and XPath, its text, and whether it is an XPath."""
    row, details = file.row, file.details
    yield ("row", "primary"), (row.primary, False)
    for name, many in (("fallbacks", row.fallbacks), ("duplicates", row.duplicates)):
        yield from ((("row", name, n), (css, False)) for n, css in enumerate(many))
    if row.pinned:
        yield ("row", "pinned"), (row.pinned, False)
    for top, many in (("drop", file.drop), ("unseen", file.unseen)):
        yield from (((top, n), (css, False)) for n, css in enumerate(many))
    yield from _paths_of_fields(("fields",), file.fields)
    if details is not None:
        for name, css in (("link", details.link), ("region", details.region)):
            yield ("details", name), (css, False)
        if details.files:
            yield ("details", "files"), (details.files, False)
        yield from ((("details", "drop", n), (css, False)) for n, css in enumerate(details.drop))
        yield from _paths_of_fields(("details", "fields"), details.fields)


def _paths_of_fields(
    at: KeyPath, fields: dict[str, FieldSelector]
) -> Iterator[tuple[KeyPath, tuple[str, bool]]]:
    for name, selector in fields.items():
        places: list[tuple[KeyPath, FieldSelector | FallbackSelector]] = [((*at, name), selector)]
        places += [((*at, name, "fallbacks", n), each) for n, each in enumerate(selector.fallbacks)]
        for key, each in places:
            if each.selector:
                yield (*key, "selector"), (each.selector, each.strategy == "xpath")


# --- what they are made of -----------------------------------------------------------------------


def _judge_path(key: KeyPath, path: tuple[str, bool]) -> Iterator[LintFinding]:
    text, is_xpath = path
    shape = _shape_of(text, is_xpath=is_xpath)
    if shape.is_absolute:
        yield LintFinding(
            key,
            is_refused=True,
            found=text,
            why="절대 XPath(/, //, id(), 꼭대기까지 오르는 ancestor)는 쓸 수 없습니다. 요소가 "
            "하나만 늘어도 깨집니다. 행에서 시작하는 상대 경로(./…)나 header_text를 쓰십시오",
        )
    if shape.is_positional:
        yield LintFinding(
            key,
            is_refused=True,
            found=text,
            why="몇 번째인지로 찾는 셀렉터(nth-child, first-child, [n], position())는 쓸 수 "
            "없습니다. 열이 늘거나 바뀌면 다른 값을 읽습니다. header_text나 label을 쓰십시오",
        )
    if shape.depth > MAX_DEPTH:
        yield LintFinding(
            key,
            is_refused=True,
            found=text,
            why=f"단계가 {shape.depth}개입니다({MAX_DEPTH}개 이하). 감싸는 요소가 하나만 늘어도 "
            "깨집니다. 가까운 id나 data-* 속성에서 시작하십시오",
        )
    elif shape.depth > USUAL_DEPTH:
        yield LintFinding(
            key,
            is_refused=False,
            found=text,
            why=f"단계가 {shape.depth}개입니다({USUAL_DEPTH}개 이하 권장). 짧을수록 오래 갑니다",
        )


def _judge_primaries(file: SelectorsFile) -> Iterator[LintFinding]:
    """Yield the primary selectors that hang on a class, and those that a fallback could better."""
    fields: list[tuple[KeyPath, FieldSelector]] = [
        (("fields", name), selector) for name, selector in file.fields.items()
    ]
    if file.details is not None:
        of_details = file.details.fields.items()
        fields += [(("details", "fields", name), selector) for name, selector in of_details]
    for key, selector in fields:
        better = [anchor_of(each) for each in selector.fallbacks]
        yield from _judge_primary(
            (*key, "selector"), selector.selector, anchor_of(selector), better
        )
    row = file.row
    anchors = [shape_of_css(css).anchor for css in row.fallbacks]
    anchor = shape_of_css(row.primary).anchor
    yield from _judge_primary(("row", "primary"), row.primary, anchor, anchors)


def _judge_primary(
    key: KeyPath, text: str, anchor: Anchor, others: list[Anchor]
) -> Iterator[LintFinding]:
    if anchor is not Anchor.CLASS:
        return
    best = min(others, default=Anchor.CLASS)
    if best <= Anchor.HEADER:
        yield LintFinding(
            key,
            is_refused=True,
            found=text,
            why=f"클래스에 기대는 셀렉터가 기본인데 더 나은 {_ANCHOR_KO[best]} 셀렉터가 예비에 "
            "있습니다. 둘을 바꾸십시오(클래스는 최후 수단입니다)",
        )
    else:
        yield LintFinding(
            key,
            is_refused=False,
            found=text,
            why="클래스에 기댑니다(최후 수단). id, data-* 속성이나 머리글로 찾을 수 있는지 "
            "보십시오",
        )


_ANCHOR_KO = {Anchor.ID: "id", Anchor.DATA: "data-* 속성", Anchor.HEADER: "머리글"}


def _judge_gaps(file: SelectorsFile) -> Iterator[LintFinding]:
    """Yield what the file leaves open and should rather say."""
    for name, selector in file.fields.items():
        if selector.strategy == "attr" and not selector.fallbacks:
            yield LintFinding(
                ("fields", name, "fallbacks"),
                is_refused=False,
                found=selector.selector,
                why="예비 셀렉터가 없습니다. 이 속성이 사라지면 목록 전체를 읽지 못합니다",
            )
        if name == "status" and file.status is None:
            yield LintFinding(
                ("status",),
                is_refused=False,
                found="없음",
                why="status 항목이 있는데 어떤 값이 취하인지 적혀 있지 않습니다. 취하를 변경으로 "
                "기록합니다. status.field와 status.withdrawn을 적으십시오",
            )
