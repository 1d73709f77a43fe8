"""The catalogue of redesigns, and what the reader makes of each on one small page a board."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

import msgspec
import pytest
from lxml.etree import strip_elements
from lxml.html import document_fromstring

from dmf_crawler.document import read_document
from dmf_crawler.extract.parser import read_page
from dmf_crawler.extract.selectors import Selectors, compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.workbench.redesign.catalogue import KINDS
from dmf_crawler.workbench.redesign.kind import Board, Kind
from dmf_crawler.workbench.redesign.page import read_saved, write_saved
from dmf_crawler.workbench.redesign.specimen import (
    Specimen,
    save_notice_page,
    save_register_page,
)
from dmf_crawler.workbench.survival import Outcome, compare, dice_of, save_page
from tests.workbench.survivors import REFUSED_THOUGH_READABLE

SELECTORS = Path(__file__).parents[2] / "selectors"
SPECIMENS: dict[Board, Specimen] = {
    "dmf_registry": save_register_page("usual", n_rows=60, seed=251),
    "mfds_notice": save_notice_page("notices"),
}
CASES = {f"{kind.name}-{board}": (kind, board) for kind in KINDS for board in kind.boards}
READABLE = {name: case for name, case in CASES.items() if case[0].acceptable == "same"}
every_case = pytest.mark.parametrize(("kind", "board"), CASES.values(), ids=CASES)
INVISIBLE = re.compile("[\\s\u200b\ufeff]")


@cache
def selectors_of(board: Board) -> Selectors:
    path = SELECTORS / f"{board}.yaml"
    return compile_selectors(msgspec.convert(read_document(path, path.name).value, SelectorsFile))


@cache
def redesign(kind: Kind, board: Board) -> str:
    specimen = SPECIMENS[board]
    return kind.redesign(specimen.html, dice_of(specimen, kind, 0))


@cache
def written_anew(board: Board) -> str:
    return write_saved(read_saved(SPECIMENS[board].html))


def read_redesigned(specimen: Specimen, kind: Kind | None, board: Board) -> Outcome:
    return compare(read_page(save_page(specimen, kind), selectors_of(board)), specimen)


@cache
def outcome_of(kind: Kind, board: Board) -> Outcome:
    return read_redesigned(SPECIMENS[board], kind, board)


def find_texts(kind: Kind, board: Board) -> str:
    """Everything that a page has in texts and attributes, but in no comment, without blanks."""
    body = save_page(SPECIMENS[board], kind).body.decode(kind.charset).lstrip("\ufeff")
    document = document_fromstring(re.sub(r"^<\?xml.*?\?>", "", body))
    strip_elements(document, "template", "script", "style", with_tail=False)
    attributes = [str(value) for element in document.iter() for value in element.attrib.values()]
    return INVISIBLE.sub("", "".join([*map(str, document.itertext()), *attributes]))


def find_lost_texts(kind: Kind, board: Board) -> list[str]:
    """Values of the truth that a redesigned page has nowhere."""
    texts = find_texts(kind, board)
    values = [value for record in SPECIMENS[board].truth for value in record.values()]
    known = [text for value in values for text in ((value,) if isinstance(value, str) else value)]
    return [text for text in known if INVISIBLE.sub("", text) not in texts]


# --- the catalogue -----------------------------------------------------------------------------


def test_kinds_have_names_of_their_own_and_a_sentence():
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 60
    assert [kind.name for kind in KINDS if not re.fullmatch(".{10,}[.]", kind.sentence)] == []
    assert {kind.acceptable for kind in KINDS} == {"same", "refuse_ok"}


def test_the_page_has_what_redesigns_are_about():
    """Records with several sites and with none, withdrawn ones, empty cells, pinned posts."""
    truth = SPECIMENS["dmf_registry"].truth
    assert {len(record["maker_names"]) for record in truth} >= {1, 2, 3}
    assert any(len(record["maker_names"]) != len(record["maker_addresses"]) for record in truth)
    assert {record["status"] for record in truth} > {"정상"}
    assert "" in {record["document_no"] for record in truth}
    assert 'class="notice"' in SPECIMENS["mfds_notice"].html


@every_case
def test_a_redesign_changes_the_page(kind: Kind, board: Board):
    assert redesign(kind, board) not in {SPECIMENS[board].html, written_anew(board)}


@every_case
def test_a_redesign_is_the_same_for_the_same_seed(kind: Kind, board: Board):
    specimen = SPECIMENS[board]
    assert kind.redesign(specimen.html, dice_of(specimen, kind, 0)) == redesign(kind, board)


def test_chance_decides_what_a_redesign_does():
    kind, board = CASES["columns_shuffled-dmf_registry"]
    html = SPECIMENS[board].html
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    pages = {kind.redesign(html, random.Random(seed + n)) for n in range(5)}
    assert len(pages) == 5


@pytest.mark.parametrize(("kind", "board"), READABLE.values(), ids=READABLE)
def test_a_page_whose_records_are_wanted_has_all_their_texts(kind: Kind, board: Board):
    assert find_lost_texts(kind, board) == []


@pytest.mark.parametrize("name", ["values_cut", "drawn_by_script", "list_in_comment"])
def test_texts_that_a_page_has_lost_are_found(name: str):
    assert find_lost_texts(*CASES[f"{name}-dmf_registry"])


# --- the reader --------------------------------------------------------------------------------


def test_a_page_that_nothing_changes_is_read_as_the_site_wrote_it():
    for board, specimen in SPECIMENS.items():
        assert read_redesigned(specimen, None, board).verdict == "same"


@every_case
def test_no_redesign_makes_the_reader_return_wrong_records(kind: Kind, board: Board):
    outcome = outcome_of(kind, board)
    assert outcome.verdict != "wrong", outcome.detail


def test_exactly_these_readable_pages_are_refused():
    outcomes = {name: outcome_of(*case) for name, case in READABLE.items()}
    refused = {
        name: outcome.detail for name, outcome in outcomes.items() if outcome.verdict == "refused"
    }
    assert refused == REFUSED_THOUGH_READABLE
