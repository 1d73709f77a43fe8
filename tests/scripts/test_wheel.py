"""What an installed package carries besides its modules."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_wheel_carries_the_shipped_home_the_schema_and_the_rehearsals_data(tmp_path):
    """Without a checkout these are the only copies: `rehearse` and a new history need them."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("dmf_crawler-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for name in ("config/settings.yaml", "config/boards.yaml", "selectors/dmf_registry.yaml"):
            assert archive.read(f"dmf_crawler/shipped/{name}") == (ROOT / name).read_bytes()
    assert "dmf_crawler/persist/schema.sql" in names
    assert "dmf_crawler/workbench/rehearsal/data/dmf_sample.json" in names
