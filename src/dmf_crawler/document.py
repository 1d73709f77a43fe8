"""One YAML file → plain values that remember their lines, and their check against a type.

Stricter than YAML 1.1, which keeps the last of two equal keys, reads `no` as false, `012` as 10
and `10:30` as 630: a key that stands twice is refused, and an unquoted scalar is text unless it is
`true`, `false`, `null` or a plain decimal number. Tags, anchors and aliases are refused.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec
import yaml

from dmf_crawler.errors import ConfigError

KeyPath = tuple[str | int, ...]
T = TypeVar("T")

MAX_FILE_BYTES = 1_000_000

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
_WORDS: Mapping[str, bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "~": None,
    "": None,
}
_TYPE_NAMES: Mapping[type, str] = {
    str: "글자",
    int: "정수",
    float: "숫자",
    bool: "true 또는 false",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Document:
    """One read file.

    Attributes:
        path: As shown in messages.
        value: Mappings, lists, text, numbers, booleans, None.
        lines: Key path → 1-based line.
    """

    path: str
    value: Any
    lines: Mapping[KeyPath, int]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a document: which key, what stands there, what should, what to do."""

    key: KeyPath
    found: str
    expected: str
    next_step: str = "값을 고친 뒤 다시 실행하세요."
    code: str = "invalid_value"


