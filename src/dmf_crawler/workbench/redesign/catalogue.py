"""All kinds of redesign."""

from __future__ import annotations

from dmf_crawler.workbench.redesign import (
    cells,
    characters,
    classes,
    columns,
    grids,
    headers,
    labels,
    nested,
    rows,
    source,
    spans,
    surroundings,
    tables,
    values,
)
from dmf_crawler.workbench.redesign.kind import Kind

KINDS: tuple[Kind, ...] = (
    *columns.KINDS,
    *headers.KINDS,
    *classes.KINDS,
    *labels.KINDS,
    *cells.KINDS,
    *values.KINDS,
    *rows.KINDS,
    *spans.KINDS,
    *nested.KINDS,
    *tables.KINDS,
    *grids.KINDS,
    *source.KINDS,
    *characters.KINDS,
    *surroundings.KINDS,
)
