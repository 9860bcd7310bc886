"""Moves as text: true case, the checker against the plain rules, and each message."""

import random
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from tokoban.sokoban.board import Direction
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.rules import play, step

UP, LEFT, DOWN, RIGHT = Direction
ROOM = parse_board("#######|#@-$-.#|#-$-.-#|#-----#|#######")


def test_the_letters_are_in_the_order_of_the_directions() -> None:
    assert lurd.parse("uldr") == lurd.parse("ULDR") == (UP, LEFT, DOWN, RIGHT)


def test_counts_groups_blanks_and_line_ends_are_read() -> None:
    assert lurd.parse("3r 2(uL)\nd\n\n2(2(r)d)") == lurd.parse("rrruLuLdrrdrrd")


def test_a_count_does_not_reach_into_the_next_line() -> None:
    with pytest.raises(ValueError, match=r"^count 3 repeats nothing$"):
        lurd.parse("r3\nr")


@pytest.mark.parametrize(
    ("text", "letters", "position"),
    [
        ("rr*uu", "rruu", 2),
        ("*rr", "rr", 0),
        ("rr*", "rr", 2),
        ("rr", "rr", 2),
        ("2(ur)\n3r*u*l", "ururrrrul", 7),
    ],
)
def test_the_mark_says_where_a_saved_game_was_left(text: str, letters: str, position: int) -> None:
    assert lurd.read_game(text) == (letters, position)


def random_walk(seed: int, num_moves: int) -> list[Direction]:
    """Moves that each change the board, from ``ROOM``."""
    chance = random.Random(seed)
    board = ROOM
    walk: list[Direction] = []
    while len(walk) < num_moves:
        direction = chance.choice(list(Direction))
        if step(board, direction) != board:
            board = step(board, direction)
            walk.append(direction)
    return walk


@pytest.mark.parametrize("seed", range(5))
def test_formatted_moves_have_their_true_case_parse_back_and_lead_where_the_rules_do(
    seed: int,
) -> None:
    walk = random_walk(seed, 31)
    text, boards = lurd.format(ROOM, walk), play(ROOM, walk)
    assert list(lurd.parse(text)) == walk
    pushes = [before.boxes != after.boxes for before, after in pairwise(boards)]
    assert [letter.isupper() for letter in text] == pushes
    played = lurd.replay(ROOM, text)
    assert (played.board, played.lurd, played.moves) == (boards[-1], text, 31)
    assert (played.pushes, played.reason, played.wrong_case) == (sum(pushes), None, None)
    # The letters count. Their case is put right, and told of where a step is written as a push.
    assert lurd.replay(ROOM, text.lower()) == played
    first = min(text.index(letter) for letter in "uldr" if letter in text)
    told = f"move {first + 1} ({text[first].upper()}): written as a push but no box moves"
    assert lurd.replay(ROOM, text.upper()) == replace(played, wrong_case=told)


@pytest.mark.parametrize("seed", range(23))
def test_replay_stops_where_the_plain_rules_stand_still(seed: int) -> None:
    letters = "".join(random.Random(seed).choices("uldr", k=31))
    directions = lurd.parse(letters)
    boards = play(ROOM, directions)
    stands = [before == after for before, after in pairwise(boards)]
    played = lurd.replay(ROOM, letters)
    made = [*stands, True].index(True)
    assert (played.moves, played.board) == (made, boards[made])
    assert (played.reason is None) == (True not in stands)


def test_the_open_edge_is_a_wall() -> None:
    assert lurd.replay(parse_board("@$"), "r").reason == (
        "move 1 (r): box at row 1, column 2 cannot be pushed"
    )
    assert lurd.replay(parse_board("@$"), "l").reason == "move 1 (l): wall at row 1, column 0"


def test_a_move_on_a_large_board_costs_no_more_than_on_a_small_one() -> None:
    large = parse_board("|".join([f"#@-$.{'#' * 92}", *["#" * 97] * 96]))
    start = time.process_time()
    assert lurd.replay(large, "1999(rl)").moves == 3998
    assert time.process_time() - start < 2  # with a board for each move it is a minute


def test_moves_that_change_nothing_are_not_formatted() -> None:
    with pytest.raises(ValueError, match=r"^move 2 \(l\): wall at row 3, column 1$"):
        lurd.format(ROOM, [DOWN, LEFT])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rxr", "^move 2: 'x' is not one of u l d r U D L R$"),
        ("rr\nuux", "^move 5: 'x' is not one of u l d r U D L R$"),
        ("3(rZ)q", "^move 2: 'Z' is not one of u l d r U D L R$"),
        ("[rr]R", "^reverse-mode game kept as text, not played$"),
        ("<>R", "^reverse-mode game kept as text, not played$"),
        ("r{2}R", "^pusher change: several players are not supported$"),
        ("2(rr", r'^"\(" without "\)"$'),
        ("999999r\n2u", "^expands to more than 1000000 characters$"),
    ],
)
def test_what_is_no_move_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        lurd.parse(text)
    is_kept = any(bracket in text for bracket in "[<{")
    assert isinstance(refused.value, lurd.NotPlayedError) == is_kept
