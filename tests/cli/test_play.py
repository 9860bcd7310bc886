"""``tokoban play``: the game, the keys, the advice, and the whole of it on a pseudo-terminal."""

import io
import os
import pty
import random
import re
import signal
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tokoban import cli
from tokoban.cli import advice
from tokoban.cli.advice import Adviser
from tokoban.cli.answers import Answer
from tokoban.cli.game import Game
from tokoban.cli.keyboard import read_keys, single_keys
from tokoban.cli.play import play
from tokoban.cli.policy import Policy
from tokoban.cli.screen import Screen
from tokoban.sokoban import rules
from tokoban.sokoban.board import UNDO, Board, Direction
from tokoban.sokoban.formats import Level, parse_board

UP, LEFT, DOWN, RIGHT = Direction
ROOM = parse_board("#######|#     #|# $@. #|#     #|#######")
CORRIDOR = parse_board("######|#@$ .#|######")
TWO_BOXES = parse_board("########|#.$@ $.#|########")
TWO_LOST = parse_board("########|#@$.$ .#|########")


def make_game(*boards: Board) -> Game:
    return Game({number: Level(board, f"title {number}") for number, board in enumerate(boards, 1)})


# The game


def test_undo_is_the_stack_of_the_rules() -> None:
    drawn = random.Random(11)
    game, actions = make_game(ROOM), []
    for _ in range(60):
        actions.append(drawn.choice([*Direction, UNDO]))
        if actions[-1] == UNDO:
            game.undo()
        else:
            game.move(Direction(actions[-1]))
        assert game.board == rules.play(ROOM, actions)[-1]
        assert rules.play(ROOM, game.directions)[-1] == game.board
        if game.board.is_solved:
            break
    assert len(actions) > 30, "solved too soon to show anything; draw with another seed"


def test_a_bump_is_no_move_and_a_push_is_a_capital() -> None:
    game = make_game(CORRIDOR)
    for direction in (UP, LEFT, RIGHT, DOWN):
        game.move(direction)
    assert game.lurd == "R"


def test_a_solved_level_stays_solved_and_is_remembered() -> None:
    game = make_game(CORRIDOR, ROOM)
    for direction in (RIGHT, RIGHT, LEFT):
        game.move(direction)
    assert (game.lurd, game.board.is_solved) == ("RR", True)
    game.turn_to(1)
    assert (game.number, game.lurd, game.solutions) == (2, "", {1: "RR"})


def test_the_levels_go_round_and_begin_at_their_start() -> None:
    game = make_game(CORRIDOR, ROOM, TWO_BOXES)
    game.move(RIGHT)
    game.turn_to(-1)
    assert (game.number, game.board) == (3, TWO_BOXES)
    game.turn_to(1)
    assert (game.number, game.board, game.lurd) == (1, CORRIDOR, "")


def test_restart_goes_back_to_the_start() -> None:
    game = make_game(ROOM, CORRIDOR)
    game.turn_to(1)
    game.move(RIGHT)
    game.restart()
    assert (game.number, game.board, game.lurd) == (2, CORRIDOR, "")


def test_a_level_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no level 3"):
        Game({1: Level(ROOM), 4: Level(CORRIDOR)}, number=3)


def test_levels_keep_their_numbers_where_some_are_left_out() -> None:
    game = Game({2: Level(ROOM), 4: Level(CORRIDOR)})
    numbers = [game.number]
    for step in (1, 1, -1):
        game.turn_to(step)
        numbers.append(game.number)
    assert (numbers, game.board) == ([2, 4, 2, 4], CORRIDOR)


