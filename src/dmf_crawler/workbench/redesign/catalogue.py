"""All kinds of redesign."""

from __future__ import annotations

from dmf_crawler.workbench.redesign import classes, columns, headers, labels
from dmf_crawler.workbench.redesign.kind import Kind

KINDS: tuple[Kind, ...] = (
    *columns.KINDS,
    *headers.KINDS,
    *classes.KINDS,
    *labels.KINDS,
)
