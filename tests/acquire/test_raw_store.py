from __future__ import annotations

import gzip
import hashlib
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.acquire.raw_store import RawStore, verify_run
from dmf_crawler.errors import RawStoreError
from dmf_crawler.model.page import FetchedPage, PageRequest
from dmf_crawler.model.run import KST, Run
from tests.fakes.world import START

RUN = Run(
    run_id="20261130T060000-dmf_registry",
    board_id="dmf_registry",
    started_at=START.astimezone(KST),
    day=date(2026, 11, 30),
)
URL = "https://list.example/pbp/L?page=1"
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


def a_page(body: bytes = b"<p>1</p>", url: str = URL, **changes: Any) -> FetchedPage:
    values: dict[str, Any] = {
        "request": PageRequest(url, "list", page_no=1, pass_no=2),
        "url": f"{url}&moved=1",
        "status": 200,
        "request_headers": (("Accept", "text/html"),),
        "headers": (("Content-Type", "text/html;charset=euc-kr"), ("ETag", '"ü"')),
        "body": body,
        "fetched_at": START,
        "elapsed_s": 0.12345,
        "attempt": 3,
    }
    return FetchedPage(**(values | changes))


def index_of(store: RawStore) -> Path:
    return store.folder(RUN) / "index.jsonl"


def read_index(store: RawStore) -> list[dict[str, Any]]:
    return [json.loads(line) for line in index_of(store).read_text(encoding="utf-8").splitlines()]


def test_a_run_has_a_folder_of_its_day_and_board(tmp_path: Path):
    assert RawStore(tmp_path).folder(RUN) == tmp_path / "2026-11-30/dmf_registry" / RUN.run_id


def test_a_page_comes_back_from_disk_as_it_was(tmp_path: Path):
    store, page = RawStore(tmp_path), a_page()

    kept = store.put(RUN, page)

    assert kept.request == page.request
    assert (kept.url, kept.status, kept.body, kept.attempt) == (page.url, 200, page.body, 3)
    assert kept.content_type == "text/html;charset=euc-kr"
    assert kept.sha256 == hashlib.sha256(page.body).hexdigest()
    assert kept.fetched_at == START
    assert list(store.pages(store.folder(RUN))) == [kept]


def test_the_index_line_has_every_key_of_the_contract(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_page())
    sha256 = hashlib.sha256(b"<p>1</p>").hexdigest()

    assert read_index(store) == [
        {
            "url": URL,
            "method": "GET",
            "body": None,
            "kind": "list",
            "page_no": 1,
            "pass_no": 2,
            "attempt": 3,
            "fetched_at": "2026-11-30T06:00:00+09:00",
            "status": 200,
            "final_url": f"{URL}&moved=1",
            "request_headers": [["Accept", "text/html"]],
            "headers": [["Content-Type", "text/html;charset=euc-kr"], ["ETag", '"ü"']],
            "sha256": sha256,
            "bytes": 8,
            "file": f"{sha256[:16]}.html.gz",
            "elapsed_s": 0.123,
        }
    ]


def test_a_request_without_answer_is_a_line_without_digest_and_no_page(tmp_path: Path):
    store = RawStore(tmp_path)
    request = PageRequest(URL, "list", 2, method="POST", body="page=2")

    store.note_failure(RUN, request, code="timeout", at=START, attempt=1)

    assert read_index(store) == [
        {
            "url": URL,
            "method": "POST",
            "body": "page=2",
            "kind": "list",
            "page_no": 2,
            "pass_no": 1,
            "attempt": 1,
            "fetched_at": "2026-11-30T06:00:00+09:00",
            "code": "timeout",
        }
    ]
    assert list(store.pages(store.folder(RUN))) == []
    assert store.verify() == []


def test_the_same_bytes_make_the_same_file(tmp_path: Path):
    """F5: a gzip header with the clock in it made a new file of the same page."""
    files = []
    for name in ("a", "b"):
        store = RawStore(tmp_path / name)
        store.put(RUN, a_page())
        files.append(next(store.folder(RUN).glob("*.gz")).read_bytes())

    assert files[0] == files[1]
    assert files[0][4:8] == b"\0\0\0\0"


def test_the_same_bytes_again_are_kept_once_and_noted_twice(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_page(url=f"{URL}&n=1"))
    path = next(store.folder(RUN).glob("*.gz"))
    before = path.stat().st_mtime_ns

    store.put(RUN, a_page(url=f"{URL}&n=2"))

    assert list(store.folder(RUN).glob("*.gz")) == [path]
    assert path.stat().st_mtime_ns == before
    assert [page.request.url for page in store.pages(store.folder(RUN))] == [
        f"{URL}&n=1",
        f"{URL}&n=2",
    ]


