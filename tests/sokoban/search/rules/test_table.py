"""Which search applies which deadlock rule: the page says what the compiled code of each does.

A rule is applied if the loop of a search calls one of its functions, directly or through others.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from tokoban.compiling import inner
from tokoban.sokoban.search.bitboard import layers, terrain
from tokoban.sokoban.search.bitboard import push_search as word_search
from tokoban.sokoban.search.measures import bounds
from tokoban.sokoban.search.rules import corral_search, corrals, freeze, patterns, table
from tokoban.sokoban.search.searches.astar import search as astar
from tokoban.sokoban.search.searches.beam import pull_layers, push_layers
from tokoban.sokoban.search.searches.fess import search as fess
from tokoban.sokoban.search.searches.guided import tree as guided
from tokoban.sokoban.search.searches.vicinity import search as vicinity

PAGE = Path(__file__).parents[4] / "docs" / "decisions" / "0054-the-searches.md"

LOOPS: dict[str, Any] = {
    "A*": astar.search,
    "FESS": fess.search,
    "beam of pushes": push_layers.expand_layer,
    "beam of pulls": pull_layers.add_pulls,
    "guided": guided.take,
    "vicinity": vicinity.search,
    "A* on a word": word_search.search,
    "breadth first on a word": layers.advance,
}
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "freeze": (freeze.keep_frozen, terrain.is_frozen),
    "matching": (bounds.assign, bounds.matched_pushes_after),
    "matching past frozen boxes": (freeze.frozen_entry,),
    "corral": (corral_search.is_deadlocked_corral,),
    "PI-corral": (corrals.find_pi_corral,),
    "pattern database": (patterns.has_pattern,),
}


def rules_of(loop: Any) -> set[str]:
    """The rules that a compiled function applies."""
    found: set[Callable] = set()
    unread = [loop.py_func]
    while unread:
        if (one := unread.pop()) not in found:
            found.add(one)
            unread += called_by(one)
    return {name for name, own in FUNCTIONS.items() if found & {one.py_func for one in own}}


def called_by(function: Any) -> Iterator[Callable]:
    names, known = function.__code__.co_names, function.__globals__
    values = [known[name] for name in names if name in known]
    modules = [one for one in values if isinstance(one, ModuleType)]
    values += [getattr(one, name, None) for one in modules for name in names]
    values += [cell.cell_contents for cell in function.__closure__ or ()]
    yield from (one.py_func for one in values if hasattr(one, "py_func"))


def test_the_page_says_which_search_applies_which_rule() -> None:
    lines = PAGE.read_text(encoding="utf-8").split("| rule |")[1].split("\n\n")[0].splitlines()
    heads, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [head.partition(" [")[0] for head in heads] == [*LOOPS]
    explained = re.findall(r"^\*(.+?)\*\. ", str(table.__doc__), re.MULTILINE)
    assert [rule for rule, *_ in rows] == explained == [*FUNCTIONS]
    applied = [rules_of(loop) for loop in LOOPS.values()]
    for rule, *marks in rows:
        assert marks == ["yes" if rule in rules else "" for rules in applied]
        assert "yes" in marks


@inner
def _by_a_module(ground, boxes, is_frozen):
    return freeze.keep_frozen(ground, boxes, is_frozen)


@inner
def _by_another(ground, boxes, is_frozen):
    return _by_a_module(ground, boxes, is_frozen)


def test_a_rule_is_found_through_other_functions_and_modules() -> None:
    assert rules_of(_by_another) == {"freeze"}
    assert rules_of(freeze.is_immobile) == set()
