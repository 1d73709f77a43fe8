from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from dmf_crawler.acquire.robots import (
    MAX_ROBOTS_BYTES,
    RobotsGate,
    RobotsRules,
    matches,
    parse_robots,
    read_robots,
)
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.run import Fault
from tests.fakes.world import START

VECTORS = json.loads(
    (Path(__file__).parents[1] / "data/robots_vectors.json").read_text(encoding="utf-8")
)
SITE = "https://list.example"


# --- matching ----------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vector(vector: dict[str, Any]):
    """R1 to R5: Google's published cases and the sentences of RFC 9309."""
    rules = parse_robots(vector["robots"].encode())

    assert rules.allows(vector["agent"], vector["url"]) is vector["allow"]


def test_all_vectors_are_there():
    assert len(VECTORS) == 191


def naive_matches(pattern: str, target: str) -> bool:
    """Try everything: exponential, but nothing to get wrong."""
    if pattern == "":
        return True
    if pattern == "$":
        return target == ""
    if pattern[0] == "*":
        return any(naive_matches(pattern[1:], target[i:]) for i in range(len(target) + 1))
    return target[:1] == pattern[0] and naive_matches(pattern[1:], target[1:])


@given(
    pattern=st.text(alphabet="ab/*$", max_size=8),
    target=st.text(alphabet="ab/$", max_size=10).map(lambda text: f"/{text}"),
)
def test_matching_equals_a_naive_reference(pattern: str, target: str):
    assert matches(pattern, target) is naive_matches(pattern, target)


def test_matching_is_linear_in_the_number_of_stars():
    """A backtracking matcher would not end before the sun does."""
    assert not matches("/" + "*a" * 2_000 + "b$", "/" + "a" * 10_000)


RULE_LINES = st.lists(
    st.tuples(
        st.sampled_from(["User-agent: *", "User-agent: DMF-Crawler", "User-agent: other", "rule"]),
        st.sampled_from(["Allow", "Disallow"]),
        st.text(alphabet="ab/", min_size=1, max_size=4),
    ),
    max_size=12,
)


def naive_allows(lines: list[tuple[str, str, str]], target: str) -> bool:
    """Read the lines as RFC 9309 words it: collect (agents, rules), merge, longest wins."""
    groups: list[tuple[list[str], list[tuple[str, str]]]] = []
    for line, verb, path in lines:
        if line != "rule":
            if not groups or groups[-1][1]:
                groups.append(([], []))
            groups[-1][0].append(line.removeprefix("User-agent: "))
        elif groups:
            groups[-1][1].append((verb, f"/{path}"))
    for agent in ("DMF-Crawler", "*"):
        ours = [rules for agents, rules in groups if agent in agents]
        if ours:
            hits = [rule for rules in ours for rule in rules if target.startswith(rule[1])]
            best = max((len(path) for _, path in hits), default=0)
            return not hits or ("Allow" in {verb for verb, path in hits if len(path) == best})
    return True


@given(lines=RULE_LINES, path=st.text(alphabet="ab/", max_size=6))
def test_grouping_and_precedence_equal_a_naive_reference(
    lines: list[tuple[str, str, str]], path: str
):
    text = "\n".join(
        f"{verb}: /{rule_path}" if line == "rule" else line for line, verb, rule_path in lines
    )

    allowed = parse_robots(text.encode()).allows("DMF-Crawler", f"{SITE}/{path}")

    assert allowed is naive_allows(lines, f"/{path}")


@given(st.binary(max_size=300), st.text(max_size=20))
def test_no_file_and_no_address_makes_it_raise(body: bytes, path: str):
    gate = RobotsGate(parse_robots(body), "DMF-Crawler")

    assert gate.allows(f"{SITE}/{path}") in {True, False}
    assert gate.crawl_delay_s is None or gate.crawl_delay_s >= 0


