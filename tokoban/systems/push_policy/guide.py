"""The network as a ``Guide``: positions of any level as tokens, and its answers by squares.

Axes: P positions, F floor squares of the level (also T, its tokens), K = 9 squares of a
neighbourhood.
"""

from typing import no_type_check

import llvmlite.binding
import numpy as np
import torch
from jaxtyping import Bool, Int8, Int32, UInt8
from torch import Tensor

from tokoban.compiling import entry
from tokoban.sokoban.board import OFFSETS, Direction, Square
from tokoban.sokoban.search.bounds import assign, matched_pushes
from tokoban.sokoban.search.ground import UNREACHABLE, Ground, Squares
from tokoban.sokoban.search.guide import Guidance, legal_pushes
from tokoban.systems.push_policy.dataset import Boards
from tokoban.systems.push_policy.model import PushNet
from tokoban.systems.push_policy.positions import (
    BOUND_FALLS,
    CAN_PUSH,
    DEADLOCK_CLASS,
    DIRECTIONS,
    HAS_BOX,
    IS_FLOOR,
    IS_GOAL,
    IS_REACHED,
    IS_UNBOUNDED,
    NEIGHBOURHOOD,
    NUM_FEATURES,
    Result,
)

_CPU_HAS_BF16 = llvmlite.binding.get_host_cpu_features().get("avx512bf16", False)
_LEAST_FOR_BF16 = 1000  # pushes of all squares of a batch

MOST_SQUARES = 1024  # of a level, by which the network is limited


def check_size(squares: Squares) -> None:
    """``ValueError`` for a level of more than ``MOST_SQUARES``."""
    num_squares = len(squares.squares)
    if num_squares > MOST_SQUARES:
        raise ValueError(
            f"the level has {num_squares:,} squares that the player could reach; the network "
            f"reads at most {MOST_SQUARES:,}"
        )


class Tokens:
    """The squares of one level as the network reads them."""

    def __init__(self, squares: Squares, ground: Ground) -> None:
        """``ValueError`` for a level of more than ``MOST_SQUARES``."""
        check_size(squares)
        num_squares = len(squares.squares)
        self.ground = ground
        places = np.array(squares.squares, np.int64).reshape(-1, 2)
        # Positions count from the first row and column that have floor.
        self.coordinates: Int8[np.ndarray, "F 2"] = (places - places.min(axis=0)).astype(np.int8)
        number = squares.number
        self.neighbours: Int32[np.ndarray, "F 9"] = np.array(
            [
                [
                    number.get(Square(row + down, column + right), num_squares)
                    for down, right in NEIGHBOURHOOD
                ]
                for row, column in squares.squares
            ],
            np.int32,
        )

    def features(
        self, boxes: Bool[np.ndarray, "P F"], zone: Bool[np.ndarray, "P F"]
    ) -> tuple[UInt8[np.ndarray, "P F 17"], Int32[np.ndarray, " P"]]:
        """The features of the squares, and the lower bound of the pushes left."""
        features = np.zeros((*boxes.shape, NUM_FEATURES), np.uint8)
        features[:, :, IS_FLOOR] = 1
        features[:, :, IS_GOAL] = self.ground.is_goal[:-1]
        features[:, :, HAS_BOX] = boxes
        features[:, :, IS_REACHED] = zone
        is_legal = legal_pushes(self.ground.neighbours, boxes, zone)
        features[:, :, CAN_PUSH : CAN_PUSH + 4] = is_legal
        bounds = np.zeros(len(boxes), np.int32)
        num_boxes = len(self.ground.goals)
        _fill_bounds(
            self.ground.neighbours,
            self.ground.zone,
            self.ground.pushes,
            boxes,
            zone,
            is_legal,
            np.zeros((3, 3, num_boxes + 1), np.int64),
            np.zeros((2, len(self.ground.zone)), np.int64),
            features,
            bounds,
        )
        return features, bounds


@entry
@no_type_check
def _fill_bounds(
    neighbours, zone_of, pushes, boxes, zone, is_legal, matchings, rows, features, bounds
):
    """As ``positions.fill_bounds``, of a level of any size."""
    before, after, path = matchings
    places, row_of = rows
    for position in range(len(boxes)):
        player = 0
        while not zone[position, player]:
            player += 1
        number = 0
        for box in range(boxes.shape[1]):
            if boxes[position, box]:
                places[number] = box * 4 + zone_of[box, player]
                row_of[box] = number
                number += 1
        own = places[:number]
        before[:] = 0
        for row in range(number):
            assign(pushes, own, row, before, path)
        bound = matched_pushes(pushes, own, before)
        bounds[position] = min(bound, UNREACHABLE)
        for box in range(boxes.shape[1]):
            for direction in range(4):
                if not is_legal[position, box, direction]:
                    continue
                row = row_of[box]
                earlier = own[row]
                target = neighbours[box, direction]
                own[row] = target * 4 + zone_of[target, box]
                for column in range(number + 1):
                    after[0, column] = before[0, column]
                    after[1, column] = before[1, column]
                    after[2, column] = before[2, column] if before[2, column] != row + 1 else 0
                assign(pushes, own, row, after, path)
                pushed = matched_pushes(pushes, own, after)
                own[row] = earlier
                if pushed >= UNREACHABLE:
                    features[position, box, IS_UNBOUNDED + direction] = 1
                elif pushed < bound:
                    features[position, box, BOUND_FALLS + direction] = 1


