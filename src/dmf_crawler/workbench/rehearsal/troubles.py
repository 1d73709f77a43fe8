"""A list page that goes wrong: the kinds of `PageTrouble` as answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dmf_crawler.workbench.rehearsal.answers import (
    Answer,
    compress_answer,
    html_answer,
    redirect_answer,
)
from dmf_crawler.workbench.rehearsal.pages import (
    LIST_PATH,
    write_error_page,
    write_login_page,
    write_maintenance_page,
    write_script_page,
)
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, TroubleKind

MOVED_PARAMETER = "moved"
"""Parameter that `redirect_inside` adds; a request that has it meets no redirect again."""

LOGIN_PATH = "/member/login"


def answer_trouble(trouble: PageTrouble, page: str, query_text: str) -> Answer:
    """Return what comes in place of a page.

    Args:
        trouble: What goes wrong.
        page: The page's HTML as it should be.
        query_text: The request's query as sent.
    """
    if trouble.kind == "redirect_inside":
        query = f"{query_text}&{MOVED_PARAMETER}=1".lstrip("&")
        return redirect_answer(f"{LIST_PATH}/getList?{query}")
    answer = _ANSWERS[trouble.kind](page)
    if trouble.retry_after:
        return replace(answer, headers=(*answer.headers, ("Retry-After", trouble.retry_after)))
    return answer


def _damage_values(page: str) -> Answer:
    head, mark, values = page.partition("<tbody>")
    return html_answer(head + mark + values.replace("약", "\ufffd").replace("a", "\ufffd", 50))


def _encode_cp949(page: str) -> Answer:
    text = page.replace('charset="utf-8"', 'charset="euc-kr"')
    body = text.encode("cp949", errors="xmlcharrefreplace")
    return Answer(body, content_type="text/html;charset=EUC-KR")


def _halve_gzip(page: str) -> Answer:
    answer = compress_answer(html_answer(page))
    return replace(answer, body=answer.body[: len(answer.body) // 2])


def _fail(status: int) -> Callable[[str], Answer]:
    return lambda _: Answer(f"<h1>HTTP {status}</h1>".encode(), status)


_ANSWERS: dict[TroubleKind, Callable[[str], Answer]] = {
    "drip": lambda page: Answer(page.encode(), delivery="drip"),
    "hang": lambda _: Answer(b"", delivery="hang"),
    "reset": lambda page: Answer(page.encode(), delivery="reset"),
    "truncated_length": lambda page: Answer(page.encode(), delivery="short_length"),
    "truncated_chunked": lambda page: Answer(page.encode(), delivery="short_chunked"),
    "truncated_close": lambda page: Answer(page.encode(), delivery="short_close"),
    "truncated_gzip": _halve_gzip,
    "status_429": _fail(429),
    "status_500": _fail(500),
    "status_502": _fail(502),
    "status_503": _fail(503),
    "status_504": _fail(504),
    "redirect_login": lambda _: redirect_answer(LOGIN_PATH),
    "redirect_elsewhere": lambda _: redirect_answer("http://elsewhere.invalid/pbp/CCBAC03/getList"),
    "error_page": lambda _: html_answer(write_error_page()),
    "maintenance": lambda _: html_answer(write_maintenance_page()),
    "login": lambda _: html_answer(write_login_page()),
    "empty_body": lambda _: Answer(b""),
    "script_only": lambda _: html_answer(write_script_page()),
    "no_charset": lambda page: Answer(
        page.replace('<meta charset="utf-8">', "").encode(), content_type="text/html"
    ),
    "euc_kr": _encode_cp949,
    "mojibake": _damage_values,
    "stale": html_answer,  # the caller rendered the old rows
}