SIMPLE = """\
User-agent: *
Disallow: /admin/
Allow: /admin/public
Disallow: /*.pdf$

User-agent: DMF-Crawler
Crawl-delay: 4
Disallow: /search
"""


@pytest.mark.parametrize("agent", ["DMF-Crawler", "somebody"])
@pytest.mark.parametrize("path", ["/", "/admin/x", "/admin/public/1", "/a.pdf", "/search?q=1"])
def test_a_second_parser_agrees_on_a_plain_file(agent: str, path: str):
    second = Protego.parse(SIMPLE)

    assert parse_robots(SIMPLE.encode()).allows(agent, SITE + path) is second.can_fetch(
        SITE + path, agent
    )


def test_the_address_is_compared_with_its_final_question_mark():
    rules = parse_robots(b"User-agent: *\nDisallow: /q?\n")

    assert not rules.allows("x", f"{SITE}/q?")
    assert rules.allows("x", f"{SITE}/q#?")


@pytest.mark.parametrize("url", [SITE, f"{SITE}?page=1", "/", f"{SITE}/a?u=http://other/b"])
def test_host_and_path_are_told_apart(url: str):
    assert not parse_robots(b"User-agent: *\nDisallow: /\n").allows("x", url)
    assert parse_robots(b"User-agent: *\nDisallow: /b\nDisallow: /list\n").allows("x", url)


def test_hex_digits_of_the_address_may_be_in_lower_case():
    assert not parse_robots(b"User-agent: *\nDisallow: /%EB%AA%A9\n").allows("x", "/%eb%aa%a9")


def test_rules_in_another_charset_are_compared_as_their_octets():
    rules = parse_robots(b"User-agent: *\nDisallow: /" + "목록".encode("cp949"))

    assert not rules.allows("x", "/%B8%F1%B7%CF/1")


def test_a_file_above_the_limit_is_cut_at_a_line_end():
    """R9: cut in mid-line, `Disallow: /private` became `Disallow: /`."""
    head = b"User-agent: *\nDisallow: /early\n"
    cut = b"Disallow: /private"
    for end in (b"\n", b"\r"):
        filler = b"#" * (MAX_ROBOTS_BYTES - len(head) - len("Disallow: /") - 1) + end
        rules = parse_robots(head + filler + cut)

        assert rules.allows("x", "/other")
        assert not rules.allows("x", "/early")


def test_a_file_at_the_limit_is_read_to_its_last_byte():
    head, tail = b"User-agent: *\n", b"\nDisallow: /"
    body = head + b"#" * (MAX_ROBOTS_BYTES - len(head) - len(tail)) + tail

    assert not parse_robots(body).allows("x", "/a")


# --- delays ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "delay_s"),
    [
        ("Crawl-delay: 2.5", 2.5),  # R6
        ("Crawl-delay: 10\nRequest-rate: 1/5", 10),
        ("Crawl-delay: 3\nRequest-rate: 1/5", 5),
        ("Request-rate: 2/5", 2.5),
        ("Request-rate: 1/10m", 600),
        ("Request-rate: 30/1h 0600-0845", 120),
        ("Request-rate: 0/5\nRequest-rate: x\nRequest-rate: 1/5x", None),
        ("Crawl-delay: -1\nCrawl-delay: nan\nCrawl-delay: inf\nCrawl-delay: soon", None),
        ("Crawl-delay: 0", 0),
        ("", None),
    ],
)
def test_the_larger_delay_of_our_group_counts(lines: str, delay_s: float | None):
    rules = parse_robots(f"User-agent: DMF-Crawler\n{lines}\nDisallow: /x\n".encode())

    assert rules.crawl_delay_s("dmf-crawler") == delay_s


def test_a_delay_of_another_group_does_not_count():
    body = b"User-agent: *\nCrawl-delay: 9\nDisallow: /b\nUser-agent: DMF-Crawler\nDisallow: /a\n"

    assert parse_robots(body).crawl_delay_s("DMF-Crawler") is None
    assert parse_robots(body).crawl_delay_s("other") == 9


