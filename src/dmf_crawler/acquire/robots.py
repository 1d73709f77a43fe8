"""May we fetch this address? robots.txt as RFC 9309 has it, with Google's lenient reading.

A file is a list of groups: user-agent lines, then rules. All groups of one agent count together;
only without any the `*` groups count. The longest matching rule decides, `Allow` wins a tie.
Unreachable means no: the status of the answer is judged before its body (RFC 9309, 2.3.1).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from dmf_crawler.model.page import FetchedPage
from dmf_crawler.model.run import Fault

MAX_ROBOTS_BYTES = 500 * 1024
"""What is parsed of a file; RFC 9309, 2.5 demands at least that."""

MAX_LINE_BYTES = 2083 * 8 - 1
"""What is read of a line: Google's limit, eight times the longest address a browser takes."""

ASCII = bytes(range(128))
ESCAPED_OCTET = re.compile(r"%[0-9a-fA-F]{2}")
TOKEN = re.compile(r"[A-Za-z_-]*")
HTML_START = re.compile(rb"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)

AGENT_KEYS = frozenset({"user-agent", "useragent", "user agent"})
ALLOW_KEYS = frozenset({"allow"})
DISALLOW_KEYS = frozenset({"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"})


@dataclass(frozen=True, slots=True)
class Rule:
    """One `Allow` or `Disallow` line.

    Attributes:
        is_allow: Which of the two.
        pattern: Path with `*` and final `$`; ASCII, hex digits of escapes in upper case.
    """

    is_allow: bool
    pattern: str


@dataclass(slots=True)
class Group:
    """Consecutive user-agent lines and what is said to them.

    Attributes:
        agents: Product tokens in lower case, `*` for all.
        rules: In file order.
        delays_s: Of `Crawl-delay` and `Request-rate` lines, seconds a request.
    """

    agents: set[str] = field(default_factory=set)
    rules: list[Rule] = field(default_factory=list)
    delays_s: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """A parsed robots.txt."""

    groups: tuple[Group, ...] = ()

    def allows(self, agent: str, url: str) -> bool:
        """Say whether the agent may fetch an address.

        Args:
            agent: Product token, any case.
            url: Absolute address or path, percent-encoded (other characters match no rule).
        """
        target = _upper_escapes(_target_of(url))
        longest = max(
            (
                (len(rule.pattern), rule.is_allow)
                for group in self._groups_of(agent)
                for rule in group.rules
                if matches(rule.pattern, target)
            ),
            default=(0, True),
        )
        return longest[1]

    def crawl_delay_s(self, agent: str) -> float | None:
        """Return the largest delay that the agent's groups ask for, seconds, or None."""
        return max((s for group in self._groups_of(agent) for s in group.delays_s), default=None)

    def _groups_of(self, agent: str) -> list[Group]:
        named = [group for group in self.groups if agent.lower() in group.agents]
        return named or [group for group in self.groups if "*" in group.agents]


def matches(pattern: str, target: str) -> bool:
    """Say whether a rule's pattern matches the beginning of a path, in linear time.

    Between two `*` the leftmost place is always good enough, so nothing is ever tried twice.

    Args:
        pattern: `*` stands for any characters, a final `$` for the end.
        target: Path and query of an address.
    """
    is_anchored = pattern.endswith("$")
    head, *pieces = pattern.removesuffix("$").split("*")
    if not target.startswith(head):
        return False
    if not pieces:
        return not is_anchored or target == head
    position = len(head)
    for piece in pieces[:-1]:
        position = target.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    if is_anchored:
        return target.endswith(pieces[-1]) and len(target) - len(pieces[-1]) >= position
    return target.find(pieces[-1], position) >= 0


def _target_of(url: str) -> str:
    """Return path and query as they stand; urlsplit would lose a final `?`."""
    rest = url.partition("#")[0]
    if not rest.startswith("/"):
        rest = rest.partition("://")[2]
        rest = rest[min((rest.find(mark) for mark in "/?" if mark in rest), default=len(rest)) :]
    return rest if rest.startswith("/") else f"/{rest}"


def _upper_escapes(text: str) -> str:
    return ESCAPED_OCTET.sub(lambda escape: escape[0].upper(), text)


# --- parsing -----------------------------------------------------------------------------------


def parse_robots(body: bytes) -> RobotsRules:
    """Parse a robots.txt; whatever it holds, the rest of it counts.

    Args:
        body: Any bytes. Above `MAX_ROBOTS_BYTES` the last, cut line is left out: half a
            `Disallow: /private` would forbid everything.
    """
    if len(body) > MAX_ROBOTS_BYTES:
        head = body[:MAX_ROBOTS_BYTES]
        body = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]
    groups: list[Group] = []
    is_open = False  # whether another user-agent line joins the last group
    for key, value in _key_values(body.removeprefix(b"\xef\xbb\xbf")):
        if key in AGENT_KEYS:
            if not is_open:
                groups.append(Group())
                is_open = True
            groups[-1].agents.add(_token_of(value))
        elif groups:
            is_open = not _add_to_group(groups[-1], key, value) and is_open
    return RobotsRules(tuple(groups))


