from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dmf_crawler.acquire.path_pattern import is_in_paths
from dmf_crawler.acquire.urls import (
    MAX_HREF_CHARS,
    MAX_URL_BYTES,
    LinkRefusal,
    LinkRules,
    follow_link,
    is_blocked,
    normal_url,
    resolve_redirect,
)

SITE = "https://list.example"
PAGE = "https://list.example/pbp/L/getList?page=1"


# --- redirects and scope -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/pbp/L", "https://list.example/pbp/L"),
        ("other?page=2#top", "https://list.example/pbp/L/other?page=2"),
        ("?page=2", "https://list.example/pbp/L/getList?page=2"),
        ("https://LIST.example:443/x", "https://LIST.example:443/x"),
        ("//list.example/x", "https://list.example/x"),
        ("/pbp/L;v=1/a%2520b", "https://list.example/pbp/L;v=1/a%2520b"),
        (" /x ", "https://list.example/x"),
        ("/목록?q=a b\x07", "https://list.example/%EB%AA%A9%EB%A1%9D?q=a%20b%07"),
    ],
)
def test_a_redirect_on_the_same_origin_is_resolved(location: str, target: str):
    assert resolve_redirect(PAGE, location) == target


@pytest.mark.parametrize(
    "location",
    [
        "",
        "http://list.example/pbp/L",  # scheme
        "https://list.example:8443/pbp/L",  # port
        "https://www.list.example/pbp/L",  # host
        "//evil.example/pbp/L",
        "https://list.example@evil.example/pbp/L",
        "https://user:pw@list.example/pbp/L",
        "https://list.example:port/pbp/L",
        "https://[list.example/pbp/L",
        "https://list.example/pbp/../admin",
        "/pbp/L/%2e%2E/admin",
        "/pbp/L/..%2fadmin",
        "/pbp/L\\..\\admin",
        "/pbp/L/..;/admin",
        "/pbp/L/.;x=1/admin",
        "/pbp/L/%2e%2e%3b/admin",
        "/pbp/L/%252e%252e/admin",
        "/pbp/L/%25252e%25252e%25252fadmin",
        "/pbp/L/%255cadmin",
        "/pbp/L/%" + "25" * 5_000 + "2e",
        "javascript:alert(1)",
    ],
)
def test_a_redirect_to_another_origin_or_in_disguise_is_refused(location: str):
    assert resolve_redirect(PAGE, location) is None


# --- the normal form ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTPS://List.Example/A", "https://list.example/A"),
        ("https://list.example:443/", "https://list.example/"),
        ("http://list.example:80", "http://list.example/"),
        ("https://list.example:/", "https://list.example/"),
        ("https://list.example:80/", "https://list.example:80/"),
        ("http://list.example:08080/", "http://list.example:8080/"),
        ("https://목록.한국/", "https://xn--3o2b15b.xn--3e0b707e/"),
        ("https://Bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://list.example./", "https://list.example./"),
        ("http://[::0001]:8080/", "http://[::1]:8080/"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
        ("https://list.example?b=1", "https://list.example/?b=1"),
        ("https://list.example/a/./b/../c", "https://list.example/a/c"),
        ("https://list.example/../../a", "https://list.example/a"),
        ("https://list.example/a/..", "https://list.example/"),
        ("https://list.example/a/b/.", "https://list.example/a/b/"),
        ("https://list.example/a/%2e%2E/b", "https://list.example/b"),
        ("https://list.example/a//../b", "https://list.example/a/b"),
        ("https://list.example/a//b", "https://list.example/a//b"),
        ("https://list.example/%7Ea%2fb", "https://list.example/~a%2Fb"),
        ("https://list.example/목록?q=a b", "https://list.example/%EB%AA%A9%EB%A1%9D?q=a%20b"),
        ("https://list.example/a#top", "https://list.example/a"),
        ("https://list.example/a?#?x=1", "https://list.example/a"),
        ("https://list.example/a?&&", "https://list.example/a"),
        ("https://list.example/a?b=2&a=1&b=1", "https://list.example/a?a=1&b=1&b=2"),
        ("https://list.example/a?b&a=&b=", "https://list.example/a?a=&b&b="),
        ("https://list.example/a?x=a%26b=c", "https://list.example/a?x=a%26b=c"),
        ("https://list.example/a?x=a+b&y=%2B", "https://list.example/a?x=a+b&y=%2B"),
        ("https://list.example/a?u=http://o/?v", "https://list.example/a?u=http://o/?v"),
        ("https://list.example/a;v=1/b", "https://list.example/a;v=1/b"),
        ("  https://list.example/a", "https://list.example/a"),
    ],
)
def test_an_address_has_one_normal_form(url: str, normal: str):
    assert normal_url(url) == normal
    assert normal_url(normal) == normal


