"""`terms`: who has read the sites' terms of use, what stopped runs, and that somebody decided."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from datetime import date
from typing import Any

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.history import open_store
from dmf_crawler.cli.home import LOG, hold_lock, open_home, write_log
from dmf_crawler.config import Home
from dmf_crawler.errors import UsageError
from dmf_crawler.model.run import day_of
from dmf_crawler.model.terms import Confirmation, TermsState, TermsStop
from dmf_crawler.persist.store import Store
from dmf_crawler.persist.terms import confirm_terms, open_stops
from dmf_crawler.terms import TermsSite, list_sites, needs_reading, terms_state
from dmf_crawler.text import escape_unprintable
from dmf_crawler.world import real_world


def terms(arguments: argparse.Namespace) -> Answer:
    """Show what is known of the sites' terms, or record that a person has read one's."""
    if arguments.action == "confirm":
        return _confirm(arguments)
    given = [name for name in ("note", "site", "board") if getattr(arguments, name)]
    if given:
        raise UsageError(
            "usage", f"--{given[0]} 은 terms confirm 에만 씁니다. terms --help 를 보십시오."
        )
    home = open_home(arguments.home)
    with (
        real_world(home.settings.politeness, starts_at=arguments.now) as world,
        open_store(home) if home.database.is_file() else nullcontext() as store,
    ):
        day = day_of(world.now())
        shown = [_look_at(home, store, site, day) for site in list_sites(home)]
    return Answer(
        0,
        {"sites": [_site_json(*each) for each in shown]},
        "\n\n".join("\n".join(_tell(*each)) for each in shown) or "켜진 게시판이 없습니다.",
    )


def _look_at(
    home: Home, store: Store | None, site: TermsSite, day: date
) -> tuple[TermsSite, TermsState, Sequence[TermsStop]]:
    state = terms_state(store, site, home.settings.terms, day)
    return site, state, open_stops(store, site.base_url) if store else ()


def _confirm(arguments: argparse.Namespace) -> Answer:
    """Record that a person has read a site's terms; what had stopped it stops it no more."""
    home = open_home(arguments.home)
    if not arguments.note:
        raise UsageError(
            "note_missing",
            "무엇을 읽고 확인했는지 --note 로 적어야 합니다. 예: terms confirm --note "
            '"2026-12-01 robots.txt와 이용약관을 읽음. 자동 수집 금지 조항 없음".',
        )
    site = _choose_site(home, arguments.site, arguments.board)
    with (
        hold_lock(home),
        real_world(home.settings.politeness, starts_at=arguments.now) as world,
        write_log(home.logs, world.now),
        Store(home.database) as store,
    ):
        confirmation = Confirmation(world.now(), arguments.note)
        ended = confirm_terms(store, site.base_url, confirmation)
        LOG.info(
            "terms_confirmed",
            extra={"site": site.base_url, "note": arguments.note, "n_stops": len(ended)},
        )
        shown = _look_at(home, store, site, day_of(world.now()))
    payload = {"sites": [_site_json(*shown)], "decided": [_stop_json(stop) for stop in ended]}
    lines = [f"{site.base_url} 의 이용약관을 확인했다고 기록했습니다."]
    lines += [f"  더는 멈추지 않는 문구: '{_quote(stop)}' ({stop.found.url})" for stop in ended]
    return Answer(0, payload, "\n".join([*lines, *_tell(*shown)]))


def _choose_site(home: Home, name: str | None, board_id: str | None) -> TermsSite:
    """Return the site that is meant: the one that is named, or the only one there is.

    Raises:
        UsageError: `no_such_site`, `no_such_board`, `no_boards`, `site_needed`.
    """
    sites = list_sites(home)
    names = ", ".join(name for site in sites for name in site.names)
    if name is not None:
        found = [site for site in sites if name in site.names]
        if not found:
            raise UsageError(
                "no_such_site",
                f"켜진 게시판이 읽는 사이트에 {name} 이 없습니다. 쓸 수 있는 이름: "
                f"{names or '없음'}.",
            )
        return found[0]
    if board_id is not None:
        board = next((each for each in home.enabled_boards if each.id == board_id), None)
        if board is None:
            raise UsageError(
                "no_such_board",
                f"켜져 있는 게시판에 {board_id} 이 없습니다. 쓸 수 있는 이름: "
                f"{', '.join(each.id for each in home.enabled_boards) or '없음'}.",
            )
        base_url = home.site_of(board).base_url
        return next(site for site in sites if site.base_url == base_url)
    if not sites:
        raise UsageError(
            "no_boards", "config/boards.yaml에 enabled: true인 게시판이 없습니다. 하나를 켜십시오."
        )
    if len(sites) > 1:
        raise UsageError(
            "site_needed",
            f"켜진 게시판이 사이트 {len(sites):,}곳을 읽습니다. 어느 곳의 약관을 읽었는지 "
            f"--site 로 적으십시오: {names}.",
        )
    return sites[0]


# --- what is said --------------------------------------------------------------------------------


def _site_json(site: TermsSite, state: TermsState, stops: Sequence[TermsStop]) -> dict[str, Any]:
    return {
        "site": site.base_url,
        "names": list(site.names),
        "boards": list(site.boards),
        "checked_on": site.checked_on or None,
        "confirmed_at": state.confirmed_at.isoformat() if state.confirmed_at else None,
        "note": state.note,
        "due_since": str(state.due_since) if state.due_since else None,
        "why_due": state.why_due,
        "stops": [_stop_json(stop) for stop in stops],
    }


def _stop_json(stop: TermsStop) -> dict[str, Any]:
    return {
        "found_at": stop.found_at.isoformat(),
        "board": stop.board_id,
        "run_id": stop.run_id,
        "url": stop.found.url,
        "sha256": stop.found.source,
        "pattern": stop.found.pattern,
        "passage": stop.found.passage,
    }


def _tell(site: TermsSite, state: TermsState, stops: Sequence[TermsStop]) -> Iterator[str]:
    """Yield the lines of one site."""
    yield f"{site.base_url}  ({', '.join(site.boards)})"
    if state.confirmed_at:
        yield f"  마지막 확인: {state.confirmed_at:%Y-%m-%d %H:%M}  {state.note}"
    else:
        checked = f" (설정의 terms_checked_on: {site.checked_on})" if site.checked_on else ""
        yield f"  마지막 확인: 없음{checked}"
    for stop in stops:
        yield f"  멈춤: {stop.found_at:%Y-%m-%d %H:%M} 실행 {stop.run_id}"
        yield f"    금지 문구: '{_quote(stop)}'"
        yield f"    페이지: {stop.found.url} (SHA-256 {stop.found.source[:16]})"
        yield "    사람이 결정하기 전에는 이 사이트에 아무 요청도 보내지 않습니다."
    if state.due_since:
        yield f"  읽을 때가 됨({state.due_since} 부터): {state.why_due}"
    elif not needs_reading(site.base_url):
        yield "  이 PC의 연습 사이트이므로 확인할 약관이 없습니다."
    if state.due_since or stops:
        yield "  robots.txt와 이용약관을 읽고, 수집이 허용되면 다음을 실행하십시오."
        yield f'    dmf-crawler terms confirm --site {site.names[0]} --note "확인한 내용"'


def _quote(stop: TermsStop) -> str:
    return escape_unprintable(stop.found.passage)
