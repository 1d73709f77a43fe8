from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.acquire.raw_folder import act_patiently
from dmf_crawler.acquire.raw_store import RawStore, verify_run
from dmf_crawler.errors import RawStoreError
from dmf_crawler.model.page import FailedRequest, FetchedPage, PageRequest, RawPage
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
        taken.write_bytes(gzip.compress(b"another page", mtime=0))

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
    "content",
    [
        None,
        b"",
        b"junk",
        gzip.compress(b"other", mtime=0),
        gzip.compress(b"<p>1</p>", mtime=0)[:-9],
    ],
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


# --- files -------------------------------------------------------------------------------------

FILE_URL = "https://list.example/cmn/edms/down/1OY4z"
PDF = b"%PDF-1.7 \x00\xff"
DISPOSITION = 'attachment; filename="공고.pdf"'.encode().decode("latin-1")


def a_file(body: bytes = PDF, **changes: Any) -> FetchedPage:
    changes = {"headers": (("Content-Disposition", DISPOSITION),)} | changes
    values: dict[str, Any] = {"request": PageRequest(FILE_URL, "file")}
    page = a_page(body, **(values | changes))
    return dataclasses.replace(page, url=FILE_URL)


def test_a_file_lies_as_it_is_under_its_safe_name(tmp_path: Path):
    store = RawStore(tmp_path)

    kept = store.put(RUN, a_file())

    digits = hashlib.sha256(PDF).hexdigest()[:16]
    assert (store.folder(RUN) / "files" / f"{digits}_공고.pdf").read_bytes() == PDF
    assert read_index(store)[0]["file"] == f"files/{digits}_공고.pdf"
    assert (kept.file_name, kept.body) == ("공고.pdf", PDF)
    assert list(store.pages(store.folder(RUN))) == [kept]
    assert store.verify() == []


def test_a_file_without_a_name_has_that_of_its_address(tmp_path: Path):
    assert RawStore(tmp_path).put(RUN, a_file(headers=())).file_name == "1OY4z"


def test_the_same_bytes_under_two_names_are_two_files_and_under_one_are_one(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_file())
    store.put(RUN, a_file())
    store.put(RUN, a_file(headers=()))

    assert len(list((store.folder(RUN) / "files").iterdir())) == 2


@pytest.mark.parametrize("status", [302, 304, 404, 500])
def test_an_answer_that_is_no_file_is_kept_like_a_page(tmp_path: Path, status: int):
    store = RawStore(tmp_path)

    kept = store.put(RUN, a_file(b"<p>no</p>", status=status))

    assert kept.file_name == ""
    assert not (store.folder(RUN) / "files").exists()


@pytest.mark.parametrize("content", [None, b"", PDF + b"\n"])
def test_a_file_that_is_missing_or_changed_is_found(tmp_path: Path, content: bytes | None):
    store = RawStore(tmp_path)
    store.put(RUN, a_file())
    path = next((store.folder(RUN) / "files").iterdir())
    path.unlink()
    if content is not None:
        path.write_bytes(content)

    assert [problem.path for problem in store.verify()] == [path]


def test_a_file_whose_name_is_taken_gets_more_digits(tmp_path: Path):
    store = RawStore(tmp_path)
    sha256 = hashlib.sha256(PDF).hexdigest()
    taken = store.folder(RUN) / "files" / f"{sha256[:16]}_공고.pdf"
    taken.parent.mkdir(parents=True)
    taken.write_bytes(b"other")

    store.put(RUN, a_file())

    assert read_index(store)[0]["file"] == f"files/{sha256[:20]}_공고.pdf"
    assert taken.read_bytes() == b"other"


def test_one_file_without_an_index_is_what_a_kill_leaves_and_two_are_a_lost_index(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_file())
    index_of(store).unlink()
    (store.folder(RUN) / "files" / "x.tmp").write_bytes(b"")
    assert store.verify() == []

    store.put(RUN, a_file(b"2"))
    index_of(store).unlink()
    assert [problem.path for problem in store.verify()] == [index_of(store)]


# --- bodies of an earlier run ------------------------------------------------------------------

LATER = Run("20261201T060000-dmf_registry", "dmf_registry", RUN.started_at, date(2026, 12, 1))
LAST = Run("20261202T060000-dmf_registry", "dmf_registry", RUN.started_at, date(2026, 12, 2))


