"""Whether the push policy says without torch what torch says in fp32, also in searches.

Random positions of 4 to 1,024 squares are judged alone and side by side, each under some symmetry.
Levels are searched by both; where the solutions differ, the judgements along the way are the near
tie. Prints one JSON object; exits with 1 where a bar is missed.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.random_boards import KINDS, random_board
from tokoban import pretrained
from tokoban.sokoban.board import Board
from tokoban.sokoban.encoding.encoded import Encoded, collated
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.formats.levels import read_levels
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.searches.guided.guide import boxes_and_zones
from tokoban.sokoban.search.searches.guided.search import GuidedOptions
from tokoban.sokoban.sizes import MOST_SQUARES
from tokoban.systems.push_policy.compiled import Judged
from tokoban.systems.push_policy.guide import Judge, as_judge, guidance_of
from tokoban.systems.push_policy.lockstep import play_all
from tokoban.systems.push_policy.model import PushNet
from tokoban.systems.push_policy.torch_judge import TorchJudge

MOST_PROBABILITY, MOST_PUSHES, LEAST_SHARE = 1e-5, 1e-4, 0.999
_BESIDE = 8  # positions that are judged side by side
_OPTIONS = GuidedOptions(is_classical=True)  # as `solve --by policy` searches
_MOST_EVALUATED = 3000  # positions of a level


class Compared:
    """Judges without torch, and keeps the greatest differences from torch in ``most``."""

    def __init__(self, judge: Judge, by_torch: Judge) -> None:
        self._judge, self._by_torch = judge, by_torch
        self.most = {"probability": 0.0, "pushes": 0.0}

    @property
    def state(self) -> Mapping[str, np.ndarray]:
        return self._judge.state

    def judge(self, boards: Encoded, view: int) -> Judged:
        found, expected = self._judge.judge(boards, view), self._by_torch.judge(boards, view)
        is_legal = expected.policy > 0  # what other pushes lead to is said of nothing
        self._note("probability", found.policy, expected.policy)
        self._note("probability", found.values, expected.values)
        deadlocks = found.push_deadlocks[is_legal], expected.push_deadlocks[is_legal]
        self._note("probability", *deadlocks)
        bounds = np.zeros(len(boards.features), np.int32)
        mine, theirs = (guidance_of([said], bounds) for said in (found, expected))
        self._note("pushes", mine.pushes_left, theirs.pushes_left)
        return found

    def attention(self, boards: Encoded) -> np.ndarray:
        return self._judge.attention(boards)

    def _note(self, name: str, found: np.ndarray, expected: np.ndarray) -> None:
        difference = float(np.abs(found - expected).max(initial=0.0))
        self.most[name] = max(self.most[name], difference)


def positions(count: int, seed: int) -> Iterator[tuple[Tokens, np.ndarray]]:
    """The squares and features of random positions of every size."""
    chance = random.Random(seed)
    left = count
    while left:
        num_squares = 2 ** chance.uniform(2, np.log2(MOST_SQUARES))
        height = max(1, min(32, round(num_squares ** chance.uniform(0.3, 0.7))))
        width = max(3, round(num_squares / height))
        kind = KINDS[chance.choice(sorted(KINDS))]
        board = random_board(chance, height, width, kind=kind, is_bordered=True)
        num_inside = len(board.inside())
        if not 4 <= num_inside <= MOST_SQUARES or not board.boxes | board.goals <= board.inside():
            continue
        squares = Squares(board)
        tokens = Tokens(squares, build_ground(board, squares))
        yield tokens, tokens.features(*boxes_and_zones(squares, [board]))[0]
        left -= 1


def compare_positions(compared: Compared, count: int, seed: int) -> None:
    """Judges each position alone, and with its neighbours, some of them larger."""
    beside: list[tuple[Tokens, np.ndarray]] = []
    for number, (tokens, features) in enumerate(positions(count, seed), 1):
        compared.judge(collated([tokens], [features]), number % 8)
        beside.append((tokens, features))
        if len(beside) == _BESIDE or number == count:
            compared.judge(collated(*map(list, zip(*beside, strict=True))), number // 8 % 8)
            beside = []


def compare_searches(judge: Judge, by_torch: Judge, boards: Sequence[Board]) -> list[dict]:
    """The levels whose solutions differ, with the greatest differences along the search."""
    differing = []
    for number, board in enumerate(boards, 1):
        compared = Compared(judge, by_torch)
        mine, theirs = (
            play_all(each, [board], _OPTIONS, max_evaluated=_MOST_EVALUATED)[0].solution
            for each in (compared, by_torch)
        )
        if mine != theirs:
            differing.append({"level": number, **compared.most})
    return differing


def main(argv: Sequence[str] | None = None) -> int:
    """Compares positions and, of files, the solutions of levels."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="levels to search")
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1000, help="levels of all files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--weights", default="sokoban-push")
    chosen = parser.parse_args(argv)
    model, _ = pretrained.load(chosen.weights, system="push")
    assert isinstance(model, PushNet)
    judge, by_torch = as_judge(model), TorchJudge(model)
    compared = Compared(judge, by_torch)
    compare_positions(compared, chosen.positions, chosen.seed)
    boards = [level.board for path in chosen.files for level in read_levels(path).levels]
    boards = boards[: chosen.first]
    differing = compare_searches(judge, by_torch, boards)
    found = {"positions": chosen.positions, **compared.most, "levels": len(boards)}
    print(json.dumps(found | {"differing": differing}, indent=1))
    is_met = compared.most["probability"] <= MOST_PROBABILITY
    is_met &= compared.most["pushes"] <= MOST_PUSHES
    is_met &= len(boards) - len(differing) >= LEAST_SHARE * len(boards)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
