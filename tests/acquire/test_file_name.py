from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.acquire.file_name import MAX_CHARS, MAX_UTF8_BYTES, safe_file_name

URL = "https://site.example/cmn/edms/down/1OY4z?menu=21"
KOREAN = "원료의약품 등록 안내.pdf"


def as_latin_1(text: str, codec: str = "utf-8") -> str:
    """Return a text as an HTTP library hands it over when it came as plain bytes."""
    return text.encode(codec).decode("latin-1")


# --- what the server says ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        f'attachment; filename="{as_latin_1(KOREAN)}"',
        f'attachment; filename="{as_latin_1(KOREAN, "cp949")}"',
        f"attachment;filename={as_latin_1(KOREAN)};",
        f'attachment; filename="{quote(KOREAN)}"',
        f'attachment; filename="{quote(KOREAN.encode("cp949"))}"',
        f'attachment; filename="{KOREAN}"',
        f"attachment; filename*=UTF-8''{quote(KOREAN)}",
        f"attachment; filename*=utf-8'ko'{quote(KOREAN)}",
        f"attachment; filename*=\"UTF-8''{quote(KOREAN)}\"",
        f"attachment; filename*=euc-kr''{quote(KOREAN.encode('cp949'))}",
        f"attachment; filename*=KS_C_5601-1987''{quote(KOREAN.encode('cp949'))}",
        f"attachment; filename=\"other.pdf\"; filename*=UTF-8''{quote(KOREAN)}",
        f'ATTACHMENT ; FileName = "{as_latin_1(KOREAN)}" ; size=3',
        f'attachment; filename="{as_latin_1(KOREAN)}"; filename="second.pdf"',
        f'attachment; name="a;filename=b.pdf"; filename="{as_latin_1(KOREAN)}"',
        f'filename="{as_latin_1(KOREAN)}',
    ],
    ids=[
        "utf-8 bytes",
        "cp949 bytes",
        "no quotes",
        "percent utf-8",
        "percent cp949",
        "decoded already",
        "extended",
        "extended with language",
        "extended in quotes",
        "extended euc-kr",
        "extended old euc-kr name",
        "extended wins",
        "any case and blanks",
        "the first counts",
        "a semicolon in quotes",
        "no closing quote",
    ],
)
def test_a_korean_name_is_read_in_every_way_in_which_servers_send_it(header: str):
    assert safe_file_name(header, URL) == KOREAN


@pytest.mark.parametrize(("word", "codec"), [("공고", "utf-8"), ("감독", "utf-8"), ("뛿", "cp949")])
def test_bytes_that_look_like_blanks_are_part_of_a_name(word: str, codec: str):
    """0x85 and 0xA0, which end many a Korean letter, are white space to `str.strip`."""
    assert word.encode(codec)[-1] in {0x85, 0xA0}
    assert safe_file_name(f"attachment; filename={as_latin_1(word, codec)}", URL) == word


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="a \\"b\\".pdf"', "a _b_.pdf"),
        ('attachment; filename="D:\\문서\\x\\보고서.pdf"', "보고서.pdf"),
        ('attachment; filename="/etc/passwd"', "passwd"),
        ('attachment; filename="%2e%2e%2f%2e%2e%2fx.pdf"', "x.pdf"),
        ('attachment; filename="a%00b.pdf"', "ab.pdf"),
        ('attachment; filename="100%.pdf"', "100%.pdf"),
        ('attachment; filename="caf\xe9.pdf"', "caf\xe9.pdf"),
        ("attachment; filename*=UTF-7''+AC8-; filename=b.pdf", "b.pdf"),
        ("attachment; filename*=UTF-8''%FF; filename=b.pdf", "b.pdf"),
        ("attachment; filename*=UTF-8'b.pdf; filename=b.pdf", "b.pdf"),
        ("attachment; filename*=UTF-8''\xec\x9d; filename=b.pdf", "b.pdf"),
    ],
)
def test_a_name_that_is_odd_or_cannot_be_read(header: str, name: str):
    assert safe_file_name(header, URL) == name


@pytest.mark.parametrize(
    "header",
    [None, "", "attachment", "inline; size=3", 'attachment; filename=""', "filename=..", "="],
)
def test_without_a_name_the_label_counts_then_the_address(header: str | None):
    assert safe_file_name(header, URL, label=" 안내문.hwp ") == "안내문.hwp"
    assert safe_file_name(header, URL) == "1OY4z"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (f"https://site.example/{quote(KOREAN)}?x=/y", KOREAN),
        (f"https://site.example/{quote(KOREAN.encode('cp949'))}", KOREAN),
        ("https://site.example/down/7/", "7"),
        ("https://site.example/down/7;jsessionid=ABC", "7"),
        ("https://site.example/", "file"),
        ("https://[site.example/7", "file"),
        ("https://site.example/%2e%2e", "file"),
    ],
)
def test_the_last_segment_of_an_address_is_a_name_of_last_resort(url: str, name: str):
    assert safe_file_name(None, url) == name


