"""Ways to spoil a page, each a function of a random generator, the page and another page.

All work on bytes: the byte of `<` and of `>` is part of no other character of UTF-8 or CP949, so
tags are found in either. A result may be longer than the page, never longer than `MOST_BYTES`.
"""

import codecs
import random
import re
from collections.abc import Callable, Sequence

MOST_BYTES = 20_000_000
"""What a body may have (`max_body_bytes` in config/settings.yaml)."""

Mutation = Callable[[random.Random, bytes, bytes], bytes]

_TOKEN = re.compile(rb"<[^<>]*>|[^<>]+|[<>]")
_TAG = re.compile(rb"<[a-zA-Z][^<>]*>")
_CELL = re.compile(rb"<(?:td|th)\b", re.IGNORECASE)
_CELL_END = re.compile(rb"</(?:td|th)>", re.IGNORECASE)
_ROW = re.compile(rb"<tr\b.*?</tr>", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(rb"""\s[a-zA-Z-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)""")
_CHARSET = re.compile(rb"(charset|encoding)=([\"']?)[\w-]+", re.IGNORECASE)
_TEXT = re.compile(rb">[^<>]*[^<>\s][^<>]*<")

_CHARS = [bytes([code]) for code in (0, 1, 8, *range(9, 14), 27, 31, *range(32, 128))]
_NO_CHARS = [
    *(b"\x80", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbf\xbd", b"\xef\xbb\xbf"),
    *(b"\xe2\x80\x8b", b"\xc2\xa0", b"\xc2\x85"),
]
_ELEMENTS = (
    *("a", "b", "body", "br", "button", "caption", "center", "col", "colgroup", "dd", "details"),
    *("div", "dl", "dt", "font", "form", "frameset", "head", "html", "iframe", "input", "li"),
    *("math", "noscript", "option", "p", "plaintext", "pre", "script", "select", "span", "style"),
    *("svg", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "title"),
    *("tr", "ul", "xmp"),
)
_SPANS = (
    *("0", "1", "2", "3", "15", "1000", "65534", "65535", "1000000", "2147483648", "-1", "", "x"),
    *("9" * 4_000, " 2 ", "2.5", "+2", "\u0662", "1e9", "0x10"),
)
_ATTRIBUTES = (
    *("hidden", "style='display:none'", "style='DISPLAY : none !important'", "aria-hidden='true'"),
    *("class='s-th'", "class='mobile-tr'", "role='row'", "role='table'", "role='cell'"),
    *("role='columnheader'", "title='총 7 건'", "scope='row'", "headers='x'", "id='x'", "="),
    *("data-field='company'", "colspan='2'", "rowspan='2'", "rowspan='0'", "href='javascript:x'"),
)
_OPENERS = (
    *("<!--", "<!-->", "<!--->", "<!--!>", "--!>", "-->", "<![CDATA[", "]]>", "<!", "<?", "</"),
    *("<!DOCTYPE x [<!ENTITY a 'b'>]>", "<!ENTITY a SYSTEM 'file:///etc/passwd'>", "&a;"),
    *("<<", ">>", "<?xml ", "<script>", "</script>", "<style>", "<textarea>", "<plaintext>"),
    *("<xmp>", "<title>", "<caption>", "<frameset>", "</html>", "<form>", "</form>"),
    *("<noscript>", "<template>", "<svg>", "<math>", "<select>", "<table>", "</table>", "<tr>"),
    *("<td>", "</td>", "</tr>", "<span class='s-th'>", "<base href='//x'>"),
    *("<input type='password'>", "<meta charset='utf-7'>"),
)
_ENTITIES = (
    *("&amp;", "&lt;", "&#65;", "&#x41;", "&nbsp;", "&", "&#", "&#x", "&#0;", "&#xD800;", "&#13;"),
    *("&lt", "&ampamp;", "&bogus;", "&NotEqualTilde;", "&#x110000;", "&#8203;", "&amp;lt;", "&a;"),
)
_TEXTS = (
    *(" ", "\r", "\n", "\t", "-", "가", "9", "총 1 ", "총", "점검", "\u0301", "\u200b", "\u3000"),
    *(
        "㈜",
        "주식회사",
        "(주)",
        "&nbsp;",
        "<br>",
        "<b></b>",
        "총 9 건",
        "취소/취하구분",
        "등록번호",
    ),
    *("…", "조회 결과가 없습니다", "취소/취하구분"),
)


def log_uniform(rng: random.Random, most: int) -> int:
    """Return a number from 1 to `most`, each order of magnitude as likely as another."""
    return int(most ** rng.random())


def _place(rng: random.Random, body: bytes | bytearray) -> int:
    return rng.randint(0, len(body))


def _slice(rng: random.Random, body: bytes) -> tuple[int, int]:
    start = _place(rng, body)
    return start, min(len(body), start + log_uniform(rng, max(2, len(body))))


def _tokens(body: bytes) -> list[bytes]:
    return _TOKEN.findall(body)


def _between(rng: random.Random, body: bytes, inserted: bytes) -> bytes:
    """Insert something before a tag, or anywhere where there is none."""
    starts = [match.start() for match in _TAG.finditer(body)]
    at = rng.choice(starts) if starts else _place(rng, body)
    return body[:at] + inserted + body[at:]


def _fill(rng: random.Random, piece: str | bytes, most: int) -> bytes:
    """Repeat a piece up to so many times, within a few million bytes."""
    raw = piece.encode() if isinstance(piece, str) else piece
    return raw * log_uniform(rng, max(1, min(most, 9_000_000 // len(raw))))


# --- bytes -------------------------------------------------------------------------------------


def change_bytes(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    changed = bytearray(body)
    pieces = rng.choice([_CHARS, _CHARS, _CHARS, _NO_CHARS])
    for _ in range(log_uniform(rng, 30)):
        at = rng.choice([_place(rng, changed), changed.find(b"<", _place(rng, changed)) + 1])
        changed[at : at + rng.randint(0, 2)] = rng.choice(pieces)
    return bytes(changed)


def delete_slice(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    start, end = _slice(rng, body)
    return body[:start] + body[end:]


def repeat_slice(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    start, end = _slice(rng, body)
    return body[:start] + _fill(rng, body[start:end] or b" ", 300) + body[start:]


def move_slice(rng: random.Random, body: bytes, other: bytes) -> bytes:
    start, end = _slice(rng, body)
    rest = body[:start] + body[end:]
    at = _place(rng, rest)
    return rest[:at] + body[start:end] + rest[at:]


def truncate(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    return body[: _place(rng, body)] + rng.choice([b"", b"</html>"])


def reencode(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    text = body.decode("utf-8", "replace")
    codec = rng.choice(
        ["cp949", "utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-7", "gb18030"]
    )
    twice = body.decode("latin-1").encode()
    marked = rng.choice([codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8]) + body
    return rng.choice([text.encode(codec, "replace"), twice, marked])


def redeclare(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    name = rng.choice(
        [b"euc-kr", b"utf-8", b"utf-16", b"utf-7", b"iso-8859-1", b"cp949", b"", b"hz"]
    )
    return _CHARSET.sub(rb"\g<1>=\g<2>" + name, body)


# --- tags --------------------------------------------------------------------------------------


def delete_tokens(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    tokens = _tokens(body)
    for _ in range(min(log_uniform(rng, 8), len(tokens))):
        del tokens[rng.randrange(len(tokens))]
    return b"".join(tokens)


def repeat_tokens(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    tokens = _tokens(body) or [b""]
    start = rng.randrange(len(tokens))
    run = tokens[start : start + log_uniform(rng, 60)]
    at = rng.choice([start, rng.randrange(len(tokens))])
    return b"".join([*tokens[:at], *run, *tokens[at:]])


def exchange_tokens(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    tokens = _tokens(body) or [b""]
    for _ in range(log_uniform(rng, 6)):
        one, two = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        tokens[one], tokens[two] = tokens[two], tokens[one]
    return b"".join(tokens)


def splice_tokens(rng: random.Random, body: bytes, other: bytes) -> bytes:
    tokens, foreign = _tokens(body) or [b""], _tokens(other) or [b""]
    at, start = rng.randrange(len(tokens)), rng.randrange(len(foreign))
    cut = at + rng.choice([0, 0, log_uniform(rng, 40)])
    return b"".join([*tokens[:at], *foreign[start : start + log_uniform(rng, 80)], *tokens[cut:]])


def splice_attribute(rng: random.Random, body: bytes, other: bytes) -> bytes:
    found = _ATTRIBUTE.findall(other)
    attribute = (
        rng.choice(found) if found and rng.random() < 0.4 else b" " + _draw(rng, _ATTRIBUTES)
    )
    return _add_attributes(rng, body, attribute, rng.choice([_TAG, _CELL]), log_uniform(rng, 30))


def change_spans(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    name = rng.choice([b" colspan=", b" rowspan="])
    attribute = name + b'"' + _draw(rng, _SPANS) + b'"'
    return _add_attributes(rng, body, attribute, _CELL, log_uniform(rng, 400))


def flood_attributes(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    n, quoted = log_uniform(rng, 200_000), rng.choice(["", "=1", "='>'", '="', "=&#65;"])
    attributes = "".join(f"{rng.choice(' /')}a{number}{quoted}" for number in range(n))
    return _add_attributes(rng, body, attributes.encode(), _TAG, 1)


def _add_attributes(
    rng: random.Random, body: bytes, attribute: bytes, place: re.Pattern[bytes], most: int
) -> bytes:
    tags = list(place.finditer(body))
    chosen = sorted(rng.sample(tags, min(most, len(tags))), key=re.Match.start)
    parts, start = [], 0
    for match in chosen:
        name = re.compile(rb"<[a-zA-Z]+").match(body, match.start())
        end = name.end() if name else match.end()
        parts += [body[start:end], attribute]
        start = end
    return b"".join([*parts, body[start:]])


def rename_tags(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    old, new = (
        _draw(rng, ("td", "th", "tr", "table", "thead", "tbody", "span")),
        _draw(rng, _ELEMENTS),
    )
    n = rng.choice([0, log_uniform(rng, 20)])
    return re.sub(rb"(</?)" + old + rb"\b", rb"\g<1>" + new, body, count=n)


def wrap(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    tokens = _tokens(body) or [b""]
    start = rng.randrange(len(tokens))
    end = min(len(tokens), start + log_uniform(rng, len(tokens)))
    name = _draw(rng, _ELEMENTS)
    last = rng.choice([b"</" + name + b">", b""])
    return b"".join([*tokens[:start], b"<" + name + b">", *tokens[start:end], last, *tokens[end:]])


# --- floods ------------------------------------------------------------------------------------


def nest_deep(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    cells = [b"<table><tr><td>", b"<ul><li>", b"<table>", b"<tr>", b"<td>"]
    opener = rng.choice([*cells, b"<" + _draw(rng, _ELEMENTS) + b">"])
    return _between(rng, body, _fill(rng, opener, 200_000))


def flood_cells(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    cell = _draw(rng, ("<td>", "<td></td>", "<td>1</td>", "<th>", "<th>신청인</th>", "<th></th>"))
    ends = [match.end() for match in _CELL_END.finditer(body)] or [0]
    at = rng.choice(ends)
    return body[:at] + _fill(rng, cell, 1_000_000) + body[at:]


def flood_rows(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    rows = _ROW.findall(body)
    row = rng.choice([*rows[:50], b"<tr>", b"<tr></tr>", b"<tr><td>1</td></tr>", b"<tr hidden>"])
    return _between(rng, body, _fill(rng, row, 200_000))


def flood_tables(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    rows = _ROW.findall(body)
    row = rng.choice([*rows[:3], b"<tr><td>x</td></tr>", b""])
    return _between(
        rng, body, _fill(rng, b"<table>" + row + rng.choice([b"</table>", b""]), 50_000)
    )


def flood_openers(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    return _between(rng, body, _fill(rng, rng.choice(_OPENERS), rng.choice([1, 1, 3, 1_000_000])))


def flood_text(rng: random.Random, body: bytes, _other: bytes) -> bytes:
    piece = _fill(rng, rng.choice([*_TEXTS, *_ENTITIES]), rng.choice([1, 20, 3_000_000]))
    texts = [match.end() - 1 for match in _TEXT.finditer(body)]
    at = rng.choice(texts) if texts else _place(rng, body)
    return body[:at] + piece + body[at:]


def _draw(rng: random.Random, texts: Sequence[str]) -> bytes:
    return rng.choice(texts).encode()


BYTE_MUTATIONS: tuple[Mutation, ...] = (
    *(change_bytes, delete_slice, repeat_slice, move_slice, truncate, reencode, redeclare),
)
TAG_MUTATIONS: tuple[Mutation, ...] = (
    *(delete_tokens, repeat_tokens, exchange_tokens, splice_tokens, splice_attribute),
    *(change_spans, rename_tags, wrap),
)
FLOODS: tuple[Mutation, ...] = (
    *(flood_attributes, nest_deep, flood_cells, flood_rows, flood_tables, flood_openers),
    flood_text,
)


def mutate(label: str, body: bytes, other: bytes, mutations: Sequence[Mutation]) -> bytes:
    """Apply mutations one after the other, the random numbers of each drawn from its name."""
    for mutation in mutations:
        rng = random.Random(f"{label} {mutation.__name__}")
        body = mutation(rng, body, other)[:MOST_BYTES]
    return body
