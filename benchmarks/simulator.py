"""Steps a second of Sokoban simulators: the post's, ours, and others' where they are installed.

Boards are Boxoban's size, 10x10 with walls around and four boxes, drawn from a seed; the moves are
random and known in advance. On the CPU everything uses one thread (--threads for torch's own). Each
row starts every call at the same boards. Ours also say after every step whether a board is solved,
which the post's step does not. ``least_bytes`` are those that one step of a board must read and
write, ``share_of_copy`` what that makes of the device's copy bandwidth, measured in the same run:
with several steps in a call the boards stay in registers.

Of the post's step the fastest forms found are measured: eager and compiled as posted, compiled on
the CPU with ``cpp.simdlen`` 1 (zeros concatenated in place of padding, bytes in place of booleans,
and vectors of any other length were slower).
"""

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks import peers, posted
from benchmarks.harness import (
    Report,
    copy_bandwidth,
    least_bytes,
    parser,
    quantity,
    timed,
)
from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.simulation import bitboards, tensor_boards, wide_bitboards

POSTED_EAGER, POSTED_COMPILED = "posted planes, eager", "posted planes, compiled"
SIDE, NUM_BOXES, WALL_SHARE = 10, 4, 0.15
NUM_LEVELS = 1024  # different ones; larger batches hold them over and over
FUSED = 16  # moves in one call


def draw_levels(num_levels: int, *, seed: int) -> list[Board]:
    """Closed 10x10 boards with four boxes, speckled with walls; some cannot be solved."""
    chance = random.Random(seed)
    inside = [Square(row, column) for row in range(1, SIDE - 1) for column in range(1, SIDE - 1)]
    ring = {Square(row, column) for row in range(SIDE) for column in range(SIDE)} - set(inside)
    boards = []
    for _ in range(num_levels):
        chance.shuffle(inside)
        # Boxes and goals may share a square; the player and the boxes may not.
        player, boxes, rest = inside[0], inside[1 : 1 + NUM_BOXES], inside[1 + NUM_BOXES :]
        goals = chance.sample(inside[: 3 * NUM_BOXES], NUM_BOXES)
        walls = {cell for cell in rest[3 * NUM_BOXES :] if chance.random() < WALL_SHARE}
        boards.append(
            Board(SIDE, SIDE, frozenset(walls | ring), frozenset(goals), frozenset(boxes), player)
        )
    return boards


@dataclass(frozen=True)
class Way:
    """One way of stepping a batch: what its boards are, and a function of them and the moves."""

    name: str
    boards: Callable[[Sequence[Board], torch.device], Any]  # of a few levels
    play: Callable[[Any, Tensor], Any]  # boards and moves [T, B] -> all that is written
    num_moves: int = 1
    is_compiled: bool = False
    action_type: torch.dtype = torch.int64


def play(simulator: ModuleType, boards: Any, actions: Tensor) -> tuple[Any, Tensor]:
    """The boards after all moves, and which of them were ever solved."""
    is_solved = torch.zeros_like(actions[0], dtype=torch.bool)
    for moves in actions.unbind(0):
        boards = simulator.step(boards, moves)
        is_solved = is_solved | simulator.is_solved(boards)
    return boards, is_solved


def play_posted(inputs: Tensor, actions: Tensor) -> Tensor:
    """The boards after all moves, by the post's step."""
    for moves in actions.unbind(0):
        inputs = posted.advance_boards(inputs, moves)
    return inputs


def posted_planes(boards: Sequence[Board], device: torch.device) -> Tensor:
    """The five planes of each board."""
    return tensor_boards.planes(tensor_boards.from_boards(boards)).to(device)


def ways() -> Iterator[Way]:
    """All that tensors do: our fastest, the post's, then the others; the first are sure of time."""
    one_word = partial(_packed, bitboards.pack), partial(play, bitboards)
    two_words = partial(_packed, wide_bitboards.pack), partial(play, wide_bitboards)
    # A byte for a move is less to read, but one more operation where nothing is compiled.
    yield Way("bitboards, compiled", *one_word, 1, True, torch.int8)
    yield Way(f"bitboards, compiled, {FUSED} moves a call", *one_word, FUSED, True, torch.int8)
    yield Way(POSTED_EAGER, posted_planes, play_posted)
    yield Way(POSTED_COMPILED, posted_planes, play_posted, is_compiled=True)
    yield Way("bitboards, eager", *one_word)
    yield Way("wide bitboards, compiled", *two_words, 1, True, torch.int8)


def _packed(pack: Callable[..., Any], boards: Sequence[Board], device: torch.device) -> Any:
    return pack(boards, device=device)


