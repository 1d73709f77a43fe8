from __future__ import annotations

import pytest

from dmf_crawler.acquire.urls import is_in_scope, resolve_redirect

PAGE = "https://list.example/pbp/L/getList?page=1"


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


@pytest.mark.parametrize(
    ("path", "scope", "is_in"),
    [
        ("/pbp/L", ("/pbp/L",), True),
        ("/pbp/L/getList", ("/pbp/L",), True),
        ("/pbp/L?page=2", ("/pbp/L",), True),
        ("/pbp/List", ("/pbp/L",), False),
        ("/pbp", ("/pbp/L",), False),
        ("/login", ("/pbp/L", "/bbs"), False),
        ("/bbs/1", ("/pbp/L", "/bbs/"), True),
        ("", ("/",), True),
        ("/x", (), False),
    ],
)
def test_the_scope_is_a_prefix_of_whole_segments(path: str, scope: tuple[str, ...], is_in: bool):
    assert is_in_scope(f"https://list.example{path}", scope) is is_in
