"""One kept page of a `page` board → what it says, or the reason why it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lxml.etree import _Element as Element

from dmf_crawler.extract.blocks import Blocks, read_blocks
from dmf_crawler.extract.markup import MAX_DETAIL_ELEMENTS, parse_page
from dmf_crawler.extract.other_pages import (
    PAGE,
    name_login_page,
    name_other_page,
    name_titled_notice,
    read_shown_text,
    says_much,
)
from dmf_crawler.extract.page_file import PageField, PageFile
from dmf_crawler.extract.paths import Css, compile_css, find_elements
from dmf_crawler.extract.quoting import quote_texts
from dmf_crawler.extract.volatile import compile_volatile, drop_volatile
from dmf_crawler.model.detail import BODY
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Column, FieldKind, Fields
from dmf_crawler.model.run import Fault
from dmf_crawler.model.watched_page import PageReading
from dmf_crawler.text import canonical

BODY_LABEL = "본문"
_MOST_CHARS = 1_000_000

_NEXT = "보관된 페이지를 열어 보고 selectors 파일을 고친 뒤 다시 실행해 주십시오."


@dataclass(frozen=True, slots=True)
class PageSelectors:
    """A `page` board's selectors file, compiled.

    Attributes:
        file: What was compiled.
        columns: The fields as people see them, then the text.
        kinds: Field id → what it holds, of the text, too.
        regions: CSS and its compiled form, in the order they are tried in.
        drop: Elements inside the region that are not part of the text.
        unordered: Elements whose children's order says nothing.
        fields: Field id → where it stands.
        own: The page's own volatile passages.
        usual: The usual ones that it wants dropped.
    """

    file: PageFile
    columns: tuple[Column, ...]
    kinds: Mapping[str, FieldKind]
    regions: tuple[tuple[str, Css], ...]
    drop: tuple[Css, ...]
    unordered: tuple[Css, ...]
    fields: Mapping[str, tuple[Css, PageField]]
    own: tuple[re.Pattern[str], ...]
    usual: tuple[re.Pattern[str], ...]


def compile_page(file: PageFile) -> PageSelectors:
    """Compile a selectors file that `page_checks.check_page_file` finds no fault in.

    Raises:
        cssselect.SelectorError: A selector is none.
        pattern_bounds.PatternError: A pattern is none, or could take too long.
    """
    own, usual = compile_volatile(file.volatile, file.usual_volatile)
    return PageSelectors(
        file=file,
        columns=(
            *(Column(field, each.label_ko) for field, each in file.fields.items()),
            Column(BODY, BODY_LABEL),
        ),
        kinds={field: each.kind for field, each in file.fields.items()} | {BODY: FieldKind.TEXT},
        regions=tuple((css, compile_css(css)) for css in (file.region, *file.region_fallbacks)),
        drop=tuple(compile_css(css) for css in file.drop),
        unordered=tuple(compile_css(css) for css in file.unordered),
        fields={field: (compile_css(each.selector), each) for field, each in file.fields.items()},
        own=own,
        usual=usual,
    )


def read_watched_page(page: RawPage, selectors: PageSelectors) -> PageReading | Fault:
    """Decode, parse and read a watched page.

    Returns:
        What it says; or the fault of `parse_page` or `name_other_page`, or one of
        `no_page_region`, `several_page_regions`, `short_page_text`, `page_text_too_long`.
    """
    document = parse_page(page, selectors.file.end_marker, max_elements=MAX_DETAIL_ELEMENTS)
    if isinstance(document, Fault):
        return document
    found = _find_region(document, selectors)
    if isinstance(found, Fault):
        return found
    position, region = found
    blocks = _read_region(document, region, selectors)
    if fault := _find_text_fault(document, region, blocks, position, selectors):
        return fault
    fields, unfound = _read_fields(document, selectors)
    return PageReading(
        blocks=blocks,
        compared=compare_form(blocks, selectors),
        fields=fields,
        selector=selectors.regions[position][0],
        position=position,
        source=page.sha256,
        url=page.url,
        unfound=unfound,
    )


def restore_reading(
    fields: Fields, selectors: PageSelectors, *, source: str = "", url: str = ""
) -> PageReading:
    """Return the reading that a kept record (fields, then `body`) was made of.

    It is prepared for comparison by the selectors of today: what a new version of them no longer
    compares makes no difference to what was kept before.
    """
    body = fields.get(BODY, "")
    blocks = tuple(str(body).split("\n")) if body else ()
    return PageReading(
        blocks=blocks,
        compared=compare_form(blocks, selectors),
        fields={field: value for field, value in fields.items() if field != BODY},
        source=source,
        url=url,
    )


def compare_form(blocks: Blocks, selectors: PageSelectors) -> Blocks:
    """Prepare blocks for comparison; see `PageReading.compared`."""
    return tuple(form for each in blocks if (form := _compare_block(each, selectors)))


def _compare_block(block: str, selectors: PageSelectors) -> str:
    return canonical(drop_volatile(block, selectors.own, selectors.usual))


def _find_region(document: Element, selectors: PageSelectors) -> tuple[int, Element] | Fault:
    """Return the region and the position of the selector that found it, alone."""
    for position, (css, path) in enumerate(selectors.regions):
        found = find_elements(path, document)
        if len(found) > 1:
            return Fault(
                "several_page_regions",
                f"지켜볼 영역({css})이 {len(found):,}곳에 있습니다. 한 곳이어야 합니다. {_NEXT}",
                exit_code=4,
            )
        if found:
            return position, found[0]
    return name_other_page(document, PAGE) or Fault(
        "no_page_region",
        f"지켜볼 영역({', '.join(css for css, _ in selectors.regions)})이 없습니다(본문: "
        f"{quote_texts([read_shown_text(document, PAGE)])}). 한 곳 있어야 합니다. {_NEXT}",
        exit_code=4,
    )


def _read_region(document: Element, region: Element, selectors: PageSelectors) -> Blocks:
    dropped = {each for path in selectors.drop for each in find_elements(path, document)}
    unordered = {each for path in selectors.unordered for each in find_elements(path, document)}
    return read_blocks(region, dropped, unordered, lambda block: _compare_block(block, selectors))


def _find_text_fault(
    document: Element, region: Element, blocks: Blocks, position: int, selectors: PageSelectors
) -> Fault | None:
    """Say why the region's text is not what is watched, None where it may be.

    What only a fallback finds may be another page altogether, inside the site's menus. In the
    region itself words about errors and maintenance are what terms of use are full of; there only
    the title of a short page tells.
    """
    if login := name_login_page(region, PAGE):
        return login
    n_characters = sum(map(len, blocks))
    if n_characters < selectors.file.min_characters or not blocks:
        return name_other_page(document, PAGE) or _short_text(n_characters, blocks, selectors)
    if n_characters > _MOST_CHARS:
        return Fault(
            "page_text_too_long",
            f"지켜볼 영역의 글이 {n_characters:,}자입니다. {_MOST_CHARS:,}자 이하여야 합니다. "
            f"{_NEXT}",
            exit_code=4,
        )
    if says_much(document, PAGE):
        return None
    if position:
        return name_other_page(document, PAGE)
    return name_titled_notice(document, region, PAGE)


def _short_text(n_characters: int, blocks: Blocks, selectors: PageSelectors) -> Fault:
    return Fault(
        "short_page_text",
        f"지켜볼 영역({selectors.file.region})의 글이 {n_characters:,}자뿐입니다(본문: "
        f"{quote_texts([' '.join(blocks)])}). {max(1, selectors.file.min_characters):,}자 "
        f"이상이어야 합니다(min_characters). {_NEXT}",
        exit_code=4,
    )


def _read_fields(document: Element, selectors: PageSelectors) -> tuple[Fields, tuple[str, ...]]:
    """Read the fields; one that not exactly one element holds is empty, and named."""
    values, unfound = {}, []
    for field, (path, wanted) in selectors.fields.items():
        found = find_elements(path, document)
        if len(found) != 1:
            values[field] = ""
            unfound.append(field)
        elif wanted.attr:
            values[field] = " ".join((found[0].get(wanted.attr) or "").split())
        else:
            values[field] = " ".join(read_blocks(found[0]))
    return values, tuple(unfound)
