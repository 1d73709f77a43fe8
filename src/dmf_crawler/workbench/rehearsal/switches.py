"""Every behaviour of the site that is uncertain or goes wrong, as one frozen set of switches.

Defaults are the most likely behaviour of the real site. Items are those of README.md; the letter
says how sure a fact is: H several sources, M one source or a sister list of the site, L a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

TroubleKind = Literal[
    "drip",  # the body comes in small pieces, `drip_pause_s` apart
    "hang",  # no answer until the client gives up
    "reset",  # connection reset in the middle of the body
    "truncated_length",  # half of what Content-Length says
    "truncated_chunked",  # chunked, and the last chunk never comes
    "truncated_close",  # no length at all; the connection ends half-way
    "truncated_gzip",  # half a gzip stream, its Content-Length right
    "status_429",
    "status_500",
    "status_502",
    "status_503",
    "status_504",
    "redirect_login",  # 302 to the login page
    "redirect_elsewhere",  # 302 to another host
    "redirect_inside",  # 302 to the same list with one more parameter, which then answers
    "error_page",  # 200, `mpage_errwrap` visible, no table
    "maintenance",  # 200, a 점검 page
    "login",  # 200, a login form
    "empty_body",
    "script_only",  # 200, a page that only a browser could fill
    "no_charset",  # no charset in the header or in the page
    "euc_kr",  # the page in CP949, declared as EUC-KR
    "mojibake",  # some values hold U+FFFD
    "stale",  # the page as it was before `rows` or `notices` were last assigned
]

TroublePlace = Literal[
    "list",  # a page of the register
    "notice_list",  # a page of the notice board
    "detail",  # a post
    "file",  # what hangs on a post
    "terms",  # the terms of use
]

TermsNoise = Literal[
    "counter",  # a number of visits
    "clock",
    "order",  # the related sites stand in another order
    "token",  # in a hidden input and in a script
    "banner",  # one of a few sentences, which no pattern knows
]

Validators = Literal[
    "none",
    "etag",
    "last_modified",
    "both",
    "churning",  # another ETag at each fetch
    "lying",  # 304 to every conditional request, also where the content changed
]

NofollowPlace = Literal[
    "list_meta",  # `meta` in the pages of the list
    "detail_meta",  # in the posts
    "list_header",  # X-Robots-Tag
    "detail_header",
    "list_links",  # rel on the links to posts
    "file_links",  # rel on the links to files
]

TrapKind = Literal[
    "calendar",  # a link whose parameters are others at every visit
    "growing_path",  # a link that is one step longer on the page that it leads to
    "javascript",
    "other_host",
    "login",
]

RobotsForm = Literal[
    "text",  # `robots_text`
    "bom",  # `robots_text` behind a UTF-8 BOM
    "oversize",  # over 500 KiB, its rule about the list behind the limit
    "not_found",  # 404
    "forbidden",  # 403
    "server_error",  # 500
    "unavailable",  # 503 with Retry-After
    "too_many",  # 429 with Retry-After
    "redirect",  # 302 to another path, which has `robots_text`
    "redirect_loop",
    "html",  # 200 with an HTML error page
    "reset",
    "hang",  # no answer until the client gives up
]


@dataclass(frozen=True, slots=True)
class PageTrouble:
    """What goes wrong with pages, and for how long.

    Attributes:
        kind: What.
        pages: Page numbers it happens to, for posts and their files the posts' numbers; empty
            means all.
        times: It happens to the first so many requests of each page, or of a post and of all its
            files; None means always.
        retry_after: Retry-After header, seconds or an HTTP date; "" sends none.
        place: Which pages.
    """

    kind: TroubleKind
    pages: frozenset[int] = frozenset()
    times: int | None = None
    retry_after: str = ""
    place: TroublePlace = "list"


@dataclass(frozen=True, slots=True)
class Switches:
    """How the site behaves; immutable, so a test replaces the whole set."""

    # --- the list: paging and count (items 1, 4, 5) ---------------------------------------
    page_size: Literal["honoured", "capped", "error_page", "status_400"] = "honoured"
    """What a `limit` over `largest_page_size` gets [H on sister lists, unverified here]."""
    largest_page_size: int = 100
    """Only read unless `page_size` is honoured."""
    default_page_size: int = 10
    """Rows a page without a usable `limit` [M]."""
    past_end: Literal["empty", "last_page", "first_page"] = "empty"
    """Answer to a page number behind the last [L]."""
    total_text: Literal["normal", "title_only", "reworded", "missing"] = "normal"
    """Where `총 N 건` stands [H]: title and text, title alone, other words, nowhere."""
    without_parameters: Literal["answer", "redirect"] = "answer"
    """getList without any parameter: page 1, or 302 as sister details do [M]."""
    n_withheld_rows: int = 0
    """Rows at the end of the list that the total counts and no page shows."""
    repeats_first_row: bool = False
    """The first row of a page stands at its end once more."""

    # --- the list: cell markup (items 2, 3) ---------------------------------------------------
    label_in_number: bool = False
    """순번 has a label span too [M that it has none]."""
    value_in_span: bool = False
    """The value stands in a second span [H that both occur on the site]."""
    empty_mark: str = ""
    """What an empty cell shows besides its label; `-` on searchDrug [M]."""
    headers: Literal["thead", "first_row"] = "thead"
    """Where the header cells stand [L]."""
    nested_tbody: bool = True
    """Nested tables have a tbody [M]."""
    truncates_long_values: bool = False
    """Long values are cut with "…"; the title attribute has the whole [H on CCBAI01]."""

    list_text: str = ""
    """HTML above the list, such as what terms of use say."""

    # --- the list: changes of structure (item 10) -----------------------------------------
    columns: Literal["normal", "added", "renamed", "reordered", "removed", "moved_cells"] = "normal"
    """Added 비고; 신청인 called 업체명; 성분명 and 신청인 exchanged with their headers;
    취소/취하구분 removed; or those two exchanged under unchanged headers."""
    table_class: str = "tb_list"
    """Class of the list's table [H on sister lists]."""
    label_class: str = "s-th"
    """Class of label spans [H]."""
    nested: Literal["table", "text"] = "table"
    """Nested columns as a table a cell [H], or flattened to lines of text."""
    list_form: Literal["table", "div_grid", "other_register"] = "table"
    """A table [H], a grid of div, or the recall list with its own columns."""
    layout_tables: bool = False
    """Layout tables stand before the list."""
    mobile_rows: bool = False
    """Each row comes a second time as a hidden `tr.mobile-tr` [H on detail pages]."""

    # --- the register itself (item 6) -----------------------------------------------
    duplicated_number: bool = False
    """One number stands twice, the second time with another applicant."""
    odd_number: bool = False
    """One number has a shape that no real one has."""

    # --- the notice board (item 12) ---------------------------------------------------------
    pinned_posts: Literal["in_order", "on_top_counted", "on_top_uncounted"] = "in_order"
    """Pinned posts stand on top of every page and in the normal order too [L], or on top alone;
    then the total counts them or not."""
    post_links: Literal[
        "absolute_path", "relative", "session", "full_url", "parameter", "script"
    ] = "absolute_path"
    """The links to posts: `/bbs/21/<id>` [M], relative to the page, with a `;jsessionid=` that
    is another at every visit [H that such occur on government boards], whole addresses, the number
    as a parameter whose place among the others changes, or a script [H on government boards]."""
    unnumbered_posts: frozenset[str] = frozenset()
    """Posts, by their numbers, whose links have a word in place of the number [L]."""
    post_link_parameters: bool = True
    """Links to posts carry the list's parameters [M]."""
    post_without_parameters: Literal["answer", "redirect"] = "answer"
    """A post asked for without any parameter: itself, or 302 to the list [M on sister pages]."""
    validators: Validators = "none"
    """ETag and Last-Modified of posts and files [nothing is known]."""
    nofollow: frozenset[NofollowPlace] = frozenset()
    """Where robots are asked not to follow links [nothing is known]."""
    traps: frozenset[TrapKind] = frozenset()
    """Links that lead nowhere or on for ever: beside the list, in posts, among the files."""
    doubled_post: bool = False
    """The newest post stands a second time under another number, its page the same to the byte."""
    file_name: Literal["raw_utf8", "encoded", "rfc5987", "none"] = "raw_utf8"
    """How Content-Disposition names a file [H on downloads of the site]."""
    odd_file_name: str = ""
    """Names every file in Content-Disposition, in place of its own name."""
    file_padding_bytes: int = 0
    """Every file is so much longer."""

    # --- the terms of use (item 14; nothing is known) -------------------------------------------
    terms_noise: frozenset[TermsNoise] = frozenset({"counter", "clock", "order", "token"})
    """What is another at every visit."""
    terms_page: Literal["usual", "moved", "no_region", "gone"] = "usual"
    """In `#content`; in a `main` without it; a page without the text; or 404."""
    terms_change: Literal["none", "content", "effective_date", "forbidding"] = "none"
    """An article says something else, 시행일 alone is another, or crawling is forbidden."""

    # --- the workbook (item 8) --------------------------------------------------------------
    export: Literal["workbook", "truncated", "html_error"] = "workbook"
    """A workbook [M], half of one, or an HTML error page with 200."""
    export_cap: int | None = None
    """Most rows of the workbook; 10,000 on /searchDrug [H there, unknown here]."""
    export_delay_s: float = 0.0
    """Wait before the workbook; users see 30 to 60 s [M]."""
    export_file_name: Literal["raw_utf8", "encoded", "none"] = "raw_utf8"
    """How Content-Disposition names the file [H on searchDrug]."""

    # --- network (item 9) -------------------------------------------------------------------
    connections: Literal["accepted", "never"] = "accepted"
    """Whether a connection is ever accepted [H that the observed failure is a connect timeout].
    Only read when the site is made."""
    certificate: Literal["none", "expired"] = "none"
    """Plain HTTP, or TLS with a certificate that expired in 2020 [H that sister sites had such].
    Only read when the site is made."""
    no_user_agent: Literal["close", "status_403", "answer"] = "close"
    """What a request without User-Agent gets [H that it is refused]."""
    troubles: tuple[PageTrouble, ...] = ()
    """What goes wrong with pages; the first that applies wins."""
    gzip: bool = False
    """Bodies are compressed for clients that accept it [unknown]."""
    drip_pause_s: float = 0.05
    """Pause between two pieces of a dripping body."""
    drip_bytes: int = 2048
    """Size of such a piece."""

    # --- robots.txt (item 9; nothing is known) --------------------------------------------------
    robots: RobotsForm = "text"
    robots_text: str = "User-agent: *\nDisallow: /admin/\nAllow: /\n"
    robots_retry_after: str = "120"
    """Retry-After of the forms that have one."""

    # --- the open API twin (item 11) ---------------------------------------------------------
    open_api_key: str = "rehearsal-key"
    """The only registered serviceKey."""
    open_api_quota: int = 10_000
    """Calls that a key has; the next one gets code 22 [H]."""
    open_api_order: Literal["unstable", "stable"] = "unstable"
    """Rows move between the pages of two calls [H in a sister API]."""
    open_api_items: Literal["list", "item"] = "list"
    """JSON `items`: a list, or `{"item": [...]}` [H that both occur]."""
    open_api_01_ends_on: date = date(2026, 12, 17)
    """First day without Service01 (notice of 2026-09-18) [H]."""


USUAL_SWITCHES = Switches()