def repeated(boards: Any, num_levels: int, batch: int) -> Any:
    """``batch`` boards: those given over and over, in the form they have."""
    if not isinstance(boards, Tensor):
        parts = (repeated(x, num_levels, batch) if isinstance(x, Tensor) else x for x in boards)
        return boards._make(parts)
    axis = boards.shape.index(num_levels)
    copies = [1] * boards.dim()
    copies[axis] = -(-batch // num_levels)
    return boards.repeat(copies).narrow(axis, 0, batch).contiguous()


def measure_ways(
    report: Report, levels: Sequence[Board], batches: Sequence[int], *, min_run_time_s: float
) -> None:
    """A row for each way at each batch; the first batch is what the others are measured around."""
    device = report.device
    draw = torch.Generator(device).manual_seed(1)
    copy_bytes_per_s = copy_bandwidth(device, min_run_time_s=min_run_time_s)
    report.note(copy_bytes_per_s=copy_bytes_per_s)
    print(f"copying: {quantity(copy_bytes_per_s)} bytes/s read and written", file=sys.stderr)
    for way in ways():
        few = way.boards(levels, device)
        play_all = _compiled(way.play, device) if way.is_compiled else way.play
        for batch in batches:
            if not is_worth_it(way, batch, batches[0], device):
                continue
            boards = repeated(few, len(levels), batch)
            shape = way.num_moves, batch
            actions = torch.randint(4, shape, generator=draw, device=device, dtype=way.action_type)
            call = partial(play_all, boards, actions)
            try:
                timing = timed(call, device, min_run_time_s=min_run_time_s)
            except torch.OutOfMemoryError:
                print(f"without {way.name} at {batch:,} boards: out of memory", file=sys.stderr)
                continue
            num_steps = way.num_moves * batch
            num_bytes = least_bytes((boards, actions), timing.answer)
            report.add(
                way.name,
                batch=batch,
                per_second=num_steps / timing.median_s,
                first_call_s=timing.first_s if way.is_compiled else None,
                least_bytes=num_bytes / num_steps,
                share_of_copy=num_bytes / timing.median_s / copy_bytes_per_s,
            )
            del boards, actions, call, timing  # gigabytes, before the next


def is_worth_it(way: Way, batch: int, headline: int, device: torch.device) -> bool:
    """Whether a row says something that it does not cost too much to learn.

    Several moves in a call take long to compile, and are for the largest batches.
    """
    if device.type == "cpu" and batch > 2**17:  # the others take gigabytes and minutes
        return way.is_compiled and "planes" not in way.name
    return way.num_moves == 1 or batch == headline


def _compiled(function: Callable, device: torch.device) -> Callable:
    # The ways share their source, of which dynamo keeps no more than a few compiled forms. Of one
    # way it makes two or three: of the first batch's size, of a size that varies, and of one board.
    torch.compiler.reset()
    is_posted_on_cpu = function is play_posted and device.type == "cpu"
    options: dict[str, Any] = {"cpp.simdlen": 1} if is_posted_on_cpu else {}
    return torch.compile(function, fullgraph=True, options=options)


def measure_reference(report: Report, levels: Sequence[Board], *, min_run_time_s: float) -> None:
    """The plain rules in plain Python, a board at a time."""
    chance = random.Random(1)
    cpu, boards = torch.device("cpu"), levels[:64]
    moves = chance.choices(range(4), k=len(boards))
    timing = timed(lambda: list(map(rules.step, boards, moves)), cpu, min_run_time_s=min_run_time_s)
    per_second = len(boards) / timing.median_s
    report.add("reference rules", batch=len(boards), per_second=per_second, device=cpu)


def measure_peers(
    report: Report, levels: Sequence[Board], batches: Sequence[int], *, min_run_time_s: float
) -> None:
    """jumanji and EnvPool on one core each, where they can be imported and held to one."""
    if sys.platform != "linux":
        return
    draw = np.random.default_rng(1)
    cpu = torch.device("cpu")
    add = partial(_add_peer, report, min_run_time_s=min_run_time_s)
    with peers.one_core():
        try:
            jumanji = peers.Jumanji()
            device = torch.device("cuda") if jumanji.is_on_gpu else cpu
            for batch in batches:
                add(jumanji.step_by_step(levels, draw.integers(0, 4, batch)), batch, device)
                actions = draw.integers(0, 4, (FUSED, batch))
                for peer in jumanji.in_one_scan(levels, actions):
                    add(peer, batch, device)
        except ImportError as missing:
            print(f"without jumanji: {missing}", file=sys.stderr)
        try:
            for batch in batches:
                add(peers.envpool_step(draw.integers(0, 4, (FUSED, batch))), batch, cpu)
        except ImportError as missing:
            print(f"without EnvPool: {missing}", file=sys.stderr)


def _add_peer(
    report: Report, peer: peers.Peer, batch: int, device: torch.device, *, min_run_time_s: float
) -> None:
    timing = timed(peer.call, torch.device("cpu"), min_run_time_s=min_run_time_s)
    per_second = peer.num_moves * batch / timing.median_s
    report.add(peer.name, batch=batch, per_second=per_second, device=device)


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once all rows are measured."""
    options = parser(__doc__, num_threads=1)
    options.add_argument("--batches", type=int, nargs="+", metavar="N", help="in place of all")
    arguments = options.parse_args(argv)
    report = Report(arguments, unit="steps", posted=(POSTED_EAGER, POSTED_COMPILED))
    # What is measured first is compiled for its very size: the sizes that the bars are about.
    largest = [2**24, 2**20, 2**14] if report.device.type == "cuda" else [2**14, 2**20]
    batches = arguments.batches or ([2**14] if arguments.quick else [*largest, 2**10, 64, 1])
    levels = draw_levels(NUM_LEVELS, seed=1)
    min_run_time_s = 0.1 if arguments.quick else 0.4
    measure_ways(report, levels, batches, min_run_time_s=min_run_time_s)
    small = [batch for batch in batches if batch <= 2**14]
    measure_reference(report, levels, min_run_time_s=min_run_time_s)
    # Other people's programs last: what they do to this process costs none of our rows.
    peer_batches = [2**20, 2**14] if report.device.type == "cuda" else small
    measure_peers(report, levels, peer_batches, min_run_time_s=min_run_time_s)
    report.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
