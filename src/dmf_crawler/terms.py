"""A site's terms of use: may it be asked at all, and who has to read them again?

Nothing here blocks a run but a stop: a passage that forbids crawling, which a person has not
decided on. That the terms have to be read is told, in 요약, by `doctor` and by one alert.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from dmf_crawler.alerts import raise_alert, renew_alert_file
from dmf_crawler.board_checks import is_loopback
from dmf_crawler.boards import Board
from dmf_crawler.config import Home
from dmf_crawler.errors import StoreError
from dmf_crawler.model.run import DAY_STARTS_AT_HOUR, KST, Fault, Run, day_of, kst
from dmf_crawler.model.terms import (
    Alert,
    Confirmation,
    ForbiddingPassage,
    TermsState,
    TermsStop,
)
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.terms import (
    TermsChange,
    first_day,
    last_confirmation,
    open_stops,
    record_stop,
    terms_changes,
)
from dmf_crawler.settings import TermsRules

NEXT_STEP = 'terms confirm --note "확인한 내용" 으로 기록하십시오.'
LOG = logging.getLogger(__name__)

NEVER_READ = "robots.txt와 이용약관을 읽고 확인했다는 기록이 아직 없습니다."


@dataclass(frozen=True, slots=True)
class TermsSite:
    """A site that is asked.

    Attributes:
        base_url: Scheme, host and port.
        names: Its keys under `sites`.
        boards: Enabled boards that ask it → Korean name.
        terms_boards: Those of them that hold its terms of use.
        checked_on: `terms_checked_on` of the configuration, "" for none.
    """

    base_url: str
    names: tuple[str, ...]
    boards: Mapping[str, str] = field(default_factory=dict)
    terms_boards: frozenset[str] = frozenset()
    checked_on: str = ""


def needs_reading(base_url: str) -> bool:
    """Say whether a site has terms that somebody must read: a rehearsal's has none."""
    return not is_loopback(base_url)


def list_sites(home: Home) -> tuple[TermsSite, ...]:
    """Return the sites that enabled boards ask, in the order of the boards."""
    boards_of: dict[str, list[Board]] = {}
    for board in home.enabled_boards:
        sources = board.used_sources if board.kind == "list" else ()
        urls = [home.site_of(board).base_url, *(home.base_url_of(board, each) for each in sources)]
        for url in dict.fromkeys(urls):
            boards_of.setdefault(url, []).append(board)
    return tuple(_make_site(home, url, boards) for url, boards in boards_of.items())


def _make_site(home: Home, base_url: str, boards: list[Board]) -> TermsSite:
    named = {name: site for name, site in home.sites.items() if site.base_url == base_url}
    of_terms = (board for board in boards if board.page is not None and board.page.is_terms)
    return TermsSite(
        base_url=base_url,
        names=tuple(named),
        boards={board.id: board.name_ko for board in boards},
        terms_boards=frozenset(board.id for board in of_terms),
        checked_on=max((site.terms_checked_on or "" for site in named.values()), default=""),
    )


# --- stops ---------------------------------------------------------------------------------------


def refuse_stopped(store: Store, site: str) -> Fault | None:
    """Say that a site must not be asked for anything until a person decides, None where it may."""
    stops = open_stops(store, site)
    return _word_stops(stops) if stops else None


def stop_site(
    home: Home,
    store: Store,
    run: Run,
    site: str,
    found: Sequence[ForbiddingPassage],
    *,
    at: datetime,
) -> Fault:
    """Record the passages of an answer that forbid crawling, at least one, and tell people.

    Returns:
        Why the run ends.

    Raises:
        StoreError: `write_failed`.
    """
    stops = [TermsStop(site, run.board_id, run.run_id, each, kst(at)) for each in found]
    for stop in stops:
        record_stop(store, stop)
    raise_alert(home, store, _alert_of_stop(stops[0], at))
    return _word_stops(stops)


def _word_stops(stops: Sequence[TermsStop]) -> Fault:
    stop, others = stops[0], f" 외 {len(stops) - 1}개" if len(stops) > 1 else ""
    return Fault(
        "terms_forbid",
        f"{stop.site} 의 페이지에서 수집을 금지하는 문구를 찾았습니다: '{stop.found.passage}'"
        f"{others} ({stop.found.url}, {stop.found_at:%Y-%m-%d %H:%M}). 사람이 결정하기 전에는 이 "
        "사이트에 아무 요청도 보내지 않습니다. terms 로 문구를 보고 페이지와 이용약관을 "
        '읽으십시오. 수집이 허용되면 terms confirm --note "확인한 내용" 을 실행하십시오. 허용되지 '
        "않으면 게시판을 꺼 주십시오.",
        exit_code=7,
    )


# --- what is known of a site ---------------------------------------------------------------------


