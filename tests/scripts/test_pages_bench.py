"""The tables of docs/trust.md about whole pages: a few pages give the same answer as many."""

import re

import pytest

from scripts.bench import pages
from scripts.bench.pages import EDITS, article_simhash, main


def test_ours_hides_no_edit_that_it_promises_to_notice(capsys, monkeypatch):
    monkeypatch.setattr(pages, "LENGTHS", (300, 1_000))
    assert main(["--pages", "2", "--seed", "7"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("seed 7;")
    for edit in EDITS:
        assert re.search(rf"^\| {edit.name} \|", out, re.MULTILINE)


def test_an_edit_that_is_hidden_is_told(capsys, monkeypatch):
    monkeypatch.setattr(pages, "LENGTHS", (300,))
    monkeypatch.setattr(pages, "EDITS", (pages.Edit("nothing at all", lambda text, _: text),))
    assert main(["--pages", "3", "--seed", "7"]) == 1
    assert "ours hid: nothing at all, 300 characters" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["가", "가 나", "Effective 2026-12-01 now"])
def test_the_article_s_rule_deletes_dates_and_keeps_words(text):
    assert article_simhash((text,)) == article_simhash((text.upper(),))
    dated = (text, "2026-12-01 09:05")
    assert article_simhash(dated) == article_simhash((text, "2027-01-31"))
    assert article_simhash((text,)) != article_simhash((text, "다른 말"))
