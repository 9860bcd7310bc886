"""The rules in JavaScript, in the browser, are those of ``sokoban.rules``."""

import heapq
import json
import random
from itertools import pairwise
from typing import Any

from tokoban.sokoban import rules
from tokoban.sokoban.board import OFFSETS, UNDO, Board, Direction, Square
from tokoban.sokoban.deadlocks import dead_squares, frozen_boxes
from tokoban.sokoban.figures import count_figures

NUM_GAMES, NUM_ACTIONS = 2_000, 12
LETTERS = "uldr-"  # the last one takes a move back


def random_board(rng: random.Random, *, least: int = 1, most: int = 6) -> Board:
    """Any board that the rules allow, closed walls or not, as many goals as boxes or not."""
    height, width = rng.randint(least, most), rng.randint(least, most)
    squares = [Square(row, column) for row in range(height) for column in range(width)]
    walls = frozenset(square for square in squares if rng.random() < 0.1)
    free = [square for square in squares if square not in walls] or [squares[0]]
    player = rng.choice(free)
    boxes = frozenset(square for square in free if square != player and rng.random() < 0.3)
    goals = frozenset(square for square in free if rng.random() < 0.15)
    return Board(height, width, walls - {player}, goals, boxes, player)


def rows(board: Board) -> list[str]:
    """The board as XSB; ``str`` of a board is far slower while types are checked."""
    letters = {(False, False): " .", (True, False): "$*", (False, True): "@+"}
    return [
        "".join(
            "#"
            if (row, column) in board.walls
            else letters[(row, column) in board.boxes, (row, column) == board.player][
                (row, column) in board.goals
            ]
            for column in range(board.width)
        )
        for row in range(board.height)
    ]


def ask(page: Any, script: str, question: Any) -> Any:
    """Runs a function of one text; JSON is far quicker than what Playwright sends by itself."""
    return json.loads(page.evaluate(script, json.dumps(question)))


GAMES = """async (text) => {
  const games = JSON.parse(text);
  const { Board, advance } = await import("/static/js/rules/board.js");
  const { boxFigures } = await import("/static/js/rules/figures.js");
  const { Game } = await import("/static/js/game/game.js");
  return JSON.stringify(games.map(([rows, actions]) => {
    // A solved game ends, so moves are made on a game only while there is something to do.
    const game = new Game(Board.fromRows(rows));
    const plain = [game.board];
    const seen = [game.board.toRows().join("|")];
    for (const action of actions) {
      if (action === "-") {
        game.undo();
        if (plain.length > 1) plain.pop();
      } else {
        game.play(action);
        const { board, letters } = advance(plain.at(-1), action);
        if (letters) plain.push(board);
      }
      seen.push(plain.at(-1).toRows().join("|"));
      const there = game.board.toRows().join("|");
      if (plain.every((board) => !board.isSolved()) && there !== seen.at(-1)) {
        throw new Error(`the game is not on the board of its moves: ${rows.join("|")} ${actions}`);
      }
    }
    return [seen, game.played, boxFigures(game.played)];
  }));
}"""


def test_generated_games_have_the_boards_of_the_rules(modules_page: Any) -> None:
    rng = random.Random(23)
    starts = [random_board(rng) for _ in range(NUM_GAMES)]
    games = [rng.choices(range(UNDO + 1), (4, 4, 4, 4, 3), k=NUM_ACTIONS) for _ in starts]
    sent = [
        [rows(start), "".join(LETTERS[action] for action in game)]
        for start, game in zip(starts, games, strict=True)
    ]
    played = ask(modules_page, GAMES, sent)
    num_pushes = 0
    for start, game, (seen, moves, counted) in zip(starts, games, played, strict=True):
        boards = rules.play(start, game)
        assert seen == ["|".join(rows(board)) for board in boards], (start, game)
        figures = count_figures(start, [LETTERS.index(move.lower()) for move in moves])
        assert counted == {"lines": figures.box_lines, "changes": figures.box_changes}, moves
        num_pushes += sum(one.boxes != other.boxes for one, other in pairwise(boards))
    assert num_pushes > NUM_GAMES / 2  # the games are not all walks


