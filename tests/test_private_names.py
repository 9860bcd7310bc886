"""Private names of other packages are used only where a decision page says so (0032)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "tokoban"
# Documented methods of every NamedTuple, in spite of their names.
PUBLIC = {"_replace", "_asdict", "_make", "_fields", "_exit"}
# Every private name that the package uses, by file; docs/decisions/0032 says why.
ALLOWED = {
    "compiling/__init__.py": {
        *("_nrt", "_cache", "_cache_file", "_version", "_load_index", "_load_overload"),
    },
    "compiling/linking.py": {"_linking_libraries", "_data_layout", "_function_pass_manager"},
    "inference/packed.py": {"_linear_pointwise", "_reorder_linear_weight", "_int_mm"},
    "sokoban/work.py": {"_client", "_max_workers"},
    "training/average.py": {"_foreach_copy_", "_foreach_lerp_"},
    "training/gradients.py": {"_foreach_mul_"},
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name.strip("_") != ""


def own_names(tree: ast.AST) -> set[str]:
    """What the file itself defines: functions, classes, assigned names and attributes of self."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
        ):
            found.add(node.attr)
    return found


def used_names(tree: ast.AST) -> Iterator[str]:
    """Attributes of anything but self and cls, imports, keywords, options and names in getattr."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                yield node.attr
        elif isinstance(node, ast.keyword):
            yield node.arg or ""
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from alias.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Dict):
            for key in node.keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("getattr", "hasattr", "setattr")
            and isinstance(node.args[1], ast.Constant)
        ):
            yield str(node.args[1].value)


def foreign_private_names(source: str) -> set[str]:
    tree = ast.parse(source)
    return {name for name in used_names(tree) if is_private(name)} - own_names(tree) - PUBLIC


def test_exactly_the_listed_private_names_are_used() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): foreign_private_names(path.read_text("utf-8"))
        for path in PACKAGE.rglob("*.py")
    }
    assert {file: names for file, names in found.items() if names} == ALLOWED


def test_each_of_them_is_explained() -> None:
    page = PACKAGE.parent / "docs/decisions/0032-private-names.md"
    text = page.read_text("utf-8")
    listed = {name for names in ALLOWED.values() for name in names}
    assert {name for name in listed if f"`{name}`" not in text} == set()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch\ntorch._C.f()", {"_C"}),
        ("from torch._inductor import config", {"_inductor"}),
        ("from numba.core import _helpers", {"_helpers"}),
        ("f(_nrt=False)", {"_nrt"}),
        ("options = {'_nrt': False}", {"_nrt"}),
        ("getattr(thing, '_secret')", {"_secret"}),
        ("def _own(): pass\nmodule._own()", set()),
        ("class A:\n    def f(self, other):\n        self._x = 1\n        return other._x", set()),
        ("pair._replace(one=1)", set()),
        ("_, x = pair", set()),
        ("thing.__dict__", set()),
    ],
)
def test_a_private_name_is_found(source: str, expected: set[str]) -> None:
    assert foreign_private_names(source) == expected
