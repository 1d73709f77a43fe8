import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmf_crawler.model.change import Grade
from dmf_crawler.model.detail import tell_file
from dmf_crawler.model.record import FieldKind
from dmf_crawler.text import canonical, critical_tokens, grade_change, grade_values, key_form

REAL_CHANGES = [
    ("한미약품(팔탄공장)", "한미약품(평택공장)"),
    ("(R)-살부타몰", "(S)-살부타몰"),
    ("암로디핀(2:1)", "암로디핀(4:1)"),
    ("Hetero Labs Unit-I", "Hetero Labs Unit-III"),
    ("Hetero Labs Unit Ⅰ", "Hetero Labs Unit Ⅲ"),
    ("Unit Ⅲ", "Unit III"),
    ("10²", "102"),
    ("10₂", "102"),
    ("제조원 ①", "제조원 1"),
    ("세픽심(미분화)", "세픽심(무균)"),
    ("세픽심(무균)", "세픽심(주사용)"),
    ("제1공장", "제2공장"),
    ("대웅(제1공장)", "대웅(제2공장)"),
    ("D(-)-만니톨", "D(+)-만니톨"),
    ("(주)", "(무균)"),
    ("(무균)", ""),
    ("시롤리무스(분산용액)", "시롤리무스"),
    ("α-토코페롤", "β-토코페롤"),
    ("클로피도그렐", "클로피도그렐황산염"),
    ("가(나(다)라)", "가라)"),
    ("1 23", "12 3"),
    ("5 mg 이상", "5 mg 이하"),
    ("적합", "부적합"),
    ("정상", "취하"),
    ("해당 없음", "해당 있음"),
    ("2026-09-22", "2026-09-23"),
    ("v0.0.0/2026", "v0.1.0/2026"),
    ("10 mg", "10 Mg"),
    ("50 %", "50 ‰"),
    ("가나(주), 다", "가나, 다(주)"),
    ("화일약품(주)(구 동성)", "화일약품(구 동성(주))"),
    ("m²", "m2"),
    ("한미…", "한미"),
]

COSMETIC_PAIRS = [
    ("(주)한미약품", "㈜ 한미약품"),
    ("(주)한미약품", "주식회사 한미약품"),
    ("(주)한미약품", "한미약품(주)"),
    ("한미약품(주), 대웅 주식회사", "㈜한미약품, ㈜대웅"),
    ("Lonza AG", " Lonza  AG\r\n"),
    ("Lonza\u00a0AG", "Lonza AG"),
    ("Lonza AG", "Ｌｏｎｚａ　ＡＧ"),
    ("Lonza\u200b AG", "Lonza AG"),
    ("micro\u00adnised", "micronised"),
    *(
        (f"211{char}-J", "211-J")
        for char in (
            "\u034f\u061c\u115f\u1160\u180b\u180e\u200e\u202e\u2066\u2069\u3164\ufe0f\uffa0"
            "\U000e0001\U000e0041\U000e007f\U000e0100"
        )
    ),
    ("세종특별자치시 연서면", "세종특별자치시연서면"),
    ("A–B", "A-B"),
    ("A−B", "A-B"),
    ("Dr. Reddy’s", "Dr. Reddy's"),
    ("“무균”", '"무균"'),
    ("가ㆍ나", "가·나"),
    ("1～2", "1~2"),
    ("【무균】", "[무균]"),
    ("10㎎", "10mg"),
    ("10 ㎖", "10 ml"),
    ("100 ㎡", "100 m²"),
    ("5 ㎍", "5 µg"),
    ("25℃", "25°C"),
    (unicodedata.normalize("NFD", "한국"), "한국"),
    (unicodedata.normalize("NFD", "Société"), "Société"),
    ("변경되었습니다.", "변경되었습니다"),
]

any_text = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("가나다하한() .,-0123aZé\u0301\u0338㈜주식회사㎎²Ⅲ\u200b\u00ad　\r\n[]"),
    ),
    max_size=40,
)


@pytest.mark.parametrize(("before", "after"), REAL_CHANGES)
def test_a_real_change_is_never_called_the_same_or_cosmetic(before, after):
    assert grade_change(before, after) not in {Grade.SAME, Grade.COSMETIC}
    assert grade_change(after, before) not in {Grade.SAME, Grade.COSMETIC}


