"""What a page is that has not what was asked for: login, maintenance, error, or a script alone.

Only what is missing makes an error page: `mpage_errwrap` and its text also stand, hidden, in normal
pages of the site.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml.etree import _Element as Element

from dmf_crawler.extract.cell import is_hidden
from dmf_crawler.extract.plain_text import read_text
from dmf_crawler.extract.quoting import quote_texts
from dmf_crawler.model.run import Fault

_NEXT_LATER = "잠시 뒤 다시 요청하며, 계속되면 브라우저로 사이트를 확인해 주십시오."
_MAINTENANCE = re.compile(
    r"점검\s*(?:중|시간|안내|작업)|(?:시스템|서비스|서버|정기)\s*점검|서비스.{0,10}중단|maintenance",
    re.IGNORECASE,
)
_ERROR = re.compile(r"오류가\s*발생|찾을\s*수\s*없습니다|internal server error", re.IGNORECASE)
_IN_PROGRESS = re.compile(r"점검\s*중|under maintenance", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_NEVER_SHOWN = ("head", "script", "style", "noscript", "template")
_N_SHELL_CHARS = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the page should have had.

    Attributes:
        name: Korean.
        subject: Korean, with its particle.
        counts_hidden: Whether a text that no browser shows tells what the page is. A page without
            any table is no normal page; one without the region may be, under another name.
        most_said: A page that says so many characters outside its links, or more, is no notice of
            errors or maintenance, whatever words it has; None: any page may be one.
    """

    name: str
    subject: str
    counts_hidden: bool
    most_said: int | None = None


LIST = Wanted("목록", "목록 표가", counts_hidden=True)
DETAIL = Wanted("게시글", "게시글 본문이", counts_hidden=False)
PAGE = Wanted("지켜보는 페이지", "지켜보는 영역이", counts_hidden=False, most_said=1_000)


def name_other_page(document: Element, wanted: Wanted) -> Fault | None:
    """Return why the wanted is not there, None where the page is of no kind that we know.

    The faults are `login_page`, `maintenance_page`, `error_page` (retryable), `script_only_page`.
    """
    if login := name_login_page(document, wanted):
        return login
    said = "" if says_much(document, wanted) else _read_said(document, wanted)
    if found := _MAINTENANCE.search(said):
        return _try_later("maintenance_page", "점검 안내 페이지", found[0], wanted)
    if found := _ERROR.search(said):
        return _try_later("error_page", "오류 안내 페이지", found[0], wanted)
    text = read_shown_text(document, wanted)
    if len(text) < _N_SHELL_CHARS and next(document.iter("script"), None) is not None:
        return Fault(
            "script_only_page",
            f"페이지에 스크립트만 있고 내용이 없습니다(본문: {quote_texts([text])}). "
            f"{wanted.subject} HTML에 들어 있어야 합니다. 사이트가 화면을 그리는 방식을 바꾸었을 "
            "수 있으므로 개발자에게 알려 주십시오.",
            exit_code=4,
        )
    return None


def name_titled_notice(document: Element, region: Element, wanted: Wanted) -> Fault | None:
    """Return why what stands in the wanted place is a notice by its own title or first heading.

    A site writes its errors where it writes everything else. What stands further down may be about
    errors and maintenance, as terms of use are.
    """
    titles = [next(document.iter("title"), None), next(region.iter(*_HEADINGS), None)]
    for title in titles:
        text = "" if title is None else " ".join("".join(map(str, title.itertext())).split())
        if found := _IN_PROGRESS.search(text):
            return _try_later("maintenance_page", "점검 안내 페이지", found[0], wanted)
        if found := _ERROR.search(text):
            return _try_later("error_page", "오류 안내 페이지", found[0], wanted)
    return None


def name_login_page(document: Element, wanted: Wanted) -> Fault | None:
    """Return the fault `login_page` where the page asks for a password."""
    for field in document.iter("input"):
        if (field.get("type") or "").lower() == "password":
            return _try_later("login_page", "로그인 페이지", "비밀번호 입력란", wanted)
    return None


def says_much(document: Element, wanted: Wanted) -> bool:
    """Say whether a page says more than a notice of errors or maintenance does.

    The links of the site's menus, which stand around every page, do not count.
    """
    return wanted.most_said is not None and len(_read_said(document, wanted)) >= wanted.most_said


def read_shown_text(document: Element, wanted: Wanted) -> str:
    """Return the text that a browser could show, on one line."""
    text = read_text(document, lambda element: _is_unseen(element, wanted))
    return text.replace("\n", " ")


def _read_said(document: Element, wanted: Wanted) -> str:
    """Return the shown text, without that of links where its length counts."""
    if wanted.most_said is None:
        return read_shown_text(document, wanted)
    text = read_text(document, lambda each: _is_unseen(each, wanted) or _is_link(each))
    return text.replace("\n", " ")


def _is_unseen(element: Element, wanted: Wanted) -> bool:
    return element.tag in _NEVER_SHOWN or (is_hidden(element) and not wanted.counts_hidden)


def _is_link(element: Element) -> bool:
    """Say whether an element leads somewhere; a mere place may hold the whole page."""
    return element.tag == "a" and element.get("href") is not None


def _try_later(code: str, kind: str, found: str, wanted: Wanted) -> Fault:
    return Fault(
        code,
        f"{wanted.name} 대신 {kind}가 왔습니다(표시: {quote_texts([found])}). {wanted.subject} "
        f"있어야 합니다. {_NEXT_LATER}",
        exit_code=6,
        is_retryable=True,
    )
