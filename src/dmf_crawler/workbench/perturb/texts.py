"""Texts that came through something that changed their characters."""

from __future__ import annotations

import html
import random
import unicodedata
from collections.abc import Callable
from urllib.parse import quote

from dmf_crawler.model.record import Fields, Value
from dmf_crawler.workbench.perturb.breakage import Breakage, Damage, Family, Layer, Scene, Unit
from dmf_crawler.workbench.perturb.rows import (
    FEW_AND_PAGE,
    ROW_COUNTS,
    TEXTS,
    Rows,
    change_text,
    of_cells,
    of_rows,
    one_of,
)


def _of_texts(change: Callable[[str], str], fields: tuple[str, ...] = TEXTS) -> Damage:
    """Return a damage of the texts in so many cells."""

    def write(value: Value, _row: Fields, _rng: random.Random) -> Value:
        return change_text(value, change)

    return of_cells(one_of(fields), write)


def _widen(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def _lose_rare_syllables(rows: Rows, _scene: Scene, severity: float, rng: random.Random) -> None:
    """Replace syllables that a decoder's table lacks, wherever they stand in so many rows."""
    places = [i for i, row in enumerate(rows) if _RARE & set(str(row["ingredient_name"]))]
    rng.shuffle(places)
    n_rows = round(severity * len(places)) if severity <= 1 else int(severity)
    for i in places[: max(1, n_rows)]:
        text = str(rows[i]["ingredient_name"])
        changed = "".join("\ufffd" if char in _RARE else char for char in text)
        rows[i] = {**rows[i], "ingredient_name": changed}


_RARE = frozenset("뷰펜쉘핏퀸튜뮬븐퓨휄덱톨릭솔")


def _miscode(text: str) -> str:
    """Return UTF-8 that was taken for Latin-1, as far as it can be seen."""
    return text.encode().decode("latin-1")


def _miscode_korean(text: str) -> str:
    """Return CP949 that was taken for Latin-1."""
    return text.encode("cp949", "replace").decode("latin-1")


def _double_space(text: str) -> str:
    return text.replace(" ", "\u00a0\u00a0") if " " in text else f"{text} \u00a0."


def _texts(
    name: str,
    damage: Damage,
    symptom: str,
    family: Family = Family.TEXT,
    usual: tuple[float, ...] = FEW_AND_PAGE,
) -> Breakage:
    return Breakage(name, family, Layer.OVERLAP, damage, symptom, Unit.ROWS, ROW_COUNTS, usual)


_ENCODING = Family.ENCODING

BREAKAGES = (
    _texts("tags_left", _of_texts(lambda text: f"<b>{text}</b>"), "값에 HTML 태그가 남아 있다."),
    _texts(
        "line_break_tags_left",
        _of_texts(lambda text: f"{text[: len(text) // 2]}<br/>{text[len(text) // 2 :]}"),
        "값 속에 <br/>가 있다.",
    ),
    _texts(
        "entities_left",
        _of_texts(lambda text: html.escape(f"{text} & ")),
        "값에 &amp;가 남아 있다.",
    ),
    _texts(
        "numbered_entities",
        _of_texts(lambda text: "".join(f"&#{ord(char)};" if char > "~" else char for char in text)),
        "한글이 &#54620; 꼴의 부호로 적혀 있다.",
    ),
    _texts("percent_encoded", _of_texts(quote), "값이 %EC%9D%B8처럼 적혀 있다."),
    _texts(
        "escaped_unicode",
        _of_texts(lambda text: text.encode("unicode_escape").decode()),
        "한글이 \\uc131 꼴로 적혀 있다.",
    ),
    _texts("widened", _of_texts(_widen), "영문과 숫자가 전각으로 적혀 있다."),
    _texts("upper_case", _of_texts(str.upper, TEXTS[2:]), "영문이 모두 대문자다."),
    _texts("lower_case", _of_texts(str.lower, TEXTS[2:]), "영문이 모두 소문자다."),
    _texts(
        "blanks_lost",
        _of_texts(lambda text: text.replace(" ", "")),
        "영문 낱말 사이의 빈칸이 없다.",
    ),
    _texts("hard_blanks", _of_texts(_double_space), "빈칸이 줄바꿈 없는 빈칸으로 되어 있다."),
    _texts(
        "decomposed",
        _of_texts(lambda text: unicodedata.normalize("NFD", text)),
        "한글이 자모로 풀려 있다.",
        _ENCODING,
        (100, 1.0),
    ),
    _texts(
        "label_left_in_value",
        _of_texts(lambda text: f"신청인{text}", ("company",)),
        "값 앞에 항목 이름이 붙어 있다.",
    ),
    _texts(
        "script_left_in_value",
        _of_texts(lambda text: f"{text} fnDetail('2026');"),
        "값 뒤에 스크립트가 붙어 있다.",
    ),
    _texts("quotes_added", _of_texts(lambda text: f'"{text}"'), "값이 따옴표 안에 있다."),
    _texts("doubled", _of_texts(lambda text: text + text), "값이 두 번 이어 적혀 있다."),
    _texts("reversed", _of_texts(lambda text: text[::-1]), "글자의 순서가 거꾸로다."),
    _texts(
        "rare_syllables_lost",
        of_rows(_lose_rare_syllables),
        "드문 글자 자리에 �가 있다.",
        _ENCODING,
        (20, 1.0),
    ),
    _texts("utf8_as_latin1", _of_texts(_miscode), "한글이 ì„±처럼 깨져 있다.", _ENCODING),
    _texts("cp949_as_latin1", _of_texts(_miscode_korean), "한글이 ¼ººÐ처럼 깨져 있다.", _ENCODING),
    _texts(
        "doubly_encoded",
        _of_texts(lambda text: _miscode(_miscode(text))),
        "한글이 두 번 깨져 있다.",
        _ENCODING,
    ),
    _texts(
        "unmappable_as_question_marks",
        _of_texts(lambda text: text.encode("ascii", "replace").decode()),
        "한글이 ???로 되어 있다.",
        _ENCODING,
    ),
    _texts(
        "byte_order_mark_in_value",
        _of_texts(lambda text: f"\ufeff{text}"),
        "값 앞에 보이지 않는 표시(BOM)가 있다.",
        _ENCODING,
    ),
    _texts(
        "control_characters",
        _of_texts(lambda text: f"{text[:2]}\u0008{text[2:]}"),
        "값에 보이지 않는 제어 문자가 있다.",
        _ENCODING,
    ),
)
