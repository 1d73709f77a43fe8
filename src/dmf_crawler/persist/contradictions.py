"""Is the list that a run is compared with the one that its own events lead to?

`verify` proves the whole past. This looks at the last version of each key alone, before a run is
compared with it: a byte that changed in the file would else become a change of the site.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from dmf_crawler.errors import StoreError
from dmf_crawler.persist.store import Store
from dmf_crawler.text import is_same_joined


def refuse_contradictions(store: Store, board_id: str) -> None:
    """Refuse a board whose last versions are not what their last events say.

    A value that only the version has came with a newer selectors file, without an event.

    Raises:
        StoreError: `record_contradicted`: a version has another value than its event, or none has
            opened it; `read_failed`: one of them is no JSON any more.
    """
    for row in store.rows(
        "SELECT r.natural_key, r.payload_json, e.record_json FROM dmf_record r"
        " LEFT JOIN dmf_event e ON e.event_id = (SELECT max(l.event_id) FROM dmf_event l"
        "  WHERE l.board_id = r.board_id AND l.natural_key = r.natural_key)"
        " WHERE r.sk IN (SELECT max(sk) FROM dmf_record WHERE board_id = ? GROUP BY natural_key)"
        " AND r.payload_json IS NOT e.record_json AND (e.event_id IS NULL OR EXISTS"
        "  (SELECT 1 FROM json_each(e.record_json) v WHERE NOT EXISTS"
        "   (SELECT 1 FROM json_each(r.payload_json) p WHERE p.key = v.key"
        "    AND p.type = v.type AND p.value IS v.value)))",
        (board_id,),
    ):
        if not _is_joined_alike(row):
            raise StoreError(
                "record_contradicted",
                f"이력 {store.path} 의 {row['natural_key']} 에 저장된 값이 그 사건과 다릅니다. "
                "파일이 손상되었을 수 있어 이 목록과 비교하지 않았습니다. 아무것도 기록하지 "
                "않았습니다. verify 명령으로 확인하고 홈 폴더를 백업에서 되살리십시오.",
            )


def _is_joined_alike(row: sqlite3.Row) -> bool:
    """Say whether two records differ only in how the values of one text are told apart."""
    if row["record_json"] is None:
        return False
    payload, record = _load(row["payload_json"]), _load(row["record_json"])
    return all(
        name in payload and (payload[name] == value or is_same_joined(payload[name], value))
        for name, value in record.items()
    )


def _load(text: str) -> dict[str, Any]:
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in json.loads(text).items()
    }
