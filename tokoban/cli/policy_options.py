"""How the policy is to play: the options of every command that lets it."""

import argparse

from tokoban.cli import options
from tokoban.cli.parser import Number, whole
from tokoban.systems.sokoban_policy.config import MAX_BEAM_WIDTH

# The shipped policies: of moves for one box, which beam search plays, of pushes for any boxes, and
# the one that reads an instruction.
MOVES, PUSHES, READER = "sokoban-8x8", "sokoban-push", "sokoban-instructions"
# What has an effect on the beam search alone.
OF_BEAM = ("--beam", "--score", "--max-unsolvable")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the weights, the beam search, and where the network runs."""
    options.add(
        parser,
        "--weights",
        "of the policy",
        usual=f"{READER} with --instruction, {PUSHES} with --by policy, else {MOVES}",
    )
    options.add(parser, "--beam", type=whole(1, MAX_BEAM_WIDTH), default=32)
    options.add(parser, "--score")
    parser.add_argument(
        "--max-unsolvable",
        type=Number(float, "a probability, 0 to 1", lambda share: 0 <= share <= 1),
        default=1.0,
        metavar="P",
        help="drop beams that the policy takes for unsolvable with a higher probability than P; "
        "the search gives a level up when no beam is left (default: 1, drops none)",
    )
    parser.add_argument(
        "--max-moves",
        type=whole(1),
        metavar="M",
        help="length limit of the policy's solutions (default: the longest that the weights allow, "
        "30 for sokoban-8x8, which is also the limit of M)",
    )
    options.add(parser, "--device", "for the policy of pushes, the GPU only if it is asked for")
    options.add(parser, "--precision")