def read_document(path: Path, shown_as: str) -> Document:
    """Read a YAML file.

    Raises:
        ConfigError: `missing_file`, `unreadable_file`, `not_yaml`, or the code of a finding.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            "missing_file",
            f"{shown_as} 파일이 없습니다. 찾은 곳: {path}. "
            "--home이 올바른지 확인하거나, 배포본의 같은 파일을 복사해 넣으세요.",
        ) from None
    except OSError as error:
        raise ConfigError(
            "unreadable_file", f"{shown_as} 파일을 읽을 수 없습니다({error}). 권한을 확인하세요."
        ) from error
    return parse_document(data, shown_as)


def parse_document(data: bytes, shown_as: str) -> Document:
    """Turn the bytes of a YAML file into a document; raises `ConfigError` as `read_document`."""
    if len(data) > MAX_FILE_BYTES:
        raise ConfigError(
            "unreadable_file",
            f"{shown_as} 파일이 {len(data)}바이트입니다. 최대 {MAX_FILE_BYTES}바이트입니다.",
        )
    try:
        root = yaml.compose(data.decode("utf-8-sig"), Loader=yaml.BaseLoader)
    except UnicodeDecodeError as error:
        raise ConfigError(
            "not_yaml",
            f"{shown_as} 파일이 UTF-8이 아닙니다(바이트 {error.start}). UTF-8로 다시 저장하세요.",
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" {mark.line + 1}행" if mark else ""
        raise ConfigError(
            "not_yaml",
            f"{shown_as}{line}: YAML 문법이 아닙니다({getattr(error, 'problem', None) or error}). "
            "들여쓰기와 따옴표, 콜론 뒤 빈칸을 확인하세요.",
        ) from error
    reader = _Reader()
    document = Document(shown_as, reader.read(root, ()) if root else None, reader.lines)
    raise_findings([(document, finding) for finding in reader.findings])
    return document


class _Reader:
    """Remembers lines, findings and visited nodes while it walks one composed file."""

    def __init__(self) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.findings: list[Finding] = []
        self._seen: set[int] = set()

    def read(self, node: yaml.Node, path: KeyPath) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if id(node) in self._seen:
            self._refuse(path, "별칭(*이름)", "값을 그대로 쓴 글", code="alias")
            return None
        self._seen.add(id(node))
        if not node.tag.startswith("tag:yaml.org,2002:") or node.tag[18:] not in {
            "str",
            "map",
            "seq",
        }:
            self._refuse(path, f"태그 {node.tag}", "태그 없는 값", code="tag")
            return None
        if isinstance(node, yaml.MappingNode):
            return self._read_mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(item, (*path, index)) for index, item in enumerate(node.value)]
        return _scalar(str(node.value), is_plain=getattr(node, "style", None) is None)

    def _read_mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            here = (*path, key)
            if key in values:
                self._refuse(
                    here,
                    f"{self.lines[here]}행과 {key_node.start_mark.line + 1}행에 두 번",
                    "한 번만 쓴 키",
                    next_step="둘 중 하나를 지우세요.",
                    code="duplicate_key",
                )
                continue
            self.lines[here] = key_node.start_mark.line + 1
            values[key] = self.read(value_node, here)
        return values

    def _refuse(
        self, path: KeyPath, found: str, expected: str, *, code: str, next_step: str = ""
    ) -> None:
        step = next_step or "값을 직접 써 넣은 뒤 다시 실행하세요."
        self.findings.append(Finding(path, found, expected, step, code))


def _scalar(text: str, *, is_plain: bool) -> str | int | float | bool | None:
    if not is_plain:  # quoted or a block: always text
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    return text


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


def raise_findings(findings: list[tuple[Document, Finding]]) -> None:
    """Raise one `ConfigError` that names every finding; do nothing when there is none."""
    if findings:
        sentences = [_sentence(document, finding) for document, finding in findings]
        raise ConfigError(findings[0][1].code, "\n".join(sentences))


def _sentence(document: Document, finding: Finding) -> str:
    line = None
    for length in range(len(finding.key), -1, -1):  # a missing key is shown at its section
        line = document.lines.get(finding.key[:length])
        if line is not None:
            break
    where = f"{document.path} {line}행" if line else document.path
    key = ".".join(str(part) for part in finding.key) or "(파일 전체)"
    return (
        f"{where}: {key}: 찾은 값 {finding.found}, 필요한 값 {finding.expected}. "
        f"{finding.next_step}"
    )


def find_faults(value: Any, kind: Any, path: KeyPath = ()) -> Iterator[Finding]:
    """Yield every place where a plain value is not what a type asks for.

    Knows msgspec structs, `dict[str, …]`, `tuple[…, ...]`, `… | None` and leaf types with
    msgspec constraints.
    """
    bare, *_ = get_args(kind) if get_origin(kind) is Annotated else (kind,)
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


def _find_in_struct(value: Any, kind: type[msgspec.Struct], path: KeyPath) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield Finding(path, _shown(value), "키와 값의 묶음")
        return
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for key in value:
        if key not in fields:
            yield Finding(
                (*path, key),
                "모르는 키",
                f"다음 중 하나: {', '.join(fields)}",
                "철자를 확인하거나 이 키를 지우세요.",
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
                "키를 추가하세요.",
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
        yield Finding(path, _shown(value), _described(kind))


def _shown(value: Any) -> str:
    text = (
        "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )
    return f"'{text[:80]}'"


def _described(kind: Any) -> str:
    """Say in Korean what a leaf type accepts."""
    bare, *marks = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    if get_origin(bare) is Literal:
        return "다음 중 하나: " + ", ".join(str(choice) for choice in get_args(bare))
    if get_origin(bare) in {types.UnionType, typing.Union}:
        return " 또는 ".join(_described(option) for option in get_args(bare))
    limits = [
        f"{word} {limit}" if word != "패턴" else f"패턴 {limit}"
        for mark in marks
        for word, limit in (
            ("최소", mark.ge),
            ("초과", mark.gt),
            ("최대", mark.le),
            ("패턴", mark.pattern),
        )
        if limit is not None
    ]
    if isinstance(bare, type) and issubclass(bare, str) and hasattr(bare, "__members__"):
        return "다음 중 하나: " + ", ".join(str(choice) for choice in bare.__members__.values())
    name = _TYPE_NAMES.get(bare, "키와 값의 묶음 또는 목록")
    return f"{name}({', '.join(limits)})" if limits else name
