"""The policy's laws: the cache changes nothing, the future is unseen, padding is not read."""

import pytest
import torch

from tokoban.sokoban.bitboards import Bitboards
from tokoban.sokoban.generator import draw_one_box
from tokoban.systems.sokoban_policy.episodes import Game
from tokoban.systems.sokoban_policy.model import Answers, SokobanPolicy


def _games(num_games: int, num_moves: int) -> Bitboards:
    generator = torch.Generator().manual_seed(1)
    game = Game(draw_one_box(num_games, generator=generator), 2 + num_moves)
    for _ in range(num_moves):
        game.advance(torch.randint(5, (num_games,), generator=generator))
    return game.all_boards()


def _assert_close(first: Answers, second: Answers) -> None:
    for answer, other in zip(first, second, strict=True):
        torch.testing.assert_close(answer, other, atol=1e-5, rtol=0)


@pytest.mark.parametrize("has_history", [True, False])
@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_with_and_without_the_cache_the_answers_are_the_same(
    make_policy, has_history: bool, chunk: int
) -> None:
    policy = make_policy(has_history=has_history)
    boards = _games(7, 11)
    cache = policy.new_cache(7)
    with torch.no_grad():
        whole = policy(boards)
        parts = [
            policy(boards.at((slice(None), slice(at, at + chunk))), cache=cache)
            for at in range(0, 13, chunk)
        ]
    joined = Answers(*(torch.cat(answers, dim=1) for answers in zip(*parts, strict=True)))
    _assert_close(joined, whole)


def _changed_at(boards: Bitboards, position: int) -> Bitboards:
    """Other boxes at one position: the player's place in the box's stead and the reverse."""
    boxes, player = boards.boxes.clone(), boards.player.clone()
    boxes[:, position], player[:, position] = boards.player[:, position], boards.boxes[:, position]
    return boards._replace(boxes=boxes, player=player)


@pytest.mark.parametrize("has_history", [True, False])
def test_a_board_changes_no_earlier_answer(make_policy, has_history: bool) -> None:
    policy, boards = make_policy(has_history=has_history), _games(5, 9)
    with torch.no_grad():
        before, after = policy(boards), policy(_changed_at(boards, 6))
    assert torch.equal(before.action_logits[:, :6], after.action_logits[:, :6])
    assert not torch.equal(before.action_logits[:, 6], after.action_logits[:, 6])


@pytest.mark.parametrize("has_history", [True, False])
def test_only_the_policy_with_history_remembers(make_policy, has_history: bool) -> None:
    policy, boards = make_policy(has_history=has_history), _games(5, 9)
    with torch.no_grad():
        before, after = policy(boards), policy(_changed_at(boards, 6))
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
        truth, padded = policy(boards), policy(garbage, is_used=is_used)
    torch.testing.assert_close(
        padded.action_logits[is_used], truth.action_logits[is_used], atol=1e-6, rtol=0
    )


def test_more_positions_than_there_is_room_for_are_refused(policy: SokobanPolicy) -> None:
    with pytest.raises(ValueError, match="14 positions; this policy has room for 13"):
        policy(_games(3, 12))
