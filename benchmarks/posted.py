"""The post's own methods, as baselines: its boards on the GPU, its rollouts, its beam search.

Its boolean planes: every cell of every board is shifted in each of the four directions, then one
result is selected; all positions of a sequence are stepped and read again for each move. Repaired
where the listing is wrong, at the same cost: a player no longer vanishes at an open edge; an action
is chosen once and kept; scores, actions and boards stay with their beams; moves that change nothing
are not chosen; what is solved stays solved. So the same weights and noise give the same games as
``tokoban``'s own player. (The listing also shifts the player twice and drops the result; this does
not.) Undo is not among the post's moves on the GPU.

Axes: B games, S positions, T moves, A the four moves, C planes, H rows, W columns, K beams.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor
from torch.nn import functional

from tokoban.sokoban.board import OFFSETS
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.sokoban.simulation.tensor_boards import Plane
from tokoban.systems.sokoban_policy.episodes import FIRST_BOARD, goal_boards
from tokoban.systems.sokoban_policy.model import SokobanPolicy

NUM_MOVES = len(OFFSETS)


def successors(
    inputs: Bool[Tensor, "*B C H W"],
) -> tuple[Bool[Tensor, "*B A H W"], Bool[Tensor, "*B A H W"]]:
    """The players and the boxes of every board after each of the four moves."""
    moved = [_advance_all(inputs, *offset) for offset in OFFSETS]
    players, boxes = zip(*moved, strict=True)
    return torch.stack(players, dim=-3), torch.stack(boxes, dim=-3)


def select(
    inputs: Bool[Tensor, "*B C H W"],
    players: Bool[Tensor, "*B A H W"],
    boxes: Bool[Tensor, "*B A H W"],
    actions: Int[Tensor, "*B"],
) -> Bool[Tensor, "*B C H W"]:
    """The boards after each one's own move, with their constant planes copied."""
    moves = torch.arange(NUM_MOVES, device=actions.device)
    is_taken = (actions.unsqueeze(-1) == moves)[..., None, None]
    changed = [(part & is_taken).any(-3, keepdim=True) for part in (boxes, players)]
    return torch.cat([inputs[..., : Plane.BOX, :, :], *changed], dim=-3)


def advance_boards(
    inputs: Bool[Tensor, "*B C H W"], actions: Int[Tensor, "*B"]
) -> Bool[Tensor, "*B C H W"]:
    """One step: moves each player in its own direction; an impossible move changes nothing."""
    return select(inputs, *successors(inputs), actions)


def _advance_all(
    inputs: Bool[Tensor, "*B C H W"], row_step: int, column_step: int
) -> tuple[Bool[Tensor, "*B H W"], Bool[Tensor, "*B H W"]]:
    """The players and the boxes after one and the same move of all boards."""
    walls, boxes, player = (inputs[..., p, :, :] for p in (Plane.WALL, Plane.BOX, Plane.PLAYER))
    back = -row_step, -column_step
    ahead = _shift(player, row_step, column_step)
    is_free = ~(boxes | walls)
    pushes = ahead & boxes & _shift(is_free, *back)
    lands = (ahead & is_free) | pushes
    # As posted, ~lands is shifted: what enters over the edge is then False, and a player there,
    # whose step leads off the board, neither stays nor goes.
    new_player = lands | (player & ~_shift(lands, *back))
    new_boxes = (boxes & ~pushes) | _shift(boxes & pushes, row_step, column_step)
    return new_player, new_boxes


def _shift(
    plane: Bool[Tensor, "*B H W"], row_step: int, column_step: int
) -> Bool[Tensor, "*B H W"]:
    height, width = plane.shape[-2:]
    up, down = max(row_step, 0), max(-row_step, 0)
    left, right = max(column_step, 0), max(-column_step, 0)
    padded = functional.pad(plane, (left, right, up, down))
    return padded[..., down : down + height, right : right + width]


