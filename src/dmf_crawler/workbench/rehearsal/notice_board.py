"""The notice board: what is asked for below `/bbs/21` and `/cmn/edms/down` → its answer."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from dmf_crawler.workbench.rehearsal.answers import Answer, html_answer, redirect_answer
from dmf_crawler.workbench.rehearsal.listing import RefusedPageSize, find_window
from dmf_crawler.workbench.rehearsal.notice_pages import (
    BOARD_PATH,
    CALENDAR_PATH,
    FILE_PATH,
    VIEW_PATH,
    NoticeListPage,
    Visit,
    name_post,
    write_notice_list,
    write_post,
    write_trap_page,
)
from dmf_crawler.workbench.rehearsal.notices import Attachment, Notice
from dmf_crawler.workbench.rehearsal.pages import write_error_page
from dmf_crawler.workbench.rehearsal.request_log import LoggedRequest
from dmf_crawler.workbench.rehearsal.switches import PageTrouble, Switches, TroublePlace
from dmf_crawler.workbench.rehearsal.troubles import (
    MOVED_PARAMETER,
    TroubleCount,
    answer_trouble,
)
from dmf_crawler.workbench.rehearsal.validators import answer_conditionally

_POST = re.compile(rf"{BOARD_PATH}/(\d+)")
_GROWN = re.compile(rf"{BOARD_PATH}(?:/\d+)?(?:/more)+")
_SESSION = re.compile(r";jsessionid=[^/]*", re.IGNORECASE)
_HEADER = ("X-Robots-Tag", "nofollow")


@dataclass(frozen=True, slots=True)
class Posts:
    """The posts that the board shows, and those that it showed before; newest first."""

    shown: tuple[Notice, ...]
    stale: tuple[Notice, ...]

    def select(self, *, is_stale: bool) -> tuple[Notice, ...]:
        """Return the posts of either time."""
        return self.stale if is_stale else self.shown


class NoticeBoard:
    """Answers for the board, and remembers how often it was asked.

    Args:
        trouble_count: Shared with the rest of the site.
    """

    def __init__(self, trouble_count: TroubleCount) -> None:
        self._trouble_count = trouble_count
        self._visits = itertools.count(1)

    def answer(self, request: LoggedRequest, posts: Posts, switches: Switches) -> Answer | None:
        """Return the answer to a request, None where the address is none of the board's."""
        path = _SESSION.sub("", request.path)
        visit = Visit(request.headers.get("host", ""), next(self._visits), switches)
        if path == BOARD_PATH:
            return self._answer_list(request, posts, visit)
        if path == CALENDAR_PATH or _GROWN.fullmatch(path):
            return html_answer(write_trap_page(path, visit))
        if found := _POST.fullmatch(path):
            return self._answer_post(found[1], request, posts, visit)
        if path == VIEW_PATH:
            return self._answer_post(_find_post(request.params, posts), request, posts, visit)
        if path.startswith(f"{FILE_PATH}/"):
            return self._answer_file(path.removeprefix(f"{FILE_PATH}/"), request, posts, visit)
        return None

    def _answer_list(self, request: LoggedRequest, posts: Posts, visit: Visit) -> Answer:
        page_text = request.params.get("page", "1")
        number = int(page_text) if page_text.isascii() and page_text.isdigit() else 1
        trouble = self._meet_trouble("notice_list", number, request, visit.switches)
        shown = posts.select(is_stale=trouble is not None and trouble.kind == "stale")
        page = cut_notice_page(shown, request.params, visit.switches)
        if isinstance(page, RefusedPageSize):
            is_bad_request = visit.switches.page_size == "status_400"
            return html_answer(write_error_page(), 400 if is_bad_request else 200)
        answer = html_answer(write_notice_list(page, visit))
        if "list_header" in visit.switches.nofollow:
            answer = replace(answer, headers=(_HEADER,))
        return answer_trouble(trouble, answer, request.target) if trouble else answer

    def _answer_post(
        self, post_id: str, request: LoggedRequest, posts: Posts, visit: Visit
    ) -> Answer | None:
        switches = visit.switches
        if switches.post_without_parameters == "redirect" and not request.query:
            return redirect_answer(BOARD_PATH)
        trouble = self._meet_trouble("detail", int(post_id), request, switches)
        shown = posts.select(is_stale=trouble is not None and trouble.kind == "stale")
        post = next((post for post in shown if post.post_id == post_id), None)
        if post is None:
            return None
        answer = html_answer(write_post(post, visit))
        if "detail_header" in switches.nofollow:
            answer = replace(answer, headers=(_HEADER,))
        if trouble:
            return answer_trouble(trouble, answer, request.target)
        return _validate(answer, post, request, visit)

    def _answer_file(
        self, document_id: str, request: LoggedRequest, posts: Posts, visit: Visit
    ) -> Answer | None:
        for post in posts.shown:
            for attachment in post.attachments:
                if attachment.document_id == document_id:
                    return self._answer_attachment(attachment, post, request, visit)
        return None

    def _answer_attachment(
        self, attachment: Attachment, post: Notice, request: LoggedRequest, visit: Visit
    ) -> Answer:
        switches = visit.switches
        answer = Answer(
            attachment.content + b"\0" * switches.file_padding_bytes,
            content_type="application/octet-stream",
            headers=_write_disposition(attachment, switches),
        )
        trouble = self._meet_trouble("file", int(post.post_id), request, switches)
        if trouble:
            return answer_trouble(trouble, answer, request.target)
        return _validate(answer, post, request, visit)

    def _meet_trouble(
        self, place: TroublePlace, number: int, request: LoggedRequest, switches: Switches
    ) -> PageTrouble | None:
        is_moved = MOVED_PARAMETER in request.params
        return self._trouble_count.meet(switches.troubles, place, number, is_moved=is_moved)


