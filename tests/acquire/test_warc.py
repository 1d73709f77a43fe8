"""What is written is read back by the library's own reader, which checks every digest."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from dmf_crawler.acquire.raw_store import RawStore
from dmf_crawler.acquire.warc import write_warc
from dmf_crawler.errors import RawStoreError, StoredDataError, UsageError
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.run import KST, Run
from tests.fakes.world import START

BOARD = "mfds_notice"
RUN = Run(f"20261130T060000-{BOARD}", BOARD, START.astimezone(KST), date(2026, 11, 30))
LATER = Run(f"20261130T090000-{BOARD}", BOARD, START.astimezone(KST), date(2026, 11, 30))
URL = "https://site.example/bbs/21?page=1&limit=10"
BODY = "<p>공지</p>".encode()


@dataclass(frozen=True)
class Record:
    kind: str
    url: str | None
    headers: dict[str, str]
    line: str
    http: dict[str, str]
    payload: bytes


def read_warc(path: Path) -> list[Record]:
    records = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise", no_record_parse=False):
            headers = dict(record.rec_headers.headers)
            head = record.http_headers
            payload = record.raw_stream.read()
            records.append(
                Record(
                    record.rec_type,
                    headers.get("WARC-Target-URI"),
                    headers,
                    f"{head.protocol} {head.statusline}" if head else "",
                    dict(head.headers) if head else {},
                    payload,
                )
            )
    return records


def a_page(body: bytes = BODY, url: str = URL, kind: str = "list", **changes: Any) -> FetchedPage:
    values: dict[str, Any] = {
        "request": PageRequest(url, kind),
        "url": url,
        "status": 200,
        "request_headers": (("User-Agent", "DMF-Crawler/1.0"), ("Accept", "text/html")),
        "headers": (("Content-Type", "text/html;charset=UTF-8"), ("ETag", '"1"')),
        "body": body,
        "fetched_at": START,
        "elapsed_s": 0.5,
    }
    return FetchedPage(**(values | changes))


def export(store: RawStore, out: Path, run: Run = RUN) -> list[Record]:
    n_records = write_warc(store.folder(run), out, run_id=run.run_id, software="dmf-crawler/0")
    records = read_warc(out)
    assert len(records) == n_records
    return records


@pytest.fixture
def store(tmp_path: Path) -> RawStore:
    return RawStore(tmp_path / "raw")


def test_an_answer_becomes_a_response_and_its_request(store: RawStore, tmp_path: Path):
    store.put(RUN, a_page())

    info, response, request = export(store, tmp_path / "x.warc.gz")

    assert info.kind == "warcinfo"
    assert info.headers["WARC-Filename"] == "x.warc.gz"
    assert b"software: dmf-crawler/0\r\n" in info.payload
    assert f"isPartOf: {RUN.run_id}\r\n".encode() in info.payload
    assert (response.kind, response.url, response.line) == ("response", URL, "HTTP/1.1 200 OK")
    assert response.payload == BODY
    assert response.http == {
        "Content-Type": "text/html;charset=UTF-8",
        "ETag": '"1"',
        "Content-Length": str(len(BODY)),
    }
    assert response.headers["WARC-Date"] == "2026-11-29T21:00:00Z"
    assert response.headers["WARC-Payload-Digest"].startswith("sha1:")
    assert (request.kind, request.url) == ("request", URL)
    assert request.line == "GET /bbs/21?page=1&limit=10 HTTP/1.1"
    assert request.http == {
        "Host": "site.example",
        "User-Agent": "DMF-Crawler/1.0",
        "Accept": "text/html",
    }
    assert request.headers["WARC-Concurrent-To"] == response.headers["WARC-Record-ID"]


def test_what_described_the_transfer_is_kept_under_another_name(store: RawStore, tmp_path: Path):
    """The body is kept decoded; its received length would cut it."""
    headers = (
        ("content-encoding", "gzip"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "3"),
    )
    store.put(RUN, a_page(headers=headers))

    response = export(store, tmp_path / "x.warc.gz")[1]

    assert response.payload == BODY
    assert response.http == {
        "X-Archive-Orig-content-encoding": "gzip",
        "X-Archive-Orig-Transfer-Encoding": "chunked",
        "X-Archive-Orig-Content-Length": "3",
        "Content-Length": str(len(BODY)),
    }


def test_header_fields_keep_their_bytes(store: RawStore, tmp_path: Path):
    raw = 'attachment; filename="공고.pdf"'.encode().decode("latin-1")
    folded = "a\r\n b\x85c"
    store.put(RUN, a_page(headers=(("Content-Disposition", raw), ("X-Odd", folded), ("X-한", "1"))))
    out = tmp_path / "x.warc"

    response = export(store, out)[1]

    assert response.http["Content-Disposition"] == 'attachment; filename="공고.pdf"'
    assert response.http["X-Odd"] == "a   b\x85c"
    assert len(response.http) == 4
    assert 'filename="공고.pdf"'.encode() in out.read_bytes()


@pytest.mark.parametrize("url", ["https://site.example", "http://127.0.0.1:8080/a;b=c"])
def test_a_post_has_its_form_and_any_address_its_request_line(
    store: RawStore, tmp_path: Path, url: str
):
    request = PageRequest(url, "list", method="POST", body="page=2")
    store.put(RUN, a_page(request=request, url=url, status=599))

    _, response, request_record = export(store, tmp_path / "x.warc.gz")

    target = url.removeprefix("https://site.example").removeprefix("http://127.0.0.1:8080") or "/"
    assert response.line == "HTTP/1.1 599"
    assert request_record.line == f"POST {target} HTTP/1.1"
    assert request_record.payload == b"page=2"
    assert request_record.http["Content-Length"] == "6"


def test_a_redirect_names_where_it_began(store: RawStore, tmp_path: Path):
    store.put(RUN, a_page(url=f"{URL}&moved=1", request=PageRequest(URL, "list")))

    _, response, request, note = export(store, tmp_path / "x.warc.gz")

    assert response.url == request.url == note.url == f"{URL}&moved=1"
    assert note.kind == "metadata"
    assert note.payload == f"redirectedFrom: {URL}\r\n".encode()


def test_a_request_without_an_answer_is_told(store: RawStore, tmp_path: Path):
    asked = PageRequest(URL, "file")
    store.note_failure(RUN, asked, code="timeout", at=START, attempt=2)
    store.note_failure(RUN, asked, code="robots_disallowed", at=START, attempt=1, sent=False)

    _, failed, forbidden = export(store, tmp_path / "x.warc.gz")

    assert (failed.kind, failed.url) == ("metadata", URL)
    assert failed.payload == b"fetchError: timeout\r\nfetchAttempt: 2\r\nrequestSent: yes\r\n"
    assert b"requestSent: no" in forbidden.payload


def test_a_304_has_no_body_and_the_one_it_stands_for_lies_beside_it(
    store: RawStore, tmp_path: Path
):
    store.put(RUN, a_page(kind="detail"))
    store.put(LATER, a_page(kind="detail", status=304, headers=()), taken_from=RUN.run_id)

    _, response, request, resource, note = export(store, tmp_path / "x.warc.gz", LATER)

    assert (response.line, response.payload) == ("HTTP/1.1 304 Not Modified", b"")
    assert request.kind == "request"
    assert (resource.kind, resource.payload) == ("resource", BODY)
    assert resource.headers["Content-Type"] == "text/html;charset=UTF-8"
    assert f"bodyTakenFrom: run {RUN.run_id}," in note.payload.decode()
    assert hashlib.sha256(BODY).hexdigest() in note.payload.decode()
    ids = {response.headers["WARC-Record-ID"]}
    assert {each.headers["WARC-Concurrent-To"] for each in (request, resource, note)} == ids


def test_a_page_that_was_taken_over_says_who_asked_for_it(store: RawStore, tmp_path: Path):
    store.take_over(LATER, store.put(RUN, a_page()), store.folder(RUN), RUN.run_id)

    _, response, _, note = export(store, tmp_path / "x.warc.gz", LATER)

    assert response.payload == BODY
    assert note.payload.decode().startswith(f"requestSent: by run {RUN.run_id},")


def test_the_same_folder_gives_the_same_file(store: RawStore, tmp_path: Path):
    store.put(RUN, a_page())
    for folder in ("a", "b"):
        export(store, tmp_path / folder / "x.warc.gz")

    assert (tmp_path / "a/x.warc.gz").read_bytes() == (tmp_path / "b/x.warc.gz").read_bytes()


def test_the_name_says_whether_it_is_compressed(store: RawStore, tmp_path: Path):
    store.put(RUN, a_page())
    export(store, tmp_path / "x.warc")
    export(store, tmp_path / "x.warc.gz")

    unzipped = gzip.decompress((tmp_path / "x.warc.gz").read_bytes())
    assert unzipped == (tmp_path / "x.warc").read_bytes().replace(b": x.warc", b": x.warc.gz")


# --- refusals ------------------------------------------------------------------------------------


def test_a_file_that_is_there_is_not_overwritten(store: RawStore, tmp_path: Path):
    store.put(RUN, a_page())
    out = tmp_path / "x.warc.gz"
    out.write_bytes(b"evidence")

    with pytest.raises(UsageError, match="file_exists"):
        export(store, out)
    assert out.read_bytes() == b"evidence"


def test_damage_leaves_no_file_behind(store: RawStore, tmp_path: Path):
    store.put(RUN, a_page())
    next(store.folder(RUN).glob("*.gz")).write_bytes(b"")

    with pytest.raises(RawStoreError, match="raw_damaged"):
        export(store, tmp_path / "out" / "x.warc.gz")
    assert list((tmp_path / "out").iterdir()) == []


def test_an_index_without_a_line_is_no_evidence(store: RawStore, tmp_path: Path):
    store.put(RUN, a_page())
    (store.folder(RUN) / "index.jsonl").write_bytes(b'{"url":"h')

    with pytest.raises(RawStoreError, match="raw_damaged"):
        export(store, tmp_path / "x.warc.gz")


def test_a_folder_that_cannot_be_written_is_said(store: RawStore, tmp_path: Path):
    store.put(RUN, a_page())
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(StoredDataError, match="warc_not_written"):
        export(store, tmp_path / "file" / "x.warc.gz")