# The keys


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1bOA\x1bOD", ["up", "left"]),
        (b"uQ\x7f\x08\r", ["u", "q", "backspace", "backspace", "enter"]),
        (b"\x1b[3~h\x1b[1;5Ch", ["unknown", "h", "unknown", "h"]),
        (b"\x1bqq\x1b", ["unknown", "q", "escape"]),
        ("é".encode(), ["�", "�"]),
    ],
)
def test_keys_have_names(typed: bytes, keys: list[str]) -> None:
    reader, writer = os.pipe()
    os.write(writer, typed)
    os.close(writer)
    assert list(read_keys(reader)) == keys
    os.close(reader)


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a pseudo-terminal of 24 lines of 80 columns: the person's and the program's."""
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (24, 80))
    yield ours, its
    os.close(ours)
    os.close(its)


def fail() -> None:
    raise ValueError


def terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("end", "raised"),
    [(fail, ValueError), (interrupt, KeyboardInterrupt), (terminate, SystemExit)],
)
def test_the_terminal_is_given_back_however_it_ends(
    end: Callable[[], None], raised: type[BaseException], terminal: tuple[int, int]
) -> None:
    _, its = terminal
    before, handler = termios.tcgetattr(its), signal.getsignal(signal.SIGTERM)
    with pytest.raises(raised), single_keys(its):
        flags = termios.tcgetattr(its)[3]
        assert not flags & (termios.ICANON | termios.ECHO)
        assert flags & termios.ISIG
        end()
    assert termios.tcgetattr(its) == before
    assert signal.getsignal(signal.SIGTERM) == handler


# The advice


@pytest.fixture
def adviser(random_weights: Path) -> Adviser:
    return Adviser(Policy(str(random_weights), device="cpu"))


def test_a_hint_is_the_policys_with_its_estimate(adviser: Adviser) -> None:
    hint = adviser.hint(CORRIDOR)
    assert re.fullmatch(r"Hint: right \(policy: .*(left|sure); its plan has 2 moves\)", hint), hint


def test_a_hint_is_astars_where_the_board_does_not_fit(adviser: Adviser) -> None:
    hint = adviser.hint(TWO_BOXES)
    assert hint.startswith("Hint: left (A*: 4 moves left, fewest moves; does not fit the policy: 2")


def test_a_lost_board_is_called_so_by_proof(adviser: Adviser) -> None:
    assert adviser.hint(TWO_LOST).startswith("Lost: A* proves that no moves solve this (does not")


def test_where_nobody_knows_the_hint_says_so(
    adviser: Adviser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_astar(board: Board, *, time_limit_s: float) -> Answer:
        return Answer("gave up", "astar", time_limit_s, "A*: not within 2 s")

    monkeypatch.setattr(advice, "by_astar", by_astar)
    assert adviser.hint(TWO_BOXES).startswith("No hint (A*: not within 2 s; does not fit")


@pytest.mark.parametrize(("unsolvable", "is_warned"), [(0.97, True), (0.5, False)])
def test_a_warning_comes_when_the_policy_thinks_all_is_lost(
    unsolvable: float, is_warned: bool, adviser: Adviser, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokoban.systems.sokoban_policy.solve import Judgement

    monkeypatch.setattr(Policy, "judge", lambda policy, board: Judgement(3.0, unsolvable, "1 to 3"))
    warning = "The policy thinks that this is lost (97% sure)."
    assert adviser.warn(CORRIDOR) == (warning if is_warned else None)


def test_there_is_no_warning_where_the_policy_cannot_know(adviser: Adviser) -> None:
    assert adviser.warn(TWO_LOST) is None


# The loop


class _Oracle:
    """Thinks that everything but a start is lost."""

    def __init__(self, start: Board) -> None:
        self.start = start

    def warn(self, board: Board) -> str | None:
        return None if board == self.start else "Lost (97% sure)."

    def hint(self, board: Board) -> str:
        return "Hint: onwards"


def pages(game: Game, keys: list[str], monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The lines of each page shown, without colours."""
    monkeypatch.setattr(sys, "stdout", shown := io.StringIO())
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    play(game, _Oracle(game.board), Screen(), iter(keys))  # type: ignore[arg-type]
    texts = shown.getvalue().split("\x1b[H")[1:]
    return [re.sub(r"\x1b\[[KJ]", "", text).split("\n") for text in texts]


