"""An XPath is taken apart as lxml understands it."""

import pytest
from lxml.etree import XPath

from dmf_crawler.extract.xpath_tree import (
    Call,
    Literal,
    Number,
    Operation,
    Path,
    Step,
    parse_xpath,
)

_HERE = Step("self", "node()")
_BELOW = Step("descendant-or-self", "node()")


def _child(name: str) -> Path:
    return Path(steps=(Step("child", name),))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        (".", Path(steps=(_HERE,))),
        ("/", Path(is_absolute=True)),
        ("//td", Path(is_absolute=True, steps=(_BELOW, Step("child", "td")))),
        (" . // @id ", Path(steps=(_HERE, _BELOW, Step("attribute", "id")))),
        ("..", Path(steps=(Step("parent", "node()"),))),
        ("ancestor::x", Path(steps=(Step("ancestor", "x"),))),
        ("text()", Path(steps=(Step("child", "text()"),))),
        (
            "processing-instruction('x')",
            Path(steps=(Step("child", "processing-instruction()"),)),
        ),
        ("'a\"b'", Literal('a"b')),
        (".5", Number(".5")),
        ("((5.))", Number("5.")),
        ("true()", Call("true", ())),
        ("concat('', 1)", Call("concat", (Literal(""), Number("1")))),
        ("a or b or c", Operation(("or", "or"), (_child("a"), _child("b"), _child("c")))),
        ("or or or", Operation(("or",), (_child("or"), _child("or")))),
        ("* * *", Operation(("*",), (_child("*"), _child("*")))),
        ("div div-div", None),
        ("div div div", Operation(("div",), (_child("div"), _child("div")))),
        ("a-b", _child("a-b")),
        ("a -b", Operation(("-",), (_child("a"), _child("b")))),
        ("- - a", Operation(("-",), (_child("a"),))),
        ("/ | a", Operation(("|",), (Path(is_absolute=True), _child("a")))),
        (
            "a = 1 or b < 2 + 3",
            Operation(
                ("or",),
                (
                    Operation(("=",), (_child("a"), Number("1"))),
                    Operation(("<",), (_child("b"), Operation(("+",), (Number("2"), Number("3"))))),
                ),
            ),
        ),
        ("(a)[1]", Path(start=_child("a"), predicates=(Number("1"),))),
        ("(a)/b", Path(start=_child("a"), steps=(Step("child", "b"),))),
        ("가나[b][1]", Path(steps=(Step("child", "가나", (_child("b"), Number("1"))),))),
    ],
)
def test_an_expression_is_taken_apart(text, tree):
    assert parse_xpath(text) == tree
    if tree is not None:
        XPath(text)  # and lxml takes it, too


@pytest.mark.parametrize(
    "text",
    ["", "a b", "a[", "a]", "a[]", "'a", "/a/", "a/", "a::b::c", "f(", "count(a,)", "count(,a)",
     "count(a b)", "@", "a |", "| a", "a = ", "5 5", "#a", "(a", "@@a", "$x", "td[foo()]", "x:td",
     "text(", "(" * 1500 + "a" + ")" * 1500],
)  # fmt: skip
def test_what_is_no_xpath_without_variables_has_no_tree(text):
    assert parse_xpath(text) is None