def test_an_escaped_separator_is_never_decoded():
    """To decode every escape would make another request: `A%26B` is one value, `A&B` two."""
    assert normal_url(f"{SITE}/q?name=A%26B") != normal_url(f"{SITE}/q?name=A&B")
    assert normal_url(f"{SITE}/a%2fb") != normal_url(f"{SITE}/a/b")
    assert normal_url(f"{SITE}/a%3Fb") != normal_url(f"{SITE}/a?b")


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("/a;jsessionid=0A1B?x=1", "/a?x=1"),
        ("/a;JSessionID=0A1B/b;v=1;jsessionid", "/a/b;v=1"),
        ("/a;%6Asessionid=0A", "/a"),
        ("/a;jsessionids=0A", "/a;jsessionids=0A"),
        ("/a/..;jsessionid=1/b", "/b"),
        ("/a?PAGE=3&x=1&%70age=4&page", "/a?x=1"),
        ("/a?pages=3&xpage=1", "/a?pages=3&xpage=1"),
        ("/a?page=3", "/a"),
        ("/page;page?page", "/page"),
        ("/a;;page=1", "/a"),
    ],
)
def test_session_and_list_parameters_are_dropped(url: str, normal: str):
    assert normal_url(SITE + url, dropped=frozenset({"JSESSIONID", "page"})) == SITE + normal


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/a",
        "list.example/a",
        "//list.example/a",
        "https:///a",
        "https://",
        "https:a",
        "ftp://list.example/a",
        "javascript:alert(1)",
        "https://user@list.example/",
        "https://@list.example/",
        "https://list.example:port/",
        "https://list.example:99999/",
        "https://[list.example/",
        "https://[::1%25eth0]/",
        "https://[v1.x:y]/",
        "https://a..b/",
        "https://a b/",
        "https://a%41/",
        "https://evil.example\\.list.example/",
        "https://" + "a" * 64 + ".example/",
        "https://" + "a." * 4_000 + "example/",
        "https://list.example/\ud800",
        "https://list.example/?\ud800",
        "https://\ud800/",
    ],
)
def test_what_is_no_address_of_a_site_is_refused(url: str):
    with pytest.raises(ValueError, match=r"."):
        normal_url(url)


PIECES = st.sampled_from(
    [
        *"abAB./;=&?+%~-_ ",
        "..",
        "%2e",
        "%2F",
        "%26",
        "%41",
        "%c3%a9",
        "목",
        '"',
        "|",
        "\\",
        "@",
        ":",
    ]
)
PATHS = st.lists(PIECES, max_size=12).map("".join)
PARAMS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "%61", "목"]), st.sampled_from(["", "1", "%31", "2 &".strip()])
    ),
    max_size=5,
)
HOSTS = st.sampled_from(
    ["list.example", "LIST.example:443", "목록.한국", "[::1]:8080", "127.0.0.1"]
)
URLS = st.builds(lambda host, path, query: f"https://{host}/{path}?{query}", HOSTS, PATHS, PATHS)


@given(URLS)
def test_the_normal_form_is_its_own_normal_form(url: str):
    normal = normal_url(url)

    assert normal_url(normal) == normal
    assert normal.isascii()
    assert normal.isprintable()


