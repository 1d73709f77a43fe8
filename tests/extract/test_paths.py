"""CSS becomes XPath that finds what the library's own translation finds."""

from cssselect import HTMLTranslator
from hypothesis import given
from hypothesis import strategies as st
from lxml.etree import XPath
from lxml.html import document_fromstring

from dmf_crawler.extract.paths import compile_css, find_among, find_elements

_words = st.lists(st.sampled_from(["a", "b", "s-th", "A", "a-b", " ", "\t\n"]), max_size=4)
_page = st.lists(st.tuples(_words, _words), min_size=1, max_size=6).map(
    lambda classes: document_fromstring(
        "".join(
            f'<i class="{" ".join(outer)}"><b class="{"".join(inner)}" data-x="{" ".join(inner)}">'
            f"<i class='{''.join(inner)}'></i><i></i><b></b><i></i></b><b><i></i></b>"
            for outer, inner in classes
        )
    )
)


CLASSES = [
    *(".a", "i.a", "i.a.b", "i.s-th > b.a", ".a, .b", "i:not(.a)", "i:not(.a.b) b"),
    *('[class~="a"]', '[data-x~="a"]', '[class~="a b"]', '[class~=""]', "i:has(> b.a)"),
    *("i.a b[data-x=b]", "b:not([data-x~=a])", "i.a:not(:has(.b))"),
]
PLACES = [
    *("b", "i b", "i > b", "i + i", "i ~ i b", "b + i > b", "*", "i i i b", ".a > .b .a"),
    *("i.a b.b", "i.a > b[data-x]", "b, i.a", "i > i > b, .a ~ b", "[data-x^=a]", "i > * .b"),
    *("i:not(.a) b", "i:has(b + i) b", "i:nth-child(2)", "b:not(i + b)"),
    *("i:has(> b > i)", "i:has(i b)", "i:first-child", "b:last-child", "b i:first-of-type"),
]


@given(page=_page)
def test_a_class_is_found_alone_and_among_others(page):
    for css in CLASSES:  # one page for all of them: making it takes longest
        assert compile_css(css)(page) == XPath(HTMLTranslator().css_to_xpath(css))(page), css


@given(page=_page, every=st.integers(1, 3))
def test_an_element_can_be_tested_for_being_found(page, every):
    elements = list(page.iter())[::every]
    for css in PLACES:
        path = compile_css(css)
        found = find_elements(path, page)
        assert find_among(path, elements, page) == [each for each in elements if each in found], css
