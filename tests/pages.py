"""The repository's files as text, for the tests that compare documents with the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/dmf_crawler"
IGNORED = frozenset({"build", "dist", "node_modules"})


@cache
def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def find_files(*suffixes: str) -> list[Path]:
    """Return the files of the repository's own folders, hidden and generated ones left out."""
    return sorted(
        path
        for suffix in suffixes
        for path in ROOT.rglob(f"*{suffix}")
        if not any(
            part.startswith(".") or part in IGNORED for part in path.relative_to(ROOT).parts[:-1]
        )
        and path.relative_to(ROOT).parts[0] not in {"var", "raw", "reports", "logs"}
    ) + [ROOT / folder / "README.md" for folder in ("var", "raw", "reports", "logs")]


PAGES = find_files(".md")
PAGE_NAMES = [path.relative_to(ROOT).as_posix() for path in PAGES]