@given(URLS)
def test_with_dropped_parameters_it_is_too(url: str):
    dropped = frozenset({"a", "b"})

    normal = normal_url(url, dropped=dropped)

    assert normal_url(normal, dropped=dropped) == normal


@given(PARAMS, st.randoms(use_true_random=False))
def test_the_order_of_parameters_does_not_matter(params: list[tuple[str, str]], random):
    pieces = [f"{name}={value}" for name, value in params]
    shuffled = random.sample(pieces, len(pieces))

    assert normal_url(f"{SITE}/?{'&'.join(pieces)}") == normal_url(f"{SITE}/?{'&'.join(shuffled)}")


def naive_resource(url: str) -> tuple[object, ...]:
    """Read an address as a plain server does: resolve, then decode segment by segment."""
    parts = urlsplit(url)
    resolved: list[str] = []
    segments = [unquote(each, errors="surrogateescape") for each in parts.path[1:].split("/")]
    for segment in segments:
        if segment == "..":
            resolved = resolved[:-1]
        elif segment != ".":
            resolved.append(segment)
    if segments[-1] in {".", ".."}:
        resolved.append("")
    params = parse_qsl(parts.query, keep_blank_values=True, errors="surrogateescape")
    return resolved, sorted(params)


@given(PATHS, PATHS)
def test_the_normal_form_asks_for_the_same_resource(path: str, query: str):
    url = f"{SITE}/{path}?{query}"

    assert naive_resource(normal_url(url)) == naive_resource(url)


@given(st.text(st.characters()) | st.text(alphabet="htps:/[]@.%a1?;&# \\", max_size=20))
@example("http://[")
@example("https://a:1:2")
@example("http://\u2100.example/")
def test_nothing_but_a_value_error_is_raised(url: str):
    for candidate in (url, f"https://{url}", f"{SITE}/{url}"):
        try:
            normal = normal_url(candidate)
        except ValueError:
            continue
        assert normal_url(normal) == normal


# --- links -------------------------------------------------------------------------------------

NOTICE = f"{SITE}/bbs/21?page=3&limit=10"
RULES = LinkRules(
    base_url=SITE,
    scope=("/bbs/21", "/cmn/edms/down/*"),
    blocked=("/bbs/21/private", "/*mode=write"),
    dropped=frozenset({"jsessionid", "page", "limit", "searchyn"}),
)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/bbs/21/5", "/bbs/21/5"),
        ("/bbs/21/5?page=3&limit=10&searchYn=", "/bbs/21/5"),
        ("21/5", "/bbs/21/5"),
        ("./21/5", "/bbs/21/5"),
        ("../bbs/21/5", "/bbs/21/5"),
        ("?id=5", "/bbs/21?id=5"),
        ("https://list.example/bbs/21/5#body", "/bbs/21/5"),
        ("HTTPS://LIST.example:443/bbs/21/5", "/bbs/21/5"),
        ("//list.example/bbs/21/5", "/bbs/21/5"),
        ("/bbs/21/5;jsessionid=0A1B2C?page=3", "/bbs/21/5"),
        (" \n/bbs/21/5\t ", "/bbs/21/5"),
        ("/bbs/\r\n21/\t5", "/bbs/21/5"),
        ("/bbs/21/첨부 1.pdf", "/bbs/21/%EC%B2%A8%EB%B6%80%201.pdf"),
        ("/cmn/edms/down/abc-1", "/cmn/edms/down/abc-1"),
        ("/bbs/21/privately", "/bbs/21/privately"),
        ("/bbs/21/5?a=1&a=2&a=3&a=4", "/bbs/21/5?a=1&a=2&a=3&a=4"),
    ],
)
def test_a_link_inside_the_scope_is_followed_in_normal_form(href: str, url: str):
    assert follow_link(NOTICE, href, RULES) == SITE + url


