"""``tokoban play``: the game, the keys, the advice, and the whole of it on a pseudo-terminal."""

import fcntl
import io
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import tokoban
from tests.processes import SOON_S
from tokoban import cli
from tokoban.cli import saved_games
from tokoban.cli.advice import Advice, Adviser, Background
from tokoban.cli.keyboard import Keyboard
from tokoban.cli.play import shipped_levels
from tokoban.cli.screen import Screen
from tokoban.cli.table import Table
from tokoban.sokoban import rules
from tokoban.sokoban.board import UNDO, Board, Direction, Square
from tokoban.sokoban.explanation import Explanation
from tokoban.sokoban.formats import Level, Solution, lurd, parse_board, read_levels
from tokoban.sokoban.hints import Hint
from tokoban.sokoban.play import Game, Progress
from tokoban.sokoban.proofs.certificate import Certificate

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


def test_a_solved_level_stays_solved_and_is_remembered() -> None:
    game = make_game(CORRIDOR, ROOM)
    for direction in (RIGHT, RIGHT, LEFT):
        game.move(direction)
    assert (game.lurd, game.board.is_solved) == ("RR", True)
    game.turn_to(1)
    assert (game.number, game.lurd, game.solutions) == (2, "", {1: "RR"})


def test_the_levels_go_round_and_keep_their_moves_until_they_are_solved() -> None:
    game = make_game(CORRIDOR, ROOM, TWO_BOXES)
    game.move(RIGHT)
    game.turn_to(-1)
    assert (game.number, game.board) == (3, TWO_BOXES)
    game.turn_to(1)
    assert (game.number, game.lurd) == (1, "R")
    game.move(RIGHT)
    game.turn_to(1)
    game.turn_to(-1)
    assert (game.number, game.board, game.lurd) == (1, CORRIDOR, "")


def test_a_restart_can_be_taken_back() -> None:
    game = make_game(ROOM)
    for direction in (UP, LEFT, LEFT):
        game.move(direction)
    game.restart()
    assert (game.board, game.lurd) == (ROOM, "")
    for _ in range(9):
        game.redo()
    assert game.lurd == "ull"


def test_redo_ends_where_another_move_was_made() -> None:
    game = make_game(ROOM)
    for direction in (UP, LEFT, LEFT):
        game.move(direction)
    for _ in range(3):
        game.undo()
    game.move(UP)  # the move that would be made again
    game.redo()
    assert game.lurd == "ul"
    game.undo()
    game.move(RIGHT)
    game.redo()
    assert game.lurd == "ur"


def test_the_fewest_moves_and_the_fewest_pushes_are_both_kept() -> None:
    game = make_game(parse_board("######|#.  .#|#$  @#|#  $ #|##  ##|######"))
    solutions = ("dLdlUlURRdrU", "llddrUluRdrUlldlU")  # 6 pushes, and 4
    for moves in (*solutions, *solutions):
        for letter in moves:
            game.move(Direction(lurd.LETTERS.index(letter.lower())))
        game.turn_to(1)
    assert game.progress(1).solutions == tuple(map(lurd.parse, solutions))


# The saved games


def played(board: Board, moves: str, *, undone: int = 0) -> Progress:
    game = make_game(board)
    for letter in moves:
        game.move(Direction(lurd.LETTERS.index(letter.lower())))
    for _ in range(undone):
        game.undo()
    return game.progress(1)


@pytest.mark.parametrize("progress", [
    Progress(),
    played(ROOM, "ull"),
    played(ROOM, "ull", undone=2),
    played(ROOM, "ull", undone=3),
    played(CORRIDOR, "rr"),
    played(CORRIDOR, "rr", undone=1),
    played(CORRIDOR, "r"),
])  # fmt: skip
def test_saved_games_are_read_as_they_were_written(progress: Progress, tmp_path: Path) -> None:
    board = ROOM if progress.directions[:1] == (UP,) else CORRIDOR
    place = tmp_path / "made" / "on the way" / "games.sok"
    levels = {7: Level(board, "Title: a; strange*one")}
    saved_games.write(place, {7: progress}, levels=levels, current=7)
    found = saved_games.read(place)
    assert (dict(found.progress), found.current) == ({board: progress}, 7)
    assert not read_levels(place).problems  # other programs read it, too


