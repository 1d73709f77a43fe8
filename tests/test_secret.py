"""A key in a request: who gets to see it, and in how many ways it may come back."""

from __future__ import annotations

import gzip
import html
import io
import json
import logging
import random
import re
import string
import traceback
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from dmf_crawler.errors import SendError
from dmf_crawler.model.page import Reply, Request
from dmf_crawler.secret import MOST_SHOWN, Secret, mark_of, read_secret
from dmf_crawler.settings import Politeness
from dmf_crawler.world import real_world
from tests.acquire.loopback import Loopback, Step, answer, hang_up, reset, serve

VARIABLE = "DMF_OPENAPI_KEY"
MARK = "~DMF_OPENAPI_KEY~"
KEY = "aB3+/x9Kq/Zz+pQ0123456789abcdefghijKLMNOP=="
QUOTED = quote(KEY, safe="")

FORMS: dict[str, Callable[[str], str]] = {
    "raw": str,
    "quoted": lambda key: quote(key, safe=""),
    "quoted, small hex": lambda key: re.sub(
        "%..", lambda found: found[0].lower(), quote(key, safe="")
    ),
    "quoted but for slashes": quote,
    "doubly quoted": lambda key: quote(quote(key, safe=""), safe=""),
    "three times quoted": lambda key: quote(quote(quote(key, safe=""), safe=""), safe=""),
    "read as a form": lambda key: key.replace("+", " "),
    "read as a form and quoted": lambda key: quote_plus(key.replace("+", " ")),
    "the same with %20": lambda key: quote(key.replace("+", " "), safe=""),
    "JSON": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "JSON in code points": lambda key: key.replace("+", "\\u002b").replace("=", "\\u003D"),
    "HTML": html.escape,
    "HTML in numbers": lambda key: key.replace("+", "&#43;").replace("/", "&#x2F;"),
}


@pytest.fixture
def secret() -> Secret:
    found = read_secret(VARIABLE, KEY)
    assert found is not None
    return found


# --- the key alone -------------------------------------------------------------------------------


def test_the_mark_means_itself_in_every_part_of_an_address():
    assert mark_of(VARIABLE) == MARK
    assert quote(MARK, safe="") == quote_plus(MARK) == MARK


@pytest.mark.parametrize("given", [KEY, QUOTED, f"  {KEY}\n", QUOTED.replace("%2B", "%2b")])
def test_a_key_is_sent_percent_encoded_once_however_it_was_issued(given):
    secret = read_secret(VARIABLE, given)
    assert secret is not None
    assert secret.put_into(f"/x?k={MARK}&p=1") == f"/x?k={QUOTED}&p=1"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "short",
        "two words in it",
        "원료의약품인증키",
        "x" * 501,
        "a%00bcdefgh",
        "key<with>brackets",
    ],
)
def test_what_can_be_no_key_is_none(text):
    assert read_secret(VARIABLE, text) is None


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_however_a_key_is_written_it_is_taken_out(secret, form):
    written = form(KEY)
    assert secret.take_out_of(f"x={written}&y") == f"x={MARK}&y"
    assert secret.take_out_of_bytes(f"원{written}료".encode()) == f"원{MARK}료".encode()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_in_wide_letters_it_is_taken_out_too(secret, form, encoding):
    found = secret.take_out_of_bytes(f"x={form(KEY)}&y".encode(encoding))
    assert MARK.encode() in found
    assert KEY[:MOST_SHOWN] not in found.replace(b"\0", b"").decode()


@pytest.mark.parametrize("n_shown", [MOST_SHOWN, MOST_SHOWN + 1, len(KEY) - 1])
def test_the_beginning_of_a_key_is_taken_out_too(secret, n_shown):
    assert secret.take_out_of(f"'{KEY[:n_shown]}…'") == f"'{MARK}…'"


def test_random_keys_in_random_forms_are_taken_out():
    seed = 20261204
    print(seed)
    rng = random.Random(seed)
    letters = string.ascii_letters + string.digits + "+/=._~-"
    for _ in range(30):
        key = "".join(rng.choices(letters, k=rng.randint(8, 100)))
        secret = Secret(VARIABLE, key)
        for form in FORMS.values():
            assert key not in secret.take_out_of(form(key)), key
            assert MARK in secret.take_out_of(form(key)), key


def test_other_text_stays_as_it_is(secret):
    text = "등록번호 20050831-18-C-100-05 aB3+ %2B%2F == serviceKey="
    assert secret.take_out_of(text) == text
    assert secret.take_out_of_bytes(text.encode()) == text.encode()


def test_a_secret_shows_itself_to_nobody(secret):
    shown = f"{secret!r} {secret} {[secret]} {secret.__doc__}"
    assert KEY[:MOST_SHOWN] not in shown