@pytest.mark.parametrize(
    ("href", "reason"),
    [
        ("", "no_address"),
        (" \n ", "no_address"),
        ("#", "no_address"),
        (" #top", "no_address"),
        ("javascript:fn_view('5')", "no_address"),
        (" JavaScript:void(0);", "no_address"),
        ("java\nscript:void(0)", "no_address"),
        ("mailto:ra@list.example", "no_address"),
        ("tel:+82-2-000-0000", "no_address"),
        ("data:text/html,x", "no_address"),
        ("about:blank", "no_address"),
        ("https://list.example:port/bbs/21", "malformed"),
        ("https://[list.example/bbs/21", "malformed"),
        ("https://a..b/bbs/21", "malformed"),
        ("/bbs/21/\ud800", "malformed"),
        ("http://list.example/bbs/21/5", "other_host"),
        ("ftp://list.example/bbs/21/5", "other_host"),
        ("https://list.example:8443/bbs/21/5", "other_host"),
        ("https://www.list.example/bbs/21/5", "other_host"),
        ("//evil.example/bbs/21/5", "other_host"),
        ("https://user@list.example/bbs/21/5", "other_host"),
        ("https://list.example@evil.example/bbs/21/5", "other_host"),
        ("http:/bbs/21/5", "other_host"),
        ("/", "out_of_scope"),
        ("/login", "out_of_scope"),
        ("/bbs/210/5", "out_of_scope"),
        ("../pbp/L", "out_of_scope"),
        ("/cmn/edms/up/1", "out_of_scope"),
        ("/bbs/21/private", "blocked"),
        ("/bbs/21/private/5?x=1", "blocked"),
        ("/bbs/21//private/5", "blocked"),
        ("/bbs/21/private%2F5", "blocked"),
        ("/bbs/21/private;v=1/5", "blocked"),
        ("/bbs/21/%70rivate", "blocked"),
        ("/bbs/21/%2570rivate", "blocked"),
        ("/bbs/21/5?mode=write", "blocked"),
        ("/bbs/21/" + "x" * MAX_URL_BYTES, "too_long"),
        ("/bbs/21/" + "목" * 120, "too_long"),
        ("/bbs/21/" + "x" * MAX_HREF_CHARS, "too_long"),
        ("/bbs/21/%2e%2e/21/5", "trap"),
        ("/bbs/21/.%2e/21/5", "trap"),
        ("https://list.example/bbs/x/../21/5", "trap"),
        ("/bbs/21/..;v=1/5", "trap"),
        ("/bbs/21/%252e%252e/5", "trap"),
        ("\\\\evil.example\\bbs\\21", "trap"),
        ("/bbs/21/a\\b", "trap"),
        ("/bbs/21/a%5Cb", "trap"),
    ],
)
def test_any_other_link_is_refused_with_its_reason(href: str, reason: str):
    assert follow_link(NOTICE, href, RULES) == LinkRefusal(reason)


@pytest.mark.parametrize(
    ("path", "is_trap"),
    [
        ("/bbs/21/a/x/a", False),
        ("/bbs/21/a/x/a/y/a", True),  # a segment three times
        ("/bbs/21/a/a", False),
        ("/bbs/21/a/a/a", True),
        ("/bbs/21/a/b/a/b", True),  # a run of two again
        ("/bbs/21/a/b/x/a/b", True),
        ("/bbs/21/a/b/b/a", False),
        ("/bbs/21/bbs/21", True),  # a relative link that misses its first slash
        ("/bbs/21/1/2/3/4/5/6/7/8/9/10", False),  # 12 segments
        ("/bbs/21/1/2/3/4/5/6/7/8/9/10/", True),
        ("/bbs/21////", True),
        ("/bbs/21?" + "&".join(f"p{n}=" for n in range(24)), False),
        ("/bbs/21?" + "&".join(f"p{n}=" for n in range(25)), True),
        ("/bbs/21?a=1&a=2&a=3&a=4", False),
        ("/bbs/21?a=1&a=2&a=3&a=4&%41=5", True),
    ],
)
def test_ever_longer_addresses_of_one_page_are_a_trap(path: str, is_trap: bool):
    expected = LinkRefusal.TRAP if is_trap else normal_url(SITE + path)

    assert follow_link(NOTICE, path, RULES) == expected