@pytest.mark.parametrize(("before", "after"), COSMETIC_PAIRS)
def test_another_way_of_typing_the_same_is_cosmetic(before, after):
    assert canonical(before) == canonical(after)
    assert grade_change(before, after) is Grade.COSMETIC


@given(any_text)
def test_the_canonical_form_of_a_canonical_form_is_itself(text):
    assert canonical(canonical(text)) == canonical(text)
    assert key_form(key_form(text)) == key_form(text)


@given(any_text, any_text)
def test_only_identical_texts_are_the_same(left, right):
    assert grade_change(left, left) is Grade.SAME
    assert (grade_change(left, right) is Grade.SAME) == (left == right)


@given(any_text, any_text, st.lists(st.sampled_from("0123456789"), min_size=2, max_size=2))
def test_one_changed_digit_is_never_cosmetic(before, after, digits):
    old, new = digits
    grade = grade_change(before + old + after, before + new + after)
    assert grade is (Grade.SAME if old == new else Grade.SUBSTANTIVE)


def test_the_canonical_form_keeps_what_carries_meaning():
    text = "Unit-Ⅲ (팔탄공장) 10² ① 2:1 straße β"
    assert canonical(text) == "Unit-Ⅲ(팔탄공장)10²①2:1 straßeβ"


def test_a_blank_stays_between_two_ascii_letters_or_digits_alone():
    assert canonical("Lonza AG 가 나 1 2") == "Lonza AG가나1 2"


def test_a_company_mark_inside_a_name_leaves_its_parts_apart():
    assert canonical("1(주)2") == "(주)1 2" != canonical("12(주)")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("주식주식회사회사", "(주)(주)"),
        ("주식㈜회사", "(주)(주)"),
        ("주식주식(주)회사 회사 대웅", "(주)(주)(주)대웅"),
        ("대주식주식회사회사웅", "(주)(주)대웅"),
        ("a㈜\u0301b", "(주)áb"),
        ("1㈜㈜2㈜", "(주)(주)(주)1 2"),
        ("\u110c㈜\u116e식회사", "(주)(주)"),
        ("\u110c㈜\u116e㈜\u11a8식회사", "(주)(주)죽식회사"),
    ],
)
def test_company_marks_that_join_when_others_leave_are_marks_too(text, form):
    assert canonical(text) == form
    assert canonical(form) == form


def test_the_key_form_has_no_blanks_and_upper_case_latin():
    assert key_form(" 수 217-10-nd (a) ") == "수217-10-ND(A)"
    assert key_form("straße") == "STRAßE"


def test_critical_tokens_are_numbers_words_signs_and_states():
    tokens = critical_tokens("2026-09-22 10㎎ 이하, 5 % 부적합, ② 가 Ⅲ (-)")
    assert dict(tokens) == {
        "2026-09-22": 1, "10": 1, "mg": 1, "이하": 1, "5": 1, "%": 1, "부적합": 1,
        "②": 1, "Ⅲ": 1, "(-)": 1,
    }  # fmt: skip


def test_a_small_change_of_wording_is_minor_and_a_large_one_major():
    long = (
        "주사용 무균 원료로서 미분화 공정을 거쳐 충전하는 것으로 하며 차광하여 보관하는 것으로 한다"
    )
    assert grade_change(long, long.replace("한다", "하다")) is Grade.MINOR
    assert grade_change(long, "전혀 다른 문장으로 바꾸어 썼다") is Grade.MAJOR
    assert grade_change("", "새로운 글") is Grade.MAJOR


@pytest.mark.parametrize(
    ("before", "after", "grade"),
    [
        (None, None, Grade.SAME),
        ("가", "가", Grade.SAME),
        (("가", "나"), ("가", "나"), Grade.SAME),
        (None, "", Grade.COSMETIC),
        (None, "v0.0.0/2026", Grade.SUBSTANTIVE),
        ("", (), Grade.COSMETIC),
        (None, (), Grade.COSMETIC),
        ("Lonza AG", ("Lonza AG",), Grade.COSMETIC),
        (("㈜가",), ("(주)가",), Grade.COSMETIC),
        (("㈜가", "나 1"), ("(주)가", "나 2"), Grade.SUBSTANTIVE),
        (("인도",), ("인도", "인도"), Grade.MAJOR),
        (("A 1", "B 2"), ("A 1",), Grade.SUBSTANTIVE),
        (("가나다라마바사", "하"), ("하", "가나다라마바사"), Grade.MAJOR),
        (("인도", "중국"), ("중국", "인도"), Grade.MAJOR),
        (("인도", ""), ("", "인도"), Grade.MAJOR),
        ((), ("인도",), Grade.MAJOR),
    ],
)
def test_a_list_weighs_as_much_as_its_heaviest_element(before, after, grade):
    assert grade_values(before, after, FieldKind.LIST) is grade


