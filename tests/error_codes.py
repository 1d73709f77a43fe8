"""Every error code that the source can give, found by reading the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from tests.pages import PACKAGE, ROOT


def find_codes() -> dict[str, str]:
    """Return every error code that the source can give → one file that gives it.

    A code is what a call passes for a parameter named `code` or `fault_code`, the default of such a
    parameter or field, or the first of the pair that a command answers as its `error`.
    """
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    positions = {name: at for tree in trees.values() for name, at in _find_makers(tree)}
    codes = {}
    for path, tree in trees.items():
        constants = _find_constants(tree)
        for node in ast.walk(tree):
            for value in _find_code_values(node, positions):
                for code in _read_words(value, constants):
                    codes[code] = path.relative_to(ROOT).as_posix()
            for code in _find_in_sql(node):
                codes[code] = path.relative_to(ROOT).as_posix()
    return codes


def _find_makers(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield each function and class that takes a code, with its position among the arguments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args if argument.arg != "self"]
            owner = node.name
        elif isinstance(node, ast.ClassDef):
            names = [
                item.target.id
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            ]
            owner = node.name
        else:
            continue
        for name in ("fault_code", "code"):
            if name in names and not (owner == "Gate" and name == "code"):
                yield owner, names.index(name)
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
            yield node.name, 0


def _find_constants(tree: ast.Module) -> Mapping[str, ast.expr]:
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _find_code_values(node: ast.AST, positions: Mapping[str, int]) -> Iterator[ast.expr]:
    """Yield what stands for a code in one node of the source."""
    if isinstance(node, ast.Call):
        yield from _find_in_call(node, positions)
    elif isinstance(node, ast.FunctionDef):
        named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        yield from (value for name, value in named if name.arg == "code" and value is not None)
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        yield from _find_in_assignment(getattr(target, "id", ""), node.value)


def _find_in_call(node: ast.Call, positions: Mapping[str, int]) -> Iterator[ast.expr]:
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in positions and positions[name] < len(node.args):
        yield node.args[positions[name]]
    for keyword in node.keywords:
        if keyword.arg in {"code", "fault_code"} and name != "Gate":
            yield keyword.value
        elif keyword.arg == "error":
            yield from _first_of_pair(keyword.value)
    if name == "Answer" and len(node.args) > 3:
        yield from _first_of_pair(node.args[3])


def _find_in_assignment(target: str, value: ast.expr) -> Iterator[ast.expr]:
    """Yield a field's default, the pair of an answer, the failures that `world` has words for."""
    if target == "code":
        yield value
    elif target == "error":
        yield from _first_of_pair(value)
    elif target == "_SENTENCES" and isinstance(value, ast.Dict):
        yield from (key for key in value.keys if key is not None)


def _find_in_sql(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.findall(r"error_code = '([a-z_]+)'", node.value)
    return []


def _first_of_pair(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.IfExp):
        yield from _first_of_pair(value.body)
        yield from _first_of_pair(value.orelse)
    elif isinstance(value, ast.Tuple) and value.elts:
        yield value.elts[0]


def _read_words(value: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    if isinstance(value, ast.IfExp):
        yield from _read_words(value.body, constants)
        yield from _read_words(value.orelse, constants)
    elif isinstance(value, ast.Name) and value.id in constants:
        yield from _read_words(constants[value.id], {})
    elif (
        isinstance(value, ast.Constant)
        and isinstance(value.value, str)
        and re.fullmatch(r"[a-z]+(?:_[a-z]+)*", value.value)
    ):
        yield value.value
