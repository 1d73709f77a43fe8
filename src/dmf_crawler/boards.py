"""The types of config/boards.yaml: sites, boards, and the sources that a board is read from.

docs/configuration.md explains each key.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from dmf_crawler.config_types import (
    Count,
    Name,
    PositiveInt,
    PositiveSeconds,
    SitePath,
    Struct,
    Tries,
    WordName,
)

SourceName = Literal["html", "export", "openapi"]
"""The ways to one list: the paged pages, the site's own workbook, the open API."""

MOST_API_ROWS = 500
"""More rows on a page the open API refuses."""

LEAST_API_PASSES = 2
"""One reading of pages whose order changes proves nothing."""

MOST_EXPORT_ROWS = 10_000
"""What the site's other workbooks have at most."""


class Site(Struct, frozen=True, kw_only=True):
    """A host that boards lie on.

    Attributes:
        base_url: Scheme, host and port, without a final slash.
        public_body: Whether it belongs to a public body; nothing else is crawled.
        terms_checked_on: Day (YYYY-MM-DD) on which a person read robots.txt and the terms of use;
            required for every host but loopback.
        blocked: Paths, or path patterns, that are never asked for.
        session_params: Names of parameters that carry a session; dropped from every link, in any
            case of letters.
    """

    base_url: Annotated[
        str,
        Meta(
            pattern=(
                r"^https?://(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?|\[[0-9A-Fa-f:.]+\])"
                r"(?::[0-9]{1,5})?\Z"
            ),
            description="http(s)://호스트[:포트] (사용자 이름, 경로, 끝의 / 없이)",
        ),
    ]
    public_body: bool
    terms_checked_on: (
        Annotated[
            str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z", description="날짜(YYYY-MM-DD)")
        ]
        | None
    ) = None
    blocked: tuple[SitePath, ...] = ()
    session_params: tuple[WordName, ...] = (
        "jsessionid",
        "phpsessid",
        "aspsessionid",
        "sessionid",
        "session_id",
        "sid",
    )


class HtmlSource(Struct, frozen=True, kw_only=True):
    """The paged list of the site's own pages.

    Attributes:
        path: Path of the list below the site's base_url.
        method: GET or POST.
        page_param: Name of the parameter that carries the page number (1-based).
        size_param: Name of the parameter that carries the page size.
        page_size: What is asked for; what really works is found from page 1.
        page_size_fallbacks: Asked for in turn when page 1 is refused with the size before.
        params: Constant further parameters.
        scope: Paths, or path patterns, that a redirect may lead to.
    """

    path: SitePath
    method: Literal["GET", "POST"] = "GET"
    page_param: Name = "page"
    size_param: Name = "limit"
    page_size: PositiveInt = 100
    page_size_fallbacks: tuple[PositiveInt, ...] = ()
    params: dict[str, str] = msgspec.field(default_factory=dict)
    scope: tuple[SitePath, ...] = ("/",)


class ExportSource(Struct, frozen=True, kw_only=True):
    """The site's own workbook of the whole list: one request.

    Attributes:
        site: Key under `sites`, "" for the board's.
        path: Path of the workbook below the site's base_url.
        method: GET or POST.
        params: Constant parameters.
        scope: Paths, or path patterns, that a redirect may lead to.
        read_timeout_s: Between two pieces of the answer; a workbook is made while one waits.
        request_deadline_s: For the whole request, first byte to last.
        max_rows: The most rows that the site puts into a workbook; exactly so many mean that it
            was cut.
    """

    path: SitePath
    site: str = ""
    method: Literal["GET", "POST"] = "GET"
    params: dict[str, str] = msgspec.field(default_factory=dict)
    scope: tuple[SitePath, ...] = ("/",)
    read_timeout_s: PositiveSeconds = 120.0
    request_deadline_s: PositiveSeconds = 300.0
    max_rows: PositiveInt = MOST_EXPORT_ROWS


class OpenApiSource(Struct, frozen=True, kw_only=True):
    """The open API of the same list, which wants a key.

    Attributes:
        site: Key under `sites`, "" for the board's.
        path: Path of the operation below the site's base_url.
        key_variable: Environment variable that holds the key; it stands nowhere else.
        key_param: Name of the parameter that carries the key.
        page_param: Name of the parameter that carries the page number (1-based).
        size_param: Name of the parameter that carries the page size.
        page_size: Rows asked for a page.
        params: Constant further parameters.
        scope: Paths, or path patterns, that a redirect may lead to.
        n_passes: How often all pages are read at least: their order is not stable.
        max_passes: How often they are read at most, while the passes do not make one list.
        lists_withdrawn: Whether records that are withdrawn by status are in it.
    """

    path: SitePath
    site: str = ""
    key_variable: Annotated[
        str,
        Meta(
            pattern=r"^[A-Z][A-Z0-9_]{0,59}_KEY\Z",
            description="_KEY로 끝나는, 영문 대문자와 숫자, _ 로 된 환경 변수 이름(키가 아니라)",
            extra={"is_hidden": True},
        ),
    ] = "DMF_OPENAPI_KEY"
    key_param: Name = "serviceKey"
    page_param: Name = "pageNo"
    size_param: Name = "numOfRows"
    page_size: Annotated[int, Meta(ge=1, le=MOST_API_ROWS)] = MOST_API_ROWS
    params: dict[str, str] = msgspec.field(default_factory=lambda: {"type": "json"})
    scope: tuple[SitePath, ...] = ("/",)
    n_passes: Annotated[int, Meta(ge=LEAST_API_PASSES, le=10)] = LEAST_API_PASSES
    max_passes: Tries = 4
    lists_withdrawn: bool = False


