"""Make the virtual environment and run a command in it.

    python scripts/bootstrap.py rehearse      the whole product on a local copy of the site
    python scripts/bootstrap.py test          the one gate: format, lint, types, imports, tests
    python scripts/bootstrap.py ANYTHING …    is handed to dmf-crawler

Needs nothing but Python 3.11 or newer. Prints nothing of its own on standard output, so that
`--json` stays one JSON object; what pip says goes to standard error.
"""

from __future__ import annotations  # an older Python must come as far as saying that it is too old

import hashlib
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)


def main(arguments: list[str], root: Path = ROOT, call=subprocess.run) -> int:
    if sys.version_info < OLDEST:
        print(
            f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, this is {sys.version_info[0]}."
            f"{sys.version_info[1]}; install one from python.org and try again.",
            file=sys.stderr,
        )
        return 2
    return 0