def test_the_length_limit_is_that_of_the_normal_form():
    room = MAX_URL_BYTES - len(f"{SITE}/bbs/21/")
    longest = "/bbs/21/" + "x" * room

    assert follow_link(NOTICE, longest, RULES) == SITE + longest
    assert follow_link(NOTICE, f"{longest}x", RULES) is LinkRefusal.TOO_LONG
    assert follow_link(NOTICE, f"{longest};jsessionid=0A?page=3", RULES) == SITE + longest


def test_constant_parameters_win_over_the_links_own_and_are_not_dropped():
    rules = LinkRules(
        base_url=SITE,
        scope=("/",),
        dropped=frozenset({"page", "limit"}),
        params={"page": "1", "x": "a b&c", "": "z"},
    )

    assert follow_link(NOTICE, "/v?id=5&page=7&limit=10&x=2&X=3&%78=4", rules) == (
        f"{SITE}/v?=z&X=3&id=5&page=1&x=a+b%26c"
    )
    assert follow_link(NOTICE, "/v", rules) == f"{SITE}/v?=z&page=1&x=a+b%26c"


def test_a_rehearsal_host_with_a_port_is_a_host():
    rules = LinkRules(base_url="http://127.0.0.1:8000", scope=("/",))

    assert follow_link("http://127.0.0.1:8000/a", "b", rules) == "http://127.0.0.1:8000/b"
    assert follow_link("http://127.0.0.1:8000/a", "http://127.0.0.1/b", rules) == "other_host"


HREF_PIECES = [
    *"/.?&=;:#@%\\ \t", "..", "%2e", "%2F", "https://", "//", "evil.example", "list.example",
    "/bbs/21/", "bbs", "21", "5", "private", "목", "page=1", "jsessionid",
]  # fmt: skip
HREFS = st.one_of(
    st.text(st.characters(), max_size=30),
    st.lists(st.sampled_from(HREF_PIECES), max_size=8).map("".join),
    st.lists(st.sampled_from(HREF_PIECES), max_size=6).map(lambda each: f"/bbs/21/{''.join(each)}"),
)


@given(HREFS)
def test_no_link_leads_off_the_host_and_the_scope(href: str):
    found = follow_link(NOTICE, href, RULES)

    if isinstance(found, LinkRefusal):
        return
    parts = urlsplit(found)
    assert (parts.scheme, parts.netloc) == ("https", "list.example")
    assert is_in_paths(found, RULES.scope)
    assert not is_blocked(found, RULES.blocked)
    assert len(found.encode("ascii")) <= MAX_URL_BYTES
    assert not {".", ".."} & set(unquote(parts.path).split("/"))
    assert follow_link(found, found, RULES) == found


@given(st.sampled_from(["/bbs/21/", "21/", "./21/", "//list.example/bbs/21/"]), PATHS)
def test_a_followed_link_is_its_own_address(base: str, path: str):
    """The addresses that the wild ones above hardly ever make."""
    found = follow_link(NOTICE, base + path, RULES)

    if not isinstance(found, LinkRefusal):
        assert found.startswith(f"{SITE}/bbs/21")
        assert normal_url(found, dropped=RULES.dropped) == found
        assert follow_link(found, found, RULES) == found


@pytest.mark.parametrize(
    ("path", "is_refused"),
    [
        ("/a/admin", False),
        ("/admin", True),
        ("/admin?x", True),
        ("/administration", False),
        ("//admin/x", True),
        ("/%61dmin", True),
        ("/x/../admin", False),  # never gets here: refused before
        ("/a%2F", False),
        ("/%EB%AA%A9", True),
        ("/목/1", True),
    ],
)
def test_the_block_list_counts_for_what_a_lenient_server_reads(path: str, is_refused: bool):
    assert is_blocked(SITE + path, ("/admin", "/목")) is is_refused
