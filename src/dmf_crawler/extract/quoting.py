"""What a site wrote, quoted in a message: on one line and short, however long it is."""

from __future__ import annotations

from collections.abc import Iterable

_N_TEXT_CHARS = 80
_N_LIST_CHARS = 300


def shorten(text: str) -> str:
    """Return a text on one line, cut after 80 characters."""
    return _cut(" ".join(text.split()), _N_TEXT_CHARS)


def quote_texts(texts: Iterable[str]) -> str:
    """Return texts in quotes, each shortened, all together cut after 300 characters."""
    return _cut(", ".join(f"'{shorten(text) or '(빈칸)'}'" for text in texts), _N_LIST_CHARS)


def _cut(text: str, n_chars: int) -> str:
    return text if len(text) <= n_chars else text[:n_chars] + "..."
