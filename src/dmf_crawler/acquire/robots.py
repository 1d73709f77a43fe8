"""May we fetch this address, and follow the links of this page? What a site says to crawlers.

Unreachable means no: the status of the answer for robots.txt is judged before its body (RFC 9309,
2.3.1), and a body that is no text has rules that nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from dmf_crawler.acquire.robots_file import (
    ASCII,
    MAX_ROBOTS_BYTES,
    RobotsRules,
    cut_to_lines,
    decode_robots,
    parse_robots,
)
from dmf_crawler.model.page import FetchedPage
from dmf_crawler.model.run import Fault

PARTIAL_CONTENT = 206
HTML_START = re.compile(rb"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)

MAX_TOLD_LINES = 5
MAX_TOLD_CHARS = 80
TOLD_AS_IT_IS = bytes(range(0x20, 0x7F))

NOFOLLOW = frozenset({"nofollow", "none"})
TAG_AGENT = re.compile(r"(?P<name>\*|[A-Za-z][A-Za-z0-9_-]*)(?:/[^\s:]*)?\s*:\s*(?P<rest>.*)", re.S)
TAG_KEYS = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
"""Directives of X-Robots-Tag that have a value, and so look like the name of a crawler."""


# --- the gate ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RobotsGate:
    """What one site's robots.txt says to us, for the length of one run.

    Attributes:
        rules: The parsed file; no groups where everything is allowed.
        product_token: The name that we look ourselves up by.
        warnings: Korean sentences for 요약 and the log.
    """

    rules: RobotsRules
    product_token: str
    warnings: tuple[str, ...] = ()

    @property
    def crawl_delay_s(self) -> float | None:
        """Seconds between two requests that the site asks us for, or None."""
        return self.rules.crawl_delay_s(self.product_token)

    def allows(self, url: str) -> bool:
        """Say whether we may fetch an absolute address; other characters are encoded first."""
        return self.rules.allows(self.product_token, quote(url, safe=ASCII))

    def forbid(self, url: str) -> Fault | None:
        """Return the fault of asking for a forbidden address, None where it is allowed."""
        if self.allows(url):
            return None
        return Fault(
            "robots_disallowed",
            f"robots.txt가 이 주소를 금지합니다: {url}. 이 게시판은 오늘 더 요청하지 않습니다. "
            "사이트의 robots.txt를 확인하고, 금지가 계속되면 config/boards.yaml에서 게시판을 꺼 "
            "주십시오.",
            exit_code=7,
        )


def read_robots(answer: FetchedPage | Fault, *, product_token: str) -> RobotsGate | Fault:
    """Turn the answer for robots.txt into the gate, or into the reason to fetch nothing.

    Args:
        answer: As `fetcher.Fetcher.fetch` gave it: for robots.txt any last HTTP answer, a fault
            only where there was none.
        product_token: Our name.

    Source: RFC 9309, 2.3.1; 429 counts as unreachable, as Google reads it, and so does a part of
    the file (206), since the rest of it may forbid.
    """
    if isinstance(answer, Fault):
        return answer
    if 200 <= answer.status < 300 and answer.status != PARTIAL_CONTENT:
        return _read_body(answer, product_token)
    if 400 <= answer.status < 500 and answer.status != 429:
        warning = f"robots.txt가 HTTP {answer.status}로 응답하여 제한이 없는 것으로 보았습니다."
        return RobotsGate(RobotsRules(), product_token, (warning,))
    return _unreachable_fault(f"HTTP {answer.status}")


def _unreachable_fault(found: str) -> Fault:
    return Fault(
        "robots_unreachable",
        f"robots.txt를 읽지 못했습니다({found}). 규칙을 알 수 없으므로 아무 페이지도 "
        "요청하지 않았습니다. 다음 시도에서 다시 확인합니다.",
        exit_code=7,
    )


def _read_body(answer: FetchedPage, product_token: str) -> RobotsGate | Fault:
    body = decode_robots(answer.body)
    if body is None:
        return _unreachable_fault("텍스트가 아니거나 손상된 내용")
    if HTML_START.match(body):
        warning = "robots.txt 대신 HTML 페이지가 왔습니다. 규칙이 없는 것으로 보았습니다."
        return RobotsGate(RobotsRules(), product_token, (warning,))
    content_type = (answer.header("Content-Type") or "").partition(";")[0].strip().lower()
    warnings = []
    if content_type in {"text/html", "application/xhtml+xml"}:
        warnings.append("robots.txt가 HTML로 표시되어 있지만 규칙으로 읽었습니다.")
    if len(body) > MAX_ROBOTS_BYTES:
        warnings.append("robots.txt가 500KiB보다 커서 앞부분만 읽었습니다.")
    return RobotsGate(parse_robots(body), product_token, tuple(warnings))


# --- what changed ------------------------------------------------------------------------------


def describe_change(before: bytes | None, after: bytes, product_token: str) -> str:
    """Return in one Korean sentence what a robots.txt says otherwise to us, "" for nothing.

    Order, comments, repeated lines and other crawlers' rules do not matter.

    Args:
        before: Body of the earlier answer, or its first `MAX_ROBOTS_BYTES`; None for no answer.
        after: Body of the later one.
        product_token: Our name.
    """
    old = None if before is None else _list_lines(before, product_token)
    new = _list_lines(after, product_token)
    if old is None or new is None or old.keys() == new.keys():
        return ""
    changes = [("추가", line) for line in new if line not in old]
    changes += [("삭제", line) for line in old if line not in new]
    told = ", ".join(
        f"{verb} '{quote(line, safe=TOLD_AS_IT_IS)[:MAX_TOLD_CHARS]}'"
        for verb, line in changes[:MAX_TOLD_LINES]
    )
    rest = f" 외 {len(changes) - MAX_TOLD_LINES:,}줄" if len(changes) > MAX_TOLD_LINES else ""
    return f"robots.txt에서 우리에게 적용되는 내용이 바뀌었습니다: {told}{rest}."


def _list_lines(body: bytes, product_token: str) -> dict[str, None] | None:
    """Return what a file says to us, a line each and in its order; None where it is no text."""
    text = decode_robots(body[:MAX_ROBOTS_BYTES])
    if text is None:
        return None
    if len(body) >= MAX_ROBOTS_BYTES:  # the last line may be half a line
        text = cut_to_lines(text)
    rules = RobotsRules() if HTML_START.match(text) else parse_robots(text)
    delay_s = rules.crawl_delay_s(product_token)
    lines = [
        f"{'Allow' if rule.is_allow else 'Disallow'}: {rule.pattern}"
        for rule in rules.rules_of(product_token)
    ]
    lines += [f"Crawl-delay: {delay_s:g}"] if delay_s else []
    lines += [f"Sitemap: {url}" for url in rules.sitemaps]
    return dict.fromkeys(lines)


# --- links of a page ---------------------------------------------------------------------------


def says_nofollow(values: Iterable[str], product_token: str) -> bool:
    """Say whether X-Robots-Tag fields ask us not to follow the links of a page.

    Args:
        values: One a field: directives with commas between them; behind `name:` they are for the
            crawler of that name alone.
        product_token: Our name.
    """
    return any(_field_says_nofollow(value, product_token.lower()) for value in values)


def _field_says_nofollow(value: str, product_token: str) -> bool:
    is_for_us = True
    for part in re.split("[,;]", value):
        directive = part.strip()
        agent = TAG_AGENT.fullmatch(directive)
        if agent and agent["name"].lower() not in TAG_KEYS:
            is_for_us = agent["name"].lower() in {"*", product_token}
            directive = agent["rest"]
        if is_for_us and directive.strip().lower() in NOFOLLOW:
            return True
    return False
