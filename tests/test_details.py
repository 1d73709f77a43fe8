"""What becomes of a request for a file: received, refused for good, or still open."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from dmf_crawler.details import Details
from dmf_crawler.model.detail import FileOutcome
from dmf_crawler.model.page import FailedRequest, PageRequest, RawPage
from tests.fakes.world import START

URL = "http://127.0.0.1:8000/cmn/edms/down/DOC-1"
MOVED = f"{URL}/moved"
PDF = b"%PDF-1.7"


def answer(status: int = 200, body: bytes = PDF, came_from: str = URL, **headers: str) -> RawPage:
    """Return an answer to the request for the file, whichever address it came from."""
    fields = {"Content_Length": str(len(body)), "Content_Type": "application/pdf"} | headers
    named = tuple((name.replace("_", "-"), value) for name, value in fields.items() if value)
    return RawPage(
        request=PageRequest(URL, "file"),
        url=came_from,
        status=status,
        content_type=fields["Content_Type"],
        sha256=hashlib.sha256(body).hexdigest(),
        body=body,
        fetched_at=START,
        headers=named,
        file_name="a.pdf",
    )


def failure(code: str, url: str = URL) -> FailedRequest:
    return FailedRequest(PageRequest(url, "file"), code)


def outcome(*visits: RawPage | FailedRequest) -> FileOutcome | None:
    """Return what is known of the file after all of that."""
    details = Details()
    for visit in visits:
        details.add_file(visit)
    assert details.files.keys() <= {URL}
    is_received = URL in details.files and not details.files[URL].code
    assert (URL in details.raw_files) is is_received
    return details.files.get(URL)


def received(body: bytes = PDF) -> FileOutcome:
    return FileOutcome("a.pdf", hashlib.sha256(body).hexdigest())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 400, 401, 403, 404, 410, 451])
def test_a_refusal_is_told_with_its_status(status):
    assert outcome(answer(status)) == FileOutcome(code=f"http_{status}")


@pytest.mark.parametrize("status", [201, 204, 206, 304, 408, 425, 429, 500, 502, 503, 504])
def test_another_status_leaves_it_open(status):
    assert outcome(answer(status)) is None


@pytest.mark.parametrize("code", ["oversize", "request_error", "robots_disallowed"])
def test_what_will_be_so_on_another_day_is_told(code):
    assert outcome(failure(code)) == FileOutcome(code=code)


@pytest.mark.parametrize("code", ["timeout", "connection_reset", "truncated_body", "dns_error"])
def test_what_may_pass_leaves_it_open(code):
    assert outcome(failure(code)) is None


@pytest.mark.parametrize(
    ("visits", "expected"),
    [
        ((answer(503), answer()), received()),
        ((failure("timeout"), answer()), received()),
        ((answer(), answer(503)), None),
        ((answer(404), failure("timeout")), None),
        ((answer(), answer(403)), FileOutcome(code="http_403")),
        ((answer(), answer(body=b"")), None),
        ((answer(body=b"<html>"), answer()), received()),
    ],
)
def test_of_several_answers_the_last_counts(visits: Any, expected: FileOutcome | None):
    assert outcome(*visits) == expected


@pytest.mark.parametrize(
    ("behind", "expected"),
    [
        (answer(404, came_from=MOVED), FileOutcome(code="http_404")),
        (answer(500, came_from=MOVED), None),
        (failure("connection_reset", MOVED), None),
        (answer(came_from=MOVED), received()),
    ],
)
def test_what_lies_behind_a_redirect_is_of_the_file(behind: Any, expected: FileOutcome | None):
    """Its answers are kept under the file's own address, its failures under that of the hop."""
    assert outcome(answer(302, b"", Location=MOVED), behind) == expected


def test_a_redirect_to_another_host_is_a_refusal():
    assert outcome(answer(302, b"", Location="https://elsewhere.invalid/x")) == FileOutcome(
        code="http_302"
    )


UNSURE = answer(Content_Length="")
CUT = answer(body=PDF[:4], Content_Length="")


@pytest.mark.parametrize(
    ("visits", "expected"),
    [
        ((UNSURE,), None),
        ((UNSURE, UNSURE), received()),
        ((CUT, UNSURE), None),
        ((CUT, UNSURE, UNSURE), received()),
        ((UNSURE, CUT), None),
        ((CUT, answer()), received()),
        ((answer(Content_Length="", Transfer_Encoding="chunked"),), received()),
    ],
)
def test_without_a_length_two_answers_must_agree(visits: Any, expected: FileOutcome | None):
    assert outcome(*visits) == expected