def _key_values(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield key in lower case and value, escaped to ASCII, of every line that has both."""
    for line in body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        text = line[:MAX_LINE_BYTES].partition(b"#")[0].strip()
        key, colon, value = text.partition(b":")
        if not colon:
            words = text.split()
            if len(words) != 2:
                continue
            key, value = words
        yield (
            key.strip().decode("ascii", "replace").lower(),
            _upper_escapes(quote(value.strip(), safe=ASCII)),
        )


def _token_of(value: str) -> str:
    """Return the product token of a user-agent value: `foo` of `Foo/1.0 news`."""
    if value == "*" or value[:2].rstrip() == "*":
        return "*"
    match = TOKEN.match(value)
    return match[0].lower() if match else ""


def _add_to_group(group: Group, key: str, value: str) -> bool:
    """Add one line to a group; return whether it was a rule, which ends the user-agent lines."""
    if key in ALLOW_KEYS:
        group.rules.extend(Rule(is_allow=True, pattern=each) for each in _with_folder(value))
        return True
    if key in DISALLOW_KEYS:
        if value:  # an empty one forbids nothing
            group.rules.append(Rule(is_allow=False, pattern=value))
        return True
    if key == "crawl-delay":
        group.delays_s.extend(_read_delay(value))
    elif key == "request-rate":
        group.delays_s.extend(_read_rate(value))
    return False


def _with_folder(pattern: str) -> Iterator[str]:
    """Yield a pattern and, for a folder's index page, the folder itself (Google's reading)."""
    if pattern:
        yield pattern
    folder, slash, name = pattern.rpartition("/")
    if slash and name.startswith("index.htm"):
        yield f"{folder}/$"


def _read_delay(value: str) -> Iterator[float]:
    try:
        seconds = float(value)
    except ValueError:
        return
    if math.isfinite(seconds) and seconds >= 0:
        yield seconds


def _read_rate(value: str) -> Iterator[float]:
    """Yield the seconds a request of `1/5`, `1/10m` or `30/1h 0600-0845` (hours are ignored)."""
    rate = re.match(r"(\d{1,9})/(\d{1,9})([smh]?)(?:\s|$)", value)
    if rate and int(rate[1]) > 0:
        unit_s = {"m": 60, "h": 3600}.get(rate[3], 1)
        yield int(rate[2]) * unit_s / int(rate[1])


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

    Source: RFC 9309, 2.3.1; 429 counts as unreachable, as Google reads it.
    """
    if isinstance(answer, Fault):
        return answer
    if 200 <= answer.status < 300:
        return _read_body(answer, product_token)
    if 400 <= answer.status < 500 and answer.status != 429:
        warning = f"robots.txt가 HTTP {answer.status}로 응답하여 제한이 없는 것으로 보았습니다."
        return RobotsGate(RobotsRules(), product_token, (warning,))
    return Fault(
        "robots_unreachable",
        f"robots.txt를 읽지 못했습니다(HTTP {answer.status}). 규칙을 알 수 없으므로 아무 페이지도 "
        "요청하지 않았습니다. 다음 시도에서 다시 확인합니다.",
        exit_code=7,
    )


def _read_body(answer: FetchedPage, product_token: str) -> RobotsGate:
    content_type = (answer.header("Content-Type") or "").partition(";")[0].strip().lower()
    is_html = content_type in {"text/html", "application/xhtml+xml"}
    if HTML_START.match(answer.body.removeprefix(b"\xef\xbb\xbf")):
        warning = "robots.txt 대신 HTML 페이지가 왔습니다. 규칙이 없는 것으로 보았습니다."
        return RobotsGate(RobotsRules(), product_token, (warning,))
    warnings = []
    if is_html:
        warnings.append("robots.txt가 HTML로 표시되어 있지만 규칙으로 읽었습니다.")
    if len(answer.body) > MAX_ROBOTS_BYTES:
        warnings.append("robots.txt가 500KiB보다 커서 앞부분만 읽었습니다.")
    return RobotsGate(parse_robots(answer.body), product_token, tuple(warnings))
