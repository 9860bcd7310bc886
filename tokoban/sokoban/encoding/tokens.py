"""The squares of a level of any size as tokens, and the features of its positions.

Axes: P positions, F floor squares of the level, which are its tokens.
"""

from collections.abc import Sequence
from typing import no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, UInt8

from tokoban.compiling import entry
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.encoding.features import (
    BOUND_FALLS,
    CAN_PUSH,
    HAS_BOX,
    HAS_PLAYER,
    IS_FLOOR,
    IS_GOAL,
    IS_REACHED,
    IS_UNBOUNDED,
    NEIGHBOURHOOD,
    NUM_FEATURES,
)
from tokoban.sokoban.formats.faults import Fault
from tokoban.sokoban.search.level.ground import UNREACHABLE, Ground, Squares, build_ground
from tokoban.sokoban.search.measures.bounds import match_all, matched_pushes, matched_pushes_after
from tokoban.sokoban.search.searches.guided.guide import boxes_and_zones, legal_pushes
from tokoban.sokoban.sizes import MOST_SQUARES


def check_size(num_squares: int) -> None:
    """``ValueError`` for a level with more than ``MOST_SQUARES`` inside."""
    if num_squares > MOST_SQUARES:
        sentence = (
            f"the level has {num_squares:,} squares that the player could reach; the network "
            f"reads at most {MOST_SQUARES:,}"
        )
        raise ValueError(Fault(sentence, "network-size", squares=num_squares, most=MOST_SQUARES))


class Tokens:
    """The squares of one level as the network reads them."""

    def __init__(self, squares: Squares, ground: Ground) -> None:
        """``ValueError`` for a level of more than ``MOST_SQUARES``."""
        check_size(len(squares.squares))
        num_squares = len(squares.squares)
        self.squares, self.ground = squares, ground
        places = np.array(squares.squares, np.int64).reshape(-1, 2)
        # Positions count from the first row and column that have floor.
        self.coordinates: Int16[np.ndarray, "F 2"] = (places - places.min(axis=0)).astype(np.int16)
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

    @classmethod
    def of(cls, board: Board) -> "Tokens":
        """Those of a board's level."""
        squares = Squares(board)
        return cls(squares, build_ground(board, squares))

    def features_of(
        self, boards: Sequence[Board]
    ) -> tuple[UInt8[np.ndarray, "P F 17"], Int32[np.ndarray, " P"]]:
        """``features`` of positions of the level."""
        return self.features(*boxes_and_zones(self.squares, boards))

    def features(
        self, boxes: Bool[np.ndarray, "P F"], zone: Bool[np.ndarray, "P F"]
    ) -> tuple[UInt8[np.ndarray, "P F 17"], Int32[np.ndarray, " P"]]:
        """The features of the squares, and a lower bound on the pushes left.

        The bound may be ``UNREACHABLE``; then the position is lost.
        """
        features = np.zeros((*boxes.shape, NUM_FEATURES), np.uint8)
        features[:, :, IS_FLOOR] = 1
        features[:, :, IS_GOAL] = self.ground.is_goal[:-1]
        features[:, :, HAS_BOX] = boxes
        features[:, :, IS_REACHED] = zone
        # Any square of the zone will do: the legal pushes depend on the zone alone.
        features[np.arange(len(zone)), zone.argmax(axis=1), HAS_PLAYER] = 1
        is_legal = legal_pushes(self.ground.neighbours, boxes, zone)
        features[:, :, CAN_PUSH : CAN_PUSH + 4] = is_legal
        bounds = np.zeros(len(boxes), np.int32)
        num_boxes = len(self.ground.goals)
        if boxes.sum(1).max(initial=0) > num_boxes:  # no box can be matched, whatever is pushed
            features[:, :, IS_UNBOUNDED : IS_UNBOUNDED + 4] = is_legal
            return features, np.full_like(bounds, UNREACHABLE)
        _fill_bounds(
            self.ground.neighbours,
            self.ground.zone,
            self.ground.pushes,
            boxes,
            zone,
            is_legal,
            np.zeros((5, num_boxes + 1), np.int64),
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
    """Fills the lower bounds of positions, and which pushes make them less."""
    matching, path = matchings[:2], matchings[2:]
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
        match_all(pushes, True, own, matching, path)
        bound = matched_pushes(pushes, own, matching)
        bounds[position] = min(bound, UNREACHABLE)
        for box in range(boxes.shape[1]):
            for direction in range(4):
                if not is_legal[position, box, direction]:
                    continue
                target = neighbours[box, direction]
                place = target * 4 + zone_of[target, box]
                pushed = matched_pushes_after(pushes, own, row_of[box], place, matching, path)
                if pushed >= UNREACHABLE:
                    features[position, box, IS_UNBOUNDED + direction] = 1
                elif pushed < bound:
                    features[position, box, BOUND_FALLS + direction] = 1
