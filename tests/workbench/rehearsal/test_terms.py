"""The terms of use: what moves by itself, what the switches change, and the truth of each day."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearsal.switches import PageTrouble
from dmf_crawler.workbench.rehearsal.terms import FORBIDDING, RELATED_SITES, TermsText, drop_noise
from dmf_crawler.workbench.rehearsal.terms_life import AMENDMENTS, TermsLife
from dmf_crawler.workbench.rehearsal.terms_page import NOISE, TERMS_PATH
from tests.workbench.rehearsal.browser import get

ALL_NOISE = frozenset({"counter", "clock", "order", "token", "banner"})


@pytest.fixture
def terms_site():
    with RehearsalSite((), terms=TermsText()) as site:
        yield site


def switch(site, **switches):
    site.switches = replace(site.switches, **switches)


def text_of(site) -> str:
    answer = get(site, TERMS_PATH)
    assert answer.status == 200
    return answer.body.decode()


def test_a_site_without_the_terms_has_the_error_page_there(site):
    assert "오류가 발생하였습니다" in get(site, TERMS_PATH).body.decode()


def test_the_page_has_every_article_in_its_region_and_the_day_in_an_element(terms_site):
    page = text_of(terms_site)
    region = page.partition('<div id="content">')[2]
    for heading, text in TermsText().articles:
        assert heading in region
        assert text.replace("'", "&#x27;") in region
    assert '<span class="effective">2026. 1. 1.</span>' in region
    assert all(name in region for name in RELATED_SITES)


@pytest.mark.parametrize("kind", sorted(ALL_NOISE))
def test_each_kind_of_noise_makes_two_visits_differ(terms_site, kind):
    switch(terms_site, terms_noise=frozenset())
    assert text_of(terms_site) == text_of(terms_site)
    switch(terms_site, terms_noise=frozenset({kind}))
    assert text_of(terms_site) != text_of(terms_site)


def test_the_switches_change_what_they_say(terms_site):
    switch(terms_site, terms_noise=frozenset())
    usual = text_of(terms_site)
    switch(terms_site, terms_change="effective_date")
    assert text_of(terms_site) == usual.replace("2026. 1. 1.", "2027. 3. 1.")
    switch(terms_site, terms_change="content")
    changed = text_of(terms_site)
    assert changed != usual
    assert len(changed.splitlines()) == len(usual.splitlines())
    switch(terms_site, terms_change="forbidding")
    assert all(text in text_of(terms_site) for text in FORBIDDING)
    switch(terms_site, terms_change="none", terms_page="moved")
    moved = text_of(terms_site)
    assert 'id="content"' not in moved
    assert "<main" in moved
    switch(terms_site, terms_page="no_region")
    assert "제1조" not in text_of(terms_site)
    switch(terms_site, terms_page="gone")
    assert get(terms_site, TERMS_PATH).status == 404


def test_the_page_can_go_wrong_like_any_other(terms_site):
    switch(terms_site, troubles=(PageTrouble("maintenance", place="terms", times=1),))
    assert "점검" in text_of(terms_site)
    assert "제1조" in text_of(terms_site)


def test_what_is_recorded_without_noise_is_what_the_terms_say():
    terms = TermsText()
    lines = terms.body.split("\n")
    noisy = [*lines[:2], *(f"{start}7" for start in NOISE), *lines[2:]]
    assert drop_noise("\n".join(noisy), NOISE) == terms.body


def test_the_truth_of_each_day_is_what_a_plain_comparison_of_the_texts_finds():
    life = TermsLife()
    before, found = life.terms, {}
    for number in range(1, 120):
        truth = life.advance()
        assert (life.day - truth.day).days == 0
        now = life.terms
        fields = tuple(
            name for name in ("effective_on", "body") if getattr(before, name) != getattr(now, name)
        )
        assert [(each.kind, each.fields) for each in truth.happenings] == (
            [("MODIFIED", fields)] if fields else []
        )
        if fields:
            found[number] = "text" if fields == ("body",) else "date or both"
        before = now
    assert found == {
        number: "text" if what == "text" else "date or both" for number, what in AMENDMENTS.items()
    }
    assert re.fullmatch(r"\d{4}\. \d{1,2}\. \d{1,2}\.", life.terms.effective_on)
