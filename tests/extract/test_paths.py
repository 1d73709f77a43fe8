"""CSS becomes XPath that finds what the library's own translation finds."""

import pytest
from cssselect import HTMLTranslator
from hypothesis import given
from hypothesis import strategies as st
from lxml.etree import XPath
from lxml.html import document_fromstring

from dmf_crawler.extract.paths import compile_css

_words = st.lists(st.sampled_from(["a", "b", "s-th", "A", "a-b", " ", "\t\n"]), max_size=4)
_page = st.lists(st.tuples(_words, _words), min_size=1, max_size=6).map(
    lambda classes: document_fromstring(
        "".join(
            f'<p class="{" ".join(outer)}"><b class="{"".join(inner)}" data-x="{" ".join(inner)}">'
            for outer, inner in classes
        )
    )
)


@pytest.mark.parametrize(
    "css",
    [
        *(".a", "p.a", "p.a.b", "p.s-th > b.a", ".a, .b", "p:not(.a)", "p:not(.a.b) b"),
        *('[class~="a"]', '[data-x~="a"]', '[class~="a b"]', '[class~=""]', "p:has(> b.a)"),
        *("p.a b[data-x=b]", "b:not([data-x~=a])", "p.a:not(:has(.b))"),
    ],
)
@given(page=_page)
def test_a_class_is_found_alone_and_among_others(css, page):
    assert compile_css(css)(page) == XPath(HTMLTranslator().css_to_xpath(css))(page)
