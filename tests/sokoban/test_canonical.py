"""The canonical form: what it passes over, what it does not, and the same in words."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.canonical import canonical_form, canonical_hash, canonical_keys
from tokoban.sokoban.formats import parse_board, write_boxoban
from tokoban.sokoban.formats.packed import read_packed
from tokoban.sokoban.symmetry import SYMMETRIES

LEVEL = "########|#@-$-.##|#--#---#|########"


def form(drawing: str, *, exact_player: bool = False) -> str:
    return canonical_form(parse_board(drawing), exact_player=exact_player)


@pytest.mark.parametrize("exact_player", [False, True])
def test_the_eight_images_of_a_level_have_one_form(exact_player: bool) -> None:
    board = parse_board(LEVEL)
    forms = {
        canonical_form(symmetry.of_board(board), exact_player=exact_player)
        for symmetry in SYMMETRIES
    }
    assert len(forms) == 1


@pytest.mark.parametrize(
    "other",
    [
        f"---------|-{LEVEL.replace('|', '|-')}",  # moved
        f"#########|#{LEVEL.replace('|', '|#')}",  # thicker walls
        LEVEL.replace("##|#--", "#-|#--"),  # a corner that nobody sees
        f"{LEVEL}|--####--|--#*-#--|--####--",  # decoration
        f"{LEVEL}|--####--|--#--#--|--####--",
    ],
)
def test_what_lies_outside_does_not_matter(other: str) -> None:
    assert form(other) == form(LEVEL)


@pytest.mark.parametrize(
    "other",
    [
        LEVEL.replace("$-.", "-$."),
        LEVEL.replace("$-.", ".-$"),
        LEVEL.replace("#---#", "#-#-#"),
        LEVEL.replace("@-$-.", "@-*--"),
        LEVEL.replace("@-$-.", "--$@."),  # the box parts the areas
    ],
)
def test_other_levels_have_other_forms(other: str) -> None:
    assert form(other) != form(LEVEL)


def test_the_player_counts_by_its_area_or_by_its_square() -> None:
    left, beside, beyond = (f"#######|#{row}#|#######" for row in ("@-$-.", "-@$-.", "--$@."))
    assert form(left) == form(beside) != form(beyond)
    assert form(left, exact_player=True) != form(beside, exact_player=True)


def test_the_form_is_a_drawing_of_the_level_itself() -> None:
    for exact_player in (False, True):
        again = parse_board(form(LEVEL, exact_player=exact_player))
        assert canonical_form(again, exact_player=exact_player) == form(
            LEVEL, exact_player=exact_player
        )
    # Of the tall images, which come before the wide ones, that with the goal above.
    assert form("-#######|##-@$-.#|########") == "###\n#.#\n# #\n#$#\n#@#\n# #\n###"


def test_the_hash_is_the_same_everywhere() -> None:
    # Written down once: other people's lists of hashes must not change with a version.
    assert canonical_hash(parse_board("#####|#@$.#|#####")) == "6771d53f525f7c60"
    beside = parse_board("#######|#-@$-.#|#######")
    assert canonical_hash(beside) != canonical_hash(beside, exact_player=True)


def small_board(chance: random.Random) -> Board:
    """A level of ten rows by ten in a few of its cells, so that chance often draws one twice."""
    top, left = chance.randint(1, 6), chance.randint(1, 6)
    height, width = chance.choice([(2, 3), (3, 2)])
    inside = [Square(top + r, left + c) for r in range(height) for c in range(width)]
    walls = {Square(r, c) for r in range(10) for c in range(10)} - set(inside)
    player, box, goal = chance.sample(inside, 3)
    return Board(10, 10, frozenset(walls), frozenset({goal}), frozenset({box}), player)


@pytest.mark.parametrize("exact_player", [False, True])
def test_keys_are_equal_where_forms_are(exact_player: bool, tmp_path: Path) -> None:
    chance = random.Random(7)
    boards = [small_board(chance) for _ in range(300)]
    # Floor out of reach is no part of the level.
    boards += [
        replace(board, walls=board.walls - {Square(r, c)})
        for board in boards[:50]
        for r, c in ((1, 1), (8, 8))
        if not {Square(r, c), *(Square(r, c).neighbour(d) for d in range(4))} - board.walls
    ]
    packed = read_packed(write_boxoban(boards).encode(), "levels")
    assert packed is not None
    keys = canonical_keys(packed, exact_player=exact_player).tolist()
    forms = [canonical_form(board, exact_player=exact_player) for board in boards]
    pairs = set(zip(keys, forms, strict=True))
    assert len(pairs) == len(set(keys)) == len(set(forms)) < 200
