from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dmf_crawler.errors import StoreError
from dmf_crawler.persist.stored import read_day, read_json, read_moment
from tests.persist.builders import moment


def test_what_was_stored_comes_back():
    assert read_moment(moment(0).isoformat()) == moment(0)
    assert read_day(moment(0).date().isoformat()) == moment(0).date()
    assert read_json('{"a": [1]}') == {"a": [1]}


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_moment, "2026-11830T06:00:00+09:00"),
        (read_moment, None),
        (read_day, "2026-13-01"),
        (read_day, ""),
        (read_json, '{"a": [1}'),
        (read_json, None),
    ],
)
def test_what_is_none_is_damage_and_no_bug(read: Callable[[Any], object], text: Any):
    with pytest.raises(StoreError) as caught:
        read(text)

    assert (caught.value.code, caught.value.exit_code) == ("value_unreadable", 5)
    assert "verify" in caught.value.message
