"""Words on a command line, understood exactly or refused in Korean."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from dmf_crawler.errors import UsageError


class StrictParser(argparse.ArgumentParser):
    """Raises `UsageError` where argparse would print and leave; knows no abbreviations.

    `--js` would ask for JSON without being seen when an error is to be told as JSON.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Refuse what was typed; raises `UsageError`: `usage`."""
        raise UsageError(
            "usage", f"명령을 이해하지 못했습니다: {message}. {self.prog} --help 를 보십시오."
        )
