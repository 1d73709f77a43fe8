"""Notices: posts of the board 공지, as the site's database has them (README, item 12)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

Table = tuple[tuple[str, ...], ...]
"""Rows of cells; the first row is the head."""

Block = str | Table
"""A paragraph, its lines parted by line feeds, or a table."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that hangs on a post.

    Attributes:
        document_id: Names it in its address; a replaced file gets another one.
        name: With its ending.
        content: The bytes.
    """

    document_id: str
    name: str
    content: bytes

    @property
    def value(self) -> str:
        """What must be recorded of it."""
        return f"{self.name} (sha256:{hashlib.sha256(self.content).hexdigest()[:16]})"


@dataclass(frozen=True, slots=True)
class Notice:
    """One post.

    Attributes:
        post_id: Digits; a younger post has a greater number.
        title: One line.
        department: 담당부서.
        posted_on: `YYYY-MM-DD`.
        blocks: The text, in order.
        attachments: Its files, in order.
        is_pinned: Whether it stands on top of every page.
    """

    post_id: str
    title: str
    department: str
    posted_on: str
    blocks: tuple[Block, ...]
    attachments: tuple[Attachment, ...] = ()
    is_pinned: bool = False

    @property
    def key(self) -> str:
        """What identifies it."""
        return self.post_id

    @property
    def is_live(self) -> bool:
        """Whether it is not withdrawn by status; a post has none."""
        return True

    @property
    def body(self) -> str:
        """The text without markup: a line for each line of a paragraph and row of a table."""
        return "\n".join(line for block in self.blocks for line in _list_lines(block))

    @property
    def files(self) -> tuple[str, ...]:
        """What must be recorded of its files."""
        return tuple(attachment.value for attachment in self.attachments)


def _list_lines(block: Block) -> list[str]:
    if isinstance(block, str):
        return block.split("\n")
    return [" ".join(row) for row in block]


LIST_COLUMNS: tuple[tuple[str, str], ...] = (
    ("title", "제목"),
    ("department", "담당부서"),
    ("posted_on", "등록일"),
)
"""Field id and Korean header of what the list shows, without 번호 and 조회수."""

COLUMNS: tuple[tuple[str, str], ...] = (
    ("post_id", "글번호"),
    *LIST_COLUMNS,
    ("body", "본문"),
    ("files", "첨부파일"),
)
"""Field id and Korean name of everything that must be recorded of a post."""