def test_lines_before_any_group_are_ignored():
    assert parse_robots(b"Crawl-delay: 9\nDisallow: /\n") == RobotsRules()


# --- the gate ----------------------------------------------------------------------------------


def an_answer(status: int, body: bytes = b"", content_type: str = "text/plain") -> FetchedPage:
    return FetchedPage(
        request=PageRequest(f"{SITE}/robots.txt", "robots"),
        url=f"{SITE}/robots.txt",
        status=status,
        request_headers=(),
        headers=(("Content-Type", content_type),),
        body=body,
        fetched_at=START,
        elapsed_s=0.1,
    )


def read(answer: FetchedPage | Fault) -> RobotsGate | Fault:
    return read_robots(answer, product_token="DMF-Crawler")


def test_a_200_is_parsed_for_our_name():
    gate = read(an_answer(200, SIMPLE.encode()))

    assert isinstance(gate, RobotsGate)
    assert not gate.allows(f"{SITE}/search?q=1")
    assert gate.allows(f"{SITE}/admin/x")
    assert (gate.crawl_delay_s, gate.warnings) == (4, ())


def test_a_forbidden_address_is_a_fault_that_no_attempt_of_the_day_repeats():
    gate = read(an_answer(200, SIMPLE.encode()))
    assert isinstance(gate, RobotsGate)

    fault = gate.forbid(f"{SITE}/search")

    assert fault is not None
    assert (fault.code, fault.exit_code) == ("robots_disallowed", 7)
    assert f"{SITE}/search" in fault.message
    assert gate.forbid(f"{SITE}/list") is None


def test_an_address_that_is_not_encoded_is_compared_encoded():
    gate = read(an_answer(200, "User-agent: *\nDisallow: /목록\n".encode()))

    assert isinstance(gate, RobotsGate)
    assert not gate.allows(f"{SITE}/목록/1")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_4xx_allows_everything_with_a_warning(status: int):
    """R10: allowed by RFC 9309, 2.3.1.3, and never silent."""
    gate = read(an_answer(status, b"User-agent: *\nDisallow: /\n"))

    assert isinstance(gate, RobotsGate)
    assert gate.allows(f"{SITE}/list")
    assert str(status) in gate.warnings[0]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 599, 301, 302, 304, 100])
def test_unreachable_rules_forbid_everything(status: int):
    """R7: 429 counts as unreachable; the body of an error, rules or not, is not read."""
    fault = read(an_answer(status, b"User-agent: *\nAllow: /\n"))

    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("robots_unreachable", 7)
    assert str(status) in fault.message


def test_no_http_answer_is_passed_on_as_it_is():
    fault = Fault("timeout", "…", 6, is_retryable=True)

    assert read(fault) is fault


@pytest.mark.parametrize(
    "body", [b"<!DOCTYPE html><p>Disallow: /", b"\xef\xbb\xbf \n<HTML>", b"<?xml version='1.0'?>"]
)
def test_html_with_status_200_has_no_rules_and_warns(body: bytes):
    """R8: an error page that says 200."""
    gate = read(an_answer(200, body, "text/html; charset=UTF-8"))

    assert isinstance(gate, RobotsGate)
    assert gate.allows(f"{SITE}/list")
    assert "HTML" in gate.warnings[0]


def test_rules_that_are_only_labelled_html_are_obeyed():
    gate = read(an_answer(200, b"User-agent: *\nDisallow: /\n", "text/html"))

    assert isinstance(gate, RobotsGate)
    assert not gate.allows(f"{SITE}/list")
    assert "HTML" in gate.warnings[0]


def test_a_file_above_the_limit_warns():
    gate = read(an_answer(200, b"#\n" * MAX_ROBOTS_BYTES))

    assert isinstance(gate, RobotsGate)
    assert "500KiB" in gate.warnings[0]
