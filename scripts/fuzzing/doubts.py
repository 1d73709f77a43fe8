"""Records of a spoiled page that may have got a value from another row or column."""

from collections.abc import Mapping, Sequence

from dmf_crawler.model.record import Value
from scripts.fuzzing.readers import Record

_N_SHORT = 5
"""Values that are shorter (정상, 인도) stand in many places."""


def find_doubt(plain: Sequence[Record], spoiled: Sequence[Record]) -> str:
    """Return the first record with a value that the plain page has elsewhere, "" where none has.

    Args:
        plain: Records of the page before it was spoiled; the first field with unlike values names
            a record.
        spoiled: Records of the page after.
    """
    if not plain or plain == spoiled:
        return ""
    key = _find_key(plain)
    by_key = {record[key]: record for record in plain}
    columns = {field: {record[field] for record in plain} for field in plain[0]}
    for record in spoiled:
        before = by_key.get(record[key])
        for field, value in record.items():
            if found := _find_elsewhere(field, value, before, columns):
                return f"{record[key]}: {field} is {value!r}, which is {found}"
    return ""


def _find_key(plain: Sequence[Record]) -> str:
    numbers = {field: len({record[field] for record in plain}) for field in plain[0]}
    wanted = [field for field in ("reg_no", "post_id") if field in numbers]
    return wanted[0] if wanted else max(numbers, key=numbers.__getitem__)


def _find_elsewhere(
    field: str, value: Value, before: Record | None, columns: Mapping[str, set[Value]]
) -> str:
    if len(str(value)) < _N_SHORT:
        return ""
    if before is not None and value != before[field] and value in columns[field]:
        return "the value of another row"
    others = (name for name, values in columns.items() if name != field and value in values)
    if value not in columns[field] and (other := next(others, "")):
        return f"a value of the column {other}"
    return ""