def first_inputs(levels: Bitboards, num_positions: int) -> Bool[Tensor, "B S C H W"]:
    """The goal boards, the starts, and empty positions for the boards to come."""
    inputs = torch.zeros(
        (len(levels.boxes), num_positions, len(Plane), bitboards.SIDE, bitboards.SIDE),
        dtype=torch.bool,
        device=levels.boxes.device,
    )
    inputs[:, 0] = bitboards.planes(goal_boards(levels)).bool()
    inputs[:, FIRST_BOARD] = bitboards.planes(levels).bool()
    return inputs


def move_logits(model: SokobanPolicy, inputs: Bool[Tensor, "B S C H W"]) -> Float[Tensor, "B S A"]:
    """The policy at every position of whole sequences, without its undo."""
    vectors = model.board_encoder(inputs.flatten(0, 1).float()).unflatten(0, inputs.shape[:2])
    num_positions = inputs.shape[1]
    mixed = model.transformer(
        vectors + model.position_vectors[:num_positions],
        may_attend=model.mask[:num_positions, :num_positions],
    )
    return model.action_head(mixed)[..., :NUM_MOVES]


class Rollouts(NamedTuple):
    """Games: actions are -1 after the first solved board."""

    actions: Int64[Tensor, "B T"]
    inputs: Bool[Tensor, "B S C H W"]  # all boards; after the end they play on
    closest_nats: Float[Tensor, "B"]  # between the best and the second best move of a game


@torch.inference_mode()
def rollouts(
    model: SokobanPolicy, levels: Bitboards, noise: Float[Tensor, "T B A"] | None
) -> Rollouts:
    """Games of as many moves as there is room for, each move the best sum of log-probability and
    noise; greedy without ``noise``.
    """
    inputs = first_inputs(levels, model.max_positions)
    num_games, num_positions = inputs.shape[:2]
    drawn = torch.zeros(num_games, num_positions, NUM_MOVES, device=inputs.device)
    if noise is not None:
        drawn[:, FIRST_BOARD : num_positions - 1] = noise[..., :NUM_MOVES].transpose(0, 1)
    actions = torch.zeros(num_games, num_positions, dtype=torch.int64, device=inputs.device)
    closest = torch.full((num_games,), torch.inf, device=inputs.device)
    is_stuck = torch.zeros_like(closest, dtype=torch.bool)

    for position in range(FIRST_BOARD, num_positions - 1):
        players, boxes = successors(inputs)
        preferences = _log_probs(model, inputs, players) + drawn
        best = preferences.topk(2, dim=-1)
        actions[:, position] = best.indices[:, position, 0]
        # A walled-in player stays so: whatever is chosen for it, nothing moves.
        is_stuck |= best.values[:, position, 0] == -torch.inf
        lead = (best.values[..., 0] - best.values[..., 1])[:, position]
        closest = closest.minimum(lead.nan_to_num(nan=torch.inf, posinf=torch.inf))
        inputs = _shifted_on(inputs, select(inputs, players, boxes, actions))

    taken = _until_solved(actions, inputs).masked_fill(is_stuck[:, None], -1)
    return Rollouts(taken, inputs, closest)


class Beams(NamedTuple):
    """The best beam of each search, finished ones first: its moves, -1 after the end."""

    actions: Int64[Tensor, "B T"]
    scores_nats: Float[Tensor, "B"]
    is_finished: Bool[Tensor, "B"]


