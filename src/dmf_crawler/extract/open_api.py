"""One kept answer of the open API (data.go.kr 15057075) → its rows by field.

The API has live records alone and lacks some columns of the list, so a row has the fields that the
answer has, and no others. Several sites stand in one text with commas between them, which stand
inside names, too: the text stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from dmf_crawler.extract import api_faults as faults
from dmf_crawler.extract.api_answer import ApiAnswer, Item, read_answer
from dmf_crawler.extract.cell_value import clean_text, read_value
from dmf_crawler.extract.selectors import FieldLocator, Selectors
from dmf_crawler.model.page import RawPage
from dmf_crawler.model.record import Delivery, PageRow, PageTable, Value
from dmf_crawler.model.run import Fault


def read_api_page(page: RawPage, selectors: Selectors) -> PageTable | Fault:
    """Read one page of the open API.

    Args:
        page: A kept answer; its request says which page was asked for.
        selectors: The board's.

    Returns:
        The rows with the announced total. A row has the fields that any item of the answer has; a
        nested one has at most one value. Or a fault of `read_answer`, or one of `api_wrong_page`,
        `odd_api_answer`, `unknown_column`, `missing_column`, `mojibake`.
    """
    answer = read_answer(page)
    if isinstance(answer, Fault):
        return answer
    if fault := _check_numbers(answer, page.request.page_no):
        return fault
    fields = _find_fields(answer.items, selectors)
    if isinstance(fields, Fault):
        return fields
    rows = []
    for row_no, item in enumerate(answer.items, start=1):
        row = _read_row(row_no, item, fields)
        if isinstance(row, Fault):
            return row
        rows.append(row)
    return PageTable(
        page_no=answer.page_no,
        rows=tuple(rows),
        announced_total=answer.total,
        source=page.sha256,
        url=page.url,
        delivered=tuple(
            Delivery(field.field, 0, f"openapi {name}") for name, field in fields.items()
        ),
    )


def _check_numbers(answer: ApiAnswer, asked: int) -> Fault | None:
    """Say that the answer is another page's, or that its numbers cannot be true."""
    if answer.page_no != asked:
        return faults.wrong_page(answer.page_no, asked)
    n_items = len(answer.items)
    if n_items > min(answer.size, answer.total):
        return faults.odd_answer(
            f"한 쪽 {answer.size}건, 전체 {answer.total}건이라면서 {n_items}건을 보냈습니다"
        )
    return None


def _find_fields(items: Sequence[Item], selectors: Selectors) -> dict[str, FieldLocator] | Fault:
    """Return the fields that the items have, by their names there, in the order of the file."""
    found = list(dict.fromkeys(name for item in items for name in item))
    names = {field.field: selectors.file.fields[field.field].api_name for field in selectors.fields}
    known = {*names.values(), *selectors.file.ignored_api_names} - {""}
    if unknown := [name for name in found if name not in known]:
        return faults.unknown_name(unknown)
    fields = {
        names[field.field]: field for field in selectors.fields if names[field.field] in set(found)
    }
    present = {field.field for field in fields.values()}
    key = selectors.file.key
    needed = (key.number, key.applicant, key.first_date, key.ingredient)
    missing = [field.label_ko for field in selectors.fields if field.field in {*needed} - present]
    return faults.missing_names(missing, found) if items and missing else fields


def _read_row(row_no: int, item: Item, fields: dict[str, FieldLocator]) -> PageRow | Fault:
    values: dict[str, Value] = {}
    all_shown: dict[str, str] = {}
    for name, field in fields.items():
        text = clean_text(item.get(name, ""))
        if text is None:
            return faults.broken_text(name)
        value, shown = read_value([text], field)
        values[field.field] = value
        if shown is not None:
            all_shown[field.field] = shown
    if not any(values.values()):
        return faults.odd_answer(f"{row_no}번째 건이 모두 비어 있습니다")
    return PageRow(values, all_shown, row_no)
