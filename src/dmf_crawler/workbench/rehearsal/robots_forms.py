"""robots.txt in every form that a server may answer with."""

from __future__ import annotations

from collections.abc import Callable

from dmf_crawler.workbench.rehearsal.answers import Answer, html_answer, redirect_answer
from dmf_crawler.workbench.rehearsal.pages import write_error_page
from dmf_crawler.workbench.rehearsal.switches import RobotsForm, Switches

PATHS = ("/robots.txt", "/robots-moved.txt", "/robots-loop.txt")
"""What belongs to robots.txt: itself, where it may redirect to, and the other end of the loop."""

_PLAIN = "text/plain;charset=UTF-8"
_OVER_LIMIT = 520 * 1024  # RFC 9309 §2.5: at least 500 KiB are parsed


def answer_robots(path: str, switches: Switches) -> Answer:
    """Return what one of `PATHS` answers."""
    if path == "/robots-moved.txt":
        return _answer_text(switches)
    if path == "/robots-loop.txt":
        return redirect_answer("/robots.txt")
    return _FORMS[switches.robots](switches)


def _answer_text(switches: Switches) -> Answer:
    return Answer(switches.robots_text.encode(), content_type=_PLAIN)


def _answer_oversize(switches: Switches) -> Answer:
    line = "# " + "x" * 77 + "\n"
    padding = line * (_OVER_LIMIT // len(line))
    text = f"{switches.robots_text}{padding}Disallow: /pbp/CCBAC03\n"
    return Answer(text.encode(), content_type=_PLAIN)


def _retry_later(status: int, switches: Switches) -> Answer:
    fields = (("Retry-After", switches.robots_retry_after),)
    return Answer(b"later", status, _PLAIN, fields)


_FORMS: dict[RobotsForm, Callable[[Switches], Answer]] = {
    "text": _answer_text,
    "bom": lambda s: Answer(b"\xef\xbb\xbf" + s.robots_text.encode(), content_type=_PLAIN),
    "oversize": _answer_oversize,
    "not_found": lambda _: Answer(b"not found", 404, _PLAIN),
    "forbidden": lambda _: Answer(b"forbidden", 403, _PLAIN),
    "server_error": lambda _: Answer(b"error", 500, _PLAIN),
    "unavailable": lambda s: _retry_later(503, s),
    "too_many": lambda s: _retry_later(429, s),
    "redirect": lambda _: redirect_answer("/robots-moved.txt"),
    "redirect_loop": lambda _: redirect_answer("/robots-loop.txt"),
    "html": lambda _: html_answer(write_error_page()),
    "reset": lambda s: Answer(s.robots_text.encode(), content_type=_PLAIN, delivery="reset"),
    "hang": lambda _: Answer(b"", delivery="hang"),
}