@torch.inference_mode()
def beam_search(model: SokobanPolicy, levels: Bitboards, *, width: int) -> Beams:
    """Beams of as many moves as there is room for; a solved beam lives on as itself.

    As posted, beams in equal states are not merged. Unlike there, many levels go in one batch.
    """
    inputs = first_inputs(levels.map(lambda w: w.repeat_interleave(width)), model.max_positions)
    num_rows, num_positions = inputs.shape[:2]
    shape = num_rows // width, width
    actions = torch.zeros(num_rows, num_positions, dtype=torch.int64, device=inputs.device)
    scores = torch.full(shape, -torch.inf, device=inputs.device)
    scores[:, 0] = 0.0
    is_finished = torch.zeros(shape, dtype=torch.bool, device=inputs.device)
    first_rows = width * torch.arange(shape[0], device=inputs.device)[:, None]

    for position in range(FIRST_BOARD, num_positions - 1):
        log_probs = _log_probs(model, inputs, successors(inputs)[0])[:, position]
        scores, parents, chosen = best_successors(scores, log_probs, is_finished)
        rows = (first_rows + parents).flatten()
        inputs, actions = inputs[rows], actions[rows]
        actions[:, position] = chosen.flatten()
        inputs = _shifted_on(inputs, advance_boards(inputs, actions))
        newest = inputs[:, position + 1]
        is_finished = is_finished.gather(1, parents) | _is_solved(newest).view(shape)
        is_finished &= scores > -torch.inf

    # Where none is finished the first one, which has the best score.
    best = scores.masked_fill(~is_finished, -torch.inf).argmax(1, keepdim=True)
    rows = (first_rows + best)[:, 0]
    plans = _until_solved(actions, inputs)[rows]
    return Beams(plans, scores.gather(1, best)[:, 0], is_finished.gather(1, best)[:, 0])


def best_successors(
    scores: Float[Tensor, "B K"], log_probs: Float[Tensor, "BK A"], is_finished: Bool[Tensor, "B K"]
) -> tuple[Float[Tensor, "B K"], Int64[Tensor, "B K"], Int64[Tensor, "B K"]]:
    """The scores of the next beams, the beams they come from, and their moves."""
    candidates = scores.unsqueeze(2) + log_probs.view(*scores.shape, NUM_MOVES)
    candidates = candidates.masked_fill(scores.unsqueeze(2) == -torch.inf, -torch.inf)
    itself = torch.full_like(candidates, -torch.inf)  # a finished beam's one successor
    itself[..., 0] = scores
    candidates = torch.where(is_finished.unsqueeze(2), itself, candidates)
    best, order = candidates.flatten(1).topk(scores.shape[1], dim=1)
    return best, order // NUM_MOVES, order % NUM_MOVES


def _log_probs(
    model: SokobanPolicy,
    inputs: Bool[Tensor, "B S C H W"],
    players: Bool[Tensor, "B S A H W"],
) -> Float[Tensor, "B S A"]:
    """Log-probabilities of the moves at every position; -inf for those that change nothing."""
    before = inputs[:, :, Plane.PLAYER].unsqueeze(2)
    is_legal = (players != before).flatten(-2).any(-1)
    logits = move_logits(model, inputs).masked_fill(~is_legal, -torch.inf)
    return logits - logits.logsumexp(-1, keepdim=True).nan_to_num(neginf=0.0)


def _shifted_on(
    inputs: Bool[Tensor, "B S C H W"], after: Bool[Tensor, "B S C H W"]
) -> Bool[Tensor, "B S C H W"]:
    """Every board takes the place of the next; the goal and the start stay."""
    return torch.cat([inputs[:, : FIRST_BOARD + 1], after[:, FIRST_BOARD:-1]], dim=1)


def _is_solved(inputs: Bool[Tensor, "*B C H W"]) -> Bool[Tensor, "*B"]:
    boxes, goals = inputs[..., Plane.BOX, :, :], inputs[..., Plane.GOAL, :, :]
    return (boxes == goals).flatten(-2).all(-1)


def _until_solved(
    actions: Int64[Tensor, "B S"], inputs: Bool[Tensor, "B S C H W"]
) -> Int64[Tensor, "B T"]:
    """The actions, -1 from the first solved board of each game on."""
    is_over = _is_solved(inputs[:, FIRST_BOARD:]).cumsum(1) > 0
    return actions[:, FIRST_BOARD:-1].masked_fill(is_over[:, :-1], -1)
