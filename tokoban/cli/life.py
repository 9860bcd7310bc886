"""``tokoban life``: a network plays Conway's Life beside the rules, and every wrong cell counts."""

import argparse
import json
import math
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli import attention_files
from tokoban.cli.output import check_outputs, counted, write_output
from tokoban.cli.ranges import check_ranges
from tokoban.training.device import add_device_option, find_device

if TYPE_CHECKING:
    import torch

    from tokoban.systems.life.config import LifeConfig
    from tokoban.systems.life.model import LifeNet
    from tokoban.systems.life.rules import Rule
    from tokoban.systems.life.simulate import Generation

SUMMARY = "play Conway's Life by attention alone, and count the wrong cells"
UNDECIDED = "some cells were wrong"

_MOST_STEPS = 1_000_000  # every grid is kept
MOST_PATTERN_BYTES = 2**20  # as plaintext this would be a pattern of 1,024 x 1,023

_LEAST_CELL_PIXELS = 9
_LEAST_WIDTH = 306  # pixels of a film, for its caption
_LINE_SHADE = 0.1  # between cells
_GAP_CELLS = 2  # between the two games
_FRAME_MS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the weights, where the game starts and how long it is, and what is written of it."""
    parser.add_argument(
        "--weights",
        default="life-16",
        metavar="NAME_OR_PATH",
        help="of the network, which know the torus and the rule (default: life-16, Conway's)",
    )
    parser.add_argument(
        "--pattern",
        metavar="FILE",
        help="where the game starts, in the middle of the torus: RLE or plaintext (default: a "
        "random grid)",
    )
    parser.add_argument(
        "--seed", type=int, metavar="S", help="of the random grid, without --pattern (default: 0)"
    )
    parser.add_argument("--steps", type=int, default=100, metavar="N", help="(default: 100)")
    parser.add_argument(
        "--output",
        metavar="OUT",
        help="a GIF of the game, the network's to the left, with a spot in each wrong cell, and "
        "the true one to the right",
    )
    parser.add_argument(
        "--attention",
        metavar="OUT",
        help="a page of HTML to look around in: where each cell looked, at the start and at up to "
        "a dozen later steps; PNG or SVG by the name for the maps alone",
    )
    parser.add_argument(
        "--json",
        metavar="OUT",
        help="write steps, wrong_cells (against the true game, over all steps), the first step "
        "with one and the last grid as RLE to this file (- to print)",
    )
    add_device_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Plays, and says what came of it, even if interrupted; 1 if a cell was wrong."""
    steps, seed = arguments.steps, arguments.seed
    check_ranges(
        arguments,
        ("steps", 0 <= steps <= _MOST_STEPS, f"0 to {_MOST_STEPS:,}"),
        ("seed", seed is None or seed >= 0, "at least 0"),
    )
    if arguments.output is not None and Path(arguments.output).suffix.lower() != ".gif":
        raise ValueError(f"--output is {arguments.output}; expected a name that ends in .gif")
    if arguments.seed is not None and arguments.pattern is not None:
        raise ValueError("--seed is of a random grid; with --pattern there is none")
    check_outputs(arguments, "output", "attention", "json", inputs=["pattern", "weights"])
    attention_files.check(arguments.attention)

    from tokoban import pretrained
    from tokoban.systems.life.model import LifeNet
    from tokoban.systems.life.rules import parse_rule
    from tokoban.systems.life.simulate import Generation, play

    model, config = pretrained.load(arguments.weights, system="life")
    assert isinstance(model, LifeNet)
    rule = parse_rule(config.rule)
    if arguments.attention is not None and config.mixing != "attention":
        raise ValueError(f"{arguments.weights} mixes cells by {config.mixing}, not by attention")
    device = find_device(arguments.device)
    start = _start(arguments, config)[None].to(device)
    generations = [Generation(start, start)]
    try:
        for generation in islice(play(model.to(device), start, rule), arguments.steps):
            generations.append(generation)
    finally:
        _tell(arguments, generations, rule)
        if arguments.attention is not None:
            _show_attention(model, generations, arguments.attention)
    return int(any(each.num_wrong for each in generations))


