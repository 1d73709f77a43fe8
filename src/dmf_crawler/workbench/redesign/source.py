"""The same page in other spellings of HTML: what a browser shows stays the same.

Each is a change of the source text, since a tree would be written in one way only.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from dmf_crawler.workbench.redesign.kind import Kind, Redesign, on_tree
from dmf_crawler.workbench.redesign.page import (
    SavedPage,
    cells_of,
    make,
    read_saved,
    strip_text,
    write_saved,
)

_TOKEN = re.compile(
    r"<!--.*?-->|<!DOCTYPE[^>]*>|<(?:script|style|title)\b.*?</(?:script|style|title)>|<[^<>]*>|[^<]+",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)([^<>]*?)(/?)>")
_ATTRIBUTE = re.compile(r'([\w:-]+)(?:="([^"]*)")?')
_BARE_VALUE = re.compile(r"[\w/.:%-]+")
_VOID = {"meta", "br", "img", "input", "hr", "col", "link", "wbr"}
_BLOCKS = (
    "html|head|body|table|thead|tbody|tfoot|tr|td|th|div|p|form|nav|ul|li|meta|title|button|input"
)

ChangeTag = Callable[[str, str, str], str]
"""Slash or "", name, attributes → the tag."""


def change_tags(html: str, change: ChangeTag) -> str:
    """Write each tag anew, comments and scripts left alone."""
    return "".join(
        change(tag[1], tag[2], tag[3]) if (tag := _TAG.fullmatch(token)) else token
        for token in _TOKEN.findall(html)
    )


def change_texts(html: str, change: Callable[[str], str]) -> str:
    """Write each text between tags anew, those of scripts and of the title left alone."""
    return "".join(
        token if token.startswith("<") else change(token) for token in _TOKEN.findall(html)
    )


def _write_attributes(attributes: str, write: Callable[[str, str], str]) -> list[str]:
    return [
        write(match[1], match[2]) if match[2] is not None else match[1]
        for match in _ATTRIBUTE.finditer(attributes)
    ]


# --- attributes --------------------------------------------------------------------------------


def reorder_attributes(html: str, rng: random.Random) -> str:
    """Write the attributes of each tag in another order, and one more."""

    def change(slash: str, name: str, attributes: str) -> str:
        if slash or not attributes:
            return f"<{slash}{name}{attributes}>"
        written = _write_attributes(attributes, lambda key, value: f'{key}="{value}"')
        rng.shuffle(written)
        return f'<{name} data-v="{rng.randrange(99)}" {" ".join(reversed(written))}>'

    return change_tags(html, change)


def _quote_by(write: Callable[[str, str], str]) -> Redesign:
    def redesign(html: str, rng: random.Random) -> str:
        def change(slash: str, name: str, attributes: str) -> str:
            return f"<{' '.join([slash + name, *_write_attributes(attributes, write)])}>"

        return change_tags(html, change)

    return redesign


def _write_bare(key: str, value: str) -> str:
    return f"{key}={value}" if _BARE_VALUE.fullmatch(value) else f'{key}="{value}"'


def _write_single(key: str, value: str) -> str:
    return f"{key}='{value.replace(chr(39), '&#39;')}'"


def _write_loose(key: str, value: str) -> str:
    return f'{key.upper()} = "{value}"'


# --- tags --------------------------------------------------------------------------------------


def use_upper_case(html: str, rng: random.Random) -> str:
    """Write all tags in upper case."""
    return change_tags(html, lambda slash, name, rest: f"<{slash}{name.upper()}{rest}>")


def drop_end_tags(*names: str) -> Redesign:
    """Return the redesign that leaves out the end tags that HTML does not ask for."""

    def redesign(html: str, rng: random.Random) -> str:
        def change(slash: str, name: str, rest: str) -> str:
            return "" if slash and name in names else f"<{slash}{name}{rest}>"

        return change_tags(_close_lines(html), change)

    return redesign


def _close_lines(html: str) -> str:
    """Return the page with its list items, where it has none a menu of some before all else."""
    return html.replace("<body>", "<body><ul><li>홈</li><li>의약품</li></ul>", 1)


def drop_last_tags(html: str, rng: random.Random) -> str:
    """Leave out all end tags at the end of the page that HTML does not ask for."""
    return re.sub(r"</(?:body|html)>\s*", "", html)


def minify(html: str, rng: random.Random) -> str:
    """Leave out white space between tags, optional quotes and comments."""
    html = re.sub(r"<!--.*?-->", "", html, flags=re.DOTALL)
    html = re.sub(r">\s+<", "><", html)
    return _quote_by(_write_bare)(html, rng)


def print_pretty(html: str, rng: random.Random) -> str:
    """Write each tag of a block on a line of its own."""
    depth = 0
    parts = []
    for token in _TOKEN.findall(re.sub(r">\s+<", "><", html)):
        tag = _TAG.fullmatch(token)
        if tag is None or not re.fullmatch(_BLOCKS, tag[2]):
            parts.append(token)
            continue
        is_void = tag[2] in _VOID
        depth -= bool(tag[1])
        parts.append(f"\n{'    ' * depth}{token}")
        depth += not tag[1] and not is_void
        parts.append(f"\n{'    ' * depth}")
    return "".join(parts)


def use_crlf(html: str, rng: random.Random) -> str:
    """End all lines as Windows does, and tags with tabs before them."""
    return re.sub(r"(</t[drh]>)", r"\1\n\t\t", html).replace("\r\n", "\n").replace("\n", "\r\n")


def become_xhtml(html: str, rng: random.Random) -> str:
    """Write the page as XHTML 1.0 with namespace and XML declaration."""

    def change(slash: str, name: str, rest: str) -> str:
        return f"<{slash}{name}{rest}{' /' if name in _VOID else ''}>"

    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 '
        'Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">'
    )
    html = re.sub(r"<!DOCTYPE html>", head, change_tags(html, change))
    return html.replace("<html", '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="ko"', 1)


def drop_doctype(html: str, rng: random.Random) -> str:
    """Leave out doctype, html and body tags; the end of html stays."""
    html = re.sub(r"<!DOCTYPE html>\s*", "", html)
    return re.sub(r"<html[^>]*>|</?body>", "", html)


# --- comments and junk -------------------------------------------------------------------------


def comment_values(html: str, rng: random.Random) -> str:
    """Write comments into cells, in front of, in and behind their texts."""

    def change(text: str) -> str:
        if len(text.strip()) < 2:
            return text
        middle = len(text) // 2
        if "&" in text:
            return f"<!-- s -->{text}<!-- e -->"
        return f"<!-- s -->{text[:middle]}<!-- {rng.randrange(99)} -->{text[middle:]}<!-- e -->"

    return _in_list(html, change)


def _in_list(html: str, change: Callable[[str], str]) -> str:
    """Change the texts of the list's body, headers left alone."""
    start, end = html.index("<td"), html.rindex("</td>")
    return html[:start] + change_texts(html[start:end], change) + html[end:]