def test_what_other_games_wrote_into_the_same_file_stays(tmp_path: Path) -> None:
    place, levels = tmp_path / "games.sok", {1: Level(ROOM), 2: Level(CORRIDOR)}
    solved = played(CORRIDOR, "rr")
    saved_games.write(place, {2: solved}, levels=levels, current=2)
    saved_games.write(place, {2: played(CORRIDOR, "r")}, levels=levels, current=2)
    found = saved_games.read(place).progress[CORRIDOR]
    assert found == replace(played(CORRIDOR, "r"), solutions=solved.solutions)
    saved_games.write(place, {1: played(ROOM, "u")}, levels=levels, current=2)  # 2 was looked at
    both = saved_games.read(place)
    assert (set(both.progress), both.current) == ({ROOM, CORRIDOR}, 2)
    assert both.progress[CORRIDOR] == found


def test_of_two_games_that_save_at_once_neither_loses_its_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = saved_games.read

    def slowly(path: Path) -> saved_games.Saved:
        found = read(path)
        time.sleep(0.2)
        return found

    monkeypatch.setattr(saved_games, "read", slowly)
    place, levels = tmp_path / "games.sok", {1: Level(ROOM), 2: Level(CORRIDOR)}
    games = {1: played(ROOM, "u")}, {2: played(CORRIDOR, "rr")}
    with ThreadPoolExecutor() as threads:
        for game in games:
            threads.submit(saved_games.write, place, game, levels=levels, current=1)
    assert read(place).progress == {
        board: made for board, made in ((ROOM, games[0][1]), (CORRIDOR, games[1][2]))
    }
    assert [*tmp_path.iterdir()] == [place]


def test_damaged_games_are_reported_and_not_overwritten(tmp_path: Path) -> None:
    place, levels = tmp_path / "games.sok", {1: Level(ROOM), 2: Level(CORRIDOR)}
    both = {1: played(ROOM, "ull"), 2: played(CORRIDOR, "rr")}
    saved_games.write(place, both, levels=levels, current=1)
    whole = place.read_bytes()
    damaged = [
        b"",
        b"\xff\x00\x01",
        whole[:40],
        whole.replace(b"RR", b"RD"),
        whole.replace(b"Games of", b"Names of"),
        whole.replace(b"Levels: 2", b"Levels: 3"),
        b"; 1\n\n#####\n#@$.#\n#####\n",  # a player's own levels
    ]
    for content in damaged:
        place.write_bytes(content)
        with pytest.raises(ValueError, match=r"games.sok.*damaged.*--save"):
            saved_games.read(place)
        with pytest.raises(ValueError, match=r"games.sok.*damaged.*--save"):
            saved_games.write(place, both, levels=levels, current=1)
        assert place.read_bytes() == content


def test_each_level_file_has_its_games_in_the_folder_for_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    folder = tmp_path / "tokoban" / "play"
    places = [saved_games.usual_place(file) for file in ("a/l.xsb", "b/l.xsb", "l.sok", None)]
    assert len({*places}) == 4
    assert {place.parent for place in places} == {folder}
    assert saved_games.usual_place("./a/../a/l.xsb") == places[0]
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    expected = tmp_path / "home" / ".local" / "state" / "tokoban" / "play"
    assert saved_games.usual_place(None).parent == expected


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
    keyboard = Keyboard(reader)
    assert list(keyboard.events()) == keys
    keyboard.close()
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
    ("end", "raised"), [(fail, ValueError), (interrupt, KeyboardInterrupt), (terminate, SystemExit)]
)
def test_the_terminal_is_given_back_however_it_ends(
    end: Callable[[], None], raised: type[BaseException], terminal: tuple[int, int]
) -> None:
    _, its = terminal
    before, handler = termios.tcgetattr(its), signal.getsignal(signal.SIGTERM)
    with pytest.raises(raised), Keyboard(its):
        flags = termios.tcgetattr(its)[3]
        assert not flags & (termios.ICANON | termios.ECHO)
        assert flags & termios.ISIG
        end()
    assert termios.tcgetattr(its) == before
    assert signal.getsignal(signal.SIGTERM) == handler


# The advice


@pytest.fixture
def adviser(random_weights: Path) -> Adviser:
    return Adviser(lambda: tokoban.load(str(random_weights)))


