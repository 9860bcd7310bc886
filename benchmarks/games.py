"""Whole games on bitboards in one compiled call on the CPU, at about a cycle per move.

Axes: B games, T moves. Calls release the GIL, so threads may share the games.
"""

from typing import NamedTuple, no_type_check

import numpy as np
import torch
from jaxtyping import Int8, Int64
from torch import Tensor

from tokoban.compiling import entry
from tokoban.sokoban.hashing import GOLDEN
from tokoban.sokoban.simulation.bitboards import Bitboards

NEVER = -1

# Games that advance together: several vector registers, all in the L1 cache.
_BLOCK = 256

# A random word holds two bits for each of 32 moves.
_MOVES_PER_WORD = 32


class Played(NamedTuple):
    """The final boards, and the number of moves after which each was first solved."""

    boards: Bitboards
    solved_after: Int64[Tensor, "B"]  # 0 if solved at the start, NEVER if never


def play(boards: Bitboards, actions: Int8[np.ndarray, "T B"] | Int8[Tensor, "T B"]) -> Played:
    """Plays all actions (0 to 3) of each game, as repeated ``bitboards.step``.

    A solved game continues and may end unsolved. ``ValueError`` for boards that are no flat batch
    on the CPU or do not match the actions.
    """
    moves = np.ascontiguousarray(actions)
    played, state = _started(boards)
    if moves.shape[1:] != boards.boxes.shape:
        raise ValueError(
            f"expected actions of {len(boards.boxes)} games, got those of {moves.shape[1]}"
        )
    _play(*state, moves)
    return played


def play_random(boards: Bitboards, num_moves: int, seed: int) -> Played:
    """``play`` of ``random_actions``, drawn on the fly."""
    played, state = _started(boards)
    _play_random(*state, num_moves, _seed(seed), np.empty((2, _BLOCK), np.uint64))
    return played


def random_actions(num_games: int, num_moves: int, seed: int) -> Int8[np.ndarray, "T B"]:
    """Uniform directions. Those of a game do not depend on the number of games or moves."""
    move = np.arange(num_moves, dtype=np.uint64)[:, np.newaxis]
    game = np.arange(num_games, dtype=np.uint64)
    words = _random_word(_seed(seed), move // _MOVES_PER_WORD, game)
    return (words >> 2 * (move % _MOVES_PER_WORD) & 3).astype(np.int8)


def _started(boards: Bitboards) -> tuple[Played, tuple[np.ndarray, ...]]:
    """The games before their first move, and the arrays to play in: walls, goals, boxes, player and
    solved_after; the last three share memory with the games."""
    if boards.boxes.dim() != 1 or boards.boxes.device.type != "cpu":
        shape, device = tuple(boards.boxes.shape), boards.boxes.device
        raise ValueError(f"expected a flat batch of boards on the CPU, got {shape} on {device}")
    walls, goals = boards.walls.contiguous(), boards.goals.contiguous()
    boxes, player = (
        word.clone(memory_format=torch.contiguous_format) for word in (boards.boxes, boards.player)
    )
    solved_after = torch.where(boxes == goals, 0, NEVER)
    words = [word.numpy().view(np.uint64) for word in (walls, goals, boxes, player)]
    played = Played(boards._replace(boxes=boxes, player=player), solved_after)
    return played, (*words, solved_after.numpy())


def _seed(seed: int) -> np.uint64:
    return np.uint64(seed % 2**64)


@no_type_check
def _random_word(seed, draw, game):
    """64 random bits: the same in compiled code for one game and in numpy for all."""
    word = seed
    for part in (draw, game):  # each time as splitmix64 scrambles its counter
        word = word + part + GOLDEN
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word = word ^ (word >> np.uint64(31))
    return word


_random_word_of_one = entry(_random_word)


@entry
@no_type_check
def _neighbour(cells, action):
    """``bitboards.shift`` without a table, so that many games can share one instruction."""
    is_along_row = (action & 1) != 0
    distance = np.uint64(1) if is_along_row else np.uint64(8)
    moved = cells << distance if action > 1 else cells >> distance
    landing = np.uint64(0xFEFEFEFEFEFEFEFE) if action > 1 else np.uint64(0x7F7F7F7F7F7F7F7F)
    return moved & landing if is_along_row else moved


@entry
@no_type_check
def _step(walls, boxes, player, action):
    """The boxes and the player after one move. All choices are between values, never a jump."""
    free = ~(walls | boxes)
    ahead = _neighbour(player, action)
    pushed_from = ahead & boxes
    pushed_to = _neighbour(pushed_from, action) & free
    boxes = boxes ^ pushed_from ^ pushed_to if pushed_to != 0 else boxes
    return boxes, ahead if (ahead & free | pushed_to) != 0 else player


@entry
@no_type_check
def _advance(walls, goals, boxes, player, solved_after, actions, move):
    """Plays the next move of each game, of which ``move`` were played before."""
    for game in range(len(actions)):
        boxes[game], player[game] = _step(walls[game], boxes[game], player[game], actions[game])
        is_first = (solved_after[game] == NEVER) & (boxes[game] == goals[game])
        solved_after[game] = move + 1 if is_first else solved_after[game]


@entry
@no_type_check
def _play(walls, goals, boxes, player, solved_after, actions):
    for start in range(0, len(boxes), _BLOCK):
        block = slice(start, start + _BLOCK)
        state = walls[block], goals[block], boxes[block], player[block], solved_after[block]
        for move in range(len(actions)):
            _advance(*state, actions[move, block], move)


@entry
@no_type_check
def _play_random(walls, goals, boxes, player, solved_after, num_moves, seed, words):
    for start in range(0, len(boxes), _BLOCK):
        block = slice(start, start + _BLOCK)
        state = walls[block], goals[block], boxes[block], player[block], solved_after[block]
        actions = words[1, : len(state[0])]
        for move in range(num_moves):
            if move % _MOVES_PER_WORD == 0:
                draw = np.uint64(move // _MOVES_PER_WORD)
                for game in range(len(actions)):
                    words[0, game] = _random_word_of_one(seed, draw, np.uint64(start + game))
            for game in range(len(actions)):
                actions[game] = words[0, game] & np.uint64(3)
                words[0, game] >>= np.uint64(2)
            _advance(*state, actions, move)