def comment_out_cells(html: str, rng: random.Random) -> str:
    """Leave cells of a column that is gone in comments, in the header, too."""
    html = html.replace("</th>", "</th><!-- <th>구분코드</th> -->", 2)
    return re.sub(r"(<tr[^>]*>)(<td)", r"\1<!-- <td>구코드</td> -->\2", html)


def comment_out_rows(html: str, rng: random.Random) -> str:
    """Leave rows of yesterday in comments."""
    row = re.search(r"<tr[^>]*><td.*?</tr>\n", html, re.DOTALL)
    old = row[0].replace("<!--", "").replace("-->", "").replace("2", "1") if row else ""
    return re.sub(r"(</tr>\n)(<tr)", lambda m: f"{m[1]}<!-- {old} -->\n{m[2]}", html)


def add_conditional_comments(html: str, rng: random.Random) -> str:
    """Write comments for old browsers around the list and into the head."""
    script = "<!--[if lt IE 9]><script src='/js/html5.js'></script><![endif]-->"
    html = html.replace("</head>", f"{script}</head>", 1)
    html = html.replace("<table", "<!--[if !IE]><!--><table", 1)
    return html.replace("</body>", "<!--<![endif]--></body>", 1)


def add_cdata(html: str, rng: random.Random) -> str:
    """Leave CDATA sections in cells, which HTML takes for comments."""
    return html.replace("</td>", "<![CDATA[ old ]]></td>")


