"""The table of deadlock rules: it is read from the code, and the page has it."""

import importlib
from pathlib import Path

from tokoban.compiling import inner
from tokoban.sokoban.search.combine.rules_of_searches import SEARCHES, rules_of, table
from tokoban.sokoban.search.rules import freeze
from tokoban.sokoban.search.rules.table import RULES

PAGE = Path(__file__).parents[4] / "docs" / "decisions" / "0054-the-searches.md"


def test_the_page_has_the_table() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")


def test_every_function_of_a_rule_exists_and_every_rule_is_applied() -> None:
    for rule in RULES:
        for name in rule.functions:
            module, _, function = name.rpartition(".")
            assert hasattr(importlib.import_module(f"tokoban.sokoban.search.{module}"), function)
    assert {rule for row in SEARCHES for rule in rules_of(row.loop)} == {*RULES}


@inner
def _by_a_module(ground, boxes, is_frozen):
    return freeze.keep_frozen(ground, boxes, is_frozen)


@inner
def _by_another(ground, boxes, is_frozen):
    return _by_a_module(ground, boxes, is_frozen)


def test_a_rule_is_found_through_other_functions_and_modules() -> None:
    assert [rule.name for rule in rules_of(_by_another)] == ["freeze"]
    assert rules_of(freeze.is_immobile) == ()
