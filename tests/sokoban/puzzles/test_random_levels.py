"""Generated levels: same seed same levels, all legal, the share as asked, solutions that solve."""

import pytest
import torch

from tokoban.sokoban import rules
from tokoban.sokoban.formats.legality import find_fault
from tokoban.sokoban.puzzles.random_levels import generate, sample, sample_one_box
from tokoban.sokoban.simulation import bitboards


def test_the_same_seed_gives_the_same_levels_and_another_seed_others() -> None:
    first, again, other = (list(generate(23, seed=seed)) for seed in (5, 5, 6))
    assert first == again != other


def test_a_shorter_list_of_one_kind_is_the_beginning_of_a_longer_one() -> None:
    whole = list(generate(17, seed=5, solvable_share=1.0))
    assert list(generate(11, seed=5, solvable_share=1.0)) == whole[:11]


@pytest.mark.parametrize(("share", "num_solvable"), [(0.0, 0), (0.5, 13), (0.3, 8), (1.0, 26)])
def test_the_share_of_solvable_levels_is_as_requested(share: float, num_solvable: int) -> None:
    levels = generate(26, seed=2, solvable_share=share)
    assert sum(level.solution is not None for level in levels) == num_solvable


@pytest.mark.parametrize(
    ("rows", "columns", "num_boxes"), [(8, 8, 1), (5, 11, 1), (13, 7, 3), (10, 9, 2)]
)
def test_levels_are_legal_and_all_floor_can_be_reached_and_solutions_solve(
    rows: int, columns: int, num_boxes: int
) -> None:
    for level in generate(7, seed=3, rows=rows, columns=columns, num_boxes=num_boxes):
        assert find_fault(level.board) is None
        assert (level.board.height, level.board.width) == (rows, columns)
        assert len(level.board.boxes) == num_boxes
        assert not level.board.is_solved
        assert frozenset(level.board.squares()) - level.board.walls == level.board.inside()
        if level.solution is not None:
            assert rules.play(level.board, level.solution)[-1].is_solved


def test_sampled_planes_and_words_are_the_same_levels() -> None:
    planes = sample(256, generator=torch.Generator().manual_seed(1))
    words = sample_one_box(256, generator=torch.Generator().manual_seed(1))
    assert len(words.walls) == 256 > len(planes.walls)  # illegal levels are sampled again
    first = words.at(slice(len(planes.walls)))
    for word, expected in zip(first, bitboards.from_planes(planes), strict=True):
        assert torch.equal(word, expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 3}, "3x8 has no room for 1 boxes"),
        ({"num_boxes": 0}, "has no room for 0 boxes"),
        ({"num_boxes": 18}, "has no room for 18 boxes"),
        ({"rows": 10**9}, "a level of 1000000000x8; expected at most 64x64"),
        ({"solvable_share": 1.5}, "solvable share is 1.5; expected 0 to 1"),
    ],
)
def test_impossible_wishes_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(generate(3, seed=0, **arguments))  # type: ignore[arg-type]


def test_a_kind_that_does_not_turn_up_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokoban.sokoban.puzzles.random_levels._MOST_FAILURES", 300)
    # Each of the four squares of floor is a corner: nothing can be pushed.
    with pytest.raises(ValueError, match="no solvable level of 4x4 with 1 boxes"):
        list(generate(3, seed=0, rows=4, columns=4, solvable_share=1.0))
