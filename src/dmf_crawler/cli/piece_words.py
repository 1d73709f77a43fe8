"""A changed value as JSON, and its pieces as Korean lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from dmf_crawler.cli.wording import quote_value
from dmf_crawler.model.change import FieldChange
from dmf_crawler.model.detail import split_file
from dmf_crawler.model.record import FieldKind
from dmf_crawler.model.report import ChangedBack
from dmf_crawler.pieces import Piece, PieceKind, changed_pieces

MOST_SHOWN_PIECES = 10
MOST_SHOWN_CHARACTERS = 80
"""Of one piece; more of it is told by its length."""

SHORT_CHARACTERS = 60
"""A text up to this length is read at a glance: its pieces would say it all once more."""

WORDS: Mapping[PieceKind, str] = {
    PieceKind.ADDED: "추가",
    PieceKind.REMOVED: "삭제",
    PieceKind.REPLACED: "바뀜",
    PieceKind.MOVED: "자리 옮김",
    PieceKind.RENAMED: "이름 바뀜",
    PieceKind.RESPELLED: "표기만 바뀜",
}


def change_json(change: FieldChange, back: ChangedBack | None) -> dict[str, Any]:
    """Return a changed field with its pieces, and which earlier change it undid, if any."""
    pieces = changed_pieces(change.before, change.after, change.kind)
    changed_back = {"on": back.on.isoformat(), "days_ago": back.days_ago} if back else None
    return {
        **asdict(change),
        "pieces": [asdict(piece) for piece in pieces],
        "changed_back": changed_back,
    }


def describe_pieces(change: FieldChange, most: int = MOST_SHOWN_PIECES) -> list[str]:
    """Return one line a piece of a list, of files or of a longer text; the first `most` of them."""
    is_list = isinstance(change.before, tuple) or isinstance(change.after, tuple)
    longest = max(len(change.before or ""), len(change.after or ""))
    if not is_list and longest <= SHORT_CHARACTERS:
        return []
    describe: Callable[[Piece], str] = _describe_element if is_list else _describe_part
    if change.kind is FieldKind.ATTACHMENTS:
        describe = _describe_file
    pieces = changed_pieces(change.before, change.after, change.kind)
    lines = [describe(piece) for piece in pieces[:most]]
    if n_left := len(pieces) - len(lines):
        lines.append(f"외 {n_left:,}곳")
    return lines


def _describe_element(piece: Piece) -> str:
    """Say which value of a list changed how; places are counted from 1."""
    places = [at + 1 for at in (piece.at_before, piece.at_after) if at is not None]
    where = " -> ".join(f"{place:,}번째" for place in dict.fromkeys(places))
    inner = [f"{_quote(part.before)} -> {_quote(part.after)}" for part in piece.parts]
    is_whole = len(piece.parts) == 1 and piece.parts[0].before == piece.before
    told = f" (다른 부분: {', '.join(inner[:MOST_SHOWN_PIECES])})" if inner and not is_whole else ""
    return f"{where} {WORDS[piece.kind]}: {_say_both(piece)}{told}"


def _describe_part(piece: Piece) -> str:
    """Say which words of a text changed how; characters are counted from 1."""
    at = piece.at_before if piece.at_before is not None else piece.at_after or 0
    return f"{at + 1:,}자째 {WORDS[piece.kind]}: {_say_both(piece)}"


def _describe_file(piece: Piece) -> str:
    """Say what became of a file: its name, and where they differ both digests, or refusals."""
    old, new = split_file(piece.before), split_file(piece.after)
    names = " -> ".join(_quote(name) for name in dict.fromkeys(filter(None, (old[0], new[0]))))
    if piece.kind is PieceKind.REPLACED:
        before, after = ("".join(each[1:]) or "?" for each in (old, new))
        return f"내용 {WORDS[piece.kind]}: {names} ({before} -> {after})"
    return f"{WORDS[piece.kind]}: {names}"


def _say_both(piece: Piece) -> str:
    if piece.kind in {PieceKind.ADDED, PieceKind.REMOVED, PieceKind.MOVED}:
        return _quote(piece.after if piece.kind is PieceKind.ADDED else piece.before)
    return f"{_quote(piece.before)} -> {_quote(piece.after)}"


def _quote(text: str) -> str:
    """Return a text in quotes on one line, the beginning of it where it is long."""
    if len(text) <= MOST_SHOWN_CHARACTERS:
        return quote_value(text)
    return f"{quote_value(text[:MOST_SHOWN_CHARACTERS])}… [전체 {len(text):,}자]"
