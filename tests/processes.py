"""The environment of the program where a test starts it as a process of its own."""

from __future__ import annotations

import os
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"


def environment(**more: str) -> dict[str, str]:
    """Return this process's variables, our sources first on the path and no home named."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DMF_")}
    path = os.pathsep.join(filter(None, [str(SOURCES), kept.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path, **more}