def test_a_hint_ends_where_another_box_is_pushed(adviser: Adviser) -> None:
    board = parse_board("##########|#@ $ .$ .#|#        #|##########")
    hint = adviser.hint(board)
    replayed = lurd.replay(board, hint.moves)
    assert hint.moves[-1].isupper() and hint.moves[:-1].islower()
    assert hint.box in board.boxes and hint.box not in replayed.board.boxes
    assert hint.destination == Square(1, 4)


def test_a_deadlock_of_several_boxes_is_proved_and_blamed(adviser: Adviser) -> None:
    deadlock = adviser.prove(TWO_LOST)
    assert deadlock.status == "deadlocked"
    assert deadlock.boxes and TWO_LOST.boxes.issuperset(deadlock.boxes)
    assert "box" in deadlock.sentences[0]


def deadlocked(board: Board) -> Explanation:
    """As if it were proved of all its boxes, in few words."""
    certificate = Certificate(board, "count", (*board.boxes,), without=())
    return Explanation(status="deadlocked", board=board, certificate=certificate)


class _Slow(Adviser):
    """An adviser whose searches for deadlocks in the room last until something else is wanted."""

    def __init__(self) -> None:
        super().__init__(lambda: pytest.fail("no policy is needed"))

    def hint(self, board: Board, stop: threading.Event | None = None) -> Hint:
        return Hint(status="unsolvable")

    def prove(self, board: Board, stop: threading.Event | None = None) -> Explanation:
        if board == ROOM:
            assert stop is not None
            stop.wait()
            return Explanation(status="unknown", board=board)
        return deadlocked(board)


def test_a_search_is_dropped_when_something_else_is_wanted() -> None:
    answered = threading.Semaphore(0)
    background = Background(_Slow(), answered.release)
    assert background.look(ROOM, wants_hint=False) == Advice()
    background.look(ROOM, wants_hint=True)
    assert answered.acquire(timeout=SOON_S)  # the hint comes before the search for a proof
    assert background.look(ROOM, wants_hint=True) == Advice(Hint(status="unsolvable"))
    assert background.look(TWO_LOST, wants_hint=False) == Advice()
    assert answered.acquire(timeout=SOON_S)
    found = Advice(proof=deadlocked(TWO_LOST))
    assert background.look(TWO_LOST, wants_hint=False) == found
    background.close()


def test_a_hint_follows_a_solution_that_is_known() -> None:
    class Proving(_Slow):
        def hint(self, board: Board, stop: threading.Event | None = None) -> Hint:
            return Hint(status="gave up", reason="2 s")

        def prove(self, board: Board, stop: threading.Event | None = None) -> Explanation:
            # From another square of the same region.
            moved = replace(board, player=Square(1, 1))
            return Explanation(status="solvable", board=moved, solution=Solution("dRR"))

    room = parse_board("#######|#     #|# $ .@#|#######")
    answered = threading.Semaphore(0)
    background = Background(Proving(), answered.release)
    background.look(room, wants_hint=True)
    assert answered.acquire(timeout=SOON_S) and answered.acquire(timeout=SOON_S)
    found = background.look(room, wants_hint=True).hint
    background.close()
    assert found is not None and (found.box, found.pushes_left) == (Square(2, 2), 2)
    assert lurd.replay(room, found.moves).board.boxes == {Square(2, 3)}


def test_what_goes_wrong_in_the_background_is_raised() -> None:
    class Failing(_Slow):
        def hint(self, board: Board, stop: threading.Event | None = None) -> Hint:
            raise RuntimeError("a fault")

    answered = threading.Semaphore(0)
    background = Background(Failing(), answered.release)
    background.look(TWO_LOST, wants_hint=True)
    assert answered.acquire(timeout=SOON_S) and answered.acquire(timeout=SOON_S)
    with pytest.raises(RuntimeError, match="a fault"):
        background.look(TWO_LOST, wants_hint=True)
    background.close()


# The table


