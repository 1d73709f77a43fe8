import codecs

import pytest

from dmf_crawler.extract.decode import decode_page
from dmf_crawler.model.run import Fault

TEXT = "<html>제조소 똠방각하 ㈜ 10²</html>"
"""똠 and 햏 are in CP949 but not in Python's euc_kr."""


@pytest.mark.parametrize(
    "name",
    [
        "euc-kr", "EUC-KR", "ks_c_5601-1987", "ks_c_5601", "windows-949", "uhc", "ms949", "cp949",
    ],
)  # fmt: skip
def test_every_korean_name_means_cp949(name):
    assert decode_page(TEXT.encode("cp949"), f"text/html; charset={name}") == TEXT


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        pytest.param(TEXT.encode(), "text/html;charset=UTF-8", id="header"),
        pytest.param(TEXT.encode(), 'text/html; Charset="utf-8"', id="quoted header"),
        pytest.param(codecs.BOM_UTF8 + TEXT.encode(), "text/html;charset=euc-kr", id="bom wins"),
        pytest.param(TEXT.encode("utf-16"), "", id="utf-16 bom"),
        pytest.param(codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "", id="utf-16 big endian"),
        pytest.param(TEXT.encode(), "", id="nothing declared, utf-8"),
        pytest.param(TEXT.encode("cp949"), "text/html", id="nothing declared, cp949"),
        pytest.param(TEXT.encode("cp949"), "text/html;charset=utf-8", id="header lies, cp949"),
        pytest.param(TEXT.encode(), "text/html;charset=iso-8859-1", id="latin-1 is passed over"),
        pytest.param(TEXT.encode(), "text/html;charset=hex", id="a codec that is no charset"),
        pytest.param(TEXT.encode(), "text/html;charset=utf-7", id="utf-7 is passed over"),
    ],
)
def test_a_page_is_what_its_bytes_agree_to_strictly(body, content_type):
    assert decode_page(body, content_type) == TEXT


@pytest.mark.parametrize(
    "meta",
    [
        '<meta charset="euc-kr">',
        "<META http-equiv=Content-Type content='text/html; charset=ks_c_5601-1987'>",
    ],
)
def test_the_meta_charset_counts_in_the_first_1024_bytes(meta):
    text = f"{meta}한글 똠"
    assert decode_page(text.encode("cp949"), "text/html") == text


def test_the_header_charset_goes_before_the_meta_charset():
    """Bytes that both charsets accept tell which one was tried first."""
    body = b'<meta charset="utf-8">' + "각각".encode()
    assert "각각" in str(decode_page(body, "text/html"))
    assert "각각" not in str(decode_page(body, "text/html;charset=euc-kr"))


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xff\xff</html>",
        "제조소".encode() + b"\xff" + "제조국가".encode(),
        "제조소\ufffd".encode(),
    ],
)
def test_a_page_with_broken_letters_is_refused(body):
    fault = decode_page(body, "text/html;charset=utf-8")
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("mojibake", 4, False)
    assert "깨" in fault.message


@pytest.mark.parametrize("body", [b"", b" \r\n\t ", b"\x00\x00", codecs.BOM_UTF8])
def test_an_empty_page_may_be_asked_for_again(body):
    fault = decode_page(body, "text/html")
    assert isinstance(fault, Fault)
    assert (fault.code, fault.exit_code, fault.is_retryable) == ("empty_page", 6, True)


@pytest.mark.parametrize("charset", ["utf-8", "cp949"])
def test_a_letter_cut_at_the_very_end_is_a_cut_page_and_no_mojibake(charset):
    body = "<td>한글".encode(charset)[:-1]
    assert decode_page(body, f"text/html;charset={charset}") == "<td>한"


def test_control_characters_are_removed_however_they_are_written():
    body = b"a\x00b\x1fc\x7fd\x0ce\tf\r\ng&#31;h&#x0;i&#x1F;j&#13;&#10;k&#39;l&#127;m&#319;"
    assert decode_page(body, "") == "abcde\tf\r\nghij&#13;&#10;k&#39;lm&#319;"
    assert decode_page(b"a&#0000000031;b&#x00000000;c&#;d&#x;", "") == "abc&#;d&#x;"
    references = "&#00000065;&#x0000041;&#0000000038;&#" + "1" * 5_000 + ";"
    assert decode_page(references.encode(), "") == references
    assert decode_page("a\u0085b\u009fc".encode(), "") == "abc"


@pytest.mark.parametrize("form", ["&#{:d};", "&#{:d}z", "&#000{:d};", "&#x{:x};", "&#X00{:X};"])
def test_of_all_references_those_to_control_characters_are_removed(form):
    for code in range(300):
        reference = form.format(code)
        is_control = (code < 32 and code not in {9, 10, 13}) or code == 127
        rest = reference.lstrip("&#xX0123456789abcdefABCDEF").lstrip(";")
        expected = f"a{rest}b" if is_control else f"a{reference}b"
        assert decode_page(f"a{reference}b".encode(), "") == expected


def test_the_xml_declaration_is_removed():
    assert decode_page(b'\n<?xml version="1.0" encoding="euc-kr"?>\n<html>', "") == "\n<html>"