def _start(arguments: argparse.Namespace, config: "LifeConfig") -> "torch.Tensor":
    import numpy as np

    from tokoban.systems.life.dataset import random_grids
    from tokoban.systems.life.patterns import place, read_pattern
    from tokoban.systems.life.rules import parse_rule

    if arguments.pattern is None:
        random = np.random.default_rng(arguments.seed or 0)
        return random_grids(1, side=config.side, density=0.5, random=random)[0]
    source = arguments.pattern
    with Path(source).open("rb") as file:  # which may be a pipe without end
        content = file.read(MOST_PATTERN_BYTES + 1)
    if len(content) > MOST_PATTERN_BYTES:
        raise ValueError(
            f"{source}: expected a pattern of at most {MOST_PATTERN_BYTES:,} bytes, got more"
        )
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{source}: not a text in UTF-8") from None
    pattern = read_pattern(text, source=source)
    if pattern.rule not in (None, parse_rule(config.rule)):
        raise ValueError(
            f"{source} is a pattern of {pattern.rule}; {arguments.weights} plays {config.rule}"
        )
    return place(pattern, side=config.side, source=source)


def _tell(arguments: argparse.Namespace, generations: "list[Generation]", rule: "Rule") -> None:
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
        "last": to_rle(last, rule),
    }
    if arguments.json != "-":
        print(to_plaintext(last), end="")
        first = about["first_wrong_step"]
        since = "" if first is None else f", the first at step {first}"
        steps, cells = counted(len(wrong) - 1, "step"), counted(sum(wrong), "wrong cell")
        print(f"{steps} of {rule}, {cells}{since}")
    if arguments.json is not None:
        write_output(arguments.json, json.dumps(about, indent=2) + "\n")
    if arguments.output is not None:
        _draw(generations, Path(arguments.output))


def _show_attention(model: "LifeNet", generations: "list[Generation]", destination: str) -> None:
    from tokoban.systems.life.attention_panels import GUIDE, attention_panels

    panels = attention_panels(model, [each.grids[0] for each in generations])
    attention_files.write(destination, panels, title="Where each cell of Life looks", guide=GUIDE)


def _draw(generations: "list[Generation]", film: Path) -> None:
    import torch

    from tokoban.viewing.films import save_film

    num_columns = 2 * generations[0].grids.shape[2] + _GAP_CELLS
    size = max(_LEAST_CELL_PIXELS, math.ceil(_LEAST_WIDTH / num_columns))
    frames, captions = [], []
    for number, each in enumerate(generations):
        grid, true_grid = each.grids[0].cpu(), each.true_grids[0].cpu()
        is_wrong = grid != true_grid
        left = _squares(grid, is_wrong, size=size)
        right = _squares(true_grid, torch.zeros_like(is_wrong), size=size)
        gap = torch.full((len(left), _GAP_CELLS * size), 3 * _LINE_SHADE)
        frames.append(torch.cat([left, gap, right], dim=1))
        captions.append(f"network | rules   step {number}, {each.num_wrong} wrong")
    save_film(torch.stack(frames), film, captions=captions, frame_ms=_FRAME_MS)


def _squares(cells: "torch.Tensor", is_marked: "torch.Tensor", *, size: int) -> "torch.Tensor":
    """A square of ``size`` pixels for each cell; a spot of the other shade marks one."""
    import torch

    def enlarged(grid: torch.Tensor) -> torch.Tensor:
        return grid.repeat_interleave(size, 0).repeat_interleave(size, 1)

    pixels = torch.arange(size) * 3 // size == 1
    spots = (pixels[:, None] & pixels).repeat(cells.shape)
    squares = (enlarged(cells) ^ (enlarged(is_marked) & spots)).float()
    squares[size - 1 :: size] = _LINE_SHADE
    squares[:, size - 1 :: size] = _LINE_SHADE
    return squares