class _Oracle:
    """Knows at once: everything but a start is deadlocked, by all of its boxes."""

    def __init__(self, start: Board) -> None:
        self.start = start
        self.is_slow = False

    def look(self, board: Board, *, wants_hint: bool) -> Advice:
        if self.is_slow:
            return Advice()
        hint = Hint(
            status="solved",
            box=Square(2, 2),
            push=RIGHT,
            destination=Square(2, 4),
            moves="luR",
            moves_left=5,
            pushes_left=2,
            optimum="moves",
            solver="astar",
        )
        solved = Explanation(status="solvable", board=board, solution=Solution("luRR"))
        proof = solved if board == self.start else deadlocked(board)
        return Advice(hint if wants_hint else None, proof)


class Sitting:
    """A table without a terminal: its pages as text, and how often it was saved."""

    def __init__(self, game: Game, monkeypatch: pytest.MonkeyPatch, *, height: int = 24) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("LINES", str(height))
        monkeypatch.setenv("TERM", "dumb")
        self.game, self.oracle, self.saves = game, _Oracle(game.board), 0
        self.table = Table(game, self.oracle.look, Screen(), save=self._save)
        self._monkeypatch = monkeypatch

    def _save(self) -> None:
        self.saves += 1

    def press(self, *keys: str) -> list[list[str]]:
        """The lines of the page after each key."""
        return [self.page() for key in keys if self.table.press(key)]

    def page(self) -> list[str]:
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", shown := io.StringIO())
            self.table.show()
        return re.sub(r"\x1b\[[KJH]", "", shown.getvalue()).split("\n")


@pytest.fixture
def sitting(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Sitting]:
    return lambda *boards: Sitting(make_game(*boards), monkeypatch)


def test_a_page_shows_the_board_the_counts_and_the_keys(sitting: Callable[..., Sitting]) -> None:
    at = sitting(ROOM)
    first = at.page()
    assert first[0] == "Level 1 of 1  title 1"
    assert first[2:7] == ["#######", "#     #", "# $@. #", "#     #", "#######"]
    assert first[8] == "moves 0, pushes 0"
    assert first[-1].startswith("? keys · u undo · y redo")
    [second] = at.press("left")
    assert (second[4], second[8]) == ("#$@ . #", "moves 1, pushes 1")


def test_a_deadlock_is_shown_until_the_moves_are_taken_back(
    sitting: Callable[..., Sitting],
) -> None:
    at = sitting(ROOM)
    why = "There are fewer boxes than goals."
    line = f"Proved: deadlocked. {why} Take moves back with u."
    pages = [at.page(), *at.press("up", "a", "backspace", "u", "y")]
    assert [line in page for page in pages] == [False, True, True, True, False, True]
    assert [page[8][6] for page in pages] == ["0", "1", "2", "1", "0", "1"]


def test_what_follows_a_deadlock_is_deadlocked_before_its_own_proof(
    sitting: Callable[..., Sitting],
) -> None:
    at = sitting(ROOM)
    at.press("up")
    at.oracle.is_slow = True
    pages = at.press("left", "u", "u", "left", "n")
    told = ["Proved: deadlocked. Take moves back with u." in page for page in pages]
    assert told == [True, True, False, False, False]


def test_a_hint_has_three_grades_and_ends_with_a_move(sitting: Callable[..., Sitting]) -> None:
    at = sitting(ROOM)
    box, place = "Hint: the box at row 3, column 3", "row 3, column 5"
    remark = "5 moves, 2 pushes left; no solution has fewer moves; found by A*"
    assert [page[10:-2] for page in at.press("h", "h", "h", "h", "up", "h")] == [
        [f"{box} (h: more)", remark],
        [f"{box} goes to {place} (h: more)", remark],
        [f"{box} goes to {place}: go lu, then push right", remark],
        [f"{box} goes to {place}: go lu, then push right", remark],
        [""],
        [""],  # there is none on a deadlocked board
    ]
    at.oracle.is_slow = True
    at.press("u")
    assert at.press("h")[0][-3] == "thinking …"


def test_a_solved_level_shows_its_moves_and_is_saved(sitting: Callable[..., Sitting]) -> None:
    at = sitting(CORRIDOR, ROOM, TWO_BOXES)
    pages = at.press("d", "right", "h", "n", "p", "p")
    told = ["Solved in 2 moves, 2 pushes: RR" in page for page in pages]
    assert told == [False, True, True, False, False, False]
    assert [page[0][6] for page in pages] == ["1", "1", "1", "2", "1", "3"]
    assert at.saves == 4


