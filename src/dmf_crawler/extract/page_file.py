"""The types of selectors/<board>.yaml of a `page` board: which part of a page is watched, and how.

docs/selectors.md explains each key.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from dmf_crawler.config_types import Count, Name, PositiveInt, Struct
from dmf_crawler.model.record import FieldKind

UsualVolatile = Literal["tokens", "hex", "clock", "relative"]


class PageField(Struct, frozen=True, kw_only=True):
    """One value of a page that is compared for itself.

    Attributes:
        label_ko: Korean name for people.
        selector: CSS of the one element that holds it.
        attr: Attribute name, "" for the element's text.
        kind: What it holds.
    """

    label_ko: Name
    selector: Name
    attr: str = ""
    kind: FieldKind = FieldKind.TEXT


class PageFile(Struct, frozen=True, kw_only=True):
    """selectors/<board>.yaml of a `page` board.

    Attributes:
        board_id: The board it is for.
        schema_version: Rises with every change of meaning; stored with each run.
        verified_at: Day on which it was last seen to fit the site.
        region: CSS of the one element whose text is watched.
        region_fallbacks: Tried in turn where the ones before find no element.
        drop: CSS of elements inside the region that are not part of the text.
        unordered: CSS of elements whose children's order says nothing.
        volatile: Regular expressions of passages that move by themselves; dates only here, since a
            date can be the news.
        usual_volatile: Which of the usual kinds of such passages are dropped, too: `tokens`
            (csrf, session and the like), `hex` of 24 and more digits, `clock` times, `relative`
            times, in Korean, Japanese and English.
        min_characters: Fewest characters of the region's text; fewer mean another page.
        end_marker: Text without which a page was cut.
        fields: Field id → where it stands.
    """

    board_id: str
    schema_version: PositiveInt
    verified_at: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    region: Name
    region_fallbacks: tuple[Name, ...] = ()
    drop: tuple[Name, ...] = ()
    unordered: tuple[Name, ...] = ()
    volatile: tuple[Name, ...] = ()
    usual_volatile: tuple[UsualVolatile, ...] = ("tokens", "hex", "clock", "relative")
    min_characters: Count = 1
    end_marker: str = "</html>"
    fields: dict[str, PageField] = msgspec.field(default_factory=dict)
