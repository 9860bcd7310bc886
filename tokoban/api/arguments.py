"""Checks the types of the public functions' arguments before any work is done."""

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import ParamSpec, SupportsFloat, SupportsInt, TypeVar, cast

from tokoban.api.learning import Pretrained
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Level, Solution

P = ParamSpec("P")
R = TypeVar("R")
_LONGEST_SHOWN = 60

_PATH = "a path", (str, os.PathLike)
_WHOLE = "a whole number", (Integral,)
_NUMBER = "a number", (Real,)
_LIST = "a list", (Sequence,)
_WEIGHTS = "what tokoban.load returns", (Pretrained,)
_POLICY = "what tokoban.load returns (docs/systems/push.md: your own policy)", (Pretrained,)
# By name: a name means the same in every function.
_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "board": ('a Board, such as Board.from_xsb("#####|#@$.#|#####")', (Board,)),
    "level": ("a Level, such as Level(board)", (Level,)),
    "solution": ("a Solution or text in LURD", (Solution, str)),
    "moves": ("text in LURD", (str,)),
    **dict.fromkeys(("instruction", "question"), ("a sentence", (str,))),
    **dict.fromkeys(("path", "output"), _PATH),
    **dict.fromkeys(("played_by", "translator", "writer"), _WEIGHTS),
    "policy": _POLICY,
    **dict.fromkeys(("seed", "rows", "columns", "num_levels", "num_boxes", "num_states"), _WHOLE),
    **dict.fromkeys(("max_levels", "num_threads", "max_expansions"), _WHOLE),
    **dict.fromkeys(("beam", "max_tokens", "num_texts"), _WHOLE),
    **dict.fromkeys(("time_limit_s", "memory_limit_mb", "temperature"), _NUMBER),
    **dict.fromkeys(("minimise", "style", "difficulty", "prompt"), ("text", (str,))),
    "avoid": ("Boards", (Iterable,)),
    "solvable_share": _NUMBER,
    **dict.fromkeys(("boards", "levels", "evaluation", "texts"), _LIST),
}


def check(name: str, value: object) -> None:
    """Raises ``ValueError`` if the argument of this name has another type."""
    expected, kinds = _KINDS[name]
    is_text, is_bool = isinstance(value, str | bytes), isinstance(value, bool)
    is_other = (is_text and Sequence in kinds) or (is_bool and kinds in ((Real,), (Integral,)))
    if isinstance(value, kinds) and not is_other:
        return
    raise ValueError(f"{name} is {_shown(value)}; expected {expected}")


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."


def _int_or_float(name: str, value: object) -> float:
    """An int as it is, any other number as a float; ``ValueError`` if it is too large for one."""
    try:
        number = float(cast("SupportsFloat", value))
        return value if isinstance(value, int | float) else number
    except OverflowError:
        raise ValueError(f"{name} is {_shown(value)}; expected a smaller number") from None


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with its arguments checked; None is accepted where the annotation has it."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{function.__name__}(): {error}") from None
        for name, value in bound.arguments.items():
            # Of a Literal and None, typing writes Optional[...].
            annotation = str(signature.parameters[name].annotation)
            may_be_none = "None" in annotation or "Optional" in annotation
            if name in _KINDS and not (value is None and may_be_none):
                check(name, value)
                if _KINDS[name] == _WHOLE:  # numpy's too
                    bound.arguments[name] = int(cast("SupportsInt", value))
                elif _KINDS[name] == _NUMBER and value is not None:  # fractions too
                    bound.arguments[name] = _int_or_float(name, value)
            is_event = hasattr(value, "is_set") and not isinstance(value, type)
            if name == "stop" and value is not None and not is_event:
                raise ValueError(f"stop is {value!r}; expected a threading.Event or None")
            if name == "report" and value is not None and not callable(value):
                raise ValueError(f"report is {value!r}; expected a function or None")
            if name == "executor" and value is not None and not hasattr(value, "submit"):
                raise ValueError(f"executor is {value!r}; expected one of concurrent.futures")
        return function(*bound.args, **bound.kwargs)

    return call