def test_a_page_shows_the_board_the_counts_and_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = pages(make_game(ROOM), ["left"], monkeypatch)
    assert first[0] == "Level 1 of 1  title 1"
    assert first[2:7] == ["#######", "#     #", "# $@. #", "#     #", "#######"]
    assert first[8] == "moves 0, pushes 0"
    assert first[-1].startswith("arrows or wasd move · u undo · r restart")
    assert (second[4], second[8]) == ("#$@ . #", "moves 1, pushes 1")


def test_a_warning_stays_until_the_move_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = pages(make_game(ROOM), ["up", "a", "backspace", "u"], monkeypatch)
    warned = ["Lost (97% sure). Take moves back with u." in page for page in shown]
    assert warned == [False, True, True, True, False]
    assert [page[8][6] for page in shown] == ["0", "1", "2", "1", "0"]


def test_a_hint_is_shown_until_the_next_key(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = pages(make_game(ROOM), ["h", "x"], monkeypatch)
    assert [page[-3] for page in shown] == ["", "thinking …", "Hint: onwards", ""]


def test_a_solved_level_shows_its_moves_and_takes_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game(CORRIDOR, ROOM, TWO_BOXES)
    shown = pages(game, ["d", "right", "h", "n", "p", "p"], monkeypatch)
    is_told = ["Solved in 2 moves, 2 pushes: RR" in page for page in shown]
    assert is_told == [False, False, True, True, False, False, False]
    assert [page[0][6] for page in shown] == ["1", "1", "1", "1", "2", "1", "3"]


def test_q_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(pages(make_game(ROOM), ["up", "q", "up"], monkeypatch)) == 2


def test_of_a_large_board_the_part_around_the_player_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = ["#" * 97, *["#" + " " * 95 + "#"] * 41, "#" * 97]
    rows[37] = "#" + " " * 90 + "@$ . #"
    [page] = pages(make_game(parse_board("\n".join(rows))), [], monkeypatch)
    board = page[2:17]
    assert {len(row) for row in board} == {80}
    assert sum(row.endswith("@$ . #") for row in board) == 1
    assert page[17:19] == ["", "moves 0, pushes 0"]


# The whole


def test_a_game_on_a_terminal(
    terminal: tuple[int, int],
    random_weights: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, its = terminal
    file = tmp_path / "levels.xsb"
    file.write_text("; one\n\n######\n#@$ .#\n######\n")
    before = termios.tcgetattr(its)
    seen: list[bytes] = []

    def person() -> None:
        # Keys that are pressed before the first page would be thrown away.
        for expected, typed in ((b"arrows or wasd", b"h"), (b"plan has", b"\x1b[C\x1b[Cq")):
            seen.append(b"")
            while expected not in seen[-1]:
                seen[-1] += os.read(ours, 1024)
            os.write(ours, typed)
        while b"Level 1. Solved" not in seen[-1]:
            seen[-1] += os.read(ours, 1024)

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with open(its, closefd=False) as keys, open(its, "w", closefd=False) as picture:
        monkeypatch.setattr(sys, "stdin", keys)
        monkeypatch.setattr(sys, "stdout", picture)
        watching = threading.Thread(target=person, daemon=True)
        watching.start()
        assert cli.main(["play", str(file), "--weights", str(random_weights)]) == 0
        watching.join(timeout=20)
    assert not watching.is_alive()
    everything = b"".join(seen)
    assert everything.startswith(b"\x1b[?1049h")  # the other screen
    assert b"\x1b[1;36m@@" in everything
    assert b"Hint: right (policy: " in everything
    left_at = everything.index(b"\x1b[?1049l")
    assert b"Level 1. Solved" in everything[left_at:]
    assert termios.tcgetattr(its) == before


def test_without_a_terminal_there_is_no_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["play", str(tmp_path / "levels.xsb")]) == 2
    assert capsys.readouterr().err == (
        "tokoban: play needs a terminal for its keys and its picture\n"
    )