def add_to_cells(junk: str) -> Redesign:
    """Return the redesign that puts something that is never shown into each cell."""

    def redesign(html: str, rng: random.Random) -> str:
        return html.replace("</td>", f"{junk}</td>")

    return redesign


def add_scripts(page: SavedPage, rng: random.Random) -> None:
    """Put scripts with tables and values in quotes between and in the rows' cells."""
    for number, row in enumerate(page.rows):
        text = strip_text(cells_of(row)[1]).replace("'", "")
        script = make("<div><script></script></div>")[0]
        script.text = f"var row{number} = '<tr><td>{text}</td></tr>';".replace("</", "<\\/")
        cells_of(row)[0].append(script)


# --- characters --------------------------------------------------------------------------------


def write_again(html: str, rng: random.Random) -> str:
    """Write the page as another template engine does: from a tree, indented nowhere."""
    return re.sub(r">\s*\n\s*<", "><", write_saved(read_saved(html)))


KINDS = (
    Kind("attributes_reordered", "source", "Attributes stand in another order, with one more.",
         "same", reorder_attributes),
    Kind("attributes_unquoted", "source", "Attributes have no quotes where none are needed.",
         "same", _quote_by(_write_bare)),
    Kind("attributes_single_quoted", "source", "Attributes have single quotes.",
         "same", _quote_by(_write_single)),
    Kind("attributes_loose", "source", "Attributes are in upper case, with blanks around =.",
         "same", _quote_by(_write_loose)),
    Kind("tags_upper_case", "source", "All tags are in upper case.", "same", use_upper_case),
    Kind("end_tags_of_cells_missing", "source", "Cells and rows have no end tags.",
         "same", drop_end_tags("td", "th", "tr")),
    Kind("end_tags_of_sections_missing", "source", "thead, tbody, p and li have no end tags.",
         "same", drop_end_tags("thead", "tbody", "p", "li")),
    Kind("end_tags_missing", "source", "Nothing in a table has an end tag.",
         "same", drop_end_tags("td", "th", "tr", "thead", "tbody", "p", "li")),
    Kind("end_of_page_missing", "source",
         "body and html have no end tags; nothing tells a cut page from a whole one.",
         "refuse_ok", drop_last_tags),
    Kind("minified", "source", "White space, comments and quotes are left out.", "same", minify),
    Kind("pretty_printed", "source", "Each tag stands on a line of its own.",
         "same", print_pretty),
    Kind("lines_of_windows", "source", "Lines end with CR LF, and there are more of them.",
         "same", use_crlf),
    Kind("xhtml", "source", "XHTML with namespace and XML declaration.", "same", become_xhtml),
    Kind("doctype_missing", "source", "There are no doctype, html and body tags.",
         "same", drop_doctype),
    Kind("written_again", "source", "Another template engine writes the page in one line.",
         "same", write_again),
    Kind("comments_in_values", "source", "Comments stand in front of, in and behind values.",
         "same", comment_values),
    Kind("cells_in_comments", "source", "Cells of a column that is gone stand in comments.",
         "same", comment_out_cells),
    Kind("rows_in_comments", "source", "Rows of yesterday stand in comments.",
         "same", comment_out_rows),
    Kind("conditional_comments", "source", "Comments speak to old browsers.",
         "same", add_conditional_comments),
    Kind("cdata_in_cells", "source", "CDATA sections, which HTML does not know, stand in cells.",
         "same", add_cdata),
    Kind("scripts_in_cells", "source", "Scripts that hold rows stand in cells.",
         "same", on_tree(add_scripts)),
    Kind("template_in_cells", "source", "A template stands in each cell.",
         "same", add_to_cells("<template><b>틀</b></template>")),
    Kind("style_in_cells", "source", "A style stands in each cell.",
         "same", add_to_cells("<style>td b{color:red}</style>")),
    Kind("noscript_in_cells", "source", "A noscript text stands in each cell.",
         "same", add_to_cells("<noscript>스크립트를 켜십시오</noscript>")),
)  # fmt: skip
