from __future__ import annotations

from dmf_crawler.acquire.identity import describe_identity, make_headers
from dmf_crawler.settings import Identity


def test_headers_are_constant_and_name_us():
    assert make_headers(Identity(contact="ra@pharm.example")) == (
        ("User-Agent", "DMF-Crawler/1.0 (+mailto:ra@pharm.example)"),
        ("Accept-Language", "ko-KR,ko;q=0.9"),
        ("Accept", "text/html,application/xhtml+xml"),
    )
    assert make_headers(Identity(product_token="X"))[0] == ("User-Agent", "X/1.0")


def test_who_asks_is_told_on_one_line_without_a_secret():
    identity = Identity(contact="ra@pharm.example")

    assert describe_identity(identity, "http://proxy.pharm.example:8080") == (
        "User-Agent: DMF-Crawler/1.0 (+mailto:ra@pharm.example); Accept-Language: ko-KR,ko;q=0.9; "
        "Accept: text/html,application/xhtml+xml; proxy: http://proxy.pharm.example:8080"
    )
    assert "proxy" not in describe_identity(identity, "")
