"""`doctor`: checks this machine, the configuration and what is stored; asks no site anything.

It changes nothing: no lock is kept, no folder made, no history migrated.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dmf_crawler.cli.answer import Answer
from dmf_crawler.cli.checks import look
from dmf_crawler.cli.configuration_checks import check_configuration
from dmf_crawler.cli.home import find_home
from dmf_crawler.cli.machine_checks import Machine, check_folders, check_lock, check_place
from dmf_crawler.cli.stored_checks import check_stored
from dmf_crawler.config import Home, load_home
from dmf_crawler.errors import ConfigError
from dmf_crawler.model.diagnosis import Diagnosis, Health
from dmf_crawler.settings import Politeness, Settings
from dmf_crawler.world import real_world

OF_CONFIGURATION = frozenset({"configuration", "contact", "selectors", "api_key"})
"""Checks whose failure is a mistake in the configuration; all others are of machine or data."""

WORDS_KO = {Health.OK: "정상", Health.WARN: "주의", Health.FAIL: "이상"}


def doctor(arguments: argparse.Namespace) -> Answer:
    """Check everything that can be checked without a site."""
    root = find_home(arguments.home).resolve()
    with real_world(Politeness()) as world:
        machine = Machine(world.now())
    return tell_diagnoses(list(examine(root, machine)))


def examine(root: Path, machine: Machine) -> Iterator[Diagnosis]:
    """Yield every check of a home folder; one that fails does not stop those that can go on."""
    yield check_place(root, machine)
    try:
        home, error = load_home(root), None
    except ConfigError as caught:  # where its own folders lie, a home folder says by itself
        home, error = Home(root, Settings(), {}, (), {}), caught
    yield from check_configuration(home, error)
    yield from check_folders(home, knows_reports=error is None)
    yield look("lock", partial(check_lock, home))
    yield from check_stored(home, machine, is_configured=error is None)


# --- what is said --------------------------------------------------------------------------------


def tell_diagnoses(diagnoses: Sequence[Diagnosis]) -> Answer:
    """Return the answer; exit code 0 only where all is well.

    What a machine or stored data lack comes first, then terms that forbid, mistakes in the
    configuration, warnings.
    """
    payload = {"checks": [_diagnosis_json(each) for each in diagnoses]}
    text = "\n".join(line for each in diagnoses for line in _say(each))
    failed = [each for each in diagnoses if each.outcome is Health.FAIL]
    warned = [each for each in diagnoses if each.outcome is Health.WARN]
    stopped = [each for each in failed if each.name == "terms"]
    others = [each for each in failed if each not in stopped]
    of_machine = [each for each in others if each.name not in OF_CONFIGURATION]
    worst = next(iter([*of_machine, *stopped, *failed, *warned]), None)
    if worst is None:
        return Answer(0, payload, text)
    message = (
        f"이상 {len(failed):,}건, 주의 {len(warned):,}건이 있습니다. 첫째({worst.name}): "
        f"{worst.found} {worst.next_step}"
    )
    if of_machine:
        return Answer(5, payload, text, ("doctor_failed", message))
    if stopped:
        return Answer(7, payload, text, ("terms_forbid", message))
    if failed:
        return Answer(2, payload, text, ("doctor_configuration", message))
    return Answer(2, payload, text, ("doctor_warnings", message))


def _diagnosis_json(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "name": diagnosis.name,
        "board": diagnosis.board or None,
        "outcome": str(diagnosis.outcome),
        "found": diagnosis.found,
        "next": diagnosis.next_step,
    }


def _say(diagnosis: Diagnosis) -> Iterator[str]:
    where = f"{diagnosis.name} ({diagnosis.board})" if diagnosis.board else diagnosis.name
    first, *rest = diagnosis.found.splitlines()
    yield f"{WORDS_KO[diagnosis.outcome]}  {where}: {first}"
    yield from (f"      {line}" for line in rest)
    if diagnosis.next_step:
        yield f"      할 일: {diagnosis.next_step}"
