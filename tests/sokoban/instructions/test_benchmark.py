"""The benchmark: what is held out is held out, and the truth is true."""

import itertools
from collections import Counter
from typing import Any

import pytest

from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.instructions import benchmark
from tokoban.sokoban.instructions.grammar import fields, parse
from tokoban.sokoban.instructions.machine import obeys
from tokoban.sokoban.instructions.meaning import DEMANDS, Box, Clause, Place
from tokoban.sokoban.instructions.phrases import expansions, languages
from tokoban.sokoban.instructions.questions import answer
from tokoban.sokoban.instructions.truth import truth_of
from tokoban.sokoban.symmetry import SYMMETRIES

UNTAUGHT = {
    text
    for phrases in languages().values()
    for names in phrases.untaught.values()
    for name in names
    for text in expansions(name)
}


@pytest.fixture(scope="module")
def splits() -> dict[str, list[dict[str, Any]]]:
    boards = benchmark.boards(3, seed=3)
    return {
        name: [*benchmark.items(name, boards[split.is_training], seed=3)]
        for name, split in benchmark.SPLITS.items()
    }


def board_of(item: dict[str, Any]) -> Board:
    return Board.from_xsb("\n".join(item["board"]))


def has_untaught_name(item: dict[str, Any]) -> bool:
    return any(name in item["text"] for name in UNTAUGHT)


def test_the_levels_of_training_are_in_no_other_split(
    splits: dict[str, list[dict[str, Any]]],
) -> None:
    forms = {name: {canonical_form(board_of(i)) for i in items} for name, items in splits.items()}
    assert len(forms["train"]) > 9
    assert all(not forms["train"] & forms[name] for name in forms if name != "train")


def test_every_split_holds_out_what_it_says(splits: dict[str, list[dict[str, Any]]]) -> None:
    for name, split in benchmark.SPLITS.items():
        instructions = [item for item in splits[name] if item["kind"] == "instruction"]
        assert len(instructions) >= 4
        for item in instructions:
            meaning = parse(item["text"]).meaning
            assert len(meaning) in split.num_clauses
            combinations = any(map(benchmark.is_combination_held_out, meaning))
            assert combinations == split.is_combination_new
            assert has_untaught_name(item) == split.are_names_new
    assert any(has_untaught_name(item) for item in splits["train"])  # in questions


def test_a_fifth_of_the_combinations_is_held_out_and_no_name() -> None:
    names: dict[str, list[Any]] = {"box": [*Box], "place": [*Place], "other": [*Box]}
    clauses = [
        Clause(kind, **dict(zip(used, values, strict=True)))
        for kind in DEMANDS
        for used in [[field for field in fields(kind) if field in names]]
        for values in itertools.product(*(names[field] for field in used))
    ]
    taught = [clause for clause in clauses if not benchmark.is_combination_held_out(clause)]
    assert 0.75 < len(taught) / len(clauses) < 0.85
    met = {name for clause in taught for name in (clause.kind, clause.box, clause.place)}
    assert {*DEMANDS, *Box, *Place} <= met


def test_what_is_said_of_an_item_is_true(splits: dict[str, list[dict[str, Any]]]) -> None:
    counts: Counter[str] = Counter()
    for item in (item for items in splits.values() for item in items):
        board, sentence = board_of(item), parse(item["text"])
        assert sentence.language == item["language"]
        if sentence.is_question:
            assert item["answer"] == answer(board, sentence)
            counts["question"] += 1
            continue
        truth = truth_of(board, sentence.meaning)
        assert truth.fewest_pushes == item["pushes"]
        counts[item["split"]] += 1 if item["pushes"] is None else -1
        if item["pushes"] is not None:
            assert truth.asks_something()
            assert obeys(truth.graph.cells, truth.machine, lurd.parse(item["answer"]))
            assert sum(map(str.isupper, item["answer"])) == item["pushes"]
            assert (item["best_pushes"] == []) == (item["pushes"] == 0)
    assert counts.pop("question") > 50
    assert {*counts.values()} == {0}  # as many can be obeyed as cannot


def test_the_same_seed_gives_the_same_items() -> None:
    first, again = ([*benchmark.boards(2, seed=seed).items()] for seed in (5, 5))
    assert first == again
    [(_, boards), _] = first
    made = [[*benchmark.items("train", boards[:2], seed=seed)] for seed in (5, 5, 6)]
    assert made[0] == made[1] != made[2]


def test_the_levels_that_are_held_out_are_among_no_others_even_turned() -> None:
    assert benchmark.held_out(5, seed=3) == benchmark.boards(5, seed=3)[False]
    some = itertools.chain(*benchmark.boards(2, seed=3).values())  # also those for training
    assert {*some} == {*benchmark.held_out(10, seed=3)}
    plain = [*itertools.islice(benchmark.other_boards(frozenset(), seed=4), 8)]
    assert [len(board.boxes) for board in plain] == [2, 3] * 4
    turned = [SYMMETRIES[5].of_board(board) for board in plain[1::3]]
    others = benchmark.other_boards({*map(canonical_form, turned)}, seed=4)
    expected = [board for number, board in enumerate(plain) if number % 3 != 1]
    assert [*itertools.islice(others, len(expected))] == expected
