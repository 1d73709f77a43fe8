"""The exception tree: why a run, or the command around it, cannot go on.

    DmfCrawlerError
    ├── ConfigError        config/ or selectors/ is invalid; nothing was fetched        exit 2
    ├── UsageError         the command asks for something that does not exist           exit 2
    ├── LockHeldError      another run is at work in this home folder                   exit 8
    ├── SendError          one request got no usable answer (never leaves `acquire`)
    └── StoredDataError    what is on disk does not verify, or could not be written     exit 5
        ├── RawStoreError  a kept page is missing or its digest does not match
        └── StoreError     the history refused a change set; the transaction was rolled back

What can be expected of a web site (an error page, a robots rule, a race) is not an exception but a
`dmf_crawler.model.run.Fault`. Exit codes: docs/operations.md.
"""

from __future__ import annotations

from collections.abc import Sequence


class DmfCrawlerError(Exception):
    """A named failure: `code` for machines (stable, English), `message` for people (Korean).

    Attributes:
        code: Stable English word, e.g. `unknown_key`.
        message: One or more Korean sentences: what, found, expected, next step.
        exit_code: What the process returns when nothing else went wrong.
    """

    exit_code = 1

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class ConfigError(DmfCrawlerError):
    """A file under config/ or selectors/ is invalid; nothing was fetched.

    Attributes:
        codes: Those of everything that is wrong, `code` the first of them.
    """

    exit_code = 2

    def __init__(self, code: str, message: str, codes: Sequence[str] = ()) -> None:
        super().__init__(code, message)
        self.codes = tuple(codes) or (code,)


class UsageError(DmfCrawlerError):
    """The command line names a run, key, day or board that does not exist."""

    exit_code = 2


class LockHeldError(DmfCrawlerError):
    """Another process holds var/run.lock of this home folder."""

    exit_code = 8


class SendError(DmfCrawlerError):
    """One request got no usable answer.

    Raised by `dmf_crawler.world`'s `send` alone, with one of the codes `dns_error`,
    `connect_error`, `proxy_error`, `proxy_login`, `tls_error`, `timeout`, `connection_reset`,
    `truncated_body`, `oversize`, `request_error`; `acquire.fetcher` turns it into a `Fault` after
    the retries.
    """

    exit_code = 6


class StoredDataError(DmfCrawlerError):
    """Stored data does not verify, or could not be written."""

    exit_code = 5


class RawStoreError(StoredDataError):
    """A kept page is missing, or its bytes do not match its digest."""


class StoreError(StoredDataError):
    """The history refused a change set; the transaction was rolled back."""