def test_the_list_has_the_state_of_each_level_and_opens_one(
    sitting: Callable[..., Sitting],
) -> None:
    at = sitting(CORRIDOR, ROOM, TWO_BOXES)
    *_, page = at.press("right", "right", "n", "up", "l")
    rows = [" ".join(row.split()) for row in page[2:5]]
    assert rows == [
        "1 title 1 solved in 2 moves, 2 pushes",
        "> 2 title 2 begun, 1 move",
        "3 title 3",
    ]
    *_, page = at.press("down", "enter")
    assert page[0] == "Level 3 of 3  title 3"
    *_, page = at.press("l", "2", "enter")
    assert (page[0], at.game.lurd) == ("Level 2 of 3  title 2", "u")
    *_, page = at.press("l", "9", "up", "l")
    assert page[0] == "Level 2 of 3  title 2"


@pytest.mark.parametrize("height", [6, 7, 8, 9, 10])
def test_a_low_terminal_shows_the_player_however_much_is_reported(
    height: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = Sitting(make_game(ROOM), monkeypatch, height=height)
    for page in (at.page(), *at.press("up", "left", "left", "left", "down", "down")):
        assert len(page) <= height
        assert any("@" in row for row in page)


def test_every_key_is_reported(sitting: Callable[..., Sitting]) -> None:
    at = sitting(ROOM)
    [page] = at.press("?")
    for key in ("arrows", "u or backspace", "y ", "r ", "h ", "n, p", "l ", "?", "q "):
        assert any(line.startswith(f"  {key}") for line in page)
    assert at.press("x")[0][0] == "Level 1 of 1  title 1"


def test_a_game_that_cannot_be_saved_goes_on_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Sitting(make_game(CORRIDOR, ROOM), monkeypatch)
    at.table._save = lambda: "the game is not saved: no room"
    [page] = at.press("n")
    assert page[-3] == "the game is not saved: no room"


def test_of_a_large_board_the_part_around_the_player_is_shown(
    sitting: Callable[..., Sitting],
) -> None:
    rows = ["#" * 97, *["#" + " " * 95 + "#"] * 41, "#" * 97]
    rows[37] = "#" + " " * 90 + "@$ . #"
    page = sitting(parse_board("\n".join(rows))).page()
    assert len(page) == 24
    board = page[2:17]
    assert {len(row) for row in board} == {80}
    assert sum(row.endswith("@$ . #") for row in board) == 1
    assert "moves 0, pushes 0" in page


# The levels that ship


def test_the_shipped_levels_are_valid_and_different() -> None:
    levels = read_levels(shipped_levels(), strict=True).levels
    assert len(levels) >= 20
    assert len({level.board for level in levels}) == len(levels)
    assert all(level.title for level in levels)


# The whole


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for saved games, and a terminal with colours."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "state"


def test_a_game_on_a_terminal(
    terminal: tuple[int, int],
    random_weights: Path,
    tmp_path: Path,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, its = terminal
    file = tmp_path / "levels.xsb"
    file.write_text("; one\n\n######\n#@$ .#\n######\n\n; two\n\n########\n#@$.$ .#\n########\n")
    before = termios.tcgetattr(its)
    seen: list[bytes] = []

    def person() -> None:
        # Keys that are pressed before the first page would be thrown away.
        for expected, typed in (
            (b"? keys", b"h"),
            (b"Hint: the box at row 2, column 3 (h: more)", b"\x1b[C\x1b[C"),
            (b"Solved in 2 moves", b"n"),
            (b"Proved: this level cannot be solved.", b"q"),
        ):
            seen.append(b"")
            while expected not in seen[-1]:
                seen[-1] += os.read(ours, 1024)
            os.write(ours, typed)
        seen.append(b"")
        while b"The game is saved in" not in seen[-1]:
            seen[-1] += os.read(ours, 1024)

    with open(its, closefd=False) as keys, open(its, "w", closefd=False) as picture:
        monkeypatch.setattr(sys, "stdin", keys)
        monkeypatch.setattr(sys, "stdout", picture)
        watching = threading.Thread(target=person, daemon=True)
        watching.start()
        assert cli.main(["play", str(file), "--weights", str(random_weights)]) == 0
        watching.join(SOON_S)
    assert not watching.is_alive()
    everything = b"".join(seen)
    assert everything.startswith(b"\x1b[?1049h")  # the other screen
    assert b"\x1b[1;36m@@" in everything
    assert b";97;41m[]" in everything  # a box to blame
    left_at = everything.index(b"\x1b[?1049l")
    assert b"Level 1. Solved" in everything[left_at:]
    assert termios.tcgetattr(its) == before
    [saved] = (state / "tokoban" / "play").iterdir()
    found = saved_games.read(saved)
    assert found.current == 2
    assert found.progress[CORRIDOR].solutions == ((RIGHT, RIGHT),)


class Player:
    """A person at the terminal of ``tokoban play`` in a process of its own."""

    def __init__(self, terminal: tuple[int, int], *arguments: str) -> None:
        self.ours, self._its = terminal
        self.before = termios.tcgetattr(self._its)
        command = [sys.executable, "-m", "tokoban", "play", *arguments]
        # A session of its own, whose terminal this is: so Ctrl-Z and a resize reach it.
        self.process = subprocess.Popen(
            command,
            stdin=self._its,
            stdout=self._its,
            stderr=self._its,
            env=dict(os.environ),  # without the LINES that readline has set behind Python's back
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def see(self, expected: bytes) -> bytes:
        """What is shown until the expected, which has to come soon."""
        seen = b""
        while expected not in seen:
            assert select.select([self.ours], [], [], SOON_S)[0], (expected, seen)
            seen += os.read(self.ours, 1)
        return seen

    def see_page_of(self, num_lines: int) -> None:
        """Waits for a page that fills so many lines."""
        while self.see(b"\x1b[J").count(b"\n") != num_lines - 1:
            pass

    def end(self) -> None:
        """Kills it if it still runs."""
        self.process.kill()
        self.process.wait()

    def type(self, keys: bytes) -> None:
        os.write(self.ours, keys)


@pytest.mark.slow
def test_a_broken_game_goes_on_where_it_was_left(
    terminal: tuple[int, int], tmp_path: Path, state: Path, request: pytest.FixtureRequest
) -> None:
    file = tmp_path / "levels.xsb"
    file.write_text("#######\n#     #\n# $@. #\n#     #\n#######\n")
    for number in range(2):
        player = Player(terminal, str(file))
        request.addfinalizer(player.end)
        player.see(b"moves %d, pushes 0" % number)
        termios.tcsetwinsize(terminal[1], (9, 80 + number))
        player.see_page_of(9)
        player.type(b"wa"[number : number + 1])
        player.see(b"moves %d, pushes 0" % (number + 1))
        if number == 0:
            player.process.terminate()
        else:
            player.type(b"\x1a")  # Ctrl-Z; without a shell there is nobody to stop it for
            player.see(b"\x1b[?1049l")
            assert moves_kept(state) == (UP, LEFT)
            player.see(b"\x1b[?1049h")
            player.type(b"a")
            player.see(b"moves 3, pushes 0")
            player.type(b"\x03")
        player.see(b"\x1b[?1049l")
        assert player.process.wait(SOON_S) == (128 + signal.SIGTERM, 130)[number]
        assert termios.tcgetattr(terminal[1]) == player.before
    assert moves_kept(state) == (UP, LEFT, LEFT)


def moves_kept(state: Path) -> tuple[Direction, ...]:
    """Those of the one game that is saved."""
    [saved] = (state / "tokoban" / "play").iterdir()
    [progress] = saved_games.read(saved).progress.values()
    return progress.directions


def test_where_games_cannot_be_saved_there_is_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Callable[[int], str]
) -> None:
    place = tmp_path / "mine.sok"
    place.write_text("my own levels\n\n#####\n#@$.#\n#####\n")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert refusal(cli.main(["play", "--save", "-"])) == "--save is -; expected a file"
    assert refusal(cli.main(["play", "--save", str(place)])).startswith(f"{place}: ")
    assert place.read_text().startswith("my own levels")


def test_without_a_terminal_there_is_no_game(refusal: Callable[[int], str]) -> None:
    told = "play needs a terminal for its keys and its picture"
    assert refusal(cli.main(["play", "levels.xsb"])) == told
