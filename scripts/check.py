"""The one gate: format, lint, types, import contracts, tests with branch coverage.

Called by `python scripts/bootstrap.py test`. Arguments are handed to pytest; with arguments only
the tests run, and no coverage is asked of a part of them.
"""

import os
import subprocess
import sys
import time
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


def main(arguments: list[str]) -> int:
    failed = []
    for name, command in STATIC if not arguments else ():
        if not passes(name, command):
            failed.append(name)
    pytest = [sys.executable, "-X", "utf8", "-m", "pytest", *(arguments or WHOLE_SUITE)]
    if not passes("tests", pytest):
        failed.append("tests")
    print(f"FAILED: {', '.join(failed)}" if failed else "all checks passed")
    return bool(failed)


def passes(name: str, command: list[str]) -> bool:
    started = time.monotonic()
    print(f"== {name}", flush=True)
    ok = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    print(f"== {name}: {'ok' if ok else 'FAILED'} ({time.monotonic() - started:.0f} s)", flush=True)
    return ok


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
