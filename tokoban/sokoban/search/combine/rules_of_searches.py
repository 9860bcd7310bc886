"""Which search applies which deadlock rule, read from the compiled code of each.

A rule is applied if the loop of a search calls one of its functions, directly or through others.
"""

from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from tokoban.sokoban.search.bitboard import layers
from tokoban.sokoban.search.bitboard import push_search as word_search
from tokoban.sokoban.search.rules.table import RULES, Rule
from tokoban.sokoban.search.searches.astar import search as astar
from tokoban.sokoban.search.searches.beam import pull_layers, push_layers
from tokoban.sokoban.search.searches.fess import search as fess
from tokoban.sokoban.search.searches.guided import tree as guided
from tokoban.sokoban.search.searches.vicinity import search as vicinity

_PACKAGE = "tokoban.sokoban.search."


class Row(NamedTuple):
    """A search: its compiled loop, and what that does not apply always."""

    name: str
    loop: Callable
    but: str = ""


SEARCHES = (
    Row("A*", astar.search, "for the fewest moves, PI-corrals prune no pushes"),
    Row("FESS", fess.search),
    Row("beam of pushes", push_layers.expand_layer),
    Row("beam of pulls", pull_layers.add_pulls),
    Row("guided", guided.take, "asked for by `is_classical`, without tables of two boxes"),
    Row("vicinity", vicinity.search),
    Row("A* on a word", word_search.search),
    Row("breadth first on a word", layers.advance),
)


def rules_of(loop: Callable) -> tuple[Rule, ...]:
    """The rules that a compiled function applies."""
    called = {f"{one.__module__}.{one.__qualname__}" for one in _functions_below(loop)}
    return tuple(
        rule for rule in RULES if any(_PACKAGE + name in called for name in rule.functions)
    )


def _functions_below(function: Any) -> set[Callable]:
    """The Python functions of a compiled one and of all that it calls."""
    found: set[Callable] = set()
    unread = [function.py_func]
    while unread:
        if (one := unread.pop()) not in found:
            found.add(one)
            unread += _called_by(one)
    return found


def _called_by(function: Callable) -> Iterator[Callable]:
    code: CodeType = function.__code__
    known = [function.__globals__[name] for name in code.co_names if name in function.__globals__]
    modules = [one for one in known if isinstance(one, ModuleType)]
    known += [getattr(one, name, None) for one in modules for name in code.co_names]
    known += [cell.cell_contents for cell in function.__closure__ or ()]
    yield from (one.py_func for one in known if hasattr(one, "py_func"))


def table() -> str:
    """The rules and the searches that apply them, as Markdown."""
    applied = [rules_of(row.loop) for row in SEARCHES]
    buts = [row for row in SEARCHES if row.but]
    notes = {row.name: f" [{i}]" for i, row in enumerate(buts, 1)}
    heads = [row.name + notes.get(row.name, "") for row in SEARCHES]
    lines = [f"| rule | {' | '.join(heads)} |", "|---|" + ":---:|" * len(SEARCHES)]
    for rule in RULES:
        marks = ["yes" if rule in rules else "" for rules in applied]
        lines.append(f"| {rule.name} | {' | '.join(marks)} |")
    told = [f"[{i}] {row.but}" for i, row in enumerate(buts, 1)]
    return "\n".join([*lines, "", "; ".join(told) + "."]) + "\n"
