from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from dmf_crawler.acquire.robots import RobotsGate, describe_change, read_robots, says_nofollow
from dmf_crawler.acquire.robots_file import (
    MAX_ROBOTS_BYTES,
    MAX_SITEMAPS,
    RobotsRules,
    decode_robots,
    parse_robots,
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


# --- bytes that are no plain UTF-8 -------------------------------------------------------------

FORBIDDING = "User-agent: *\nDisallow: /\n"
FORBIDDING_BODIES = {
    "plain": FORBIDDING.encode(),
    "utf-8-sig": FORBIDDING.encode("utf-8-sig"),
    "utf-16-le": b"\xff\xfe" + FORBIDDING.encode("utf-16-le"),
    "utf-16-be": b"\xfe\xff" + FORBIDDING.encode("utf-16-be"),
    "gzip": gzip.compress(FORBIDDING.encode()),
    "gzip of utf-8-sig": gzip.compress(FORBIDDING.encode("utf-8-sig")),
    "gzip of utf-16": gzip.compress(FORBIDDING.encode("utf-16")),
    "gzip with padding": gzip.compress(FORBIDDING.encode()) + b"\0" * 100,
    "cp949 comment": "# 목록\n".encode("cp949") + FORBIDDING.encode(),
    "DOS end of file": FORBIDDING.encode() + b"\x1a",
}


@pytest.mark.parametrize("body", FORBIDDING_BODIES.values(), ids=FORBIDDING_BODIES.keys())
def test_a_prohibition_is_read_in_every_form_of_text(body: bytes):
    gate = read(an_answer(200, body))

    assert isinstance(gate, RobotsGate)
    assert not gate.allows(f"{SITE}/list")


UNKNOWN_BODIES = {
    "NUL": b"User-agent: *\nAllow: /\n\0",
    "UTF-16 without its mark": FORBIDDING.encode("utf-16-le"),
    "UTF-32": FORBIDDING.encode("utf-32"),
    "control characters": b"\x01\x02\x03 Allow",
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "half a gzip stream": gzip.compress(FORBIDDING.encode() * 1_000)[:-40],
    "a damaged gzip stream": b"\x1f\x8b\x08" + FORBIDDING.encode(),
    "gzip and something": gzip.compress(b"Allow: /", mtime=0) + b"Disallow: /",
    "gzip in gzip": gzip.compress(gzip.compress(FORBIDDING.encode())),
}


@pytest.mark.parametrize("body", UNKNOWN_BODIES.values(), ids=UNKNOWN_BODIES.keys())
def test_a_body_that_is_no_text_has_unknown_rules(body: bytes):
    fault = read(an_answer(200, body))

    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("robots_unreachable", 7)
    assert "텍스트가 아니거나 손상된" in fault.message


def test_a_packed_file_is_unpacked_up_to_what_is_parsed():
    """Of a bomb the first megabyte is unpacked; what stands at its beginning is obeyed."""
    body = gzip.compress(FORBIDDING.encode() + b"#\n" * 10_000_000, 1)

    text = decode_robots(body)

    assert text is not None
    assert len(text) < 2 * MAX_ROBOTS_BYTES + 10
    gate = read(an_answer(200, body))
    assert isinstance(gate, RobotsGate)
    assert not gate.allows(f"{SITE}/list")
    assert "500KiB" in gate.warnings[0]


def test_utf_16_above_the_limit_is_cut_at_a_line_end():
    head = "User-agent: *\nDisallow: /early\n"
    filler = "#" * (MAX_ROBOTS_BYTES - len(head) - len("Disallow: /") - 1) + "\n"
    gate = read(an_answer(200, (head + filler + "Disallow: /private").encode("utf-16")))

    assert isinstance(gate, RobotsGate)
    assert gate.allows(f"{SITE}/other")
    assert not gate.allows(f"{SITE}/early")


def test_a_part_of_the_file_is_not_the_file():
    fault = read(an_answer(206, b"User-agent: *\nAllow: /\n"))

    assert isinstance(fault, Fault)
    assert (fault.code, "206" in fault.message) == ("robots_unreachable", True)


@pytest.mark.parametrize(("status", "body"), [(204, b""), (200, b""), (200, b"\xef\xbb\xbf\n")])
def test_an_empty_file_has_no_rules(status: int, body: bytes):
    gate = read(an_answer(status, body))

    assert isinstance(gate, RobotsGate)
    assert gate.allows(f"{SITE}/list")
    assert (gate.rules, gate.warnings) == (RobotsRules(), ())


@given(st.binary(max_size=200).map(lambda body: b"\x1f\x8b\x08" + body) | st.binary(max_size=200))
def test_any_body_is_read_or_refused(body: bytes):
    found = read(an_answer(200, body))

    assert isinstance(found, RobotsGate) or found.code == "robots_unreachable"


# --- sitemaps ----------------------------------------------------------------------------------


def test_sitemaps_are_recorded_in_normal_form_wherever_they_stand():
    body = (
        f"Sitemap: {SITE}/b.xml#x\nUser-agent: a\nSITEMAP: HTTPS://List.Example:443/a/../c.xml\n"
        "User-agent: b\nDisallow: /\nsite-map: /relative.xml\nSitemap: https://o.example/d\n"
        f"Sitemap: {SITE}/b.xml\nSitemap: javascript:x\nSitemap: {SITE}/{'x' * 2000}\n"
    )

    rules = parse_robots(body.encode())

    assert rules.sitemaps == (f"{SITE}/b.xml", f"{SITE}/c.xml", "https://o.example/d")
    assert not rules.allows("a", "/x"), "a sitemap line does not end the user-agent lines"


def test_not_more_than_fifty_sitemaps_are_recorded():
    body = "".join(f"Sitemap: {SITE}/{number}.xml\n" for number in range(MAX_SITEMAPS + 10))

    assert len(parse_robots(body.encode()).sitemaps) == MAX_SITEMAPS


# --- what changed ------------------------------------------------------------------------------


def a_file(*lines: str) -> bytes:
    return "\n".join(lines).encode()


BEFORE = a_file(
    "User-agent: *", "Disallow: /a", "Disallow: /b", "Crawl-delay: 2", f"Sitemap: {SITE}/s.xml"
)


@pytest.mark.parametrize(
    "after",
    [
        BEFORE,
        BEFORE.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf# comment\n\n" + BEFORE + b"\n# end",
        BEFORE.decode().encode("utf-16"),
        gzip.compress(BEFORE, mtime=0),
        a_file(
            f"sitemap: {SITE}:443/s.xml", "User-Agent: *", "Request-rate: 1/2", "disallow: /b #x",
            "Disallow: /a", "Disallow: /a", "", "User-agent: other", "Disallow: /",
        ),
        a_file(
            "User-agent: dmf-crawler/1.0", "Disallow: /b", "Disallow: /a", "Crawl-delay: 2",
            f"Sitemap: {SITE}/s.xml", "User-agent: *", "Disallow: /",
        ),
    ],
)  # fmt: skip
def test_the_same_to_us_is_no_change(after: bytes):
    assert describe_change(BEFORE, after, "DMF-Crawler") == ""
    assert describe_change(after, BEFORE, "DMF-Crawler") == ""


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (BEFORE.replace(b"/b", b"/c"), "추가 'Disallow: /c', 삭제 'Disallow: /b'."),
        (BEFORE.replace(b"Disallow: /b", b"Allow: /b"), "추가 'Allow: /b', 삭제 'Disallow: /b'."),
        (BEFORE.replace(b": 2", b": 2.5"), "추가 'Crawl-delay: 2.5', 삭제 'Crawl-delay: 2'."),
        (BEFORE.replace(b"s.xml", b"t.xml"), f"추가 'Sitemap: {SITE}/t.xml', 삭제 'Sitemap: "),
        (BEFORE + b"\nDisallow: /\xeb\xaa\xa9", "추가 'Disallow: /%EB%AA%A9'."),
        (BEFORE + b"\nDisallow: /\x07\x1b[2J", "추가 'Disallow: /%07%1B[2J'."),
        (
            a_file("User-agent: DMF-Crawler", "Disallow: /", f"Sitemap: {SITE}/s.xml"),
            "추가 'Disallow: /', 삭제 'Disallow: /a', 삭제 'Disallow: /b', 삭제 'Crawl-delay: 2'.",
        ),
        (b"", "삭제 'Disallow: /a', 삭제 'Disallow: /b', 삭제 'Crawl-delay: 2', 삭제 'Sitemap: "),
        (b"<!DOCTYPE html>" + BEFORE, "삭제 'Disallow: /a', 삭제 'Disallow: /b', 삭제 "),
    ],
)
def test_what_is_said_otherwise_to_us_is_told_line_by_line(after: bytes, told: str):
    sentence = describe_change(BEFORE, after, "DMF-Crawler")

    assert sentence.partition(": ")[2].startswith(told)
    assert sentence.endswith(".")
    assert sentence.isprintable()
    assert sentence.encode("cp949")


