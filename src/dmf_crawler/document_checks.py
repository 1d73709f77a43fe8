"""A document against a msgspec type: every fault at once, in Korean, with its key."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec

from dmf_crawler.document import Document, Finding, KeyPath, raise_findings
from dmf_crawler.errors import ConfigError

T = TypeVar("T")

_TYPE_NAMES: Mapping[type, str] = {
    str: "글자",
    int: "정수",
    float: "숫자",
    bool: "true 또는 false",
}

HIDDEN = "(표시하지 않음)"
"""What a message says of a value that nobody but its owner may read."""


def convert_document(document: Document, kind: type[T]) -> T:
    """Return the document as a value of a msgspec struct type, or name everything wrong with it.

    Raises:
        ConfigError: With one sentence a finding; the code is that of the first.
    """
    raise_findings([(document, finding) for finding in find_faults(document.value, kind)])
    try:
        return msgspec.convert(document.value, kind)
    except msgspec.ValidationError as error:
        raise ConfigError("invalid_value", f"{document.path}: {error}.") from error


def find_faults(value: Any, kind: Any, path: KeyPath = ()) -> Iterator[Finding]:
    """Yield every place where a plain value is not what a type asks for.

    Knows msgspec structs, `dict[str, …]`, `tuple[…, ...]`, `… | None` and leaf types with
    msgspec constraints.
    """
    bare = _bare(kind)
    options = get_args(bare) if get_origin(bare) in {types.UnionType, typing.Union} else ()
    if value is None and type(None) in options:
        return
    inner = [option for option in options if option is not type(None)]
    if len(inner) == 1:
        yield from find_faults(value, inner[0], path)
    elif isinstance(bare, type) and issubclass(bare, msgspec.Struct):
        yield from _find_in_struct(value, bare, path)
    elif get_origin(bare) in {dict, Mapping}:
        yield from _find_in_dict(value, get_args(bare)[1], path)
    elif get_origin(bare) is tuple:
        yield from _find_in_list(value, get_args(bare)[0], path)
    else:
        yield from _find_in_leaf(value, kind, path)


@cache
def _fields_of(kind: type[msgspec.Struct]) -> Mapping[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def _find_in_struct(value: Any, kind: type[msgspec.Struct], path: KeyPath) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield Finding(path, _shown(value), "키와 값의 묶음")
        return
    fields = _fields_of(kind)
    for key in value:
        if key not in fields:
            yield Finding(
                (*path, key),
                "모르는 키",
                f"다음 중 하나: {', '.join(fields)}",
                "철자를 확인하거나 이 키를 지우십시오.",
                code="unknown_key",
            )
    for name, field in fields.items():
        if name in value:
            yield from find_faults(value[name], field.type, (*path, name))
        elif field.required:
            yield Finding(
                (*path, name),
                "없음",
                _described(field.type),
                "키를 추가하십시오.",
                code="missing_key",
            )


def _find_in_dict(value: Any, kind: Any, path: KeyPath) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield Finding(path, _shown(value), "키와 값의 묶음")
        return
    for key, item in value.items():
        yield from find_faults(item, kind, (*path, key))


def _find_in_list(value: Any, kind: Any, path: KeyPath) -> Iterator[Finding]:
    if not isinstance(value, list):
        yield Finding(path, _shown(value), "목록")
        return
    for index, item in enumerate(value):
        yield from find_faults(item, kind, (*path, index))


def _find_in_leaf(value: Any, kind: Any, path: KeyPath) -> Iterator[Finding]:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        finding = Finding(path, _shown_of(value, kind), _described(kind))
        if _bare(kind) is str and isinstance(value, int | float):
            finding = replace(finding, next_step="글자로 읽히도록 값을 따옴표로 감싸십시오.")
        yield finding


def _bare(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _shown_of(value: Any, kind: Any) -> str:
    """Say what stands in the file, but not where a key may have been put in by mistake."""
    marks = [mark for mark in getattr(kind, "__metadata__", ()) if isinstance(mark, msgspec.Meta)]
    is_hidden = any((mark.extra or {}).get("is_hidden") for mark in marks)
    return HIDDEN if is_hidden and isinstance(value, str) else _shown(value)


def _shown(value: Any) -> str:
    """Say in Korean what stands in the file, so that the text '5' and the number 5 differ."""
    if value is None:
        return "빈 값(null)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"목록({len(value)}개)"
    if isinstance(value, dict):
        return f"키와 값의 묶음({len(value)}개)"
    return repr(_mask_login(value)[:80]) if isinstance(value, str) else str(value)


def _mask_login(text: str) -> str:
    """Hide who logs in with an address (`//user:word@host`): messages and logs are passed on."""
    login, _, host = text.rpartition("@")
    scheme, slashes, _ = login.partition("//")
    if slashes:
        return f"{scheme}//***@{host}"
    return f"***@{host}" if ":" in login else text


def _described(kind: Any) -> str:
    """Say in Korean what a leaf type accepts."""
    bare = _bare(kind)
    marks = [mark for mark in getattr(kind, "__metadata__", ()) if isinstance(mark, msgspec.Meta)]
    wording = next((mark.description for mark in marks if mark.description), None)
    if wording is not None:
        return wording
    if get_origin(bare) in {types.UnionType, typing.Union}:
        return " 또는 ".join(_described(option) for option in get_args(bare))
    if get_origin(bare) is Literal:
        return "다음 중 하나: " + ", ".join(str(choice) for choice in get_args(bare))
    if isinstance(bare, type) and issubclass(bare, Enum):
        return "다음 중 하나: " + ", ".join(str(choice.value) for choice in bare)
    limits = [
        f"{word} {limit}"
        for mark in marks
        for word, limit in (
            ("최소", mark.ge),
            ("초과", mark.gt),
            ("최대", mark.le),
            ("패턴", mark.pattern),
        )
        if limit is not None
    ]
    name = _TYPE_NAMES.get(bare, "키와 값의 묶음 또는 목록")
    return f"{name}({', '.join(limits)})" if limits else name
