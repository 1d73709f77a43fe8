"""What the types of the configuration are made of: bounded numbers, names and paths."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

# Upper limits keep what is computed from a setting inside what Python, SQLite and sockets can hold.
PositiveInt = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Tries = Annotated[int, Meta(ge=1, le=10)]
Seconds = Annotated[float, Meta(ge=0, le=86_400)]
PositiveSeconds = Annotated[float, Meta(gt=0, le=86_400)]
Ratio = Annotated[float, Meta(ge=0, le=1)]
Probability = Annotated[float, Meta(gt=0, lt=0.5)]
# Patterns end in \Z: `$` would let a line feed through, and with it another header or folder.
Name = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]+\Z", description="비어 있지 않은 한 줄")]
WordName = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9_.\[\]-]+\Z", description="영문자, 숫자, _ . - [ ] 로 된 이름"),
]
HeaderText = Annotated[
    str,
    Meta(
        pattern=r"^[!-~](?:[ -~]*[!-~])?\Z",
        description="영문자, 숫자, 기호로 된 한 줄(앞뒤 빈칸 없이)",
    ),
]
SitePath = Annotated[
    str,
    Meta(
        pattern=r"^/(?!/)(?!(?:.*/)?(?:\.|%2[Ee]){1,2}(?:/|\Z))[^\s?#\\\x00-\x1f\x7f]*\Z",
        description="/ 하나로 시작하는 경로(빈칸, ?, #, \\, . 이나 .. 마디 없이)",
    ),
]


class Struct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the configuration: frozen, unknown keys refused."""
