"""A plain HTTP client and an independent reader of the list, for the rehearsal site's tests."""

from __future__ import annotations

import http.client
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import lxml.html

from dmf_crawler.workbench.rehearsal.server import RehearsalSite

LIST = "/pbp/CCBAC03/getList"
AGENT = {"User-Agent": "test"}
# Under Wine, a reset that comes right behind data may be seen as the end of the connection.
RESETS = (ConnectionError, http.client.IncompleteRead) if os.name == "nt" else ConnectionResetError


@dataclass(frozen=True)
class Got:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def connect(site: RehearsalSite) -> http.client.HTTPConnection:
    address = urlsplit(site.base_url)
    assert address.hostname is not None
    return http.client.HTTPConnection(address.hostname, address.port, timeout=20)


def get(
    site: RehearsalSite,
    path: str = LIST,
    params: Mapping[str, object] | None = None,
    *,
    headers: Mapping[str, str] = AGENT,
) -> Got:
    target = f"{path}?{urlencode(params)}" if params else path
    return ask(site, "GET", target, headers=headers)


def ask(
    site: RehearsalSite,
    method: str,
    target: str,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] = AGENT,
) -> Got:
    connection = connect(site)
    try:
        connection.request(method, target, body=body, headers=dict(headers))
        with connection.getresponse() as response:
            fields = {name.lower(): value for name, value in response.getheaders()}
            return Got(response.status, fields, response.read())
    finally:
        connection.close()


def select(text: str, xpath: str) -> list[Any]:
    """Return what an XPath finds in a page."""
    found = lxml.html.document_fromstring(text).xpath(xpath)
    assert isinstance(found, list)
    return found


def find_table(text: str, css_class: str = "tb_list") -> lxml.html.HtmlElement:
    page = lxml.html.document_fromstring(text)
    (table,) = page.iterfind(f".//table[@class='{css_class}']")
    assert isinstance(table, lxml.html.HtmlElement)
    return table


def read_headers(text: str) -> list[str]:
    return [str(cell.text_content()) for cell in find_table(text).xpath(".//th")]


def read_cells(text: str) -> list[list[str | tuple[str, ...]]]:
    """Return the values of each row: text, or a tuple for a nested table; labels are dropped."""
    rows = find_table(text).xpath("./tbody/tr[td and not(@class='mobile-tr')]")
    return [[_read_cell(cell) for cell in row.xpath("./td")] for row in rows]


def read_column(text: str, index: int) -> list[str | tuple[str, ...]]:
    return [row[index] for row in read_cells(text)]


def _read_cell(cell: lxml.html.HtmlElement) -> str | tuple[str, ...]:
    for label in cell.xpath("./span[@class='s-th']"):
        label.drop_tree()
    if cell.xpath("./table"):
        return tuple(_read_text(site) for site in cell.xpath("./table//td"))
    return _read_text(cell)


def _read_text(element: lxml.html.HtmlElement) -> str:
    """Return an element's text; line breaks as HTML has them, which older libxml2 leaves."""
    return str(element.text_content()).replace("\r\n", "\n")