def terms_state(
    store: Store | None,
    site: TermsSite,
    rules: TermsRules,
    day: date,
    *,
    asks: Callable[[str], bool] = needs_reading,
) -> TermsState:
    """Return what was known of a site's terms at the end of a day.

    Args:
        store: The history, None before the first run.
        site: Which site.
        rules: The settings.
        day: Which day.
        asks: Says of a `base_url` whether a person has to read its terms at all.
    """
    if store is None:
        is_due = asks(site.base_url)
        return TermsState(
            site.base_url,
            None,
            due_since=day if is_due else None,
            why_due=NEVER_READ if is_due else "",
        )
    until = _end_of(day)
    last = last_confirmation(store, site.base_url, until=until)
    reasons = _find_reasons(store, site, rules, day, last) if asks(site.base_url) else []
    stops = open_stops(store, site.base_url, until=until)
    return TermsState(
        site=site.base_url,
        confirmed_at=last.at if last else None,
        note=last.note if last else "",
        due_since=min((since for since, _ in reasons), default=None),
        why_due=" ".join(why for _, why in reasons),
        stop=stops[0].found if stops else None,
    )


def _find_reasons(
    store: Store, site: TermsSite, rules: TermsRules, day: date, last: Confirmation | None
) -> list[tuple[date, str]]:
    """Return why a site's terms have to be read, each with the day since which."""
    if last is None:
        return [(first_day(store, site.boards) or day, NEVER_READ)]
    reasons = []
    due_on = day_of(last.at) + timedelta(days=rules.confirm_days)
    if due_on <= day:
        read_on = day_of(last.at)
        reasons.append(
            (due_on, f"마지막으로 확인한 {read_on} 에서 {rules.confirm_days}일이 지났습니다.")
        )
    changes = terms_changes(store, site.terms_boards, since=last.at, until=_end_of(day))
    if changes:
        first = changes[0]
        reasons.append((first.day, f"{first.day} 에 이용약관 페이지가 바뀌었습니다."))
    return reasons


def _end_of(day: date) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(DAY_STARTS_AT_HOUR), KST)


def tell_states(home: Home, store: Store, day: date) -> tuple[TermsState, ...]:
    """Return what a report tells of the sites' terms: of a rehearsal's only what happened."""
    states = (terms_state(store, site, home.settings.terms, day) for site in list_sites(home))
    return tuple(each for each in states if each.due_since or each.stop or each.confirmed_at)


# --- alerts --------------------------------------------------------------------------------------


def raise_terms_alerts(
    home: Home,
    store: Store,
    now: datetime,
    *,
    asks: Callable[[str], bool] = needs_reading,
) -> None:
    """Tell people of stops, changed terms, and terms that have to be read; each once.

    What cannot be told is no reason to end anything: it is logged.
    """
    try:
        for site in list_sites(home):
            _raise_of_site(home, store, site, now, asks)
        renew_alert_file(home, store, day_of(now))
    except (OSError, StoreError) as error:
        LOG.exception("alert_not_told", extra={"detail": str(error)})


def _raise_of_site(
    home: Home, store: Store, site: TermsSite, now: datetime, asks: Callable[[str], bool]
) -> None:
    day = day_of(now)
    for stop in open_stops(store, site.base_url):
        raise_alert(home, store, _alert_of_stop(stop, now))
    last = last_confirmation(store, site.base_url, until=_end_of(day))
    since = last.at if last else None
    for change in terms_changes(store, site.terms_boards, since=since, until=_end_of(day)):
        raise_alert(home, store, _alert_of_change(change, site, now))
    state = terms_state(store, site, home.settings.terms, day, asks=asks)
    if state.due_since is not None:
        raise_alert(home, store, _alert_of_reading(state, state.due_since, now))


def _alert_of_stop(stop: TermsStop, now: datetime) -> Alert:
    return Alert(
        key=f"terms_forbid:{stop.site}:{stop.found_at.isoformat()}",
        day=day_of(now),
        code="terms_forbid",
        title="수집을 금지하는 문구를 찾아 멈췄습니다",
        text=(
            f"{stop.site} 에는 사람이 결정할 때까지 아무 요청도 보내지 않습니다(실행 "
            f"{stop.run_id}). terms 로 문구를 보고 이용약관을 읽으십시오. 허용되면 terms confirm "
            "--note, 아니면 게시판을 끄십시오."
        ),
        raised_at=now,
    )


def _alert_of_change(change: TermsChange, site: TermsSite, now: datetime) -> Alert:
    return Alert(
        key=f"terms_changed:{change.run_id}",
        day=day_of(now),
        code="terms_changed",
        title="이용약관 페이지가 바뀌었습니다",
        text=(
            f"{site.boards[change.board_id]} 의 내용이 {change.day} 에 바뀌었습니다. 보고서의 "
            "검토대기에서 바뀐 곳을 읽고, 수집이 여전히 허용되면 terms confirm --note 로 "
            "기록하십시오."
        ),
        raised_at=now,
    )


def _alert_of_reading(state: TermsState, due_since: date, now: datetime) -> Alert:
    return Alert(
        key=f"terms_due:{state.site}:{due_since}",
        day=day_of(now),
        code="terms_due",
        title="이용약관을 읽을 때가 되었습니다",
        text=f"{state.site}: {state.why_due} robots.txt와 이용약관을 읽고 {NEXT_STEP}",
        raised_at=now,
    )
