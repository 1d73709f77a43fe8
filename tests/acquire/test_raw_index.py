from __future__ import annotations

import json
from typing import Any

import pytest

from dmf_crawler.acquire.raw_index import (
    AnswerLine,
    FailureLine,
    decode_line,
    encode_line,
    request_of,
    was_sent_to,
)
from dmf_crawler.model.page import PageRequest

URL = "https://list.example/pbp/L?page=1"
FAILURE: dict[str, Any] = {
    "url": URL, "method": "GET", "body": None, "kind": "list", "page_no": 1, "pass_no": 1,
    "attempt": 1, "fetched_at": "2026-11-30T06:00:00+09:00", "code": "timeout",
}  # fmt: skip
ANSWER: dict[str, Any] = {
    **FAILURE, "status": 200, "final_url": URL, "request_headers": [], "headers": [],
    "sha256": "ab" * 32, "bytes": 3, "file": "abababababababab.html.gz", "elapsed_s": 0.5,
}  # fmt: skip
del ANSWER["code"]


def as_line(values: dict[str, Any], **changes: Any) -> bytes:
    return json.dumps(values | changes).encode()


def test_lines_of_an_older_program_are_read():
    answer, failure = decode_line(as_line(ANSWER)), decode_line(as_line(FAILURE))

    assert isinstance(answer, AnswerLine)
    assert (answer.sent, answer.taken_from, answer.file_name) == (True, "", "")
    assert answer.stored_headers == ()
    assert isinstance(failure, FailureLine)
    assert failure.sent


@pytest.mark.parametrize("values", [ANSWER, FAILURE])
def test_what_is_as_usual_is_not_written(values: dict[str, Any]):
    line = decode_line(as_line(values))

    assert line is not None
    assert encode_line(line).endswith(b"}\n")
    assert json.loads(encode_line(line)) == values
    assert request_of(line) == PageRequest(URL, "list", 1)


@pytest.mark.parametrize(
    "name",
    [
        "ab" * 8 + ".html.gz",
        "ab" * 32 + ".html.gz",
        "files/" + "ab" * 8 + "_공고 1.pdf",
        "files/" + "ab" * 32 + "_a",
    ],
)
def test_names_that_the_store_gives_are_read(name: str):
    assert decode_line(as_line(ANSWER, file=name)) is not None


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../" + "ab" * 8 + ".html.gz",
        "ab" * 8 + ".html.gz\n",
        "ab" * 7 + ".html.gz",
        "files/a.pdf",
        "files/" + "ab" * 8 + "_",
        "files/" + "ab" * 8 + "_../x",
        "files/" + "ab" * 8 + "_a\\b",
        "files/" + "ab" * 8 + "_a:b",
        "files/" + "ab" * 8 + "_a\n",
    ],
)
def test_no_other_name_leads_out_of_the_folder(name: str):
    assert decode_line(as_line(ANSWER, file=name)) is None


def test_only_what_was_sent_to_a_host_counts():
    assert was_sent_to("LIST.example", as_line(ANSWER))
    assert was_sent_to("list.example", as_line(FAILURE))
    assert not was_sent_to("other.example", as_line(ANSWER))
    assert not was_sent_to("list.example", as_line(ANSWER, sent=False))
    assert was_sent_to("other.example", as_line(ANSWER, sent="no"))
