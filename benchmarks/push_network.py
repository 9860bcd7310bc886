"""Positions a second that the push policy's network reads on one core: compiled loops and torch.

Each board is read at several batch sizes by both in turn, some rounds long, in processor time; a
row has the median. "torch" is in fp32, "torch, bf16" in autocast, as a GPU runs it. The boards
have 29, 62 and 250 squares; those of Boxoban have 30 to 45.
"""

import sys
from collections.abc import Callable, Sequence
from statistics import median

import torch

from benchmarks.harness import Report, in_turns, parser
from tokoban import pretrained
from tokoban.sokoban.board import Board
from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import collated
from tokoban.sokoban.encoding.tokens import Tokens
from tokoban.sokoban.search.level.ground import Squares, build_ground
from tokoban.sokoban.search.searches.guided.guide import boxes_and_zones
from tokoban.systems.push_policy.guide import as_judge
from tokoban.systems.push_policy.model import PushNet

BOARDS = (
    "##########|##  # #. #|# $ # #$ #|#  .#   ##|## $  .###|##@ $ ####|## . #####|##########",
    "############|#    #     #|# $  #  $  #|#   .  .   #|#          #|#  # ##    #|#  $   # # #"
    "|# .  @   # #|############",
    "|".join(["#" * 27, *["#" + " " * 25 + "#"] * 4, "# @ $ $  $ $ $  .....     #",
                   *["#" + " " * 25 + "#"] * 5, "#" * 27]),
)  # fmt: skip
BATCHES = 1, 4, 8, 32
_ROUNDS = 7


def ways(model: PushNet, board: Board, batch: int) -> dict[str, Callable[[], object]]:
    """What reads so many copies of a position, by its name."""
    squares = Squares(board)
    tokens = Tokens(squares, build_ground(board, squares))
    features, _ = tokens.features(*boxes_and_zones(squares, [board] * batch))
    boards, net = collated([tokens], [features]), as_judge(model)
    tensors = Boards.of(boards)

    def by_torch(uses_bf16: bool) -> object:
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=uses_bf16):
            return model(tensors)

    return {
        "compiled": lambda: net.judge(boards, 0),
        "torch": lambda: by_torch(False),
        "torch, bf16": lambda: by_torch(True),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a row for each board, batch and way."""
    options = parser(__doc__, num_threads=1, is_of_cpu=True)
    chosen = options.parse_args(argv)
    report = Report(chosen, unit="positions", posted=())
    model, _ = pretrained.load("sokoban-push", system="push")
    assert isinstance(model, PushNet)
    model.eval()
    for drawing in BOARDS[: 1 if chosen.quick else None]:
        board = Board.from_xsb(drawing)
        squares = len(board.inside())
        for batch in BATCHES[: 2 if chosen.quick else None]:
            readers = ways(model, board, batch)
            calls = max(1, 2000 // (squares * batch))
            rounds = 2 if chosen.quick else _ROUNDS
            spent = in_turns(readers, report.device, rounds=rounds, calls=calls)
            for name, seconds in spent.items():
                report.add(
                    f"{name}, {squares} squares", batch=batch, per_second=batch / median(seconds),
                    to_torch=median(spent["torch"]) / median(seconds),
                )  # fmt: skip
    report.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