# --- over the wire -------------------------------------------------------------------------------


def send(
    secret: Secret, *steps: Step, politeness: Politeness | None = None
) -> tuple[Reply, Loopback]:
    request_politeness = politeness or Politeness()
    with (
        serve(Loopback({"/api": steps})) as site,
        real_world(request_politeness, secrets=[secret]) as world,
    ):
        assert world.keys == {VARIABLE}
        assert KEY not in repr(world)
        request = Request("GET", f"{site.base_url}/api?serviceKey={MARK}&n=1", secret=VARIABLE)
        return world.send(request), site


def test_the_server_gets_the_key_and_the_request_keeps_its_mark(secret):
    _, site = send(secret, answer("200 OK"))
    assert site.paths() == [f"/api?serviceKey={QUOTED}&n=1"]


def test_a_request_that_names_no_key_carries_none(secret):
    """A page could link to an address with the mark in it."""
    with (
        serve(Loopback({"/": [answer("200 OK")]})) as site,
        real_world(Politeness(), secrets=[secret]) as world,
    ):
        world.send(Request("GET", f"{site.base_url}/?x={MARK}"))
        assert site.paths() == [f"/?x={MARK}"]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_an_answer_that_repeats_the_key_comes_back_without_it(secret, form):
    echo = form(KEY)
    body = f"<e>{echo}</e>".encode()
    page = answer("302 Found", body, Location=f"/api?k={echo}", X_Echo=echo, Set_Cookie=f"k={echo}")
    reply, _ = send(secret, page)
    assert reply.body == f"<e>{MARK}</e>".encode()
    assert reply.header("Location") == f"/api?k={MARK}"
    assert KEY[:MOST_SHOWN] not in repr(reply)
    assert f"'{MARK}'" in repr(reply)


def test_a_compressed_body_is_looked_through_as_well(secret):
    body = gzip.compress(f"<e>{KEY}</e>".encode())
    reply, _ = send(secret, answer("200 OK", body, Content_Encoding="gzip"))
    assert reply.body == f"<e>{MARK}</e>".encode()


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([reset], "connection_reset"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", hang_up], "truncated_body"),
        ([b"HTTP/1.1 abc\r\n\r\n"], "connection_reset"),
        ([answer("200 OK", b"x" * 2_000)], "oversize"),
        ([answer("200 OK", b"x", Content_Encoding="br")], "request_error"),
        ([answer("200 OK", b"x", Content_Encoding="gzip")], "truncated_body"),
    ],
)
def test_no_error_tells_the_key(secret, steps, code):
    with pytest.raises(SendError) as caught:
        send(secret, *steps, politeness=Politeness(max_body_bytes=1_000))
    error = caught.value
    assert error.code == code
    assert error.__cause__ is error.__context__ is None, "the library's errors tell addresses"
    told = "".join(traceback.format_exception(error)) + repr(error)
    assert QUOTED not in told
    assert KEY not in told


def test_nobody_listening_tells_no_key_either(secret):
    with serve(Loopback()) as gone:
        base_url = gone.base_url
    with real_world(Politeness(), secrets=[secret]) as world, pytest.raises(SendError) as caught:
        world.send(Request("GET", f"{base_url}/api?serviceKey={MARK}", secret=VARIABLE))
    assert caught.value.code == "connect_error"
    assert "".join(traceback.format_exception(caught.value)).count(f"{QUOTED[:8]}") == 0


def test_the_librarys_own_log_tells_nobody(secret):
    """It warns of a header that it cannot parse, with the whole address."""
    told = io.StringIO()
    listener = logging.StreamHandler(told)
    logging.getLogger().addHandler(listener)
    try:
        send(secret, b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nno colon here\r\nX: y\r\n\r\nx")
    finally:
        logging.getLogger().removeHandler(listener)
    assert told.getvalue() == ""


# --- time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["read_timeout_s", "request_deadline_s"])
def test_a_request_may_have_times_of_its_own(limit):
    site = Loopback()
    site.answers["/"] = [site.stall]
    limits: dict[str, float] = {limit: 0.05}
    with serve(site), real_world(Politeness()) as world, pytest.raises(SendError) as caught:
        world.send(Request("GET", f"{site.base_url}/", **limits))  # type: ignore[arg-type]
    assert caught.value.code == "timeout"


def test_a_request_may_wait_longer_than_the_others():
    hasty = Politeness(read_timeout_s=0.001, request_deadline_s=0.001)
    with serve(Loopback({"/": [answer("200 OK", b"late")]})) as site, real_world(hasty) as world:
        request = Request("GET", f"{site.base_url}/", read_timeout_s=30, request_deadline_s=30)
        assert world.send(request).body == b"late"
