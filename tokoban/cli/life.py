"""``tokoban life``: a network plays Conway's Life beside the rules, and every wrong cell counts."""

import argparse
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli import options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs
from tokoban.cli.parser import whole
from tokoban.cli.report import write_object
from tokoban.sokoban.wording import counted
from tokoban.training.device import find_device

if TYPE_CHECKING:
    import torch

    from tokoban.systems.life.rules import Rule
    from tokoban.systems.life.simulate import Generation

SUMMARY = "play Conway's Life with a network, and count its wrong cells"
UNDECIDED = "some cells were wrong"

_MOST_STEPS = 1_000_000  # every grid is kept


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the weights, the first grid, the number of steps, and the outputs."""
    options.add(
        parser,
        "--weights",
        "they fix the size of the torus and the rule",
        default="life-16",
        usual="life-16, Conway's rule on 16 x 16 cells",
    )
    parser.add_argument(
        "--pattern",
        metavar="FILE",
        help="start with this pattern, RLE or plaintext, in the middle of the torus (default: a "
        "random grid)",
    )
    options.add(parser, "--seed", "for the random grid, without --pattern")
    parser.add_argument(
        "--steps",
        type=whole(0, _MOST_STEPS),
        default=100,
        metavar="N",
        help="number of steps to play (default: 100)",
    )
    options.add(parser, "--attention", "for the start and up to a dozen later steps")
    options.add(parser, "--json", "wrong cells are counted against the true game, over all steps")
    options.add(parser, "--device")


def run(arguments: argparse.Namespace) -> int:
    """Plays, and prints the last grid, even if interrupted; 1 if a cell was wrong."""
    if arguments.pattern is not None:
        options.refuse(arguments, "--seed", because="with --pattern")
    check_outputs(arguments, "attention", "json", inputs=["pattern", "weights"])

    from tokoban import pretrained, systems
    from tokoban.systems.life.model import LifeNet
    from tokoban.systems.life.rules import parse_rule
    from tokoban.systems.life.simulate import Generation, play
    from tokoban.viewing.plots import write_attention

    model, config = pretrained.load(arguments.weights, system="life")
    assert isinstance(model, LifeNet)
    rule = parse_rule(config.rule)
    device = find_device(arguments.device)
    start = _start(arguments, config.side, rule)[None].to(device)
    generations = [Generation(start, start)]
    try:
        for generation in islice(play(model.to(device), start, rule), arguments.steps):
            generations.append(generation)
    finally:
        _report(arguments, generations, rule)
        if arguments.attention is not None:
            view = systems.load("life").attention(model, [each.grids[0] for each in generations])
            title = "Where each cell of Life looks"
            write_attention(Path(arguments.attention), view, title=title)
    is_wrong = any(each.num_wrong for each in generations)
    return ExitCode.UNDECIDED if is_wrong else ExitCode.DONE


def _start(arguments: argparse.Namespace, side: int, rule: "Rule") -> "torch.Tensor":
    import numpy as np

    from tokoban.systems.life.dataset import random_grids
    from tokoban.systems.life.patterns import place, read_pattern_file

    if arguments.pattern is None:
        random = np.random.default_rng(arguments.seed)
        return random_grids(1, side=side, density=0.5, random=random)[0]
    pattern = read_pattern_file(arguments.pattern)
    if pattern.rule not in (None, rule):
        raise ValueError(
            f"{arguments.pattern} is a pattern of {pattern.rule}; {arguments.weights} plays {rule}"
        )
    return place(pattern, side=side, source=arguments.pattern)


def _report(arguments: argparse.Namespace, generations: "list[Generation]", rule: "Rule") -> None:
    from tokoban.systems.life.patterns import to_plaintext, to_rle

    last = generations[-1].grids[0].cpu()
    wrong = [each.num_wrong for each in generations]
    about = {
        "weights": arguments.weights,
        "rule": str(rule),
        "side": len(last),
        "steps": len(generations) - 1,
        "wrong_cells": sum(wrong),
        "first_wrong_step": next((step for step, count in enumerate(wrong) if count), None),
        "last_grid": to_rle(last, rule),
    }
    if arguments.json != "-":
        print(to_plaintext(last), end="")
        first = about["first_wrong_step"]
        since = "" if first is None else f", the first at step {first}"
        steps, cells = counted(len(wrong) - 1, "step"), counted(sum(wrong), "wrong cell")
        print(f"{steps} of {rule}, {cells}{since}")
    if arguments.json is not None:
        write_object(arguments.json, about)
