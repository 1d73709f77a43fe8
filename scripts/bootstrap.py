"""Make the virtual environment and run a command in it.

    python scripts/bootstrap.py rehearse      the whole product on a local copy of the site
    python scripts/bootstrap.py test          the one gate: format, lint, types, imports, tests
    python scripts/bootstrap.py ANYTHING …    is handed to dmf-crawler

Needs nothing but Python 3.11 or newer. Prints nothing of its own on standard output, so that
`--json` stays one JSON object; what pip says goes to standard error.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST = (3, 11)


def main(arguments: list[str]) -> int:
    if sys.version_info < OLDEST:
        print(
            f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, this is {sys.version_info[0]}."
            f"{sys.version_info[1]}; install one from python.org and try again.",
            file=sys.stderr,
        )
        return 2
    for_tests = arguments[:1] == ["test"]
    try:
        prepare("requirements-dev.lock" if for_tests else "requirements.lock")
    except (OSError, subprocess.CalledProcessError) as error:
        print(
            f"The environment in {VENV} could not be made: {error}. "
            "Check the network (or the package index) and try again; deleting .venv is safe.",
            file=sys.stderr,
        )
        return 1
    if for_tests:
        command = [str(PYTHON), "-X", "utf8", str(ROOT / "scripts" / "check.py"), *arguments[1:]]
    else:
        command = [str(PYTHON), "-X", "utf8", "-m", "dmf_crawler", *arguments]
    return run_to_the_end(command)


def prepare(lock_name: str) -> None:
    """Bring .venv to what the lock says; do nothing when it is there already."""
    lock = ROOT / lock_name
    stamp = VENV / f"installed-{lock_name}.txt"
    wanted = hashlib.sha256(
        b"\0".join((lock.read_bytes(), (ROOT / "pyproject.toml").read_bytes(), str(ROOT).encode()))
    ).hexdigest()
    if PYTHON.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    if not PYTHON.exists():
        print(f"making {VENV} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True, stdout=sys.stderr)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    print(f"installing {lock_name} …", file=sys.stderr)
    subprocess.run([*pip, "--require-hashes", "-r", str(lock)], check=True, stdout=sys.stderr)
    # The package itself: no dependency is resolved here, all of them came from the lock.
    subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)],
        check=True,
        stdout=sys.stderr,
    )
    stamp.write_text(wanted, encoding="utf-8")


def run_to_the_end(command: list[str]) -> int:
    """Run a command and return its exit code, also when the user presses Ctrl+C."""
    with subprocess.Popen(command) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # the child got the same signal and ends by itself
                continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