def test_many_and_long_lines_are_told_shortened():
    lines = [f"Disallow: /{'x' * 200}{number}" for number in range(1_204)]

    sentence = describe_change(b"", a_file("User-agent: *", *lines), "DMF-Crawler")

    assert sentence.count("추가") == 5
    assert sentence.endswith(" 외 1,199줄.")
    assert max(len(line) for line in sentence.split("'")) == 80


def test_without_an_earlier_answer_nothing_changed():
    assert describe_change(None, BEFORE, "DMF-Crawler") == ""


@pytest.mark.parametrize("body", UNKNOWN_BODIES.values(), ids=UNKNOWN_BODIES.keys())
def test_a_body_that_is_no_text_is_not_compared(body: bytes):
    assert describe_change(BEFORE, body, "DMF-Crawler") == ""
    assert describe_change(body, BEFORE, "DMF-Crawler") == ""


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_a_file_of_which_only_the_beginning_was_kept_is_compared_as_far_as_that(codec: str):
    comments = f"#{'x' * 998}\n" * 600
    after = f"User-agent: *\nDisallow: /a\n{comments}Disallow: /c".encode(codec)

    assert describe_change(after[:MAX_ROBOTS_BYTES], after, "DMF-Crawler") == ""
    assert "/a" in describe_change(b"", after, "DMF-Crawler")


