"""A process with limits of time and memory, for pages that are made to take long."""

from collections.abc import Iterator

import pytest

from scripts.fuzzing.worker import Worker


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    with Worker() as own:
        yield own