def test_a_304_keeps_the_earlier_body_and_the_fields_that_it_did_not_repeat(tmp_path: Path):
    """RFC 9111, 3.2: without its Content-Type the body would be decoded otherwise."""
    store = RawStore(tmp_path)
    first = store.put(RUN, a_page())
    headers = (("etag", '"2"'), ("Date", "x"))

    kept = store.put(LATER, a_page(status=304, headers=headers), taken_from=RUN.run_id)

    assert (kept.status, kept.taken_from, kept.body) == (304, RUN.run_id, first.body)
    assert kept.headers == (*headers, ("Content-Type", "text/html;charset=euc-kr"))
    assert kept.content_type == first.content_type
    line = json.loads((store.folder(LATER) / "index.jsonl").read_bytes())
    assert line["headers"] == [["etag", '"2"'], ["Date", "x"]]
    assert line["stored_headers"] == [["Content-Type", "text/html;charset=euc-kr"]]
    assert list(store.pages(store.folder(LATER))) == [kept]


def test_a_304_takes_the_fields_of_its_own_address(tmp_path: Path):
    """Two addresses may give the same bytes under different names."""
    store = RawStore(tmp_path)
    store.put(RUN, a_file())
    twin = PageRequest(f"{FILE_URL}?twin", "file")
    store.put(RUN, a_file(request=twin, headers=(("Content-Disposition", "a; filename=b.pdf"),)))

    kept = store.put(LATER, a_file(status=304, headers=()), taken_from=RUN.run_id)

    assert kept.file_name == "공고.pdf"


def test_a_304_of_a_file_keeps_its_name_over_any_number_of_runs(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_file())
    store.put(LATER, a_file(status=304, headers=()), taken_from=RUN.run_id)

    kept = RawStore(tmp_path).put(LAST, a_file(status=304, headers=()), taken_from=LATER.run_id)

    assert (kept.file_name, kept.body) == ("공고.pdf", PDF)
    assert kept.header("content-disposition") == DISPOSITION


def test_a_304_whose_earlier_run_is_gone_is_kept_with_what_it_says_itself(tmp_path: Path):
    store = RawStore(tmp_path)
    store.put(RUN, a_file(b"other"))
    for run_id in (RUN.run_id, "gone"):
        kept = store.put(LATER, a_file(status=304, headers=()), taken_from=run_id)
        assert (kept.file_name, kept.headers, kept.body) == ("1OY4z", (), PDF)
    store.folder(LAST).mkdir(parents=True)
    assert store.put(RUN, a_file(status=304), taken_from=LAST.run_id).body == PDF


def refuse_link(existing: Path, new: Path) -> None:
    raise OSError(1, "no links here", str(new), None, str(existing))


@pytest.mark.parametrize("can_link", [True, False], ids=["linked", "copied"])
@pytest.mark.parametrize("page", [a_page(), a_file()], ids=["page", "file"])
def test_a_page_that_is_taken_over_is_as_it_was(tmp_path: Path, page: FetchedPage, can_link: bool):
    store = RawStore(tmp_path) if can_link else RawStore(tmp_path, link=refuse_link)
    first = store.put(RUN, page)

    kept = store.take_over(LATER, first, store.folder(RUN), RUN.run_id)

    assert kept == dataclasses.replace(first, taken_from=RUN.run_id)
    assert list(store.pages(store.folder(LATER))) == [kept]
    indexes = [store.folder(run) / "index.jsonl" for run in (RUN, LATER)]
    before, after = (json.loads(index.read_bytes()) for index in indexes)
    assert after == before | {"sent": False, "taken_from": RUN.run_id}
    bodies = [store.folder(run) / before["file"] for run in (RUN, LATER)]
    assert bodies[0].samefile(bodies[1]) is can_link
    assert store.verify() == []


def test_a_page_taken_over_twice_names_the_run_that_asked_for_it(tmp_path: Path):
    store = RawStore(tmp_path)
    page = store.take_over(LATER, store.put(RUN, a_page()), store.folder(RUN), RUN.run_id)

    kept = store.take_over(LAST, page, store.folder(LATER), LATER.run_id)

    assert kept.taken_from == RUN.run_id


def test_a_body_that_is_there_already_is_not_written_again(tmp_path: Path):
    store = RawStore(tmp_path)
    pages = [store.put(RUN, a_page(url=f"{URL}&n={n}")) for n in (1, 2)]

    kept = [store.take_over(LATER, page, store.folder(RUN), RUN.run_id) for page in pages]

    assert [page.request for page in kept] == [page.request for page in pages]
    assert len(list(store.folder(LATER).glob("*.gz"))) == 1