def test_another_order_of_nearly_equal_elements_is_substantive():
    common = "무균 원료로서 미분화 공정을 거쳐 충전하는 것으로 하며 차광하여 보관하는 것"
    left, right = common + "이다", common + "임"
    assert grade_change(left, right) is Grade.MINOR
    assert grade_values((left, right), (right, left), FieldKind.LIST) is Grade.SUBSTANTIVE
    assert grade_values((left, "가"), (right, "가"), FieldKind.LIST) is Grade.MINOR


WORDINGS = (
    "주사용 무균 원료로서 미분화 공정을 거쳐 충전하는 것으로 하며 차광하여 보관하는 것으로 한다",
    "주사용 무균 원료로서 미분화 공정을 거쳐 충전하는 것으로 하며 차광하여 보관하는 것으로 하다",
)


@pytest.mark.parametrize("kind", FieldKind)
def test_only_a_name_and_free_text_have_a_wording(kind):
    before, after = WORDINGS
    has_wording = kind in {FieldKind.NAME, FieldKind.TEXT, FieldKind.LIST}

    grade = Grade.MINOR if has_wording else Grade.SUBSTANTIVE
    assert grade_values(before, after, kind) is grade
    assert grade_values((before, "가"), (after, "가"), kind) is grade


@given(any_text, any_text, st.sampled_from(FieldKind))
def test_the_kind_of_a_field_never_makes_a_change_of_it_none(before, after, kind):
    """A kind may weigh a change more; what is typed alike stays cosmetic, and no more."""
    as_text = grade_values(before, after, FieldKind.TEXT)
    grade = grade_values(before, after, kind)

    assert (grade is Grade.SAME) == (before == after)
    if kind is not FieldKind.ATTACHMENTS:
        assert (grade is Grade.COSMETIC) == (as_text is Grade.COSMETIC)
        assert list(Grade).index(grade) >= list(Grade).index(as_text)


A, B = tell_file("공고.hwp", sha256="a" * 64), tell_file("붙임.pdf", sha256="b" * 64)


@pytest.mark.parametrize(
    ("before", "after", "grade"),
    [
        ((A, B), (B, A), Grade.COSMETIC),
        ((A,), (tell_file("공고 .hwp", sha256="a" * 64),), Grade.COSMETIC),
        ((A, B), (A,), Grade.SUBSTANTIVE),
        ((A,), (A, A), Grade.SUBSTANTIVE),
        ((A,), (tell_file("공고.hwp", sha256="b" * 64),), Grade.SUBSTANTIVE),
        ((A,), (tell_file("알림.hwp", sha256="a" * 64),), Grade.SUBSTANTIVE),
        ((A,), (tell_file("공고.hwp", code="http_404"),), Grade.SUBSTANTIVE),
        ((), (A,), Grade.SUBSTANTIVE),
        (None, (), Grade.COSMETIC),
    ],
)
def test_attachments_are_a_set_of_names_and_digests(before, after, grade):
    assert grade_values(before, after, FieldKind.ATTACHMENTS) is grade


@given(st.text("\u0301\u0323\u0345\u0338\u05b0\u302a\uabed\u0430", min_size=30, max_size=60))
def test_a_long_run_of_combining_marks_is_composed_as_a_short_one(marks):
    text = f"가a{marks}나"
    assert canonical(text) == unicodedata.normalize("NFC", text)


def test_a_very_long_text_is_no_burden():
    assert canonical("(주) " * 20_000) == "(주)" * 20_000
    assert canonical("주식" * 50_000 + "회사" * 50_000) == "(주)" * 50_000
    assert canonical("\u110c" * 20_000 + "㈜" + "\u116e식회사" * 20_000) == "(주)" * 20_001
    zalgo = "\u1ea1" + "\u0323" * 99_999 + "\u0301" * 100_000
    assert canonical("a" + "\u0301\u0323" * 100_000) == zalgo
    assert canonical(" ." * 20_000 + "가" + "." * 20_000).count(".") == 40_000
