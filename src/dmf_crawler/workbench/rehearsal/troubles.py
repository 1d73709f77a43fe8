"""Pages that go wrong: the kinds of `PageTrouble` as answers, and how often each was met."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from dmf_crawler.workbench.rehearsal.answers import (
    Answer,
    Delivery,
    compress_answer,
    html_answer,
    redirect_answer,
)
from dmf_crawler.workbench.rehearsal.pages import (
    write_error_page,
    write_login_page,
    write_maintenance_page,
    write_script_page,
)
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, TroubleKind, TroublePlace

MOVED_PARAMETER = "moved"
"""Parameter that `redirect_inside` adds; a request that has it meets no redirect again."""

LOGIN_PATH = "/member/login"


class TroubleCount:
    """How often each trouble was met, page by page."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_met: Counter[tuple[int, int]] = Counter()  # (index of the trouble, page) → times

    def restart(self) -> None:
        """Forget all of it."""
        with self._lock:
            self._n_met.clear()

    def meet(
        self, troubles: Sequence[PageTrouble], place: TroublePlace, number: int, *, is_moved: bool
    ) -> PageTrouble | None:
        """Return the first trouble that is due, and count it.

        Args:
            troubles: In their order.
            place: What kind of page is asked for.
            number: Its page number, or the number of its post.
            is_moved: Whether the request comes by a redirect of `redirect_inside`.
        """
        with self._lock:
            for index, trouble in enumerate(troubles):
                is_here = trouble.place == place and number in (trouble.pages or {number})
                is_due = trouble.times is None or self._n_met[index, number] < trouble.times
                is_over = trouble.kind == "redirect_inside" and is_moved
                if is_here and is_due and not is_over:
                    self._n_met[index, number] += 1
                    return trouble
        return None


def answer_trouble(trouble: PageTrouble, answer: Answer, target: str) -> Answer:
    """Return what comes in place of an answer.

    Args:
        trouble: What goes wrong.
        answer: The answer as it should be.
        target: Path and query as asked for.
    """
    if trouble.kind == "redirect_inside":
        joint = "&" if "?" in target else "?"
        return redirect_answer(f"{target}{joint}{MOVED_PARAMETER}=1")
    if trouble.kind == "redirect_elsewhere":
        return redirect_answer(f"http://elsewhere.invalid{target.partition('?')[0]}")
    answer = _ANSWERS[trouble.kind](answer)
    if trouble.retry_after:
        return replace(answer, headers=(*answer.headers, ("Retry-After", trouble.retry_after)))
    return answer


def _deliver(delivery: Delivery) -> Callable[[Answer], Answer]:
    return lambda answer: replace(answer, delivery=delivery)


def _damage_values(answer: Answer) -> Answer:
    page = answer.body.decode(errors="replace")
    head, mark, values = page.partition("<tbody>" if "<tbody>" in page else "<body>")
    return html_answer(head + mark + values.replace("약", "\ufffd").replace("a", "\ufffd", 50))


def _drop_charset(answer: Answer) -> Answer:
    body = answer.body.replace(b'<meta charset="utf-8">', b"")
    return replace(answer, body=body, content_type="text/html")


def _encode_cp949(answer: Answer) -> Answer:
    text = answer.body.decode(errors="replace").replace('charset="utf-8"', 'charset="euc-kr"')
    body = text.encode("cp949", errors="xmlcharrefreplace")
    return Answer(body, content_type="text/html;charset=EUC-KR")


def _halve_gzip(answer: Answer) -> Answer:
    answer = compress_answer(answer)
    return replace(answer, body=answer.body[: len(answer.body) // 2])


def _fail(status: int) -> Callable[[Answer], Answer]:
    return lambda _: Answer(f"<h1>HTTP {status}</h1>".encode(), status)


_ANSWERS: dict[TroubleKind, Callable[[Answer], Answer]] = {
    "drip": _deliver("drip"),
    "hang": lambda _: Answer(b"", delivery="hang"),
    "reset": _deliver("reset"),
    "truncated_length": _deliver("short_length"),
    "truncated_chunked": _deliver("short_chunked"),
    "truncated_close": _deliver("short_close"),
    "truncated_gzip": _halve_gzip,
    "status_429": _fail(429),
    "status_500": _fail(500),
    "status_502": _fail(502),
    "status_503": _fail(503),
    "status_504": _fail(504),
    "redirect_login": lambda _: redirect_answer(LOGIN_PATH),
    "error_page": lambda _: html_answer(write_error_page()),
    "maintenance": lambda _: html_answer(write_maintenance_page()),
    "login": lambda _: html_answer(write_login_page()),
    "empty_body": lambda _: Answer(b""),
    "script_only": lambda _: html_answer(write_script_page()),
    "no_charset": _drop_charset,
    "euc_kr": _encode_cp949,
    "mojibake": _damage_values,
    "stale": lambda answer: answer,  # the caller took what was shown before
}
