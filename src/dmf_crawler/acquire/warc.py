"""A run's raw folder as one WARC file (ISO 28500, version 1.1), for whoever needs evidence.

Each answer becomes a response and a request record, each request without an answer a metadata
record. The raw store keeps bodies with their transfer undone, so the header fields that describe
the transfer are renamed `X-Archive-Orig-…`, and Content-Length is that of the body as it is kept.
A 304 stays a response without a body; the body that it stands for is a resource record beside it.

Ids and dates come from the run, so that the same folder gives the same file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from dmf_crawler.acquire.raw_folder import INDEX, damaged, parse_index, read_page
from dmf_crawler.acquire.raw_index import AnswerLine, FailureLine, RequestLine
from dmf_crawler.errors import StoredDataError, UsageError
from dmf_crawler.model.page import Headers

VERSION = "WARC/1.1"
ORIGINAL = "X-Archive-Orig-"
OF_TRANSFER = frozenset({"content-encoding", "transfer-encoding", "content-length"})
DESCRIPTION = (
    "Bodies are kept with their content coding undone; header fields of the transfer are renamed "
    f"{ORIGINAL}*. Request records have the fields that the crawler set, and Host."
)


def write_warc(folder: Path, out_file: Path, *, run_id: str, software: str) -> int:
    """Write what a run's folder holds; return the number of records.

    Args:
        folder: The run's raw folder.
        out_file: Compressed, record by record, where its name ends in `.gz`.
        run_id: The run that asked.
        software: Name and version of the program that asked.

    Raises:
        UsageError: `file_exists`.
        RawStoreError: Something in the folder is missing or damaged; nothing is left behind.
        StoredDataError: `warc_not_written`.
    """
    if out_file.exists():
        raise UsageError(
            "file_exists",
            f"{out_file} 이 이미 있습니다. 덮어쓰지 않습니다. 다른 이름을 --out 으로 적거나 그 "
            "파일을 옮긴 뒤 다시 실행해 주십시오.",
        )
    temporary = out_file.with_name(f"{out_file.name}.tmp")
    try:
        out_file.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            n_records = _WarcFile(file, run_id, is_gzip=out_file.suffix == ".gz").write(
                folder, out_file.name, software
            )
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(out_file)
    except OSError as error:
        raise StoredDataError(
            "warc_not_written",
            f"{out_file} 을 쓰지 못했습니다({error.strerror or error}). 디스크의 빈 공간과 폴더의 "
            "쓰기 권한을 확인한 뒤 다시 실행해 주십시오.",
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return n_records


class _WarcFile:
    """An open WARC file; counts its records."""

    def __init__(self, file: IO[bytes], run_id: str, *, is_gzip: bool) -> None:
        self._writer = WARCWriter(file, gzip=is_gzip, warc_version=VERSION)
        self._run_id = run_id
        self._n_records = 0

    def write(self, folder: Path, name: str, software: str) -> int:
        lines = list(parse_index(folder))
        if not lines:
            raise damaged(folder / INDEX, "목록에 줄이 하나도 없습니다")
        self._write_info(lines[0].fetched_at, name, software)
        for line in lines:
            if isinstance(line, FailureLine):
                self._write_fields(line, line.url, _failure_fields(line))
            else:
                self._write_answer(folder, line)
        return self._n_records

    def _write_info(self, at: datetime, name: str, software: str) -> None:
        fields = {
            "software": software,
            "format": "WARC file version 1.1",
            "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
            "isPartOf": self._run_id,
            "description": DESCRIPTION,
        }
        self._write("warcinfo", "", at, _encode_fields(fields), **{"WARC-Filename": name})

    def _write_answer(self, folder: Path, line: AnswerLine) -> None:
        """Write a response, its request, and what has to be said about them."""
        page, url, at = read_page(folder, line), line.final_url, line.fetched_at
        is_stored = line.status == HTTPStatus.NOT_MODIFIED
        sent = b"" if is_stored else page.body
        response_id = self._write("response", url, at, sent, _response_head(line, len(sent)))
        beside = {"WARC-Concurrent-To": response_id}
        asked = (line.body or "").encode()
        self._write("request", url, at, asked, _request_head(line, asked), **beside)
        if is_stored and page.body:
            kind = page.content_type or "application/octet-stream"
            self._write("resource", url, at, page.body, **beside, **{"Content-Type": kind})
        fields = _answer_fields(line)
        if fields:
            self._write_fields(line, url, fields, **beside)

    def _write_fields(
        self, line: RequestLine, url: str, fields: Mapping[str, str], **headers: str
    ) -> None:
        self._write("metadata", url, line.fetched_at, _encode_fields(fields), **headers)

    def _write(
        self,
        kind: str,
        url: str,
        at: datetime,
        payload: bytes,
        head: StatusAndHeaders | None = None,
        **headers: str,
    ) -> str:
        """Write one record and return its id."""
        self._n_records += 1
        record_id = f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{self._run_id}/{self._n_records}')}>"
        moment = at.astimezone(UTC)
        headers |= {"WARC-Record-ID": record_id, "WARC-Date": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}
        record = self._writer.create_warc_record(
            url,
            kind,
            payload=BytesIO(payload),
            length=len(payload),
            warc_headers_dict=headers,
            http_headers=head,
        )
        self._writer.write_record(record)
        return record_id


class _WireHead(StatusAndHeaders):  # type: ignore[misc] # the library has no types
    """First line and header fields, in the bytes in which they were received."""

    def compute_headers_buffer(self, header_filter: Any = None) -> None:
        text = self.to_str(header_filter) + "\r\n"
        # Received bytes are held as Latin-1; the library would percent-encode them.
        self.headers_buff = text.encode("latin-1", "backslashreplace")


def _response_head(line: AnswerLine, n_bytes: int) -> StatusAndHeaders:
    fields = [
        (ORIGINAL + name if name.lower() in OF_TRANSFER else name, value)
        for name, value in _on_one_line(line.headers)
    ]
    fields.append(("Content-Length", str(n_bytes)))
    return _WireHead(f"{line.status} {_reason(line.status)}".rstrip(), fields, protocol="HTTP/1.1")


def _request_head(line: AnswerLine, body: bytes) -> StatusAndHeaders:
    parts = urlsplit(line.final_url)
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    fields = [("Host", parts.netloc), *_on_one_line(line.request_headers)]
    if line.body is not None:
        fields.append(("Content-Type", "application/x-www-form-urlencoded"))
        fields.append(("Content-Length", str(len(body))))
    first = f"{line.method} {target} HTTP/1.1"
    return _WireHead(first, fields, is_http_request=True)


def _on_one_line(headers: Headers) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        yield name, value.replace("\r", " ").replace("\n", " ")


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


# --- what HTTP does not say ----------------------------------------------------------------------


def _failure_fields(line: FailureLine) -> dict[str, str]:
    sent = "yes" if line.sent else "no"
    return {"fetchError": line.code, "fetchAttempt": str(line.attempt), "requestSent": sent}


def _answer_fields(line: AnswerLine) -> dict[str, str]:
    """Return what has to be known about an answer beside its bytes; nothing for a plain one."""
    fields = {}
    if line.final_url != line.url:
        fields["redirectedFrom"] = line.url
    if not line.sent:
        fields["requestSent"] = f"by run {line.taken_from}, whose answer this run took over"
    elif line.taken_from:
        fields["bodyTakenFrom"] = f"run {line.taken_from}, not sent again with this answer (304)"
        fields["bodySha256"] = line.sha256
    return fields


def _encode_fields(fields: Mapping[str, str]) -> bytes:
    """Return application/warc-fields."""
    return "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode()
