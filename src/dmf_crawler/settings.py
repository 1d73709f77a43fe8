"""The types of config/settings.yaml and config/boards.yaml.

They are the whole vocabulary of the configuration; docs/configuration.md explains each key.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

# Upper limits keep what is computed from a setting inside what Python, SQLite and sockets can hold.
PositiveInt = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Tries = Annotated[int, Meta(ge=1, le=10)]
Seconds = Annotated[float, Meta(ge=0, le=86_400)]
PositiveSeconds = Annotated[float, Meta(gt=0, le=86_400)]
Ratio = Annotated[float, Meta(ge=0, le=1)]
# Patterns end in \Z: `$` would let a line feed through, and with it another header or folder.
Name = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]+\Z", description="비어 있지 않은 한 줄")]
WordName = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9_.\[\]-]+\Z", description="영문자, 숫자, _ . - [ ] 로 된 이름"),
]
HeaderText = Annotated[
    str,
    Meta(
        pattern=r"^[!-~](?:[ -~]*[!-~])?\Z",
        description="영문자, 숫자, 기호로 된 한 줄(앞뒤 빈칸 없이)",
    ),
]
SitePath = Annotated[
    str,
    Meta(
        pattern=r"^/(?!/)(?!(?:.*/)?(?:\.|%2[Ee]){1,2}(?:/|\Z))[^\s?#\\\x00-\x1f\x7f]*\Z",
        description="/ 하나로 시작하는 경로(빈칸, ?, #, \\, . 이나 .. 마디 없이)",
    ),
]


class Struct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the configuration: frozen, unknown keys refused."""


class Identity(Struct, frozen=True, kw_only=True):
    """Who asks.

    Attributes:
        product_token: Name that robots.txt rules are looked up by; letters, `-` and `_` only.
        contact: Mail address put into User-Agent; required for every host but loopback.
        accept_language: Constant header.
        accept: Constant header.
    """

    product_token: Annotated[
        str, Meta(pattern=r"^[A-Za-z_-]+\Z", description="영문자, -, _ 만으로 된 이름")
    ] = "DMF-Crawler"  # noqa: S105 - the RFC's word for a crawler's name
    contact: Annotated[
        str,
        Meta(
            pattern=r"^(?:[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)?\Z",
            description="전자우편 주소 하나(예: ra@example.co.kr) 또는 빈 값",
        ),
    ] = ""
    accept_language: HeaderText = "ko-KR,ko;q=0.9"
    accept: HeaderText = "text/html,application/xhtml+xml"


class Politeness(Struct, frozen=True, kw_only=True):
    """How the one connection behaves.

    Attributes:
        min_delay_s: Least pause between the end of an answer and the next request; under 2 only
            while every enabled host is loopback.
        max_delay_s: Most pause, unless robots.txt asks for more.
        delay_factor: The pause aims at this many times the latency.
        jitter_ratio: Each pause is stretched by up to this share, never shortened.
        connect_timeout_s: To connect.
        read_timeout_s: Between two pieces of an answer.
        request_deadline_s: For a whole request, first byte to last.
        max_body_bytes: A larger body is dropped.
        max_redirects: Inside the scope; robots.txt follows up to 5 anyway.
        max_attempts: Tries of one request.
        backoff_base_s: Wait before the second try; doubles each time.
        backoff_factor: What it is multiplied with.
        backoff_cap_s: Most wait before a try; a longer Retry-After ends the run.
        backoff_jitter_ratio: Each wait varies by this share.
    """

    min_delay_s: Seconds = 2.0
    max_delay_s: Seconds = 30.0
    delay_factor: Annotated[float, Meta(ge=0, le=100)] = 5.0
    jitter_ratio: Ratio = 0.1
    connect_timeout_s: PositiveSeconds = 10.0
    read_timeout_s: PositiveSeconds = 30.0
    request_deadline_s: PositiveSeconds = 90.0
    max_body_bytes: PositiveInt = 20_000_000
    max_redirects: Annotated[int, Meta(ge=0, le=20)] = 5
    max_attempts: Tries = 3
    backoff_base_s: Seconds = 2.0
    backoff_factor: Annotated[float, Meta(ge=1, le=100)] = 2.0
    backoff_cap_s: Seconds = 60.0
    backoff_jitter_ratio: Ratio = 0.25


class Budget(Struct, frozen=True, kw_only=True):
    """What a day and a run may cost the site.

    Attributes:
        requests_per_day: Over all runs of a day and host, robots.txt and retries included.
        run_deadline_s: A run that takes longer ends as out of time.
        max_passes: How often a list that changed while it was read is read again.
        full_check_days: At the latest after so many days nothing is conditional; on Sundays anyway.
    """

    requests_per_day: PositiveInt = 500
    run_deadline_s: PositiveSeconds = 1500.0
    max_passes: Tries = 3
    full_check_days: Annotated[int, Meta(ge=1, le=7)] = 7


