"""One YAML file → plain values that remember their lines.

Stricter than YAML 1.1, which keeps the last of two equal keys, reads `no` as false, `012` as 10
and `10:30` as 630: a key that stands twice is refused, and an unquoted scalar is text unless it is
`true`, `false`, `null` or a plain decimal number. Tags, anchors, aliases and merge keys are
refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from dmf_crawler.errors import ConfigError

KeyPath = tuple[str | int, ...]

MAX_FILE_BYTES = 1_000_000
MAX_DEPTH = 20

_MOST_REMEMBERED = 20_000
"""Characters of a file whose parsed form is kept."""

# Longer numbers stay text: int() refuses 5,000 digits, and float() would make infinity of 400.
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]{1,17}")
_WORDS: Mapping[str, bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "~": None,
    "": None,
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

    def line_of(self, key: KeyPath) -> int | None:
        """Return the line of a key; of one that is missing, that of its section."""
        sections = (self.lines.get(key[:length]) for length in range(len(key), -1, -1))
        return next((line for line in sections if line is not None), None)


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a document: which key, what stands there, what should, what to do."""

    key: KeyPath
    found: str
    expected: str
    next_step: str = "값을 고친 뒤 다시 실행하십시오."
    code: str = "invalid_value"


def read_document(path: Path, shown_as: str) -> Document:
    """Read a YAML file.

    Raises:
        ConfigError: `missing_file`, `unreadable_file`, `not_yaml`, or the code of a finding.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(
            "missing_file",
            f"{shown_as} 파일이 없습니다. 찾은 곳: {path}. "
            "--home이 올바른지 확인하거나, 배포본의 같은 파일을 복사해 넣으십시오.",
        ) from None
    except OSError as error:
        raise ConfigError(
            "unreadable_file", f"{shown_as} 파일을 읽을 수 없습니다({error}). 권한을 확인하십시오."
        ) from error
    return parse_document(data, shown_as)


def parse_document(data: bytes, shown_as: str) -> Document:
    """Turn the bytes of a YAML file into a document; raises `ConfigError` as `read_document`."""
    if len(data) > MAX_FILE_BYTES:
        raise ConfigError(
            "unreadable_file",
            f"{shown_as} 파일이 너무 큽니다(최대 {MAX_FILE_BYTES:,}바이트). "
            "다른 파일이 이 이름으로 놓이지 않았는지 확인하십시오.",
        )
    try:
        text = data.decode("utf-8-sig")
        reader = _Reader(_parse(text), shown_as)
        document = Document(shown_as, reader.read_file(), reader.lines)
    except UnicodeDecodeError as error:
        raise ConfigError(
            "not_yaml",
            f"{shown_as} 파일이 UTF-8이 아닙니다(바이트 {error.start}). UTF-8로 다시 저장하십시오.",
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" {mark.line + 1}행" if mark else ""
        raise ConfigError(
            "not_yaml",
            f"{shown_as}{line}: YAML 문법이 아닙니다({getattr(error, 'problem', None) or error}). "
            "들여쓰기와 따옴표, 콜론 뒤 빈칸을 확인하십시오.",
        ) from error
    raise_findings([(document, finding) for finding in reader.findings])
    return document


def _parse(text: str) -> Iterator[yaml.Event]:
    """Return the parser's events; those of a file that is read again are still there.

    A rehearsal, a comparison in many processes and a test open the same home again and again, and
    the parser takes nearly all of the time of that.
    """
    if len(text) <= _MOST_REMEMBERED:
        with suppress(yaml.YAMLError):  # is raised again below, after what stands before it
            return iter(_parse_whole(text))
    return iter(yaml.parse(text, Loader=yaml.BaseLoader))


@lru_cache(maxsize=16)
def _parse_whole(text: str) -> tuple[yaml.Event, ...]:
    return tuple(yaml.parse(text, Loader=yaml.BaseLoader))


class _Reader:
    """Builds plain values from the parser's events; remembers lines and findings.

    Events, not composed nodes: those no longer show `&anchor` and `!!str`.
    """

    def __init__(self, events: Iterator[yaml.Event], shown_as: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.findings: list[Finding] = []
        self._events = events
        self._shown_as = shown_as

    def read_file(self) -> Any:
        """Return the value of the only YAML document, None where there is none."""
        value, n_documents = None, 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                n_documents += 1
                if n_documents > 1:
                    raise self._give_up(event, "YAML 문서가 둘 이상입니다. '---' 줄을 지우십시오")
                value = self._read(next(self._events), ())
        return value

    def _read(self, event: yaml.Event, path: KeyPath) -> Any:
        if len(path) > MAX_DEPTH:
            raise self._give_up(event, f"{MAX_DEPTH}단계보다 깊습니다. 들여쓰기를 확인하십시오")
        self.lines.setdefault(path, _line_of(event))
        self._refuse_marks(event, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._read_mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._read_list(path)
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event.value, is_plain=event.style is None)
        return None  # an alias, refused above

    def _read_list(self, path: KeyPath) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            values.append(self._read(event, (*path, len(values))))
        return values

    def _read_mapping(self, path: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._read_key(event, path)
            here, line = (*path, key), _line_of(event)
            is_first = key not in values
            if not is_first:
                self._refuse(
                    here,
                    f"{self.lines[here]}행과 {line}행에 두 번",
                    "한 번만 쓴 키",
                    next_step="둘 중 하나를 지우십시오.",
                    code="duplicate_key",
                )
            self.lines.setdefault(here, line)
            value = self._read(next(self._events), here)
            if is_first:
                values[key] = value
        return values

    def _read_key(self, event: yaml.Event, path: KeyPath) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            here = (*path, "?")
            self.lines[here] = _line_of(event)
            self._refuse(here, "키 자리에 묶음이나 목록, 별칭", "키: 값", code="invalid_key")
            self._read(event, here)
            return "?"
        key = event.value
        self._refuse_marks(event, (*path, key))
        if key == "<<" and event.style is None:
            self._refuse((*path, key), "병합 키 <<", "값을 그대로 쓴 글", code="alias")
        return key

    def _refuse_marks(self, event: yaml.Event, path: KeyPath) -> None:
        """Refuse an alias, an anchor or a tag."""
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if anchor is not None:
            sign = "별칭 *" if isinstance(event, yaml.AliasEvent) else "앵커 &"
            self._refuse(path, sign + anchor, "값을 그대로 쓴 글", code="alias")
        if tag is not None:
            self._refuse(path, f"태그 {tag}", "태그 없는 값", code="tag")

    def _refuse(
        self, path: KeyPath, found: str, expected: str, *, code: str, next_step: str = ""
    ) -> None:
        step = next_step or "값을 직접 써 넣은 뒤 다시 실행하십시오."
        self.findings.append(Finding(path, found, expected, step, code))

    def _give_up(self, event: yaml.Event, reason: str) -> ConfigError:
        return ConfigError("not_yaml", f"{self._shown_as} {_line_of(event)}행: {reason}.")


def _line_of(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


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


def raise_findings(findings: list[tuple[Document, Finding]]) -> None:
    """Raise one `ConfigError` that names every finding; do nothing when there is none."""
    if findings:
        sentences = [word_finding(document, finding) for document, finding in findings]
        codes = [finding.code for _, finding in findings]
        raise ConfigError(codes[0], "\n".join(sentences), codes)


def word_finding(document: Document, finding: Finding) -> str:
    """Return the Korean sentence about a finding, with its line where that is known."""
    line = document.line_of(finding.key)
    where = f"{document.path} {line}행" if line else document.path
    key = ".".join(str(part) for part in finding.key) or "(파일 전체)"
    return (
        f"{where}: {key}: 찾은 값 {finding.found}, 필요한 값 {finding.expected}. "
        f"{finding.next_step}"
    )
