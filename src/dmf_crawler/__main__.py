"""`python -m dmf_crawler`, and the console script `dmf-crawler`."""

from __future__ import annotations

import sys

from dmf_crawler.cli.commands import run_command


def main() -> int:
    """Run the command on the process's own command line; return its exit code."""
    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
