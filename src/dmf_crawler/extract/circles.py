"""The search for circles of objects, put off while a page is read.

Python looks for objects that only know each other whenever some hundred more have been made. A page
makes thousands: it would be searched several times, and all else in memory with it, for nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_search() -> Iterator[None]:
    """Put the search off to the end of a block, or of a function; what it makes is freed by then.

    That reading makes no circles, a test says.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
