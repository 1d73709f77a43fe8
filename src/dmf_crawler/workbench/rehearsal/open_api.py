"""The open API's twin: data.go.kr 15057075, Service01 and Service02 (README, item 11)."""

from __future__ import annotations

import html
import json
import random
import re
import zlib
from collections.abc import Mapping, Sequence
from datetime import date
from urllib.parse import unquote

from dmf_crawler.workbench.rehearsal.answers import Answer
from dmf_crawler.workbench.rehearsal.register import LIVE, ListRow
from dmf_crawler.workbench.rehearsal.switches import Switches

PATH = re.compile(r"(?:/openapi)?/1471000/MdcDmfInfoService(0[12])/getMdcDmfList\1")
_MOST_ROWS = 500
_ERRORS = {
    "10": "INVALID_REQUEST_PARAMETER_ERROR",
    "12": "NO_OPENAPI_SERVICE_ERROR",
    "22": "LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR",
    "30": "SERVICE_KEY_IS_NOT_REGISTERED_ERROR",
}

Page = tuple[list[dict[str, str]], int, int, int]  # items, page number, page size, total


class OpenApi:
    """The API with its count of calls.

    Args:
        seed: Of the order in which rows move between two calls.
    """

    def __init__(self, seed: int = 15057075) -> None:
        self._rng = random.Random(seed)
        self._n_calls = 0

    def answer(
        self,
        service: str,
        params: Mapping[str, str],
        rows: Sequence[ListRow],
        switches: Switches,
        today: date,
    ) -> Answer:
        """Return the answer to one call.

        Args:
            service: `01` or `02`.
            params: Decoded request parameters; unknown ones, also in the wrong case, are ignored.
            rows: The whole list; the API has live rows only.
            switches: The site's behaviour.
            today: For the end of Service01.
        """
        key = params.get("serviceKey", "")
        if key != switches.open_api_key:
            is_encoded_twice = unquote(key) == switches.open_api_key
            return Answer(b"Forbidden", 403, "text/plain") if is_encoded_twice else _refuse("30")
        if service == "01" and today >= switches.open_api_01_ends_on:
            return _refuse("12")
        self._n_calls += 1
        if self._n_calls > switches.open_api_quota:
            return _refuse("22")
        page_no, size = _read_number(params, "pageNo", 1), _read_number(params, "numOfRows", 10)
        if not (page_no and size and size <= _MOST_ROWS):
            return _refuse("10")
        page = self._cut_page(rows, params, page_no, size, switches)
        items = [_write_item(row, service) for row in page[0]]
        return _answer_page((items, page_no, size, page[1]), params.get("type", "xml"), switches)

    def _cut_page(
        self,
        rows: Sequence[ListRow],
        params: Mapping[str, str],
        page_no: int,
        size: int,
        switches: Switches,
    ) -> tuple[list[ListRow], int]:
        """Return the rows of a page and how many there are in all."""
        company, ingredient = params.get("entp_name", ""), params.get("ingr_kor_name", "")
        live = [
            row
            for row in rows
            if row.status == LIVE and company in row.company and ingredient in row.ingredient_name
        ]
        if switches.open_api_order == "unstable":
            for _ in range(len(live) // 100):  # neighbours change places, also across pages
                at = self._rng.randrange(len(live) - 1)
                live[at], live[at + 1] = live[at + 1], live[at]
        start = (page_no - 1) * size
        return live[start : start + size], len(live)


def _read_number(params: Mapping[str, str], name: str, otherwise: int) -> int:
    """Return a positive parameter, its default where it is missing, 0 where it is no number."""
    text = params.get(name, str(otherwise))
    return int(text) if text.isascii() and text.isdigit() else 0


def _write_item(row: ListRow, service: str) -> dict[str, str]:
    item = {
        "DMF_PERMIT_NO": row.reg_no,
        "INGR_KOR_NAME": row.ingredient_name,
        "ENTP_NAME": row.company,
        "MNFCTR_NAME": ",".join(row.maker_names),
        "MNFCTR_PLACE": ",".join(row.maker_addresses),
        "MANUF_COUNTRY_CODE_NM": ",".join(row.maker_countries),
        "DMF_PERMIT_DATE": row.registered_on,
        "BIZRNO": f"{zlib.crc32(row.company.encode()):010d}",
    }
    return item | ({"NOTICE_CODE": row.target} if service == "02" else {})


def _answer_page(page: Page, form: str, switches: Switches) -> Answer:
    items, page_no, size, total = page
    numbers = {"numOfRows": size, "pageNo": page_no, "totalCount": total}
    header = {"resultCode": "00", "resultMsg": "NORMAL SERVICE."}
    if form == "json":
        body: dict[str, object] = dict(numbers)
        if items:
            body["items"] = items if switches.open_api_items == "list" else {"item": items}
        text = json.dumps({"header": header, "body": body}, ensure_ascii=False)
        return Answer(text.encode(), content_type="application/json;charset=UTF-8")
    listed = "".join(f"<item>{_write_elements(item)}</item>" for item in items)
    xml = (
        f"<response><header>{_write_elements(header)}</header><body>{_write_elements(numbers)}"
        f"<items>{listed}</items></body></response>"
    )
    return _answer_xml(xml)


def _write_elements(values: Mapping[str, object]) -> str:
    return "".join(
        f"<{name}>{html.escape(str(value), quote=False)}</{name}>" for name, value in values.items()
    )


def _refuse(code: str) -> Answer:
    """Return an error: XML with 200, also to those who asked for JSON."""
    reason = {
        "errMsg": "SERVICE ERROR",
        "returnAuthMsg": _ERRORS[code],
        "returnReasonCode": code,
    }
    header = f"<cmmMsgHeader>{_write_elements(reason)}</cmmMsgHeader>"
    return _answer_xml(f"<OpenAPI_ServiceResponse>{header}</OpenAPI_ServiceResponse>")


def _answer_xml(xml: str) -> Answer:
    text = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{xml}'
    return Answer(text.encode(), content_type="application/xml;charset=UTF-8")
