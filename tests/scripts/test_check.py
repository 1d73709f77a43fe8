"""Where the tests keep their folders."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.pages import ROOT


@pytest.fixture
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check", ROOT / "scripts/check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_folders_lie_in_memory_where_there_is_room_and_are_gone_afterwards(
    check, tmp_path, monkeypatch
):
    monkeypatch.setattr(check, "MEMORY", tmp_path)
    monkeypatch.setattr(check, "ROOM", 1)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    with check.folders_in_memory() as variables:
        folder = Path(variables["TMPDIR"])
        assert (folder.parent, folder.is_dir()) == (tmp_path, True)
        assert variables["PYTEST_ADDOPTS"].startswith("-x ")
    assert not folder.exists()


@pytest.mark.parametrize("has_memory", [True, False])
def test_without_room_in_memory_folders_lie_where_they_always_do(
    check, tmp_path, monkeypatch, has_memory
):
    monkeypatch.setattr(check, "MEMORY", tmp_path if has_memory else tmp_path / "nowhere")
    monkeypatch.setattr(check, "ROOM", float("inf"))
    with check.folders_in_memory() as variables:
        assert variables == {}
    assert list(tmp_path.iterdir()) == []
