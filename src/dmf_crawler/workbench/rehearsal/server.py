"""The rehearsal site: an HTTP server on loopback that behaves like the real one.

What it answers is decided in `RehearsalSite.answer_request`, how that goes over the wire in
`connection.py`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self

from dmf_crawler.model.run import KST
from dmf_crawler.workbench.rehearsal import open_api, robots_forms
from dmf_crawler.workbench.rehearsal.answers import Answer, html_answer, redirect_answer
from dmf_crawler.workbench.rehearsal.connection import SilentPort, SiteServer
from dmf_crawler.workbench.rehearsal.listing import RefusedPageSize, cut_page, disturb_register
from dmf_crawler.workbench.rehearsal.markup import RowRenderer
from dmf_crawler.workbench.rehearsal.notice_board import NoticeBoard, Posts, show_posts
from dmf_crawler.workbench.rehearsal.notices import Notice
from dmf_crawler.workbench.rehearsal.pages import (
    LIST_PATH,
    write_error_page,
    write_home_page,
    write_list_page,
    write_login_page,
)
from dmf_crawler.workbench.rehearsal.register import ListRow
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest, RequestLog
from dmf_crawler.workbench.rehearsal.switches import USUAL_SWITCHES, Switches
from dmf_crawler.workbench.rehearsal.terms import TermsText
from dmf_crawler.workbench.rehearsal.terms_page import TERMS_PATH, TermsPage
from dmf_crawler.workbench.rehearsal.troubles import (
    LOGIN_PATH,
    MOVED_PARAMETER,
    TroubleCount,
    answer_trouble,
)
from dmf_crawler.workbench.rehearsal.workbook import answer_export, build_workbook

_PAGES = {"/": write_home_page, LOGIN_PATH: write_login_page}


EXPIRED_CERTIFICATE = Path(__file__).parent / "data" / "expired_certificate.pem"


@dataclass(frozen=True, slots=True)
class _Scene:
    """What the site shows at one moment; replaced whole, so that no request sees half of two."""

    rows: tuple[ListRow, ...]
    shown: tuple[ListRow, ...]  # the rows as the switches disturb them
    stale: tuple[ListRow, ...]  # what was shown before
    switches: Switches
    renderer: RowRenderer
    notices: tuple[Notice, ...] | None
    posts: Posts | None  # the notices as the switches disturb them
    terms: TermsText | None


class RehearsalSite:
    """The site, serving from the moment it is made until it is closed; a context manager.

    `rows`, `notices`, `terms` and `switches` may be assigned at any time; a request that is under
    way keeps what it started with.

    Attributes:
        base_url: `http://127.0.0.1:<port>`, without a final slash; https with a certificate.
        on_request: Called with each request before it is answered, in the thread that answers it.

    Args:
        rows: The list, newest first.
        notices: The posts of the notice board, newest first; None for a site without the board.
        terms: The terms of use; None for a site without the page.
        switches: How the site behaves.
        port: Port on 127.0.0.1; 0 takes a free one.
        now: Aware clock: Date headers and the end of Service01.
    """

    def __init__(
        self,
        rows: Sequence[ListRow],
        *,
        notices: Sequence[Notice] | None = None,
        terms: TermsText | None = None,
        switches: Switches = USUAL_SWITCHES,
        port: int = 0,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.on_request: Callable[[LoggedRequest], None] | None = None
        self._request_log = RequestLog(time.monotonic)
        self._lock = threading.Lock()
        self._now = now
        self._trouble_count = TroubleCount()
        self._notice_board = NoticeBoard(self._trouble_count)
        self._terms_page = TermsPage(self._trouble_count)
        self._open_api = open_api.OpenApi()
        self._build_workbook = lru_cache(maxsize=1)(build_workbook)
        all_rows = tuple(rows)
        shown = disturb_register(all_rows, switches)
        all_notices = None if notices is None else tuple(notices)
        posts = _post_notices(all_notices, switches)
        self._scene = _Scene(
            all_rows, shown, shown, switches, RowRenderer(switches), all_notices, posts, terms
        )
        is_tls = switches.certificate == "expired"
        self._server: SiteServer | SilentPort
        if switches.connections == "never":
            self._server = SilentPort(port)
        else:
            self._server = SiteServer(
                port,
                self._answer_hooked,
                self._request_log,
                now,
                certificate=EXPIRED_CERTIFICATE if is_tls else None,
            )
        scheme = "https" if is_tls else "http"
        self.base_url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        self._server.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every connection and the server; raises what went wrong inside it, if anything."""
        self._server.close()

    @property
    def log(self) -> list[LoggedRequest]:
        """The requests so far, in order of arrival."""
        return self._request_log.list_requests()

    @property
    def n_connections(self) -> int:
        """Connections accepted so far, also those on which nothing was asked."""
        return self._request_log.n_connections

    def clear_log(self) -> None:
        """Forget the requests so far."""
        self._request_log.clear()

    def wait_until_idle(self, timeout_s: float = 20.0) -> bool:
        """Wait until no request is open, e.g. after a client gave up on a hanging one.

        Returns:
            Whether that came in time.
        """
        return self._request_log.wait_until_idle(timeout_s)

    @property
    def rows(self) -> tuple[ListRow, ...]:
        """The list, newest first."""
        return self._scene.rows

    @rows.setter
    def rows(self, rows: Sequence[ListRow]) -> None:
        all_rows, scene = tuple(rows), self._scene
        shown = disturb_register(all_rows, scene.switches)
        self._scene = replace(scene, rows=all_rows, shown=shown, stale=scene.shown)

    @property
    def notices(self) -> tuple[Notice, ...] | None:
        """The posts of the notice board, newest first; None where the site has none."""
        return self._scene.notices

    @notices.setter
    def notices(self, notices: Sequence[Notice] | None) -> None:
        all_notices, scene = None if notices is None else tuple(notices), self._scene
        posts = _post_notices(all_notices, scene.switches)
        if posts and scene.posts:
            posts = replace(posts, stale=scene.posts.shown)
        self._scene = replace(scene, notices=all_notices, posts=posts)

    @property
    def terms(self) -> TermsText | None:
        """The terms of use; None where the site has no such page."""
        return self._scene.terms

    @terms.setter
    def terms(self, terms: TermsText | None) -> None:
        self._scene = replace(self._scene, terms=terms)

    @property
    def switches(self) -> Switches:
        """How the site behaves; assigning them starts the counting of troubles anew."""
        return self._scene.switches

    @switches.setter
    def switches(self, switches: Switches) -> None:
        scene = self._scene
        shown = disturb_register(scene.rows, switches)
        renderer = scene.renderer if scene.renderer.suits(switches) else RowRenderer(switches)
        posts = _post_notices(scene.notices, switches)
        if posts and scene.posts:
            posts = replace(posts, stale=scene.posts.stale)
        self._trouble_count.restart()
        self._scene = replace(scene, shown=shown, switches=switches, renderer=renderer, posts=posts)

    def answer_request(self, request: LoggedRequest) -> Answer:
        """Return what a request gets."""
        scene = self._scene
        switches = scene.switches
        if request.path in robots_forms.PATHS:
            return robots_forms.answer_robots(request.path, switches)
        if request.path in (LIST_PATH, f"{LIST_PATH}/getList"):
            return self._answer_list(request, scene)
        if request.path == f"{LIST_PATH}/getExcel":
            return answer_export(self._build_workbook(scene.shown[: switches.export_cap]), switches)
        if found := open_api.PATH.fullmatch(request.path):
            return self._answer_open_api(found[1], request, scene)
        if request.path == TERMS_PATH and scene.terms is not None:
            now = self._now().astimezone(KST)
            return self._terms_page.answer(request, scene.terms, switches, now)
        answer = None
        if scene.posts is not None:
            answer = self._notice_board.answer(request, scene.posts, switches)
        return answer or html_answer(_PAGES.get(request.path, write_error_page)())

    def _answer_hooked(self, request: LoggedRequest) -> tuple[Answer, Switches]:
        if self.on_request is not None:
            self.on_request(request)
        switches = self._scene.switches
        if "user-agent" not in request.headers and switches.no_user_agent != "answer":
            closes = switches.no_user_agent == "close"
            return Answer(b"Forbidden", 403, delivery="close" if closes else "whole"), switches
        return self.answer_request(request), switches

    def _answer_list(self, request: LoggedRequest, scene: _Scene) -> Answer:
        switches, params = scene.switches, request.params
        if switches.without_parameters == "redirect" and not params and request.path != LIST_PATH:
            return redirect_answer(LIST_PATH)
        page_text = params.get("page", "1")
        trouble = self._trouble_count.meet(
            switches.troubles,
            "list",
            int(page_text) if page_text.isascii() and page_text.isdigit() else 1,
            is_moved=MOVED_PARAMETER in params,
        )
        rows = scene.stale if trouble and trouble.kind == "stale" else scene.shown
        page = cut_page(rows, params, switches)
        if isinstance(page, RefusedPageSize):
            is_bad_request = switches.page_size == "status_400"
            return html_answer(write_error_page(), 400 if is_bad_request else 200)
        answer = html_answer(write_list_page(page, scene.renderer, switches))
        return answer_trouble(trouble, answer, request.target) if trouble else answer

    def _answer_open_api(self, service: str, request: LoggedRequest, scene: _Scene) -> Answer:
        today = self._now().astimezone(KST).date()
        with self._lock:
            return self._open_api.answer(service, request.query, scene.shown, scene.switches, today)


def _post_notices(notices: tuple[Notice, ...] | None, switches: Switches) -> Posts | None:
    if notices is None:
        return None
    shown = show_posts(notices, switches)
    return Posts(shown, shown)