def test_the_same_address_again_never_overwrites(tmp_path: Path):
    """F6: the second fetch of an address once replaced the evidence of the first."""
    store = RawStore(tmp_path)

    store.put(RUN, a_page(b"first"))
    store.put(RUN, a_page(b"second"))

    assert [page.body for page in store.pages(store.folder(RUN))] == [b"first", b"second"]


def test_a_taken_name_gets_more_digits(tmp_path: Path):
    store = RawStore(tmp_path)
    store.folder(RUN).mkdir(parents=True)
    for n_digits in (16, 20):
        taken = store.folder(RUN) / f"{EMPTY_SHA256[:n_digits]}.html.gz"
        taken.write_bytes(gzip.compress(b"another page"))

    store.put(RUN, a_page(b""))

    assert read_index(store)[0]["file"] == f"{EMPTY_SHA256[:24]}.html.gz"
    assert [page.body for page in store.pages(store.folder(RUN))] == [b""]


def test_a_damaged_file_of_that_name_stays_for_verify_to_find(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_page(b""))
    damaged = store.folder(RUN) / f"{EMPTY_SHA256[:16]}.html.gz"
    damaged.write_bytes(b"not gzip")

    store.put(RUN, a_page(b""))

    assert damaged.read_bytes() == b"not gzip"
    assert [problem.path for problem in store.verify()] == [damaged]


def test_when_every_name_is_taken_nothing_is_overwritten(tmp_path: Path):
    store = RawStore(tmp_path)
    store.folder(RUN).mkdir(parents=True)
    for n_digits in range(16, 65, 4):
        (store.folder(RUN) / f"{EMPTY_SHA256[:n_digits]}.html.gz").write_bytes(b"junk")

    with pytest.raises(RawStoreError, match="raw_damaged"):
        store.put(RUN, a_page(b""))


def test_a_disk_that_cannot_be_written_is_said_in_korean(tmp_path: Path):
    (tmp_path / "2026-11-30").write_text("a file where the folder should be", encoding="utf-8")
    store = RawStore(tmp_path)

    with pytest.raises(RawStoreError, match=r"raw_unwritable.*저장하지 못했습니다") as caught:
        store.put(RUN, a_page())
    assert caught.value.exit_code == 5
    with pytest.raises(RawStoreError, match="raw_unwritable"):
        store.note_failure(RUN, a_page().request, code="timeout", at=START, attempt=1)


# --- damage ------------------------------------------------------------------------------------


def test_a_cut_last_line_of_a_killed_process_is_ignored(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_page(b"1"))
    store.put(RUN, a_page(b"2"))
    whole = index_of(store).read_bytes()
    first_line = whole.index(b"\n") + 1

    for length in range(first_line, len(whole) - 1):
        index_of(store).write_bytes(whole[:length])
        assert [page.body for page in store.pages(store.folder(RUN))] == [b"1"]
        assert store.verify() == []


def test_a_whole_last_line_without_its_line_end_counts(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_page(b"1"))
    index_of(store).write_bytes(index_of(store).read_bytes().rstrip(b"\n"))

    assert [page.body for page in store.pages(store.folder(RUN))] == [b"1"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[:40],
        lambda line: b"",
        lambda line: b"{}",
        lambda line: line.replace(b'.html.gz"', b'.html"'),
        lambda line: line.replace(b'"file":"', b'"file":"../'),
        lambda line: line.replace(b'"status":200', b'"status":"200"'),
        lambda line: line.replace(b"+09:00", b""),
        lambda line: line.replace(b"list.example", b"\xff"),
    ],
    ids=["cut", "empty", "no keys", "no page name", "path", "type", "no zone", "no utf-8"],
)
def test_any_other_bad_line_is_an_error(tmp_path: Path, damage: Any):
    store = RawStore(tmp_path)
    store.put(RUN, a_page(b"1"))
    store.put(RUN, a_page(b"2"))
    first, second = index_of(store).read_bytes().splitlines()
    index_of(store).write_bytes(damage(first) + b"\n" + second + b"\n")

    with pytest.raises(RawStoreError, match="1번째 줄"):
        list(store.pages(store.folder(RUN)))
    assert [problem.path for problem in store.verify()] == [index_of(store)]


def test_a_run_without_index_has_no_pages(tmp_path: Path):
    store = RawStore(tmp_path)
    store.folder(RUN).mkdir(parents=True)

    with pytest.raises(RawStoreError, match=r"index\.jsonl"):
        list(store.pages(store.folder(RUN)))


