"""Many levels played or searched side by side: their positions are judged in common batches.

Each level is searched as it would be alone, position by position; only the calls of the judge are
shared.
Axes: P positions, F squares of the floor.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool

from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.encoding.encoded import collated
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.searches.guided.classical import classical_rules
from tokoban.sokoban.search.searches.guided.guide import Guidance, UniformGuide
from tokoban.sokoban.search.searches.guided.search import GuidedOptions, GuidedSearch, prepare
from tokoban.systems.push_policy.guide import Judge, as_judge, judged

_AT_ONCE = 128  # levels
MOST_GREEDY = 1000  # positions of greedy play

# Called with the number of a level and the boxes and zones of its positions.
ReportPositions = Callable[[int, Bool[np.ndarray, "P F"], Bool[np.ndarray, "P F"]], None]


class Played(NamedTuple):
    """The result of one level."""

    solution: Solution | None  # replayed by the reference rules
    num_evaluated: int  # positions that were judged


@dataclass(frozen=True)
class _Game:
    """A level under search."""

    number: int
    board: Board
    tokens: Tokens
    search: GuidedSearch

    def goes_on(self) -> Outcome | None:
        """Why the search has ended; None if it asks for judgements."""
        while True:
            outcome = self.search.ask()
            if outcome == Outcome.STORE_FULL:
                list(self.search.grow())
            elif outcome == Outcome.BUDGET_SPENT and not self.search.is_at_limit:
                continue
            else:
                return outcome

    def played(self, outcome: Outcome) -> Played:
        """The result of a search that has ended."""
        solution = None
        if outcome == Outcome.SOLVED:
            solution = Solution.of(self.board, self.search.directions())
        return Played(solution, self.search.num_evaluated)


def play_all(
    judge: Judge,
    boards: Sequence[Board],
    options: GuidedOptions,
    *,
    max_evaluated: int,
    num_views: int = 1,
    report: ReportPositions | None = None,
) -> list[Played]:
    """Each level's result, after at most so many evaluated positions.

    ``options.order`` may be greedy play; ``num_views`` is that of ``judged``. ``report`` is called
    before the positions of a level are judged; what it raises ends the play.
    """
    prepare(options.is_classical)
    found: dict[int, Played] = {}
    waiting = _games(boards, options, max_evaluated, found)
    active: list[_Game] = []
    while True:
        still: list[_Game] = []
        while len(active) < _AT_ONCE and (game := next(waiting, None)) is not None:
            active.append(game)
        for game in active:
            outcome = game.goes_on()
            if outcome is None:
                still.append(game)
            else:
                found[game.number] = game.played(outcome)
        if report is not None:
            for game in still:
                report(game.number, *game.search.asked)
        if still:
            _judge(judge, still, num_views)
        elif len(found) == len(boards):
            return [found[number] for number in range(len(boards))]
        active = still


def play(
    model: object, boards: Sequence[Board], most_evaluated: int | None
) -> list[tuple[Direction, ...] | None]:
    """``SystemSpec.play``."""
    options = GuidedOptions(order="greedy" if most_evaluated is None else "phs")
    most = MOST_GREEDY if most_evaluated is None else most_evaluated
    games = play_all(as_judge(model), boards, options, max_evaluated=most)
    return [None if game.solution is None else game.solution.directions for game in games]


def _games(
    boards: Sequence[Board], options: GuidedOptions, max_evaluated: int, found: dict[int, Played]
) -> Iterator[_Game]:
    """Games of levels that need a search, small ones first; enters the others in ``found``."""
    order = sorted(range(len(boards)), key=lambda number: len(boards[number].inside()))
    for number in order:
        board = boards[number]
        inside = board.inside()
        is_fair = len(board.boxes) == len(board.goals) and board.boxes ^ board.goals <= inside
        if board.is_solved or not is_fair:
            found[number] = Played(Solution("") if board.is_solved else None, 0)
            continue
        squares = Squares(board)
        ground = build_ground(board, squares)
        classical = classical_rules(ground) if options.is_classical else None
        nobody = UniformGuide(squares.neighbours)  # judgements come from ``_judge``
        search = GuidedSearch(board, squares, nobody, options, max_evaluated, classical)
        yield _Game(number, board, Tokens(squares, ground), search)


def _judge(judge: Judge, games: list[_Game], num_views: int) -> None:
    """Tells each search what the judge says of the positions that it asks about."""
    features, bounds = zip(
        *(game.tokens.features(*game.search.asked) for game in games), strict=True
    )
    tokens = [game.tokens for game in games]
    boards = collated(tokens, list(features))
    guidance = judged(judge, boards, np.concatenate(bounds), num_views=num_views)
    first = 0
    for game, own in zip(games, features, strict=True):
        last, num_squares = first + len(own), own.shape[1]
        game.search.tell(
            Guidance(
                log_policy=np.ascontiguousarray(guidance.log_policy[first:last, :num_squares]),
                pushes_left=guidance.pushes_left[first:last],
                deadlocked=guidance.deadlocked[first:last],
                push_deadlocks=np.ascontiguousarray(
                    guidance.push_deadlocks[first:last, :num_squares]
                ),
            )
        )
        first = last
