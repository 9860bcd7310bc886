"""No assert in the package checks input or does work: `python -O` leaves all of them out."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "tokoban"


def _only_narrows(test: ast.expr) -> bool:
    """Whether it says no more than a type checker asks for: isinstance, not None, one of these."""
    if isinstance(test, ast.BoolOp):
        return all(_only_narrows(part) for part in test.values)
    if isinstance(test, ast.Call):
        return isinstance(test.func, ast.Name) and test.func.id == "isinstance"
    if not isinstance(test, ast.Compare) or any(
        isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(test)
    ):
        return False
    [operator, *others], [right, *_] = test.ops, test.comparators
    if others:
        return False
    is_not_none = isinstance(operator, ast.IsNot) and isinstance(right, ast.Constant)
    return is_not_none or (isinstance(operator, ast.In) and isinstance(right, ast.Tuple))


ALLOWED = ["isinstance(x, int)", "x.y is not None", 'x in ("a", "b")']
REFUSED = ["x.pop()", "x > 0", "(y := x) is not None", "check(x) is not None", "x", "0 < x"]


@pytest.mark.parametrize("statement", ALLOWED + REFUSED)
def test_only_what_a_type_checker_asks_for_is_allowed(statement: str) -> None:
    assert _only_narrows(ast.parse(statement, mode="eval").body) == (statement in ALLOWED)


def test_the_package_asserts_nothing_but_types() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if "assert" in (text := path.read_text(encoding="utf-8"))  # to parse all takes a second
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Assert) and not _only_narrows(node.test)
    ]
    assert found == []
