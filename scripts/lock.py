"""Write the lock files anew: exact versions with hashes for Python 3.11 to 3.14 on every system.

Needs uv (`python -m pip install uv`), which the program itself and its tests do not.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILE = [
    *("uv", "pip", "compile", "pyproject.toml", "--quiet", "--universal", "--no-header"),
    *("--python-version", "3.11", "--generate-hashes", "--group", "build"),
]


def main() -> int:
    for extra in (
        ["--output-file", "requirements.lock"],
        ["--group", "dev", "-c", "requirements.lock", "--output-file", "requirements-dev.lock"],
    ):
        subprocess.run([*COMPILE, *extra, *sys.argv[1:]], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