class DetailSource(Struct, frozen=True, kw_only=True):
    """The pages that the list's rows link to, and the files that hang on them.

    Attributes:
        scope: Paths, or path patterns, of detail pages; other links are not followed.
        file_scope: Paths, or path patterns, of attachments; none means that no file is fetched.
        drop_params: Names of parameters that a link carries from the list (page number, search);
            dropped, since the same page would have another address every day.
        params: Constant parameters that are added to every detail page's address.
        max_requests: Detail pages and files asked for in one run; the rest is due next day.
        max_file_bytes: A larger file is dropped, and named as too large.
    """

    scope: tuple[SitePath, ...]
    file_scope: tuple[SitePath, ...] = ()
    drop_params: tuple[WordName, ...] = ()
    params: dict[str, str] = msgspec.field(default_factory=dict)
    max_requests: PositiveInt = 100
    max_file_bytes: PositiveInt = 20_000_000


class WatchedPage(Struct, frozen=True, kw_only=True):
    """One whole page, fetched once a run and compared with its last kept state.

    Attributes:
        path: Path of the page below the site's base_url.
        params: Constant parameters.
        scope: Paths, or path patterns, that a redirect may lead to.
        is_terms: Whether it holds the site's terms of use: a change asks a person to read them.
    """

    path: SitePath
    params: dict[str, str] = msgspec.field(default_factory=dict)
    scope: tuple[SitePath, ...] = ("/",)
    is_terms: bool = False


class CrossCheckRules(Struct, frozen=True, kw_only=True):
    """In what a list and its cross-checks may differ before a person has to look (gate G-13).

    Attributes:
        lag_days: Records that changed in so many days before a run, or in the run itself, may
            differ: what one source shows today the other may show later.
        any_order: Whether the values of one cell are compared whatever their order.
        ignored_fields: Field ids that are never compared.
        most_new: Differences that nothing explains, up to which a run is only warned of them.
        when_missing: What becomes of a run one of whose cross-checks could not be read.
    """

    lag_days: Annotated[int, Meta(ge=0, le=365)] = 7
    any_order: bool = False
    ignored_fields: tuple[WordName, ...] = ()
    most_new: Count = 0
    when_missing: Literal["hold", "warn"] = "hold"


class Board(Struct, frozen=True, kw_only=True):
    """One watched list, or one watched page.

    Attributes:
        id: Names folders, tables' `board_id` and the selectors file.
        name_ko: For people.
        site: Key under `sites`.
        kind: `list`: a paged table, compared by key; `page`: a whole page, which has no source but
            `page`.
        enabled: Disabled boards are neither fetched nor reported; `rehearsal`: enabled only while
            its site is loopback.
        primary: The source that the list is read from.
        cross_checks: Sources that it is compared with.
        cross_check_rules: In what they may differ.
        html: The site's own pages, or null for none.
        export: The site's own workbook, or null for none.
        openapi: The open API, or null for none.
        details: Detail pages and files behind the list's links, or null for none.
        page: The watched page of a `page` board, else null.
    """

    id: Annotated[
        str,
        Meta(
            pattern=r"^[a-z][a-z0-9_]{0,39}\Z",
            description="영문 소문자로 시작하는 소문자, 숫자, 밑줄 40자 이내",
        ),
    ]
    name_ko: Name
    site: str
    kind: Literal["list", "page"] = "list"
    enabled: bool | Literal["rehearsal"] = True
    primary: SourceName = "html"
    cross_checks: tuple[SourceName, ...] = ()
    cross_check_rules: CrossCheckRules = CrossCheckRules()
    html: HtmlSource | None = None
    export: ExportSource | None = None
    openapi: OpenApiSource | None = None
    details: DetailSource | None = None
    page: WatchedPage | None = None

    @property
    def used_sources(self) -> tuple[SourceName, ...]:
        """The primary source of a list, then those that it is compared with; a page has none."""
        return (self.primary, *self.cross_checks) if self.kind == "list" else ()

    def site_of(self, source: SourceName) -> str:
        """Return the name of the site that a source lies on."""
        section = {"html": None, "export": self.export, "openapi": self.openapi}[source]
        return (section.site if section else "") or self.site


class Boards(Struct, frozen=True, kw_only=True):
    """config/boards.yaml."""

    sites: dict[str, Site]
    boards: tuple[Board, ...]
