"""The types of config/settings.yaml: every key with its unit and limits.

With `boards` they are the configuration's whole vocabulary; docs/configuration.md explains each
key.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from dmf_crawler.config_types import (
    Count,
    HeaderText,
    Name,
    PositiveInt,
    PositiveSeconds,
    Probability,
    Ratio,
    Seconds,
    Struct,
    Tries,
)
from dmf_crawler.terms_words import EXCEPTED, FORBIDDING


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


class DailyLimit(Struct, frozen=True, kw_only=True):
    """How many of something a day may bring before a person has to look.

    The limit is what the list's own accepted days make likely, kept between the two.

    Attributes:
        floor: The limit is never lower; alone it holds while there is too little history.
        cap: The limit is never higher, whatever the list's own days were like.
    """

    floor: Count
    cap: Count


class DailyShare(Struct, frozen=True, kw_only=True):
    """As `DailyLimit`, in shares of the list.

    Attributes:
        floor: The limit is never lower.
        cap: The limit is never higher.
        least: Of a short list both are at least so many rows.
    """

    floor: Ratio
    cap: Ratio
    least: Count


class GateLimits(Struct, frozen=True, kw_only=True):
    """Limits of the gates. All are starting values, measured on simulated lists (docs/trust.md).

    Attributes:
        rows_change_ratio: G-2 holds when the list grew or shrank by more than this share.
        required_empty_ratio: G-3 refuses above this share of empty required cells.
        required_before_ratio: A field is required only if at most this share of its cells was
            empty in the last accepted list.
        pattern_ratio: G-4 refuses below this share of numbers that match the pattern.
        invalid_ratio: G-4 holds above this share of values of one field that break its rules.
        new_off_pattern_hold: G-4 holds above this many new numbers off the pattern.
        without_number_hold: G-4 holds above this many records without a number.
        gone_ratio: G-5 refuses above this share of withdrawn plus missing records; not so few as
            the floor of `vanished`: a short list that lost one would be refused for ever.
        vanished: G-5, rows newly missing in a day.
        withdrawn: G-5, rows newly withdrawn by status in a day.
        new_rows: G-2, new rows in a day.
        changed_rows: G-11, rows of which one field changed, as a share of the list.
        forward_values: Changed rows do not count where their new values are at most so many
            different ones and all go forward, as when yearly reports come in; 0: they do.
        new_values: G-11, different new values of one field; of a closed vocabulary, rows whose
            word changed.
        emptied: G-11, cells of one field that were filled and are empty, or lost some of their
            values.
        scrambled_fields: A row is scrambled when at least so many of its fields changed.
        scrambled_rows: G-11 holds above so many of them.
        odd_values: G-11 holds above so many new values of one field that do not belong there.
        exchanged_values: G-11 holds above so many values that another changed row had before.
        moved_dates: G-11 holds above so many fixed dates changed, or dates gone back.
        unknown_words: G-11 holds above so many new values in a closed vocabulary.
        closed_ratio: G-11 and G-12, a column whose next cell has a new shape with less than this
            chance has a closed set of shapes.
        rigid_ratio: G-12, below this chance one cell of a new shape is enough to hold.
        odd_new_rows: G-12 holds from so many new rows with one odd value, where chance does not
            often bring as many.
        odd_probability: G-12, chance that is not often.
        creeping_days: G-5 and G-11, accepted days over which counts are added up: more than twice
            the limit of a day hold, or more than the list's own days make likely.
        equal_fields_ratio: G-12 holds where two fields of a new row are equal, and that happens in
            less than this share of the rows of its country.
        oldest_year: G-12, a date before this year is none.
        history_days: Accepted days that limits are made of.
        history_after: Accepted days before which floors alone hold.
        tail_probability: Chance with which an ordinary day passes a limit made of its own days.
        clipped_ratio: Share of the highest days that count as no higher than the rest.
        slow_factor: G-8 warns above so many times the median duration.
        slow_after: Runs of the same kind before which G-8 says nothing.
        profile_factor: G-9 holds where a feature of a column is so many times its usual spread
            away from its usual value, and more than the feature's own floor.
        burst_days: G-14, working days whose events are added up.
        burst_probability: G-14 warns below this chance of so many.
        stall_probability: G-7 warns below this chance of so long a silence.
    """

    rows_change_ratio: Ratio = 0.30
    required_empty_ratio: Ratio = 0.05
    required_before_ratio: Ratio = 0.001
    pattern_ratio: Ratio = 0.95
    invalid_ratio: Ratio = 0.05
    new_off_pattern_hold: Count = 3
    without_number_hold: Count = 5
    gone_ratio: Ratio = 0.10
    vanished: DailyLimit = DailyLimit(floor=3, cap=10)
    withdrawn: DailyLimit = DailyLimit(floor=10, cap=30)
    new_rows: DailyLimit = DailyLimit(floor=20, cap=60)
    changed_rows: DailyShare = DailyShare(floor=0.05, cap=0.10, least=20)
    forward_values: Count = 3
    new_values: DailyLimit = DailyLimit(floor=12, cap=60)
    emptied: DailyLimit = DailyLimit(floor=5, cap=20)
    scrambled_fields: PositiveInt = 5
    scrambled_rows: Count = 3
    odd_values: Count = 3
    exchanged_values: Count = 3
    moved_dates: Count = 3
    unknown_words: Count = 3
    closed_ratio: Ratio = 0.01
    rigid_ratio: Ratio = 0.0005
    odd_new_rows: PositiveInt = 2
    odd_probability: Probability = 1e-3
    creeping_days: Annotated[int, Meta(ge=1, le=60)] = 10
    equal_fields_ratio: Ratio = 0.005
    oldest_year: Annotated[int, Meta(ge=1900, le=2100)] = 1990
    history_days: Annotated[int, Meta(ge=30, le=1_000)] = 250
    history_after: Annotated[int, Meta(ge=2, le=1_000)] = 30
    tail_probability: Probability = 1e-4
    clipped_ratio: Annotated[float, Meta(ge=0, le=0.2)] = 0.02
    slow_factor: Annotated[float, Meta(ge=1, le=100)] = 3.0
    slow_after: PositiveInt = 7
    profile_factor: Annotated[float, Meta(ge=1, le=1_000)] = 12.0
    burst_days: Annotated[int, Meta(ge=1, le=60)] = 10
    burst_probability: Probability = 1e-3
    stall_probability: Probability = 1e-4


class HistoryRules(Struct, frozen=True, kw_only=True):
    """When a vanished row counts as withdrawn.

    Attributes:
        missing_runs: At this many consistent reads in a row without it (at most one counts a day).
    """

    missing_runs: Annotated[int, Meta(ge=1, le=365)] = 4


class PageRules(Struct, frozen=True, kw_only=True):
    """How a whole page is compared with its last kept state.

    Attributes:
        short_characters: In a text shorter than this any changed number, date, Latin word, unit,
            or word of status or negation is content, whatever the distance.
        calibration_reads: How often `calibrate` asks for a page.
        margin_bits: The threshold lies so many bits above the largest distance that calibration
            saw.
        creeping_reads: Reads whose noise is compared with that of the reads before them.
        creeping_bits: A warning when its mean distance rose by at least so many bits.
        silent_probability: A warning below this chance that a page which used to move stays the
            same byte by byte for so long.
    """

    short_characters: Count = 500
    calibration_reads: Annotated[int, Meta(ge=3, le=10)] = 5
    margin_bits: Annotated[int, Meta(ge=0, le=14)] = 1
    creeping_reads: Annotated[int, Meta(ge=3, le=365)] = 10
    creeping_bits: Annotated[float, Meta(gt=0, le=64)] = 2.0
    silent_probability: Probability = 1e-4


class TermsRules(Struct, frozen=True, kw_only=True):
    """When a person has to read a site's terms, and what in a page forbids crawling.

    Attributes:
        confirm_days: Days after which the terms have to be read again.
        forbidding: Regular expressions; a page whose text has one stops all further runs on its
            site until a person decides.
        excepted: Regular expressions; a passage that one of them covers forbids nothing here.
    """

    confirm_days: Annotated[int, Meta(ge=1, le=365)] = 90
    forbidding: tuple[Name, ...] = FORBIDDING
    excepted: tuple[Name, ...] = EXCEPTED


class ReportRules(Struct, frozen=True, kw_only=True):
    """What the workbook shows.

    Attributes:
        history_days: How far back 이력 goes.
        log_runs: How many runs 실행로그 shows.
        changed_back_days: A value that is again what it was before a change of the last so many
            days is told as changed back.
    """

    history_days: Annotated[int, Meta(ge=1, le=3650)] = 90
    log_runs: Annotated[int, Meta(ge=1, le=10_000)] = 30
    changed_back_days: Annotated[int, Meta(ge=0, le=3650)] = 30


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
    pages: PageRules = PageRules()
    terms: TermsRules = TermsRules()
    report: ReportRules = ReportRules()
    paths: Paths = Paths()
