"""The catalogue of redesigns, and what the reader makes of each on one small page a board."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import msgspec
import pytest

from dmf_crawler.document import read_document
from dmf_crawler.extract.selectors import Selectors, compile_selectors
from dmf_crawler.extract.selectors_file import SelectorsFile
from dmf_crawler.workbench.redesign.catalogue import KINDS
from dmf_crawler.workbench.redesign.kind import Kind
from dmf_crawler.workbench.redesign.page import read_saved, write_saved
from dmf_crawler.workbench.redesign.specimen import (
    Specimen,
    save_notice_page,
    save_register_page,
)
from dmf_crawler.workbench.survival import dice_of, read_redesigned

SELECTORS = Path(__file__).parents[2] / "selectors"
SPECIMENS = {
    "dmf_registry": save_register_page("usual", n_rows=60, seed=3),
    "mfds_notice": save_notice_page("notices"),
}
CASES = [
    pytest.param(kind, SPECIMENS[board], id=f"{kind.name}-{board}")
    for kind in KINDS
    for board in kind.boards
]
every_case = pytest.mark.parametrize(("kind", "specimen"), CASES)


@cache
def selectors_of(board: str) -> Selectors:
    path = SELECTORS / f"{board}.yaml"
    return compile_selectors(msgspec.convert(read_document(path, path.name).value, SelectorsFile))


def redesign(kind: Kind, specimen: Specimen, seed: int = 0) -> str:
    return kind.redesign(specimen.html, dice_of(specimen, kind, seed))


def test_kinds_have_names_of_their_own_and_a_sentence():
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 60
    for kind in KINDS:
        assert kind.sentence.endswith("."), kind.name
        assert kind.boards, kind.name


def test_a_page_that_nothing_changes_is_read_as_the_site_wrote_it():
    for board, specimen in SPECIMENS.items():
        assert read_redesigned(specimen, None, selectors_of(board)).verdict == "same"


@every_case
def test_a_redesign_changes_the_page(kind: Kind, specimen: Specimen):
    assert redesign(kind, specimen) not in {
        specimen.html,
        write_saved(read_saved(specimen.html)),
    }


@every_case
def test_a_redesign_is_the_same_for_the_same_seed(kind: Kind, specimen: Specimen):
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    assert redesign(kind, specimen, seed) == redesign(kind, specimen, seed)