def test_of_several_answers_of_one_address_the_very_one_is_taken_over(tmp_path: Path):
    store = RawStore(tmp_path)
    for attempt in (1, 2):
        store.put(RUN, a_page(attempt=attempt))
    second = list(store.pages(store.folder(RUN)))[1]

    assert store.take_over(LATER, second, store.folder(RUN), RUN.run_id).attempt == 2


def test_what_is_not_there_or_damaged_is_not_taken_over(tmp_path: Path):
    store = RawStore(tmp_path)
    page = store.put(RUN, a_page())
    with pytest.raises(RawStoreError, match="raw_damaged"):
        store.take_over(LATER, dataclasses.replace(page, attempt=9), store.folder(RUN), RUN.run_id)
    with pytest.raises(RawStoreError, match="raw_damaged"):
        RawStore(tmp_path).take_over(LATER, page, store.folder(LAST), LAST.run_id)

    path = next(store.folder(RUN).glob("*.gz"))
    path.write_bytes(b"junk")
    with pytest.raises(RawStoreError, match="raw_damaged"):
        store.take_over(LATER, page, store.folder(RUN), RUN.run_id)
    path.unlink()
    with pytest.raises(RawStoreError, match="raw_damaged"):
        store.take_over(LAST, page, store.folder(RUN), RUN.run_id)


def test_a_body_is_found_by_its_digest(tmp_path: Path):
    store = RawStore(tmp_path)
    folder = store.folder(RUN)
    page, file = store.put(RUN, a_page()), store.put(RUN, a_file())
    (folder / f"{page.sha256[:16]}.html.gz").rename(folder / f"{page.sha256[:24]}.html.gz")

    assert store.find_body(folder, page.sha256) == page.body
    assert store.find_body(folder, file.sha256) == PDF
    assert store.find_file(folder, page.sha256) == (
        folder / f"{page.sha256[:24]}.html.gz",
        page.body,
    )
    assert store.find_body(folder, EMPTY_SHA256) is None
    assert store.find_file(folder, EMPTY_SHA256) is None
    assert store.find_body(tmp_path / "gone", page.sha256) is None


@pytest.mark.parametrize("content", [b"junk", gzip.compress(b"other", mtime=0), b""])
def test_a_damaged_body_is_not_found(tmp_path: Path, content: bytes):
    store = RawStore(tmp_path)
    page = store.put(RUN, a_page())
    next(store.folder(RUN).glob("*.gz")).write_bytes(content)

    assert store.find_body(store.folder(RUN), page.sha256) is None


def test_answers_are_told_without_their_bodies_as_far_as_they_can_be_read(tmp_path: Path):
    store = RawStore(tmp_path)
    pages = [store.put(RUN, page) for page in (a_page(), a_file())]
    with index_of(store).open("ab") as file:
        file.write(b"junk\n")
    next(store.folder(RUN).glob("*.gz")).unlink()

    answers = list(store.answers(store.folder(RUN)))

    assert answers == [dataclasses.replace(page, body=b"") for page in pages]
    assert list(store.answers(store.folder(LATER))) == []


def test_failures_are_told_with_their_requests(tmp_path: Path):
    store = RawStore(tmp_path)
    request = PageRequest(FILE_URL, "file")
    store.put(RUN, a_page())
    store.note_failure(RUN, request, code="oversize", at=START, attempt=1)
    store.note_failure(RUN, request, code="robots_disallowed", at=START, attempt=1, sent=False)

    told = list(store.visits(store.folder(RUN)))
    assert isinstance(told[0], RawPage)
    assert told[1:] == [
        FailedRequest(request, "oversize"),
        FailedRequest(request, "robots_disallowed"),
    ]
    without_body = dataclasses.replace(told[0], body=b"")
    assert list(store.told_visits(store.folder(RUN))) == [without_body, *told[1:]]
    assert list(store.told_visits(store.folder(LATER))) == []
    assert store.has_index(store.folder(RUN))
    assert not store.has_index(store.folder(LATER))


def test_digests_are_those_of_the_answers_in_order(tmp_path: Path):
    store = RawStore(tmp_path)
    page, file = store.put(RUN, a_page()), store.put(RUN, a_file())
    store.note_failure(RUN, page.request, code="timeout", at=START, attempt=1)

    assert store.digests(store.folder(RUN)) == (page.sha256, file.sha256)
    assert store.digests(store.folder(LATER)) == ()


