from __future__ import annotations

import pytest

from dmf_crawler.workbench.simulation import Reader


@pytest.fixture(scope="session")
def reader() -> Reader:
    """What reads and judges, as the shipped configuration says."""
    return Reader()
