"""Ways to spoil a workbook and an answer of the open API, as `mutations.py` does pages."""

import copy
import io
import json
import random
import re
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

from scripts.fuzzing.mutations import (
    BYTE_MUTATIONS,
    FLOODS,
    TAG_MUTATIONS,
    Mutation,
    change_bytes,
    delete_slice,
    log_uniform,
    repeat_slice,
    truncate,
)

_SHEET = re.compile(r"worksheets/.*\.xml")
_CELL = re.compile(rb"<c\b[^>]*>")
_VALUE = re.compile(rb"(<(?:v|t)\b[^>]*>)([^<]*)(<)")
_TYPES = ("s", "n", "b", "e", "d", "str", "inlineStr", "x", "")
_VALUES = (
    *("", "0", "-1", "1", "46000", "46000.5", "1e308", "1e-9", "NaN", "INF", "9" * 400, "0x1f"),
    *("2958466", "-0", "1.0", "1,5", "2026-09-22", "2026-09-22T00:00:00", "TRUE", "#REF!", "@"),
    *("a@" * 2_000, "_x0000_", "_xD800_", "_x005F_x000D_", "가" * 40_000, "=1+1", " ", "정상"),
)
_REFERENCES = ("A1", "XFD1048576", "ZZZ9999999", "A0", "a1", "$C$5", "", "1A", "C2", "A1048577")
_EXTRAS = (
    *("<row/>", "<row r='3'/>", "<row r='9999999'/>", "<row hidden='1'><c><v>1</v></c></row>"),
    *("<c><f>1+1</f><v>2</v></c>", "<c t='s'><v>99999</v></c>", "<c s='999'><v>1</v></c>"),
    *("<mergeCell ref='A1:B2'/>", "<mergeCell ref='A9:A1'/>", "<si><t>x</t></si>", "<si/>"),
    *("<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "<c t='inlineStr'><is><t>x</t></is></c>"),
    *("<sheet name='x' sheetId='9'/>", "<numFmt numFmtId='14' formatCode='yy'/>", "<xf/>"),
    *("<numFmt numFmtId='200' formatCode='[$-412]yyyy;@'/>", "<workbookPr date1904='1'/>"),
)
_JSON_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1e308, 10**400, "", " ", "x", [], {}, [[]], [None], {"": ""}),
    *("\ud800", "\ufffd", "\x00", "가" * 50_000, "00", "30", "22", {"item": []}, {"item": None}),
    *([1] * 2_000, {"resultCode": "00"}, "1.0", "-", "\r\n", float("nan"), float("inf")),
)