class Http(Struct, frozen=True, kw_only=True):
    """How the one connection reaches the site.

    TLS is always verified, against the operating system's trust store.

    Attributes:
        proxy: `http://host:port` of the company's proxy, "" for none; no user name, no password.
        prefer_ipv4: Connect by IPv4 where the host has such an address.
    """

    proxy: Annotated[
        str,
        Meta(
            pattern=(
                r"^(?:http://(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*|\[[0-9A-Fa-f:.]+\])"
                r":[0-9]{1,5})?\Z"
            ),
            description="http://호스트:포트 (사용자 이름 없이) 또는 빈 값",
        ),
    ] = ""
    prefer_ipv4: bool = False


class Retention(Struct, frozen=True, kw_only=True):
    """How long `prune` lets things lie.

    Attributes:
        raw_days: Days after which of a board's raw pages only one run a month is kept.
        log_days: Days after which a log file is removed.
    """

    raw_days: Annotated[int, Meta(ge=31, le=36_500)] = 180
    log_days: Annotated[int, Meta(ge=7, le=36_500)] = 90


class GateLimits(Struct, frozen=True, kw_only=True):
    """Limits of the gates; floors hold until the list has its own history.

    Attributes:
        rows_change_ratio: G-2 holds when the list grew or shrank by more than this share.
        required_empty_ratio: G-3 refuses above this share of empty required cells.
        pattern_ratio: G-4 refuses below this share of numbers that match the pattern.
        invalid_ratio: G-4 holds above this share of values of one field that break its rules.
        new_off_pattern_hold: G-4 holds above this many new numbers off the pattern.
        without_number_hold: G-4 holds above this many records without a number.
        gone_ratio: G-5 refuses above this share of withdrawn plus missing records.
        missing_hold: G-5 holds above this many records newly missing.
        withdrawn_hold: G-5 holds above this many records newly withdrawn by status.
    """

    rows_change_ratio: Ratio = 0.30
    required_empty_ratio: Ratio = 0.05
    pattern_ratio: Ratio = 0.95
    invalid_ratio: Ratio = 0.05
    new_off_pattern_hold: Count = 3
    without_number_hold: Count = 5
    gone_ratio: Ratio = 0.10
    missing_hold: Count = 3
    withdrawn_hold: Count = 10


class HistoryRules(Struct, frozen=True, kw_only=True):
    """When a vanished row counts as withdrawn.

    Attributes:
        missing_runs: At this many consistent reads in a row without it (at most one counts a day).
    """

    missing_runs: Annotated[int, Meta(ge=1, le=365)] = 4


class ReportRules(Struct, frozen=True, kw_only=True):
    """What the workbook shows.

    Attributes:
        history_days: How far back 이력 goes.
        log_runs: How many runs 실행로그 shows.
    """

    history_days: Annotated[int, Meta(ge=1, le=3650)] = 90
    log_runs: Annotated[int, Meta(ge=1, le=10_000)] = 30


class Paths(Struct, frozen=True, kw_only=True):
    """Where things lie; relative to the home folder. Only the reports may lie elsewhere."""

    reports_dir: Name = "reports"


class Settings(Struct, frozen=True, kw_only=True):
    """config/settings.yaml."""

    identity: Identity = Identity()
    politeness: Politeness = Politeness()
    http: Http = Http()
    budget: Budget = Budget()
    retention: Retention = Retention()
    gates: GateLimits = GateLimits()
    history: HistoryRules = HistoryRules()
    report: ReportRules = ReportRules()
    paths: Paths = Paths()


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
    params: dict[str, str] = {}
    scope: tuple[SitePath, ...] = ("/",)


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
    params: dict[str, str] = {}
    max_requests: PositiveInt = 100
    max_file_bytes: PositiveInt = 20_000_000


class Board(Struct, frozen=True, kw_only=True):
    """One watched list.

    Attributes:
        id: Names folders, tables' `board_id` and the selectors file.
        name_ko: For people.
        site: Key under `sites`.
        kind: `list`: a paged table, compared by key.
        enabled: Disabled boards are neither fetched nor reported; `rehearsal`: enabled only while
            its site is loopback.
        html: The source.
        details: Detail pages and files behind the list's links, or null for none.
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
    kind: Literal["list"] = "list"
    enabled: bool | Literal["rehearsal"] = True
    html: HtmlSource
    details: DetailSource | None = None


class Boards(Struct, frozen=True, kw_only=True):
    """config/boards.yaml."""

    sites: dict[str, Site]
    boards: tuple[Board, ...]
