"""What a robots.txt says: its bytes → rules, as RFC 9309 has it, with Google's lenient reading.

A file is a list of groups: user-agent lines, then rules. All groups of one agent count together;
only without any the `*` groups count. The longest matching rule decides, `Allow` wins a tie.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from dmf_crawler.acquire.path_pattern import matches, target_of
from dmf_crawler.acquire.urls import MAX_URL_BYTES, normal_url

MAX_ROBOTS_BYTES = 500 * 1024
"""What is parsed of a file; RFC 9309, 2.5 demands at least that."""

MAX_LINE_BYTES = 2083 * 8 - 1
"""What is read of a line: Google's limit, eight times the longest address a browser takes."""

MAX_DECODED_BYTES = 2 * MAX_ROBOTS_BYTES + 4
"""So much UTF-16 is one character more than what is parsed, and its mark."""

MAX_SITEMAPS = 50
MAX_CONTROL_RATIO = 0.05
"""A larger share of control characters is no text."""

ASCII = bytes(range(128))
UTF_8_MARK = b"\xef\xbb\xbf"
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
GZIP_MAGIC = b"\x1f\x8b\x08"
CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\v\f\r\x1a"))
ESCAPED_OCTET = re.compile(r"%[0-9a-fA-F]{2}")
TOKEN = re.compile(r"[A-Za-z_-]*")

AGENT_KEYS = frozenset({"user-agent", "useragent", "user agent"})
ALLOW_KEYS = frozenset({"allow"})
DISALLOW_KEYS = frozenset({"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"})
SITEMAP_KEYS = frozenset({"sitemap", "site-map"})


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
    """A parsed robots.txt.

    Attributes:
        groups: In file order.
        sitemaps: Addresses in normal form, each once, the first `MAX_SITEMAPS`; a hint that is
            recorded, never a source of addresses to fetch.
    """

    groups: tuple[Group, ...] = ()
    sitemaps: tuple[str, ...] = ()

    def allows(self, agent: str, url: str) -> bool:
        """Say whether the agent may fetch an address.

        Args:
            agent: Product token, any case.
            url: Absolute address or path, percent-encoded (other characters match no rule).
        """
        target = _upper_escapes(target_of(url))
        longest = max(
            (
                (len(rule.pattern), rule.is_allow)
                for rule in self.rules_of(agent)
                if matches(rule.pattern, target)
            ),
            default=(0, True),
        )
        return longest[1]

    def rules_of(self, agent: str) -> Iterator[Rule]:
        """Yield the rules that concern an agent, in file order."""
        for group in self._groups_of(agent):
            yield from group.rules

    def crawl_delay_s(self, agent: str) -> float | None:
        """Return the largest delay that the agent's groups ask for, seconds, or None."""
        return max((s for group in self._groups_of(agent) for s in group.delays_s), default=None)

    def _groups_of(self, agent: str) -> list[Group]:
        named = [group for group in self.groups if agent.lower() in group.agents]
        return named or [group for group in self.groups if "*" in group.agents]


def _upper_escapes(text: str) -> str:
    return ESCAPED_OCTET.sub(lambda escape: escape[0].upper(), text)


# --- bytes → text ------------------------------------------------------------------------------


def decode_robots(body: bytes) -> bytes | None:
    """Return a robots.txt as UTF-8 or whatever ASCII superset it is in, None where it is no text.

    UTF-16 with a byte order mark is decoded, and a file that was packed with gzip and sent without
    saying so is unpacked; both are cut behind what is parsed.
    """
    if body.startswith(GZIP_MAGIC):
        unpacked = _unpack(body)
        if unpacked is None:
            return None
        body = unpacked
    if body.startswith(UTF_16_MARKS):
        body = body[:MAX_DECODED_BYTES].decode("utf-16", "replace").encode()
    head = body[:MAX_ROBOTS_BYTES]
    n_controls = len(head) - len(head.translate(None, CONTROLS))
    is_text = b"\0" not in head and n_controls <= MAX_CONTROL_RATIO * len(head)
    return body.removeprefix(UTF_8_MARK) if is_text else None


def _unpack(body: bytes) -> bytes | None:
    """Return the first bytes of what gzip packed, None where the stream is damaged or cut."""
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        unpacked = stream.decompress(body, MAX_DECODED_BYTES)
    except zlib.error:
        return None
    is_whole = stream.eof and not stream.unused_data.strip(b"\0")
    return unpacked if is_whole or len(unpacked) == MAX_DECODED_BYTES else None


# --- text → rules ------------------------------------------------------------------------------


def parse_robots(body: bytes) -> RobotsRules:
    """Parse a robots.txt; whatever it holds, the rest of it counts.

    Args:
        body: Any bytes. Above `MAX_ROBOTS_BYTES` the last, cut line is left out: half a
            `Disallow: /private` would forbid everything.
    """
    if len(body) > MAX_ROBOTS_BYTES:
        body = cut_to_lines(body[:MAX_ROBOTS_BYTES])
    groups: list[Group] = []
    sitemaps: dict[str, None] = {}
    is_open = False  # whether another user-agent line joins the last group
    for key, value in _key_values(body.removeprefix(UTF_8_MARK)):
        if key in AGENT_KEYS:
            if not is_open:
                groups.append(Group())
                is_open = True
            groups[-1].agents.add(_token_of(value))
        elif key in SITEMAP_KEYS:
            sitemaps |= dict.fromkeys(_read_sitemap(value))
        elif groups:
            is_open = not _add_to_group(groups[-1], key, value) and is_open
    return RobotsRules(tuple(groups), tuple(sitemaps)[:MAX_SITEMAPS])


def cut_to_lines(body: bytes) -> bytes:
    """Return the body without what stands behind its last line end."""
    return body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]


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


def _read_sitemap(value: str) -> Iterator[str]:
    try:
        url = normal_url(value)
    except ValueError:
        return
    if len(url) <= MAX_URL_BYTES:
        yield url