def _unpack(body: bytes) -> dict[str, bytes]:
    """Return a package's parts; none where it cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # noqa: BLE001  whatever zipfile says of a spoiled archive
        return {}


def _pack(rng: random.Random, parts: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    kind = rng.choice([zipfile.ZIP_DEFLATED] * 6 + [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2])
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        for name, part in parts:
            entry = zipfile.ZipInfo(name, (2026, 11, 30, 0, 0, 0))
            archive.writestr(entry, part, kind)
    return buffer.getvalue()


def _in_parts(
    spoil: Callable[[random.Random, bytes, bytes], bytes], wanted: str = r".*\.(?:xml|rels)"
) -> Mutation:
    """Make a mutation of one part of a package; what is none is changed byte by byte."""

    def spoil_part(rng: random.Random, body: bytes, other: bytes) -> bytes:
        parts = _unpack(body)
        names = [name for name in sorted(parts) if re.fullmatch(f".*{wanted}", name)]
        if not names:
            return change_bytes(rng, body, other)
        name = rng.choice(names)
        return _pack(rng, list({**parts, name: spoil(rng, parts[name], other)}.items()))

    spoil_part.__name__ = f"{spoil.__name__}_in_part"
    return spoil_part


# --- sheets ------------------------------------------------------------------------------------


def change_cells(rng: random.Random, sheet: bytes, _other: bytes) -> bytes:
    attribute = rng.choice(
        [
            f' t="{rng.choice(_TYPES)}"',
            f' r="{rng.choice(_REFERENCES)}"',
            f' s="{rng.randrange(40)}"',
        ]
    ).encode()
    name = attribute[:3]
    n_changed = iter(range(log_uniform(rng, 50)))
    first = rng.randrange(max(1, sheet.count(b"<c")))
    places = iter(range(10**9))

    def change(match: re.Match[bytes]) -> bytes:
        if next(places) < first or next(n_changed, None) is None:
            return match[0]
        plain = re.sub(rb"%s=\"[^\"]*\"" % name, b"", match[0])
        return b"<c" + attribute + plain[2:]

    return _CELL.sub(change, sheet)


def change_values(rng: random.Random, sheet: bytes, _other: bytes) -> bytes:
    values = list(_VALUE.finditer(sheet))
    if not values:
        return sheet
    match = rng.choice(values)
    return sheet[: match.start(2)] + rng.choice(_VALUES).encode() + sheet[match.end(2) :]


def add_markup(rng: random.Random, part: bytes, _other: bytes) -> bytes:
    starts = [match.start() for match in re.finditer(rb"<", part)] or [0]
    at = rng.choice(starts)
    piece = rng.choice(_EXTRAS).encode()
    return (
        part[:at] + piece * log_uniform(rng, rng.choice([1, 2_000_000 // len(piece)])) + part[at:]
    )


# --- packages ----------------------------------------------------------------------------------


def exchange_parts(rng: random.Random, body: bytes, other: bytes) -> bytes:
    parts = _unpack(body)
    if len(parts) < 2:
        return change_bytes(rng, body, other)
    one, two = rng.sample(sorted(parts), 2)
    parts[one], parts[two] = rng.choice([(parts[two], parts[one]), (parts[two], parts[two])])
    return _pack(rng, list(parts.items()))


def drop_part(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    parts = _unpack(body)
    if parts:
        del parts[rng.choice(sorted(parts))]
    return _pack(rng, list(parts.items()))


def add_parts(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    parts = list(_unpack(body).items())
    names = [name for name, _ in parts] or ["xl/workbook.xml"]
    name = rng.choice([*names, "XL/Workbook.xml", "../../x.xml", "/xl/x.xml", "xl\\workbook.xml"])
    added = rng.choice([b"<a/>", b"<row/>" * 10_000_000, b" " * 68_000_000, b"\0" * 3_000_000])
    names = [f"{name}{n or ''}" for n in range(rng.choice([1, 1, 600]))]
    if len(names) > 1:
        added = b"<a/>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that is there twice
        return _pack(rng, [*parts, *((each, added) for each in names)])


# --- answers of the open API -------------------------------------------------------------------


def change_json(rng: random.Random, body: bytes, other: bytes) -> bytes:
    try:
        tree = json.loads(body)
    except ValueError:
        return change_bytes(rng, body, other)
    for _ in range(log_uniform(rng, 4)):
        _change_node(rng, tree)
    return json.dumps(tree, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def _change_node(rng: random.Random, tree: Any) -> None:
    node = tree
    while isinstance(node, dict | list) and node:
        key = rng.choice(sorted(node)) if isinstance(node, dict) else rng.randrange(len(node))
        child = node[key]
        if not isinstance(child, dict | list) or not child or rng.random() < 0.2:
            value = rng.choice(
                [*copy.deepcopy(_JSON_VALUES), [child] * log_uniform(rng, 3_000), {"x": child}]
            )
            node[key] = value
            return
        node = child


PACKAGE_MUTATIONS: tuple[Mutation, ...] = (
    *(_in_parts(each) for each in (*TAG_MUTATIONS, *BYTE_MUTATIONS, *FLOODS, add_markup)),
    *(_in_parts(each, _SHEET.pattern) for each in (change_cells, change_values) * 6),
    *(exchange_parts, drop_part, add_parts, change_bytes, delete_slice, repeat_slice, truncate),
)
JSON_MUTATIONS: tuple[Mutation, ...] = (change_json,)


def draw_mutations(rng: random.Random, body: bytes) -> list[Mutation]:
    """Return one to four mutations that suit a body; of a page mostly some of its tags."""
    if body.startswith(b"PK"):
        return rng.choices(PACKAGE_MUTATIONS, k=rng.choice([1, 1, 2, 3]))
    families, weights = [BYTE_MUTATIONS, TAG_MUTATIONS, FLOODS], [2, 5, 2]
    if body.lstrip().startswith(b"{"):
        families, weights = [BYTE_MUTATIONS, JSON_MUTATIONS, FLOODS], [2, 5, 1]
    return [rng.choice(each) for each in rng.choices(families, weights, k=rng.randint(1, 4))]
