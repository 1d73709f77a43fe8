"""Where a page leads, whether robots may follow, and what cannot be the file that was asked for."""

from __future__ import annotations

import pytest
from lxml.html import document_fromstring

from dmf_crawler.extract.links import judge_file, lets_follow, read_base
from dmf_crawler.model.page import PageRequest, RawPage
from dmf_crawler.model.run import Fault
from tests.fakes.world import START

URL = "http://127.0.0.1:8000/cmn/edms/down/DOC-1"
PAGE_URL = "http://127.0.0.1:8000/bbs/21/7?page=1"
BINARY = "application/octet-stream"
HTML = b"<!DOCTYPE html><html><body>x</body></html>"


def a_file(body: bytes, content_type: str = BINARY, file_name: str = "a.pdf") -> RawPage:
    return RawPage(
        request=PageRequest(URL, "file"),
        url=URL,
        status=200,
        content_type=content_type,
        sha256="0" * 64,
        body=body,
        fetched_at=START,
        file_name=file_name,
    )


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file",
    [
        a_file(b"%PDF-1.7 <html>"),
        a_file(b"%PDF-1.7", "text/html;charset=UTF-8"),
        a_file(b"PK\x03\x04", "text/plain", "a.hwpx"),
        a_file(b"\xd0\xcf\x11\xe0", "text/html", "a.hwp"),
        a_file(b"text up to a NUL\0", "text/html", "a.bin"),
        a_file(b"no markup", BINARY),
        a_file(b"about <html>", BINARY),
        a_file(b"no markup", "text/plain", "a.txt"),
        a_file(b"a,b", "text/csv", "a.CSV"),
        a_file(b"<?xml version='1.0'?><doc/>", "application/xml", "a.xml"),
        a_file(HTML, "text/html;charset=UTF-8", "안내.HTML"),
        a_file(HTML, BINARY, "a.htm"),
        a_file(b" " * 1024 + HTML),
        a_file("글".encode("utf-16")),
    ],
)
def test_what_may_be_the_file_is_taken(file):
    assert judge_file(file) is None


@pytest.mark.parametrize(
    "file",
    [
        a_file(HTML),
        a_file(b"\xef\xbb\xbf \r\n<HTML lang=ko>"),
        a_file(b"\n\t<head><title>x"),
        a_file(b"<body onload=x>"),
        a_file(b"<!doctype   HTML>"),
        a_file(b"<?xml version='1.0'?><error/>"),
        a_file("<html>로그인".encode("utf-16")),
        a_file(b"<script>location.href='/login'</script>"),
        a_file(b"<!-- maintenance --><p>x"),
        a_file(b'{"error": "login"}', "application/json"),
        a_file(b"please log in", "text/plain"),
        a_file(b"please log in", "text/html"),
        a_file(b"please log in", " Text/HTML ; charset=EUC-KR"),
        a_file(b"please log in", "application/xhtml+xml"),
        a_file(HTML, BINARY, "html"),
        a_file(HTML, BINARY, "a.html.pdf"),
    ],
)
def test_a_page_is_no_file_unless_the_file_is_a_page(file):
    fault = judge_file(file)
    assert fault is not None
    assert (fault.code, fault.exit_code) == ("not_the_file", 6)
    assert URL in fault.message


@pytest.mark.parametrize("name", ["a.pdf", "a.html"])
@pytest.mark.parametrize("body", [b"", b" \r\n"])
def test_nothing_is_no_file(body, name):
    fault = judge_file(a_file(body, "text/html", name))
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code) == ("empty_file", 6)


# --- the base of links ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "base"),
    [
        ("", PAGE_URL),
        ('<base target="_blank">', PAGE_URL),
        ('<base href="">', PAGE_URL),
        ('<base href=" /cmn/ ">', "http://127.0.0.1:8000/cmn/"),
        ('<base href="../x/">', "http://127.0.0.1:8000/bbs/x/"),
        (
            '<base target="_top"><base href="/one/"><base href="/two/">',
            "http://127.0.0.1:8000/one/",
        ),
        ('<base href="https://elsewhere.invalid/a/">', "https://elsewhere.invalid/a/"),
        ('<base href="http://[::1">', PAGE_URL),
    ],
)
def test_links_are_relative_to_the_first_base_that_has_an_address(head, base):
    document = document_fromstring(f"<html><head>{head}</head><body>x</body></html>")
    assert read_base(document, PAGE_URL) == base


# --- nofollow ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "lets"),
    [
        ("", True),
        ("noindex", True),
        ("index, follow", True),
        ("nofollow", False),
        ("NOINDEX,NOFOLLOW", False),
        ("noindex nofollow", False),
        ("noindex;nofollow", False),
        ("noindex|none", False),
        (" none ", False),
        ("max-image-preview:none", True),
        ("max-image-preview: none, noindex", True),
        ("max-snippet:-1, nofollow", False),
        ("nofollowing", True),
    ],
)
def test_a_meta_of_a_page_asks_us_not_to_follow(content, lets):
    document = document_fromstring(
        f'<html><head><meta name=" Robots " content="{content}"></head><body>x</body></html>'
    )
    assert lets_follow(document, "DMF-Crawler") is lets


@pytest.mark.parametrize(
    ("name", "lets"), [("dmf-crawler", False), ("googlebot", True), ("", True)]
)
def test_a_meta_for_another_robot_is_not_for_us(name, lets):
    document = document_fromstring(f'<html><meta name="{name}" content="none"><p>x</html>')
    assert lets_follow(document, "DMF-Crawler") is lets