DEADLOCKS = """async (text) => {
  const boards = JSON.parse(text);
  const { Board } = await import("/static/js/rules/board.js");
  const { deadSquares, frozenBoxes } = await import("/static/js/rules/deadlocks.js");
  const found = (marked) => [...marked.keys()].filter((square) => marked[square]);
  return JSON.stringify(boards.map((rows) => {
    const board = Board.fromRows(rows);
    return [found(deadSquares(board)), frozenBoxes(board)];
  }));
}"""


def test_static_deadlocks_are_those_of_the_reference(modules_page: Any) -> None:
    rng = random.Random(5)
    boards = [random_board(rng, least=3, most=7) for _ in range(300)]
    for board, (dead, frozen) in zip(
        boards, ask(modules_page, DEADLOCKS, [rows(board) for board in boards]), strict=True
    ):
        expected = (dead_squares(board), frozen_boxes(board))
        numbers = [sorted(row * board.width + column for row, column in part) for part in expected]
        assert [dead, frozen] == numbers, board


def cheapest_paths(board: Board, box: Square, *, by_pushes: bool) -> dict[Square, tuple[int, int]]:
    """(pushes, moves) to bring a box to each square, others fixed: Dijkstra by single moves."""
    others = board.boxes - {box}

    def key(cost: tuple[int, int]) -> tuple[int, int]:
        return cost if by_pushes else (cost[1], cost[0])

    best: dict[Square, tuple[int, int]] = {}
    waiting = [(key((0, 0)), (0, 0), box, board.player)]
    done = set()
    while waiting:
        _, cost, at, player = heapq.heappop(waiting)
        if (at, player) in done:
            continue
        done.add((at, player))
        best.setdefault(at, cost)
        for direction in range(len(OFFSETS)):
            position = Board(
                board.height, board.width, board.walls, board.goals, others | {at}, player
            )
            after = rules.step(position, direction)
            moved = next(iter(after.boxes - others))
            if after == position or after.boxes - {moved} != others:
                continue  # blocked, or another box was pushed
            following = (cost[0] + (moved != at), cost[1] + 1)
            heapq.heappush(waiting, (key(following), following, moved, after.player))
    return best


PATHS = """async (text) => {
  const boards = JSON.parse(text);
  const { Board } = await import("/static/js/rules/board.js");
  const { BoxPaths } = await import("/static/js/rules/box_paths.js");
  return JSON.stringify(boards.map(([rows, box, optimal]) => {
    const paths = new BoxPaths(Board.fromRows(rows), box, optimal);
    return paths.squares().map((square) => [square, paths.movesTo(square)]);
  }));
}"""


def test_paths_of_a_box_are_all_there_legal_and_the_shortest(modules_page: Any) -> None:
    rng = random.Random(11)
    cases: list[tuple[Board, Square, bool]] = []
    while len(cases) < 40:
        board = random_board(rng, least=4, most=6)
        if board.boxes:
            cases.append((board, rng.choice(sorted(board.boxes)), rng.random() < 0.5))
    sent = [
        [rows(board), box.row * board.width + box.column, "pushes" if by_pushes else "moves"]
        for board, box, by_pushes in cases
    ]
    num_paths = 0
    for (board, box, by_pushes), found in zip(cases, ask(modules_page, PATHS, sent), strict=True):
        expected = cheapest_paths(board, box, by_pushes=by_pushes)
        expected.pop(box)
        costs = {}
        for square, moves in found:
            place = Square(*divmod(square, board.width))
            end = rules.play(board, [Direction(LETTERS.index(move.lower())) for move in moves])[-1]
            assert end.boxes == board.boxes - {box} | {place}, (board, box, moves)
            costs[place] = (sum(map(str.isupper, moves)), len(moves))
        assert costs == expected, (board, box, by_pushes)
        num_paths += len(costs)
    assert num_paths > 100
