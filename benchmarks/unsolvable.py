"""Has what the solvers call unsolvable proved again by plain breadth-first search, and counts.

Random boards and players' levels, most of them spoiled by random pushes, go to every search that
takes them. Every plan is replayed by the plain rules; every "unsolvable" is looked into by pushes
alone, with no deadlock and no estimate, up to a number of positions. Prints a row for each kind of
board; exits with 1 if a plan or a proof is wrong, or two searches disagree, also about the fewest
moves or pushes.
"""

import argparse
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from benchmarks import harness
from benchmarks.random_boards import KINDS, after_pushes, random_board
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Direction, Square
from tokoban.sokoban.deadlocks import dead_squares
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.answer import Answer, Optimum
from tokoban.sokoban.search.combine import portfolio
from tokoban.sokoban.search.combine.portfolio import FIRST, MEMBERS
from tokoban.sokoban.search.combine.solver import solve
from tokoban.sokoban.search.limits import Limits
from tokoban.sokoban.search.pauses import set_up
from tokoban.sokoban.search.run import find_answer
from tokoban.sokoban.search.searches.astar.solver import astar_in_steps

# Height and width inside the border; the last are too wide for one word.
SMALL, WIDE = ((4, 5), (5, 5), (6, 4), (8, 4)), ((9, 3), (4, 9), (3, 11), (10, 4))
# Rooms in which many boxes hold each other, and corrals are frequent.
CROWDED = ((4, 5), (5, 5), (6, 6), (3, 9))
MOST_BOXES = 4
MOST_PUSHES = 12  # that spoil a board
LIMITS = Limits(time_limit_s=5.0)  # of a search


def by_astar(board: Board, objective: Optimum, *, limits: Limits) -> Answer:
    """The search of larger boards, for any board."""
    return find_answer(board, partial(set_up, astar_in_steps(board, objective)), limits)


def by_fess(board: Board, *, limits: Limits) -> Answer:
    """FESS alone: the portfolio's other complete member beside those of the other ways."""
    others = frozenset({FIRST, *MEMBERS} - {"fess"})
    search = partial(portfolio.search, board=board, limits=limits, without=others)
    return find_answer(board, search, limits)


WAYS: dict[str, Callable[..., Answer]] = {
    "moves": partial(solve, minimise="moves"),
    "pushes": partial(solve, minimise="pushes"),
    "any": partial(solve, minimise="any"),
    "moves by astar": partial(by_astar, objective="moves"),
    "pushes by astar": partial(by_astar, objective="pushes"),
    "any by FESS": by_fess,
}


@dataclass
class Row:
    """The results of the boards of one kind."""

    kind: str
    boards: int = 0
    solved: int = 0
    unsolvable: int = 0  # said so by some search
    verdicts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    proved_again: int = 0
    too_large: int = 0  # not proved again: more positions than were looked at
    positions: int = 0  # looked at, of those proved again
    given_up: int = 0  # by some search
    wrong: list[str] = field(default_factory=list)  # boards

    def __str__(self) -> str:
        verdicts = ", ".join(f"{count} {way}" for way, count in self.verdicts.items())
        return (
            f"{self.kind}: {self.boards} boards, {self.solved} solved, {self.unsolvable} "
            f"unsolvable ({verdicts}), {self.proved_again} proved again with {self.positions} "
            f"positions, {self.too_large} too large, {self.given_up} given up by some search, "
            f"{len(self.wrong)} wrong"
        )


def ends_solved(board: Board, most: int) -> tuple[bool | None, int]:
    """Whether some play of the board ends solved, by breadth-first search over pushes, and the
    positions looked at; None where ``most`` of them were not enough."""
    floor = {square for square in board.squares() if square not in board.walls}
    ahead = {square: [square.neighbour(direction) for direction in Direction] for square in floor}

    def area(boxes: frozenset[Square], player: Square) -> set[Square]:
        reached = {player}
        for square in (found := [player]):
            for beside in ahead[square]:
                if beside in floor and beside not in reached and beside not in boxes:
                    reached.add(beside)
                    found.append(beside)
        return reached

    reached = area(board.boxes, board.player)
    seen = {(board.boxes, min(reached))}
    waiting = deque([(board.boxes, reached)])
    while waiting:
        boxes, reached = waiting.popleft()
        if boxes == board.goals:
            return True, len(seen)
        if len(seen) > most:
            return None, len(seen)
        for box in boxes:
            for direction in Direction:
                beyond = ahead[box][direction]
                if ahead[box][direction.opposite] not in reached:
                    continue
                if beyond in floor and beyond not in boxes:
                    after = boxes - {box} | {beyond}
                    reached_after = area(after, box)
                    position = (after, min(reached_after))
                    if position not in seen:
                        seen.add(position)
                        waiting.append((after, reached_after))
    return False, len(seen)


