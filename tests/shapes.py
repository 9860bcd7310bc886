"""The checks of shapes, whose cost is otherwise most of what many tests take.

Checked is what the signatures of functions and dataclasses say of arrays, where mypy is blind, in
the first calls of each test: what a test calls thousands of times is checked no better by the last.
"""

import functools
from dataclasses import is_dataclass
from inspect import get_annotations
from typing import Any

import jaxtyping

NUM_CHECKED = 5
_jaxtyped = jaxtyping.jaxtyped


class Test:
    """The number of the test that runs."""

    number = 0


def jaxtyped(*, typechecker: Any) -> Any:
    """In the place of jaxtyping's, which its import hook puts on all functions and classes."""

    def decorated(of: Any) -> Any:
        if isinstance(of, type):
            if is_dataclass(of):
                of.__init__ = decorated(of.__init__)  # type: ignore[method-assign]
            return of
        asks = "isinstance" in of.__code__.co_names
        if not asks and "jaxtyping" not in str(get_annotations(of)):
            return of
        checked = None  # to make it takes longer than to import a module
        last_test = num_calls = -1

        @functools.wraps(of)
        def calling(*values: Any, **named: Any) -> Any:
            nonlocal checked, last_test, num_calls
            if last_test != Test.number:
                last_test, num_calls = Test.number, 0
            num_calls += 1
            if num_calls <= NUM_CHECKED:
                checked = checked or _jaxtyped(of, typechecker=typechecker)
                return checked(*values, **named)
            if not asks:
                return of(*values, **named)
            with _jaxtyped("context"):  # its own questions need axes of their own
                return of(*values, **named)

        return calling

    return decorated


def install(modules: list[str]) -> None:
    jaxtyping.jaxtyped = jaxtyped  # type: ignore[assignment]
    jaxtyping.install_import_hook(modules, "beartype.beartype")
