"""The rounds of a beam: how many positions a layer keeps, which ones, and what later rounds learn.

Rounds are of two kinds, which get equal work. Plain rounds begin where the search begins
and grow wider. Taught rounds add the bonuses that all rounds so far have led to
(``Bonuses``), and most of them begin partway along the best path so far, the first moves of
which may be right where the last ones are not. The two beams differ in their moves alone: pushes
towards the goals, or pulls towards the squares where the boxes start, which are called goals here
too.

A candidate has one *score*: above ``BADNESS_BITS`` its kind, below them its badness, of which less
is better.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64, UInt64

from tokoban.sokoban.hashing import GOLDEN
from tokoban.sokoban.search.level.ground import Ground
from tokoban.sokoban.search.level.one_box import Step
from tokoban.sokoban.search.measures.bounds import MAX_MATCHED
from tokoban.sokoban.search.searches.fess.scores import CELL_SHIFT

BADNESS_BITS = CELL_SHIFT  # so that a new lower part makes a score of FESS one of a beam
LEAST_BADNESS = 1 << 24  # added to a badness, so that none is negative
_BADNESS_MASK = (1 << BADNESS_BITS) - 1
ORDERING_BYTES = 80  # for each candidate, while ``in_order`` sorts them

# Positions that a layer keeps in the narrowest rounds; and the factor to each wider kind.
_FIRST_WIDTH, _GROWTH = 100, 3
_LEARNT_FROM = 300  # positions of a round, the best ones
_PLAIN, _TAUGHT = range(2)  # kinds of rounds
_MAX_MATCHING = 1 << 26  # squares of floor times the boxes squared: a fifth of a second a box
_NUM_PARTS = 4  # taught rounds begin, in turn, at the start of each of these parts of the best path

# The bonus of a goal that was empty in all the best positions of a round; the penalty of a square
# without a goal that held a box in all of them; and the share of both that the next round keeps.
_GOAL, _SQUARE, _KEPT = 8, 4, 0.7

# Pairs of weights. Plain rounds take them in turn, and so do taught rounds, separately: each width
# has a round by each pair.
Schedule = tuple[tuple[int, int], ...]


def are_all_matched(ground: Ground) -> bool:
    """Whether a beam matches all boxes and goals: no limit is checked within a matching."""
    num_floor, num_boxes = len(ground.zone), len(ground.goals)
    return num_boxes <= MAX_MATCHED and num_floor * num_boxes**2 <= _MAX_MATCHING


@dataclass(frozen=True)
class Round:
    """The settings of one round."""

    is_taught: bool
    width: int  # positions that a layer keeps
    weights: tuple[int, int]  # each beam defines what they weigh
    prefix: list[Step]  # from where the search begins to where the round does
    next_step: Step | None  # the one after the prefix on the best path; None without a prefix
    bonuses: Int64[np.ndarray, " F"]  # of a box on each square
    seed: int  # chooses the order of equal candidates


class Bonuses:
    """What a box on each square is worth: above 0 on goals, below 0 on other squares.

    Squeaky wheel optimisation (Joslin and Clements, JAIR 10, 1999): whatever a round handled badly
    gets a higher priority in the next one. If a round packs boxes in an order that shuts off some
    goals, these goals gain a bonus, and the next round tends to fill them earlier. Floats are only
    added and multiplied one by one, so every machine has the same bonuses.
    """

    def __init__(self, is_goal: Bool[np.ndarray, " F"]) -> None:
        self._is_goal = is_goal
        self._blame: Float64[np.ndarray, " F"] = np.zeros(len(is_goal))
        self.of_square: Int64[np.ndarray, " F"] = np.zeros(len(is_goal), np.int64)

    def learn(self, is_box: Bool[np.ndarray, "K F"]) -> None:
        """Updates the bonuses after a round; ``is_box`` has the boxes of its best positions."""
        share = is_box.sum(axis=0) / len(is_box)
        self._blame = _KEPT * self._blame + np.where(self._is_goal, 1 - share, share)
        bonus = np.where(self._is_goal, _GOAL, -_SQUARE) * self._blame
        self.of_square = np.rint(bonus).astype(np.int64)


class Rounds:
    """One round after another."""

    def __init__(self, is_goal: Bool[np.ndarray, " F"], schedule: Schedule, *, seed: int) -> None:
        """``seed`` is that of ``Round``."""
        self._schedule, self._seed = schedule, seed
        self._is_goal = is_goal
        self._bonuses = Bonuses(is_goal)
        self._num_rounds, self._work_of = [0, 0], [0, 0]  # of either kind, that are over
        # To the position with the most boxes on goals among those learnt from.
        self._best_path: list[Step] = []
        self._most_on_goals = 0
        # To that position of the last round; empty while the first one is underway.
        self.path_of_round: list[Step] = []
        self.current = self._next()

    @property
    def work(self) -> int:
        """The work of the rounds that are over."""
        return sum(self._work_of)

    def _next(self) -> Round:
        kind = _TAUGHT if self._work_of[_TAUGHT] < self._work_of[_PLAIN] else _PLAIN
        num_before = self._num_rounds[kind]
        turn, which = divmod(num_before, len(self._schedule))
        part = 0 if kind == _PLAIN else num_before // 2 % _NUM_PARTS
        begin = len(self._best_path) * part // _NUM_PARTS
        bonuses = self._bonuses.of_square
        return Round(
            is_taught=kind == _TAUGHT,
            width=_FIRST_WIDTH * _GROWTH ** (turn if kind == _PLAIN else _widening(turn)),
            weights=self._schedule[which],
            prefix=self._best_path[:begin],
            next_step=self._best_path[begin] if begin > 0 else None,
            bonuses=bonuses if kind == _TAUGHT else np.zeros_like(bonuses),
            seed=self._seed,
        )

    def learn(self, is_box: Bool[np.ndarray, "K F"], path_to: Callable[[int], list[Step]]) -> None:
        """Learns from the round, which is over.

        ``is_box`` has the boxes of its best positions; ``path_to`` gives the steps to one of them,
        from where the round began.
        """
        self.path_of_round = []
        if len(is_box) > 0:
            self._bonuses.learn(is_box)
            num_on_goals = is_box[:, self._is_goal].sum(axis=1)
            end = int(num_on_goals.argmax())
            self.path_of_round = [*self.current.prefix, *path_to(end)]
            if num_on_goals[end] >= self._most_on_goals:
                self._most_on_goals = int(num_on_goals[end])
                self._best_path = self.path_of_round

    def end(self, work: int) -> None:
        """Begins the next round; the one before took ``work``."""
        kind = _TAUGHT if self.current.is_taught else _PLAIN
        self._num_rounds[kind] += 1
        self._work_of[kind] += work
        self.current = self._next()

    def cut_path(self, length: int) -> None:
        """Drops the steps of ``path_of_round`` from ``length`` on: no solution has them."""
        is_best = self._best_path is self.path_of_round
        self.path_of_round = self.path_of_round[:length]
        if is_best:
            self._best_path = self.path_of_round

    def forget_path(self) -> None:
        """Drops the best path: no solution has the prefix of this round."""
        self._best_path, self._most_on_goals = [], 0


def badness_of(score: Int64[np.ndarray, " N"]) -> Int64[np.ndarray, " N"]:
    """The badness of each candidate."""
    return score & _BADNESS_MASK


def best_of(badness: Int64[np.ndarray, " N"]) -> Int64[np.ndarray, " _"]:
    """The candidates that a round learns from: least badness first; of equal ones the first."""
    if len(badness) > _LEARNT_FROM:
        most = np.partition(badness, _LEARNT_FROM - 1)[_LEARNT_FROM - 1]
        candidates = np.flatnonzero(badness <= most)
    else:
        candidates = np.arange(len(badness))
    return candidates[np.argsort(badness[candidates], kind="stable")[:_LEARNT_FROM]]


def in_order(
    score: Int64[np.ndarray, " N"], key: UInt64[np.ndarray, " N"], width: int, seed: int
) -> Int64[np.ndarray, " _"]:
    """The candidates in the order in which they are tried, until ``width`` have been kept.

    Alternates between the next best of all and the best of the next kind, after the types of Xie,
    Müller, Holte and Imai, "Type-based exploration with multiple search queues for satisficing
    planning" (AAAI 2014): up to twice ``width`` of either.
    """
    if len(score) <= width:
        return np.arange(len(score))
    # Ties are broken by the hash, as good as random. An odd factor permutes the hashes.
    drawn = key * np.uint64(pow(int(GOLDEN), seed, 1 << 64)) >> np.uint64(48)
    badness = badness_of(score)
    best_first = _places_in_order((badness - badness.min() << 16) + drawn.astype(np.int64))
    # From here on candidates are places in this order.
    in_turn = _places_in_order(_ranks_in_kind(score[best_first] >> BADNESS_BITS))[: 2 * width]
    by_turns = np.stack([np.arange(len(in_turn)), in_turn], axis=1).ravel()
    places = np.unique(by_turns, return_index=True)[1]
    return best_first[by_turns[np.sort(places)]]


def _places_in_order(numbers: Int64[np.ndarray, " N"]) -> Int64[np.ndarray, " N"]:
    """The places of numbers from 0 on, the least first, of equal ones the first first.

    To sort numbers that hold their own places is several times as fast as ``argsort``.
    """
    # Badness above the least, and ranks, have far fewer than the bits that are left.
    num_bits = len(numbers).bit_length()
    return np.sort(numbers << num_bits | np.arange(len(numbers))) & ((1 << num_bits) - 1)


def _ranks_in_kind(kind: Int64[np.ndarray, " N"]) -> Int64[np.ndarray, " N"]:
    """The place of each candidate among those of its kind, from 0 for the first."""
    by_kind = _places_in_order(kind)
    firsts = np.flatnonzero(np.diff(kind[by_kind], prepend=-1))
    ranks = np.empty(len(kind), np.int64)
    ranks[by_kind] = np.arange(len(kind)) - np.repeat(firsts, np.diff(firsts, append=len(kind)))
    return ranks


def _widening(turn: int) -> int:
    """The power of ``_GROWTH`` that multiplies the width: 0 0 0 1 0 0 0 1 0 0 0 1 2 and so on.

    ``_GROWTH`` turns of one width are followed by one of the next, so all widths get equal work.
    The universal sequence of Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas
    algorithms" (1993), with ``_GROWTH`` in place of 2.
    """
    length, widening = 1, 0  # of the sequence up to the first turn of this width
    while length <= turn:
        length, widening = _GROWTH * length + 1, widening + 1
    while turn < length - 1:
        length, widening = length // _GROWTH, widening - 1
        turn %= length
    return widening
