"""Where each value stands in a JSON text: the names around it, and its characters."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from operator import attrgetter

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}:,]|[^\s\[\]{}:,"]++', re.DOTALL)
_CLOSES = {"]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class JsonPlace:
    """One value of a JSON text.

    Attributes:
        names: Of the objects around it, outermost first, its own last; lists have none.
        kind: `{` and `[` for an object and a list, `"` for a text, "" for a number or a word.
        start: Index of its name, or of the value where it stands in a list.
        value_start: Index of the value.
        end: Index behind the value.
    """

    names: tuple[str, ...]
    kind: str
    start: int
    value_start: int
    end: int


def find_json_places(text: str) -> list[JsonPlace]:
    """Return all values of a text that `json.loads` reads, in the order in which they begin."""
    places: list[JsonPlace] = []
    opened: list[JsonPlace] = []  # their end is not known yet
    name: tuple[str, int] | None = None
    for token in _TOKEN.finditer(text):
        mark, start = token.group(), token.start()
        if mark in _CLOSES:
            last = opened.pop()
            places.append(JsonPlace(last.names, last.kind, last.start, last.value_start, start + 1))
        elif mark in ":,":
            continue
        elif name is None and opened and opened[-1].kind == "{":
            name = json.loads(mark), start
            continue
        else:
            around = opened[-1].names if opened else ()
            names = around if name is None else (*around, name[0])
            kind = mark[0] if mark[0] in '{["' else ""
            place = JsonPlace(names, kind, name[1] if name else start, start, token.end())
            (opened if kind in {"{", "["} else places).append(place)
        name = None
    return sorted(places, key=attrgetter("value_start"))