def test_what_was_not_sent_does_not_count_for_the_day(tmp_path: Path):
    """A 304 was asked for, whatever its body; what was taken over or forbidden was not."""
    store = RawStore(tmp_path)
    second = dataclasses.replace(RUN, run_id="20261130T090000-dmf_registry")
    page = store.put(RUN, a_page())
    not_modified = store.put(RUN, a_page(status=304), taken_from=RUN.run_id)
    store.note_failure(RUN, page.request, code="robots_disallowed", at=START, attempt=1, sent=False)
    assert store.n_requests(RUN.day, "list.example") == 2

    for each in (page, not_modified):
        store.take_over(second, each, store.folder(RUN), RUN.run_id)

    assert store.n_requests(RUN.day, "list.example") == 2


def test_a_folder_that_is_being_removed_is_not_verified(tmp_path: Path):
    store = RawStore(tmp_path)
    for n in (1, 2):
        store.put(RUN, a_page(str(n).encode()))
    index_of(store).unlink()
    assert len(store.verify()) == 1

    store.folder(RUN).rename(store.folder(RUN).with_name(f"{RUN.run_id}.pruned"))

    assert store.verify() == []


def test_an_index_that_cannot_be_read_is_named_and_never_counted_as_nothing(tmp_path: Path):
    store = RawStore(tmp_path)
    (store.folder(RUN) / "index.jsonl").mkdir(parents=True)

    with pytest.raises(RawStoreError, match="raw_damaged"):
        store.n_requests(RUN.day, "list.example")


# --- files that another program holds ----------------------------------------------------------


class Scanner:
    """Holds every file in a folder until somebody has waited twice."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waits_s: list[float] = []
        read_bytes = Path.read_bytes

        def read(path: Path) -> bytes:
            if len(self.waits_s) < 2:
                raise PermissionError(13, "WinError 32", str(path))
            return read_bytes(path)

        monkeypatch.setattr(Path, "read_bytes", read)


def test_a_kept_body_that_is_held_for_a_moment_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    page = RawStore(tmp_path).put(RUN, a_page())
    scanner = Scanner(monkeypatch)
    store = RawStore(tmp_path, sleep=scanner.waits_s.append)

    assert store.find_body(store.folder(RUN), page.sha256) == page.body
    assert len(scanner.waits_s) == 2


def test_a_held_body_is_not_taken_for_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It would be written a second time under a longer name."""
    RawStore(tmp_path).put(RUN, a_page())
    scanner = Scanner(monkeypatch)
    store = RawStore(tmp_path, sleep=scanner.waits_s.append)

    store.put(RUN, a_page())

    assert len(scanner.waits_s) == 2
    assert len(list(store.folder(RUN).glob("*.gz"))) == 1


def test_a_held_body_is_taken_over_where_it_cannot_be_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(_source: Path, _target: Path) -> None:
        raise OSError(18, "other disk")

    page = RawStore(tmp_path).put(RUN, a_page())
    waits_s: list[float] = []
    store = RawStore(tmp_path, sleep=waits_s.append, link=refuse)
    assert list(store.answers(store.folder(RUN)))  # the index is at hand
    scanner = Scanner(monkeypatch)
    scanner.waits_s = waits_s

    assert store.take_over(LATER, page, store.folder(RUN), RUN.run_id).body == page.body
    assert len(waits_s) == 2


def test_a_held_index_of_the_day_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    RawStore(tmp_path).put(RUN, a_page())
    scanner = Scanner(monkeypatch)
    store = RawStore(tmp_path, sleep=scanner.waits_s.append)

    assert store.n_requests(RUN.day, "list.example") == 1


def test_a_file_that_is_held_for_a_moment_is_waited_for():
    waits: list[float] = []

    def act() -> str:
        if len(waits) < 6:
            raise PermissionError(13, "WinError 32")
        return "done"

    assert act_patiently(act, waits.append) == "done"
    assert sum(waits) == pytest.approx(2.5)


@pytest.mark.parametrize("sleep", [None, [].append])
def test_a_file_that_stays_held_is_given_up(sleep: Any):
    def act() -> None:
        raise PermissionError(13, "WinError 5")

    with pytest.raises(PermissionError):
        act_patiently(act, sleep)