# --- made safe -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "name"),
    [
        (unicodedata.normalize("NFD", KOREAN), KOREAN),
        ("  a\t b\u3000c .pdf ", "a b c.pdf"),
        ("...a.pdf...", "a.pdf"),
        ('<a>:"b"|c?*.pdf', "_a___b__c__.pdf"),
        ("a\u202efdp.exe", "afdp.exe.bin"),
        ("a\u200b\u200d\ufeff\u00ad\u3164\ufe0f.pdf", "a.pdf"),
        ("a\ue000\U000e0041\ud800.pdf", "a.pdf"),
        ("CON", "_CON"),
        ("nul.tar.gz", "_nul.tar.gz"),
        ("Com1 .pdf", "_Com1.pdf"),
        ("lpt\u00b9.pdf", "_lpt\u00b9.pdf"),
        ("conin$.pdf", "_conin$.pdf"),
        ("com10.pdf", "com10.pdf"),
        ("e\u200b\u0301.pdf", "\u00e9.pdf"),
    ],
)
def test_a_name_is_made_one_plain_path_segment(label: str, name: str):
    assert safe_file_name(None, URL, label) == name


STARTING = """
exe com bat cmd scr pif js jse vbs vbe wsf wsh ps1 msi msp hta cpl lnk url jar reg dll scf iso img
vhd EXE settingcontent-ms py
"""


@pytest.mark.parametrize("extension", STARTING.split())
def test_what_windows_would_start_is_made_inert(extension: str):
    name = safe_file_name(None, URL, f"공고.pdf.{extension}")
    assert name == f"공고.pdf.{extension}.bin"
    assert safe_file_name(None, URL, name) == name


@pytest.mark.parametrize("disguise", ["{}.", "{} ", "{}\u00a0", "{}\u200b", "{}\u3000."])
def test_no_disguise_of_an_extension_helps(disguise: str):
    assert safe_file_name(None, URL, disguise.format("a.exe")) == "a.exe.bin"


@pytest.mark.parametrize("extension", ["xlsm", "docm", "pptm", "pdf", "hwp", "zip"])
def test_documents_keep_their_extension(extension: str):
    assert safe_file_name(None, URL, f"a.{extension}") == f"a.{extension}"


def test_a_long_name_keeps_its_extension():
    name = safe_file_name(None, URL, "가" * 300 + ".pdf")
    assert name.endswith("가.pdf")
    emoji = safe_file_name(None, URL, "\U0001f600" * 60 + ".pdf")
    assert emoji == "\U0001f600" * 43 + ".pdf"
    assert len(emoji.encode()) <= MAX_UTF8_BYTES
    assert safe_file_name(None, URL, "a" * 300 + ".pdf") == "a" * 56 + ".pdf"
    assert safe_file_name(None, URL, "a" * 300 + ".exe") == "a" * 52 + ".exe.bin"


def test_cutting_a_name_does_not_make_a_program_of_it():
    assert safe_file_name(None, URL, "a" * 56 + ".exe" + "b" * 40) == "a" * 52 + ".exe.bin"


ODD = st.text(st.sampled_from("./\\: \t\0%2f5cCONexe\u202e\u200b\ud800가\"';=*_\U0001f600"))
TEXTS = st.one_of(st.text(max_size=300), ODD)


@given(header=st.one_of(st.none(), TEXTS, TEXTS.map("attachment; filename={}".format)), url=TEXTS)
def test_whatever_comes_the_name_is_one_safe_path_segment(header: str | None, url: str):
    name = safe_file_name(header, url, label=url)

    assert 1 <= len(name) <= MAX_CHARS
    assert len(name.encode("utf-8")) <= MAX_UTF8_BYTES
    assert unicodedata.is_normalized("NFC", name)
    assert PurePosixPath(name).parts == PureWindowsPath(name).parts == (name,)
    assert not PureWindowsPath(name).is_reserved()
    assert name == name.strip(". ")
    assert not set('<>:"/\\|?*') & set(name)
    assert all(unicodedata.category(char)[0] != "C" for char in name)
    assert not name.lower().endswith((".exe", ".com"))
    assert safe_file_name(None, "", name) == name


def test_a_hostile_header_is_read_in_no_time():
    for header in ('"' * 1_000_000, "filename=" + '\\"' * 500_000, ";=" * 500_000, "%25" * 300_000):
        assert len(safe_file_name(header, URL)) <= MAX_CHARS
