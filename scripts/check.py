"""The one gate: format, lint, types, import contracts, tests with branch coverage.

Called by `python scripts/bootstrap.py test`. Arguments are handed to pytest; with arguments only
the tests run, and no coverage is asked of a part of them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINT_IMPORTS = Path(sys.executable).with_name(
    "lint-imports.exe" if os.name == "nt" else "lint-imports"
)

STATIC = (
    ("format", [sys.executable, "-m", "ruff", "format", "--check", "--quiet", "."]),
    ("lint", [sys.executable, "-m", "ruff", "check", "--quiet", "."]),
    ("types", [sys.executable, "-m", "mypy", "--no-error-summary"]),
    ("imports", [str(LINT_IMPORTS), "--no-cache"]),
)
WHOLE_SUITE = (
    *("--quiet", "--numprocesses", "auto", "--dist", "worksteal"),
    *("--cov", "--cov-report", "term"),
)
MEMORY = Path("/dev/shm")
"""Linux' own place for files in memory."""

ROOM = 4_000_000_000
"""Free bytes that the tests' folders must find there; they take a tenth of it."""


def main(arguments: list[str]) -> int:
    failed = []
    for name, command in STATIC if not arguments else ():
        if not passes(name, command):
            failed.append(name)
    pytest = [sys.executable, "-X", "utf8", "-m", "pytest", *(arguments or WHOLE_SUITE)]
    with folders_in_memory() as variables:
        if not passes("tests", pytest, variables):
            failed.append("tests")
    print(f"FAILED: {', '.join(failed)}" if failed else "all checks passed")
    return bool(failed)


@contextmanager
def folders_in_memory() -> Iterator[dict[str, str]]:
    """Give the variables that put the tests' folders into memory, where there is room for them.

    On a disk every transaction of every history in them is waited for.
    """
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ROOM:
        yield {}
        return
    options = f"{os.environ.get('PYTEST_ADDOPTS', '')} -o tmp_path_retention_policy=failed"
    with tempfile.TemporaryDirectory(prefix="dmf_tests_", dir=MEMORY) as folder:
        yield {"TMPDIR": folder, "PYTEST_ADDOPTS": options}


def passes(name: str, command: list[str], variables: dict[str, str] | None = None) -> bool:
    started = time.monotonic()
    print(f"== {name}", flush=True)
    environment = {**os.environ, **(variables or {})}
    ok = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
    print(f"== {name}: {'ok' if ok else 'FAILED'} ({time.monotonic() - started:.0f} s)", flush=True)
    return ok


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
