"""Make the virtual environment and run a command in it.

    python scripts/bootstrap.py rehearse      the whole product on a local copy of the site
    python scripts/bootstrap.py test          the one gate: format, lint, types, imports, tests
    python scripts/bootstrap.py ANYTHING …    is handed to dmf-crawler

Needs nothing but Python 3.11 or newer. Prints nothing of its own on standard output, so that
`--json` stays one JSON object; what pip says goes to standard error.
"""

from __future__ import annotations  # an older Python must get as far as hearing that it is too old

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)


def run_to_the_end(command: list[str]) -> int:
    """Become the command, so that a signal to this process reaches it; on Windows run it.

    There no process can become another one: run it and return its exit code, also when the user
    presses Ctrl+C.
    """
    if os.name != "nt":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(command[0], command)
    with subprocess.Popen(command) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # the child got the same signal and ends by itself
                continue


def run_aside(command: list[str]) -> None:
    """Run a command with its output on standard error; raise where it fails."""
    subprocess.run(command, check=True, stdout=sys.stderr)


def main(
    arguments: list[str],
    *,
    root: Path = ROOT,
    version: Sequence[int] = sys.version_info[:2],
    install: Callable[[list[str]], None] = run_aside,
    run: Callable[[list[str]], int] = run_to_the_end,
) -> int:
    if tuple(version) < OLDEST:
        print(
            f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, "
            f"this is {version[0]}.{version[1]}; install one from python.org and try again.",
            file=sys.stderr,
        )
        return 2
    for_tests = arguments[:1] == ["test"]
    try:
        prepare(root, "requirements-dev.lock" if for_tests else "requirements.lock", install)
    except (OSError, subprocess.CalledProcessError, KeyboardInterrupt) as error:
        print(
            f"The environment in {root / '.venv'} could not be made: "
            f"{str(error) or 'interrupted'}. Check the network (or the package index) "
            "and try again; deleting .venv is safe.",
            file=sys.stderr,
        )
        return 1
    command = [str(python_in(root / ".venv")), "-X", "utf8"]
    if for_tests:
        return run([*command, str(root / "scripts" / "check.py"), *arguments[1:]])
    return run([*command, "-m", "dmf_crawler", *arguments])


def prepare(root: Path, lock_name: str, install: Callable[[list[str]], None]) -> None:
    """Bring .venv to what the lock says; do nothing when it is there already."""
    venv, lock = root / ".venv", root / lock_name
    stamp = venv / f"installed-{lock_name}.txt"
    wanted = hashlib.sha256(
        b"\0".join((lock.read_bytes(), (root / "pyproject.toml").read_bytes(), str(root).encode()))
    ).hexdigest()
    if is_ready(venv, stamp, wanted):
        return
    with only_one(root):
        if is_ready(venv, stamp, wanted):  # another one has just done it
            return
        make_venv(venv, install)
        stamp.unlink(missing_ok=True)  # what is interrupted from here on is begun anew
        pip = [str(python_in(venv)), "-m", "pip", "--disable-pip-version-check", "install"]
        print(f"installing {lock_name} ...", file=sys.stderr)
        install([*pip, "--quiet", "--require-hashes", "-r", str(lock)])
        # The package itself: no dependency is resolved here, all of them came from the lock.
        install([*pip, "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(root)])
        stamp.write_text(wanted, encoding="utf-8")


def is_ready(venv: Path, stamp: Path, wanted: str) -> bool:
    return can_start(venv) and stamp.is_file() and stamp.read_bytes() == wanted.encode("ascii")


def make_venv(venv: Path, install: Callable[[list[str]], None]) -> None:
    """Make .venv, also again: over a half-made one, from nothing over one that cannot start."""
    if can_start(venv) and (any(venv.glob("installed-*.txt")) or Path(sys.prefix) == venv):
        return
    print(f"making {venv} ...", file=sys.stderr)
    anew = [] if can_start(venv) else ["--clear"]
    install([sys.executable, "-m", "venv", *anew, str(venv)])


def can_start(venv: Path) -> bool:
    """Whether its Python is there, and the one that it was made from still is too."""
    try:
        lines = (venv / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        return False
    homes = [
        line.partition("=")[2].strip() for line in lines if line.split("=")[0].strip() == "home"
    ]
    return python_in(venv).exists() and all(Path(home).is_dir() for home in homes)


def python_in(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


@contextmanager
def only_one(root: Path) -> Iterator[None]:
    """Let one process at a time change .venv, the others wait; the lock dies with its process."""
    name = f"dmf_crawler-{hashlib.sha256(str(root).encode()).hexdigest()[:16]}.lock"
    with (Path(tempfile.gettempdir()) / name).open("a", encoding="utf-8") as file:
        lock_file(file.fileno())
        yield


if sys.platform == "win32":
    import msvcrt

    def lock_file(descriptor: int) -> None:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
            except OSError:  # gives up after ten seconds
                continue
            return

else:
    import fcntl

    def lock_file(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
