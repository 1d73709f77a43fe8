"""Homes with a small real history, lived through on the rehearsal site."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dmf_crawler.cli.rehearse import DayRunner
from dmf_crawler.config import load_home
from dmf_crawler.workbench.rehearsal.days import Life
from dmf_crawler.workbench.rehearsal.server import RehearsalSite
from dmf_crawler.workbench.rehearse import make_home, rehearse_days
from tests.cli.told import tell

N_ROWS = 60


@pytest.fixture(scope="session")
def lived(tmp_path_factory) -> Path:
    """A home after two days of a list of 60 rows, its site gone; not to be written to."""
    root: Path = tmp_path_factory.mktemp("lived") / "home"
    life = Life(n_rows=N_ROWS)
    with RehearsalSite(life.rows) as site:
        make_home(root, site.base_url)
        quicken(root)
        days = list(rehearse_days(site, life, 2, DayRunner(load_home(root))))
    assert [day.summary.exit_code for day in days] == [0, 0]
    return root


@pytest.fixture
def lived_home(lived: Path, tmp_path: Path) -> Path:
    """A copy of the lived home that a test may spoil."""
    root = tmp_path / "lived"
    shutil.copytree(lived, root)
    return root


@pytest.fixture(scope="session")
def told(tmp_path_factory) -> Path:
    """A home whose history was written day by day without a crawl; not to be written to."""
    root: Path = tmp_path_factory.mktemp("told") / "home"
    make_home(root, "http://127.0.0.1:9")
    quicken(root)
    return tell(root)


@pytest.fixture
def told_home(told: Path, tmp_path: Path) -> Path:
    """A copy of the told home that a test may spoil."""
    root = tmp_path / "told"
    shutil.copytree(told, root)
    return root


@pytest.fixture
def empty_home(tmp_path: Path) -> Path:
    """A home in which nothing has run; its site answers no one."""
    root = tmp_path / "empty"
    make_home(root, "http://127.0.0.1:9")
    quicken(root)
    return root


@pytest.fixture
def site() -> Iterator[RehearsalSite]:
    with RehearsalSite(Life(n_rows=N_ROWS).rows) as site:
        yield site


@pytest.fixture
def site_home(site: RehearsalSite, tmp_path: Path) -> Path:
    """A home whose site is up."""
    root = tmp_path / "fresh"
    make_home(root, site.base_url)
    quicken(root)
    return root


def quicken(root: Path) -> None:
    """Let retries and pauses wait no time."""
    path = root / "config/settings.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in (
        ("backoff_base_s: 2.0", "backoff_base_s: 0.0"),
        ("_factor: 5.0", "_factor: 0.0"),
    ):
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    path = root / "config/boards.yaml"  # one board is enough here
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("enabled: rehearsal", "enabled: false"), encoding="utf-8")