def collated(tokens: list[Tokens], features: list[UInt8[np.ndarray, "_ _ 17"]]) -> Boards:
    """Positions of several levels as one batch, padded to the largest level."""
    most = max(part.shape[1] for part in features)
    count = sum(len(part) for part in features)
    all_features = np.zeros((count, most, NUM_FEATURES), np.uint8)
    neighbours = np.full((count, most, len(NEIGHBOURHOOD)), most, np.int32)
    coordinates = np.zeros((count, most, 2), np.int8)
    first = 0
    for level, part in zip(tokens, features, strict=True):
        last, num_squares = first + len(part), part.shape[1]
        all_features[first:last, :num_squares] = part
        is_wall = level.neighbours == num_squares
        neighbours[first:last, :num_squares] = np.where(is_wall, most, level.neighbours)
        coordinates[first:last, :num_squares] = level.coordinates
        first = last
    return Boards(*map(torch.from_numpy, (all_features, neighbours, coordinates)))


class NetworkGuide:
    """A trained network as the guide of one level."""

    def __init__(
        self, model: PushNet, squares: Squares, ground: Ground, *, num_views: int = 1
    ) -> None:
        """Its judgements are means over so many of the board's eight symmetries.

        ``ValueError`` for a level that is too large.
        """
        self.model, self.tokens = model, Tokens(squares, ground)
        self.num_views = num_views

    def evaluate(self, boxes: Bool[np.ndarray, "P F"], zone: Bool[np.ndarray, "P F"]) -> Guidance:
        """The network's judgement of positions, all in one batch."""
        features, bounds = self.tokens.features(boxes, zone)
        boards = collated([self.tokens], [features])
        return judged(self.model, boards, bounds, num_views=self.num_views)


def judged(
    model: PushNet, boards: Boards, bounds: Int32[np.ndarray, " P"], *, num_views: int = 1
) -> Guidance:
    """What the network says of positions with these lower bounds.

    With several views, up to 8, the means of the probabilities over as many symmetries.
    """
    device = next(model.parameters()).device
    boards = Boards(*(tensor.to(device) for tensor in boards))
    is_legal = boards.features[:, :, CAN_PUSH : CAN_PUSH + 4] != 0
    # Converting a few numbers costs more than half precision saves.
    uses_bf16 = _has_bf16(device) and is_legal.numel() > _LEAST_FOR_BF16
    with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=uses_bf16):
        views = [_judged_once(model, boards, is_legal, view) for view in range(num_views)]
    policy, push_deadlocks, values = (
        torch.stack(parts).mean(0) for parts in zip(*views, strict=True)
    )
    deadlocked = values[:, DEADLOCK_CLASS]
    excess = values[:, :DEADLOCK_CLASS] @ torch.arange(DEADLOCK_CLASS, device=device).float()
    excess = 2 * excess / (1 - deadlocked).clamp(min=1e-6)
    return Guidance(
        log_policy=policy.log().cpu().numpy(),
        pushes_left=np.minimum(bounds, UNREACHABLE).astype(np.float32) + excess.cpu().numpy(),
        deadlocked=np.where(bounds >= UNREACHABLE, np.float32(1), deadlocked.cpu().numpy()),
        push_deadlocks=push_deadlocks.cpu().numpy(),
    )


def _judged_once(
    model: PushNet, boards: Boards, is_legal: Bool[Tensor, "P T 4"], view: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Probabilities: of each push, that it deadlocks, and of the classes of the pushes left."""
    directions = DIRECTIONS[view].tolist()
    seen = _seen(boards, view)
    output = model(seen)
    policy = output.log_policy(is_legal[:, :, _inverse(directions)]).exp()[:, :, directions]
    push_deadlocks = output.result.softmax(-1)[:, :, directions, Result.DEADLOCK]
    return policy.masked_fill(~is_legal, 0.0), push_deadlocks, output.value.softmax(-1)


def _seen(boards: Boards, view: int) -> Boards:
    """The same positions under a symmetry of ``positions``; the tokens keep their order."""
    if view == 0:
        return boards
    directions = DIRECTIONS[view].tolist()
    groups = [
        first + direction
        for first in (CAN_PUSH, BOUND_FALLS, IS_UNBOUNDED)
        for direction in _inverse(directions)
    ]
    features = boards.features[:, :, [*range(CAN_PUSH), *groups]]
    # Each step to a neighbour, and the coordinates, go where the directions go.
    steps = [_turned(step, directions) for step in NEIGHBOURHOOD]
    order = [steps.index(step) for step in NEIGHBOURHOOD]
    rows, columns = boards.coordinates.long().unbind(-1)
    down, right = (torch.tensor(_turned(step, directions)) for step in ((1, 0), (0, 1)))
    turned = rows[..., None] * down.to(rows) + columns[..., None] * right.to(rows)
    turned = turned - turned.amin(1, keepdim=True)
    return Boards(features, boards.neighbours[:, :, order], turned.to(boards.coordinates))


def _turned(step: tuple[int, int], directions: list[int]) -> tuple[int, int]:
    """A step down and right under a symmetry, which takes direction d to ``directions[d]``."""
    down, right = OFFSETS[directions[Direction.DOWN]], OFFSETS[directions[Direction.RIGHT]]
    return step[0] * down[0] + step[1] * right[0], step[0] * down[1] + step[1] * right[1]


def _inverse(directions: list[int]) -> list[int]:
    return [directions.index(direction) for direction in range(4)]


def _has_bf16(device: torch.device) -> bool:
    """Whether there are instructions for half precision."""
    return device.type == "cuda" or _CPU_HAS_BF16
