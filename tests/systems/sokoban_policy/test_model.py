"""The policy's laws: the cache changes nothing, the future is unseen, padding is not read."""

import pytest
import torch

from tokoban.inference.cached import CachedEngine
from tokoban.inference.cpu import CpuEngine
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.engine import engine_of, network_of
from tokoban.systems.sokoban_policy.episodes import Game
from tokoban.systems.sokoban_policy.fitting import INTERIOR
from tokoban.systems.sokoban_policy.model import PolicyOutput, SokobanPolicy
from tokoban.systems.sokoban_policy.solve import pack


def _games(num_games: int, num_moves: int) -> Bitboards:
    generator = torch.Generator().manual_seed(1)
    game = Game(sample_one_box(num_games, generator=generator), 2 + num_moves)
    for _ in range(num_moves):
        game.advance(torch.randint(5, (num_games,), generator=generator))
    return game.all_boards()


def _assert_close(first: PolicyOutput, second: PolicyOutput) -> None:
    for answer, other in zip(first, second, strict=True):
        torch.testing.assert_close(answer, other, atol=1e-5, rtol=0)


@pytest.mark.parametrize("has_history", [True, False])
def test_step_by_step_each_engine_gives_the_output_of_the_whole_game(
    make_policy, has_history: bool
) -> None:
    policy, boards = make_policy(has_history=has_history), _games(7, 11)
    engines = [engine_of(policy, fixed_shapes=fixed) for fixed in (False, True)]
    assert [type(engine) for engine in engines] == [CpuEngine, CachedEngine]
    with torch.no_grad():
        whole, vectors = policy(boards), policy.encode(boards)
        for engine in (*engines, CachedEngine(network_of(policy))):
            rows = engine.read(vectors[:, :2])
            hidden = [rows.output.clone()]
            hidden += [rows.advance(vectors[:, t], None).clone() for t in range(2, 13)]
            found = policy.heads(torch.stack(hidden, dim=1))
            _assert_close(found, PolicyOutput(*(part[:, 1:] for part in whole)))


def test_the_largest_level_fits_within_its_walls_and_a_larger_one_does_not(
    policy: SokobanPolicy,
) -> None:
    for size in INTERIOR, INTERIOR + 1:
        rows = ["@$." + " " * (size - 3), *[" " * size] * (size - 1)]
        ends = "#" * (size + 2)
        room = parse_board("|".join([ends, *(f"#{row}#" for row in rows), ends]))
        if size == INTERIOR:
            packed = pack([room], torch.device("cpu"))
            assert policy(packed.map(lambda word: word[:, None])).action_logits.shape == (1, 1, 5)
        else:
            with pytest.raises(ValueError, match="does not fit one 64-bit plane"):
                pack([room], torch.device("cpu"))


def _changed_at(boards: Bitboards, position: int) -> Bitboards:
    """Other boxes at one position: the player's place in the box's stead and the reverse."""
    boxes, player = boards.boxes.clone(), boards.player.clone()
    boxes[:, position], player[:, position] = boards.player[:, position], boards.boxes[:, position]
    return boards._replace(boxes=boxes, player=player)


@pytest.mark.parametrize("has_history", [True, False])
def test_a_board_changes_no_earlier_answer_and_later_ones_with_history_alone(
    make_policy, has_history: bool
) -> None:
    policy, boards = make_policy(has_history=has_history), _games(5, 9)
    with torch.no_grad():
        before, after = policy(boards), policy(_changed_at(boards, 6))
    assert torch.equal(before.action_logits[:, :6], after.action_logits[:, :6])
    assert not torch.equal(before.action_logits[:, 6], after.action_logits[:, 6])
    later_is_equal = torch.equal(before.action_logits[:, 7:], after.action_logits[:, 7:])
    assert later_is_equal is not has_history


def test_every_position_sees_the_goal(make_policy) -> None:
    policy, boards = make_policy(has_history=False), _games(5, 9)
    with torch.no_grad():
        before, after = policy(boards), policy(_changed_at(boards, 0))
    assert (before.steps_left_logits != after.steps_left_logits).any(-1)[:, 1:].all()


def test_what_is_not_used_is_not_read(policy: SokobanPolicy) -> None:
    boards = _games(5, 9)
    lengths = torch.tensor([2, 11, 7, 3, 5])
    is_used = torch.arange(11) < lengths[:, None]
    garbage = boards.map(lambda word: torch.where(is_used, word, -1))
    with torch.no_grad():
        truth, padded = policy(boards), policy(garbage, used=is_used.flatten().nonzero()[:, 0])
    torch.testing.assert_close(
        padded.action_logits[is_used], truth.action_logits[is_used], atol=1e-6, rtol=0
    )


def test_more_positions_than_there_is_room_for_are_refused(policy: SokobanPolicy) -> None:
    with pytest.raises(ValueError, match="14 positions; this policy has room for 13"):
        policy(_games(3, 12))