def test_a_rule_that_was_kept_by_half_is_no_change():
    """The history keeps the first 500 KiB, and they may end in the middle of a line."""
    filler = b"#" * (MAX_ROBOTS_BYTES - len(b"\nDisallow: /pri"))
    after = b"User-agent: *\n" + filler[len(b"User-agent: *\n") :] + b"\nDisallow: /private\n"

    assert after[:MAX_ROBOTS_BYTES].endswith(b"\nDisallow: /pri")
    assert describe_change(after[:MAX_ROBOTS_BYTES], b"#\n" + after, "DMF-Crawler") == ""


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_two_files_are_compared_and_told_printably(before: bytes, after: bytes):
    head = b"User-agent: *\nDisallow:"

    sentence = describe_change(head + before, head + after, "DMF-Crawler")

    assert sentence.isprintable()
    assert before != after or sentence == ""


# --- nofollow ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([], False),
        ([""], False),
        (["noindex"], False),
        (["nofollow"], True),
        (["NoFollow "], True),
        (["none"], True),
        (["noindex, nofollow"], True),
        (["noindex", "nofollow"], True),
        (["noindex,nofollow,noarchive"], True),
        (["noindex; nofollow"], True),
        (["noindex;none ;"], True),
        (["otherbot: noindex; nofollow"], False),
        (["otherbot: noindex; dmf-crawler: nofollow"], True),
        (["dmf-crawler: nofollow"], True),
        (["DMF-Crawler : noindex, nofollow"], True),
        (["DMF-Crawler/1.0: none"], True),
        (["*: nofollow"], True),
        (["otherbot: nofollow"], False),
        (["otherbot: noindex, nofollow"], False),
        (["otherbot: nofollow", "nofollow"], True),
        (["otherbot: noindex, dmf-crawler: nofollow"], True),
        (["dmf-crawler: noindex, otherbot: nofollow"], False),
        (["dmf-crawler2: nofollow"], False),
        (["nofollowing"], False),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], True),
        (["unavailable_after: Friday, 25-Jun-10 15:00:00 PST, nofollow"], True),
        (["max-snippet: 20, nofollow"], True),
        (["max-image-preview: none"], False),
        (["otherbot: max-snippet:20, nofollow"], False),
        (["\u00a0\x00: ::, nofollow"], True),
    ],
)
def test_a_header_field_asks_us_not_to_follow(values: list[str], says: bool):
    assert says_nofollow(values, "DMF-Crawler") is says
