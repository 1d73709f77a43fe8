"""SimHash: the fast count equals the plain one, for every text."""

import sqlite3
from hashlib import blake2b

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dmf_crawler.simhash import distance, simhash, to_signed

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=400)
SENTENCE = "이 약관은 2026년 12월 1일부터 시행하며, 원료의약품 등록 정보의 이용에 적용됩니다. "


def plain_simhash(text: str) -> int:
    """The definition, one bit and one piece at a time."""
    if not text:
        return 0
    pieces = [text[start : start + 3] for start in range(max(1, len(text) - 2))]
    hashes = [
        int.from_bytes(
            blake2b(piece.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
        )
        for piece in pieces
    ]
    fingerprint = 0
    for bit in range(64):
        votes = sum(1 if each >> bit & 1 else -1 for each in hashes)
        if votes > 0 or (votes == 0 and min(hashes) >> bit & 1):
            fingerprint |= 1 << bit
    return fingerprint


@settings(deadline=None)
@given(ANY_TEXT)
@example("")
@example("가")
@example("가나다")
@example("가나다라")
@example("\ud800\x00\U0010ffff")
def test_the_fold_equals_the_plain_loop(text):
    assert simhash(text) == plain_simhash(text)


@pytest.mark.parametrize("n_pieces", [*range(1, 70), 127, 128, 129, 1_000, 4_095])
def test_the_fold_equals_the_plain_loop_for_every_number_of_pieces(n_pieces):
    text = (SENTENCE * 100)[: n_pieces + 2]
    assert simhash(text) == plain_simhash(text)


def test_fingerprints_stay_what_they_are():
    # They are kept in the history: another value would be another fingerprint.
    assert simhash(SENTENCE) == plain_simhash(SENTENCE) == 6_392_415_138_154_648_296


def test_ties_of_short_texts_are_no_zeros():
    # Of two pieces half of the bits are ties; were these 0, a quarter of the bits would be set.
    texts = [SENTENCE[start : start + 4] for start in range(len(SENTENCE) - 4)]
    mean = sum(simhash(text).bit_count() for text in texts) / len(texts)
    assert 30 < mean < 34


def test_unrelated_texts_differ_in_half_of_the_bits_and_near_ones_in_few():
    text = SENTENCE * 10
    assert distance(simhash(text), simhash(text)) == 0
    assert distance(simhash(text), simhash(text.replace("적용", "사용", 1))) <= 3
    assert 20 <= distance(simhash(text), simhash("Registration of drug substances " * 10)) <= 44


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_a_signed_fingerprint_is_the_same_one(fingerprint):
    signed = to_signed(fingerprint)
    assert -(2**63) <= signed < 2**63
    assert signed % 2**64 == fingerprint


@pytest.mark.parametrize("fingerprint", [0, 2**63 - 1, 2**63, 2**64 - 1])
def test_sqlite_keeps_a_signed_fingerprint(fingerprint):
    with sqlite3.connect(":memory:") as connection:
        [(kept,)] = connection.execute("SELECT ?", (to_signed(fingerprint),))
    connection.close()
    assert kept % 2**64 == fingerprint


def test_a_text_of_a_million_characters_is_read_once():
    # Quadratic, this would take hours.
    assert distance(simhash("\x00" * 1_000_000), simhash("\x00" * 3)) == 0
    assert simhash("가나" * 500_000) == simhash("가나" * 500_000)