def random_boards(
    chance: random.Random, shapes: Sequence[tuple[int, int]], num_boards: int
) -> Iterator[Board]:
    """Boards whose boxes all can be come near; every other one could be solved, and is spoiled."""
    count = 0
    while count < num_boards:
        height, width = chance.choice(shapes)
        board = random_board(chance, height, width, kind=KINDS["bordered"], is_bordered=True)
        if len(board.boxes) > MOST_BOXES or not board.boxes | board.goals <= board.inside():
            continue
        if count % 2:
            goals = after_pushes(chance, board, chance.randint(1, 4 * MOST_PUSHES)).boxes
            board = after_pushes(
                chance, replace(board, goals=goals), chance.randint(1, MOST_PUSHES)
            )
        count += 1
        yield board


def crowded_boards(chance: random.Random, num_boards: int) -> Iterator[Board]:
    """Boards of many boxes, a few pushes from their end; then no box is pushed to a dead square.

    So what is wrong with them, if anything, is not seen from one box alone.
    """
    count = 0
    while count < num_boards:
        height, width = chance.choice(CROWDED)
        board = random_board(chance, height, width, kind=KINDS["crowded"], is_bordered=True)
        if not board.boxes <= board.inside():
            continue
        goals = after_pushes(chance, board, chance.randint(1, 2 * MOST_PUSHES)).boxes
        board = replace(board, goals=goals)
        yield after_pushes(
            chance, board, chance.randint(0, MOST_PUSHES), never_to=dead_squares(board)
        )
        count += 1


def level_boards(
    chance: random.Random, levels: Sequence[Board], num_boards: int
) -> Iterator[Board]:
    """Levels of few boxes, spoiled."""
    small = [board for board in levels if len(board.boxes) <= MOST_BOXES]
    for _ in range(num_boards):
        yield after_pushes(chance, chance.choice(small), chance.randint(1, MOST_PUSHES))


def check(row: Row, board: Board, *, most: int) -> None:
    """Adds one board to its row."""
    answers = {way: find(board, limits=LIMITS) for way, find in WAYS.items()}
    solutions = [one.solution for one in answers.values() if one.solution is not None]
    unsolvable = [way for way, answer in answers.items() if answer.status == "unsolvable"]
    row.boards += 1
    row.solved += bool(solutions)
    row.unsolvable += bool(unsolvable)
    row.given_up += len(solutions) + len(unsolvable) < len(answers)
    for way in unsolvable:
        row.verdicts[way] += 1
    is_wrong = bool(solutions) and bool(unsolvable)
    for figure in ("moves", "pushes"):
        both = (answers[way].solution for way in (figure, f"{figure} by astar"))
        is_wrong |= len({getattr(one, f"num_{figure}") for one in both if one is not None}) > 1
    for solution in solutions:
        is_wrong |= not rules.play(board, solution.directions)[-1].is_solved
    if unsolvable:
        verdict, num_positions = ends_solved(board, most)
        is_wrong |= verdict is True
        row.proved_again += verdict is False
        row.too_large += verdict is None
        row.positions += num_positions * (verdict is False)
    if is_wrong:
        row.wrong.append(repr(board))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=1000, metavar="N", help="of each kind")
    parser.add_argument("--levels", nargs="*", default=[], metavar="FILE", help="players' levels")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--positions", type=int, default=30_000, metavar="N", help="of each breadth-first search"
    )
    parser.add_argument("--json", metavar="OUT", help="write the rows here too")
    arguments = parser.parse_args(argv)
    chance = random.Random(arguments.seed)
    kinds = {
        "random, one word": random_boards(chance, SMALL, arguments.boards),
        "random, larger": random_boards(chance, WIDE, arguments.boards),
        "crowded": crowded_boards(chance, arguments.boards),
    }
    if arguments.levels:
        levels = [level.board for file in arguments.levels for level in read_levels(file).levels]
        kinds["levels, spoiled"] = level_boards(chance, levels, arguments.boards)
    rows = []
    for kind, boards in kinds.items():
        rows.append(Row(kind))
        for board in boards:
            check(rows[-1], board, most=arguments.positions)
        print(rows[-1], flush=True)
    harness.write_rows(arguments.json, rows)
    return int(any(row.wrong for row in rows))


if __name__ == "__main__":
    sys.exit(main())
