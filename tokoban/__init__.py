"""tokoban solves, explains and makes Sokoban levels, and trains small transformers.

The names below are the public API. Each is imported when it is first used, so ``import tokoban``
is fast and solving needs no torch. README.md has the map.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokoban.api.advice import ask, explain, hint, predict
    from tokoban.api.learning import Pretrained, load, make_env
    from tokoban.api.levels import read_levels, verify, write_levels
    from tokoban.api.puzzles import generate, label, rate
    from tokoban.api.solving import optimise, solve, solve_all, solve_anytime
    from tokoban.api.texts import Translated, generate_text, translate
    from tokoban.sokoban.board import Board, Direction, Square
    from tokoban.sokoban.explanation import Explanation
    from tokoban.sokoban.formats.level import Level, LevelFile, Problem, Solution
    from tokoban.sokoban.hints import Hint
    from tokoban.sokoban.puzzles.rating import Rating
    from tokoban.sokoban.search.answer import Answer

__version__ = "0.1.0"

_OF_MODULES = {
    "api.advice": ("ask", "explain", "hint", "predict"),
    "api.learning": ("Pretrained", "load", "make_env"),
    "api.levels": ("read_levels", "verify", "write_levels"),
    "api.puzzles": ("generate", "label", "rate"),
    "api.solving": ("optimise", "solve", "solve_all", "solve_anytime"),
    "api.texts": ("Translated", "generate_text", "translate"),
    "sokoban.board": ("Board", "Direction", "Square"),
    "sokoban.explanation": ("Explanation",),
    "sokoban.formats.level": ("Level", "LevelFile", "Problem", "Solution"),
    "sokoban.hints": ("Hint",),
    "sokoban.puzzles.rating": ("Rating",),
    "sokoban.search.answer": ("Answer",),
}
# By name, the module that has it.
_HOMES = {name: module for module, names in _OF_MODULES.items() for name in names}

__all__ = [
    "Answer",
    "Board",
    "Direction",
    "Explanation",
    "Hint",
    "Level",
    "LevelFile",
    "Pretrained",
    "Problem",
    "Rating",
    "Solution",
    "Square",
    "Translated",
    "ask",
    "explain",
    "generate",
    "generate_text",
    "hint",
    "label",
    "load",
    "make_env",
    "optimise",
    "predict",
    "rate",
    "read_levels",
    "solve",
    "solve_all",
    "solve_anytime",
    "translate",
    "verify",
    "write_levels",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tokoban' has no attribute {name!r}")
    value = getattr(import_module(f"tokoban.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
