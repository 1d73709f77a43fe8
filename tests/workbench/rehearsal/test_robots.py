import pytest

from dmf_crawler.workbench.rehearsal.switches import Switches
from tests.workbench.rehearsal.browser import RESETS, get

RULES = "User-agent: *\nDisallow: /pbp/\n"


def get_robots(site, form, path="/robots.txt"):
    site.switches = Switches(robots=form, robots_text=RULES, robots_retry_after="77")
    return get(site, path)


def test_by_default_everything_is_allowed(site):
    got = get(site, "/robots.txt")
    assert got.headers["content-type"] == "text/plain;charset=UTF-8"
    assert "Allow: /\n" in got.text


def test_the_text_is_a_switch(site):
    assert get_robots(site, "text").text == RULES


def test_the_text_may_have_a_byte_order_mark(site):
    assert get_robots(site, "bom").body == b"\xef\xbb\xbf" + RULES.encode()


def test_the_text_may_be_larger_than_what_must_be_parsed(site):
    body = get_robots(site, "oversize").body
    assert body.startswith(RULES.encode())
    assert body.index(b"Disallow: /pbp/CCBAC03") > 500 * 1024


@pytest.mark.parametrize(
    ("form", "status", "retry_after"),
    [
        ("not_found", 404, None),
        ("forbidden", 403, None),
        ("server_error", 500, None),
        ("unavailable", 503, "77"),
        ("too_many", 429, "77"),
    ],
)
def test_it_may_fail_with_a_status(site, form, status, retry_after):
    got = get_robots(site, form)
    assert (got.status, got.headers.get("retry-after")) == (status, retry_after)


def test_it_may_have_moved(site):
    got = get_robots(site, "redirect")
    assert got.status == 302
    assert get_robots(site, "redirect", got.headers["location"]).text == RULES


def test_it_may_lead_in_a_circle(site):
    there = get_robots(site, "redirect_loop").headers["location"]
    assert get_robots(site, "redirect_loop", there).headers["location"] == "/robots.txt"


def test_it_may_be_an_html_page(site):
    got = get_robots(site, "html")
    assert (got.status, got.headers["content-type"]) == (200, "text/html;charset=UTF-8")


def test_the_connection_may_be_reset(site):
    with pytest.raises(RESETS):
        get_robots(site, "reset")
