"""What came in place of a workbook or of the open API's answer, in words for people.

Nothing of the answer itself is quoted: an error page may repeat the address that was asked for, and
with it the service key.
"""

from __future__ import annotations

import re

from dmf_crawler.extract.markup import parse_page
from dmf_crawler.extract.other_pages import Wanted, name_other_page
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.run import Fault

_KINDS = {
    "login_page": "로그인 페이지",
    "maintenance_page": "점검 안내 페이지",
    "error_page": "오류 안내 페이지",
    "script_only_page": "스크립트만 있는 페이지",
}
_STARTS = (
    (b"\xd0\xcf\x11\xe0", "옛 엑셀(.xls) 파일이나 암호가 걸린 파일"),
    (b"PK\x03\x04", "ZIP 파일"),
    (b"%PDF", "PDF 파일"),
    (b"\x1f\x8b", "gzip으로 압축된 내용"),
    (b"\x89PNG", "그림"),
    (b"\xff\xd8\xff", "그림"),
    (b"GIF8", "그림"),
)
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|table|div|form|p)\b")
_PLAIN_WORDS = ("Forbidden", "Unauthorized", "API not found", "Unexpected errors")
_ANSWER = Wanted("답", "답이", counts_hidden=False)
_N_SNIFFED_BYTES = 1024


def name_answer(page: RawPage) -> str:
    """Return what an answer is: a Korean noun."""
    body = page.body.strip()
    if not body:
        return "빈 내용"
    if kind := next((kind for start, kind in _STARTS if body.startswith(start)), ""):
        return kind
    head = body[:_N_SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith(b"<"):
        return _name_page(page) if _HTML.search(head) else "다른 XML"
    if head.startswith((b"{", b"[")):
        return "JSON"
    word = next((word for word in _PLAIN_WORDS if head.startswith(word.lower().encode())), "")
    return f"글 '{word}'" if word else "다른 내용"


def _name_page(page: RawPage) -> str:
    document = parse_page(page, end_marker="")
    other = None if isinstance(document, Fault) else name_other_page(document, _ANSWER)
    return "HTML 페이지" if other is None else _KINDS[other.code]