def _find_post(params: Mapping[str, str], posts: Posts) -> str:
    """Return the number of the post that is asked for by a parameter, "0" for none."""
    word = params.get("doc")
    named = (post.post_id for post in posts.shown if name_post(post) == word)
    number = next(named, params.get("seq", ""))
    return number if number.isascii() and number.isdigit() else "0"


def cut_notice_page(
    posts: Sequence[Notice], params: Mapping[str, str], switches: Switches
) -> NoticeListPage | RefusedPageSize:
    """Return the page of the list that the parameters ask for."""
    pinned = [post for post in posts if post.is_pinned]
    is_in_order = switches.pinned_posts == "in_order"
    normal = [post for post in posts if is_in_order or not post.is_pinned]
    window = find_window(len(normal), params, switches)
    if isinstance(window, RefusedPageSize):
        return window
    return NoticeListPage(
        pinned=pinned,
        posts=normal[window.start : window.start + window.limit],
        first_number=len(normal) - window.start,
        total=len(posts) if switches.pinned_posts == "on_top_counted" else len(normal),
        n_pages=max(1, -(-len(normal) // window.limit)),
        page_no=window.page_no,
        page_size=window.limit,
    )


def show_posts(posts: Sequence[Notice], switches: Switches) -> tuple[Notice, ...]:
    """Return the posts with the doubled one that the switches ask for."""
    if not (switches.doubled_post and posts):
        return tuple(posts)
    double = replace(posts[0], post_id=str(int(posts[0].post_id) + 1))
    return (double, *posts)


def _validate(answer: Answer, post: Notice, request: LoggedRequest, visit: Visit) -> Answer:
    return answer_conditionally(
        answer,
        request.headers,
        visit.switches.validators,
        posted_on=post.posted_on,
        n_visits=visit.n_visits,
    )


def _write_disposition(attachment: Attachment, switches: Switches) -> tuple[tuple[str, str], ...]:
    name = switches.odd_file_name or attachment.name
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    match switches.file_name:
        case "raw_utf8":  # bytes of UTF-8 where Latin-1 is expected
            value = f'filename="{quoted.encode().decode("latin-1")}"'
        case "encoded":
            value = f'filename="{quote(name, safe="")}"'
        case "rfc5987":
            value = f"filename*=UTF-8''{quote(name, safe='')}"
        case _:
            return ()
    return (("Content-Disposition", f"attachment; {value}"),)