@pytest.mark.parametrize("left", [(), ("1.tmp",), ("1.html.gz",), ("1.html.gz", "2.tmp")])
def test_what_a_process_killed_before_its_first_line_leaves_is_no_damage(
    tmp_path: Path, left: tuple[str, ...]
):
    store = RawStore(tmp_path)
    store.folder(RUN).mkdir(parents=True)
    for name in left:
        (store.folder(RUN) / name).write_bytes(b"")

    assert store.verify() == []


def test_a_lost_index_is_found(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_page(b"1"))
    store.put(RUN, a_page(b"2"))
    index_of(store).unlink()

    assert [problem.path for problem in store.verify()] == [index_of(store)]


@pytest.mark.parametrize(
    "content", [None, b"", b"junk", gzip.compress(b"other"), gzip.compress(b"<p>1</p>")[:-9]]
)
def test_a_page_that_is_missing_or_other_than_its_digest_is_an_error(
    tmp_path: Path, content: bytes | None
):
    store = RawStore(tmp_path)
    store.put(RUN, a_page())
    path = next(store.folder(RUN).glob("*.gz"))
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)

    with pytest.raises(RawStoreError, match="raw_damaged"):
        list(store.pages(store.folder(RUN)))
    (problem,) = verify_run(store.folder(RUN))
    assert problem.path == path
    assert path.name in problem.what


def test_every_flipped_byte_of_a_page_is_found(tmp_path: Path):
    """Header fields of gzip that carry nothing (time, system) are the only ones that may pass."""
    store = RawStore(tmp_path)
    store.put(RUN, a_page(b"<table><tr><td>1</td></tr></table>"))
    path = next(store.folder(RUN).glob("*.gz"))
    whole = path.read_bytes()

    silent = []
    for position in range(len(whole)):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0x01]) + whole[position + 1 :])
        if not store.verify():
            silent.append(position)

    assert set(silent) <= {3, 4, 5, 6, 7, 8, 9}


def test_verify_names_every_problem_of_every_run(tmp_path: Path):
    store = RawStore(tmp_path)
    other = Run("20261201T060000-b", "b", RUN.started_at, date(2026, 12, 1))
    for run in (other, RUN):
        store.put(run, a_page(b"1"))
        store.put(run, a_page(b"2"))
        for path in store.folder(run).glob("*.gz"):
            path.write_bytes(b"")

    assert [problem.path.parent for problem in store.verify()] == [store.folder(RUN)] * 2 + [
        store.folder(other)
    ] * 2


def test_an_empty_store_verifies(tmp_path: Path):
    (tmp_path / "README.md").write_text("raw", encoding="utf-8")

    assert RawStore(tmp_path).verify() == []
    assert RawStore(tmp_path / "missing").verify() == []


# --- the day's budget --------------------------------------------------------------------------


def test_requests_of_a_day_are_counted_over_runs_and_boards_by_host(tmp_path: Path):
    store = RawStore(tmp_path)
    second = Run("20261130T070000-other", "other", RUN.started_at, RUN.day)
    tomorrow = Run("20261201T060000-other", "other", RUN.started_at, date(2026, 12, 1))
    store.put(RUN, a_page())
    store.put(RUN, a_page(status=503))
    store.note_failure(second, a_page().request, code="timeout", at=START, attempt=1)
    store.put(second, a_page(url="https://OTHER.example:8443/x"))
    store.put(tomorrow, a_page())

    assert store.n_requests(RUN.day, "list.example") == 3
    assert store.n_requests(RUN.day, "Other.example") == 1
    assert store.n_requests(date(2026, 12, 1), "list.example") == 1
    assert store.n_requests(date(2026, 12, 2), "list.example") == 0


@pytest.mark.parametrize("text", [b'{"url":"https://list.ex', b"\xff", b'{"url":"https://[x"}'])
def test_a_line_that_cannot_be_read_counts(tmp_path: Path, text: bytes):
    store = RawStore(tmp_path)
    store.put(RUN, a_page())
    with index_of(store).open("ab") as file:
        file.write(text)

    assert store.n_requests(RUN.day, "list.example") == 2


@given(
    body=st.binary(max_size=200),
    headers=st.lists(st.tuples(st.text(max_size=5), st.text(max_size=10)), max_size=3),
)
def test_any_bytes_and_headers_come_back(
    tmp_path_factory: pytest.TempPathFactory, body: bytes, headers: list[tuple[str, str]]
):
    store = RawStore(tmp_path_factory.mktemp("raw"))
    moment = datetime(2026, 1, 1, 12, 30, 15, 999_999, tzinfo=UTC)

    kept = store.put(RUN, a_page(body, headers=tuple(headers), fetched_at=moment))

    assert kept.body == body
    assert kept.fetched_at == moment.replace(microsecond=0)
    assert list(store.pages(store.folder(RUN))) == [kept]
