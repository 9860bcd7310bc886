"""Labels against a search that knows neither graphs nor tables, and the laws of the network."""

import itertools
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tokoban.sokoban import rules
from tokoban.sokoban.board import Board, Square
from tokoban.sokoban.encoding.features import HAS_BOX
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.search.combine.solver import solve
from tokoban.systems.push_policy import config as push_config
from tokoban.systems.push_policy.model import PushNet
from tokoban.systems.subgoals.config import tiny
from tokoban.systems.subgoals.dataset import (
    Batch,
    batch_of,
    examples_of,
    positions,
)
from tokoban.systems.subgoals.model import Output, SubgoalNet
from tokoban.systems.subgoals.stretches import Stretches
from tokoban.systems.subgoals.train import grow, loss_of, make_system


def alone_to(board: Board, box: Square, target: Square) -> Solution | None:
    """The fewest pushes of one box to a square; the others stand like walls."""
    others = board.boxes - {box}
    boxes, goals = frozenset({box}), frozenset({target})
    command = replace(board, walls=board.walls | others, boxes=boxes, goals=goals)
    return solve(command, minimise="pushes").solution


def fewest_pushes(board: Board) -> int | None:
    solution = solve(board, minimise="pushes").solution
    return None if solution is None else solution.num_pushes


def test_best_subgoals_begin_solutions_with_the_fewest_pushes(boards: list[Board]) -> None:
    num_checked = num_lost = 0
    for number, board in enumerate(boards):
        stretches, chance = Stretches(board), random.Random(number)
        met = positions(stretches, chance) | positions(stretches, chance)
        for before, (best, _) in met.items():
            left = fewest_pushes(before)
            assert (left is None) == (not best)
            num_lost += not best
            for box, target in best:
                solution = alone_to(before, box, target)
                assert solution is not None and left is not None
                after = rules.play(before, solution.directions)[-1]
                assert after.boxes == before.boxes - {box} | {target}
                assert fewest_pushes(after) == left - solution.num_pushes
                num_checked += 1
    assert num_checked > 30 and num_lost > 3


def test_safe_subgoals_are_those_that_a_search_can_do_and_solve_afterwards(
    boards: list[Board],
) -> None:
    """All pairs of a box and a square; where it matters how it is done, either answer is right."""
    num_safe = num_refused = 0
    for number, board in enumerate(boards[::2]):
        for before, (best, safe) in positions(Stretches(board), random.Random(number)).items():
            assert {*best} <= {*safe}
            for box, target in itertools.product(before.boxes, before.area() - before.boxes):
                done = alone_to(before, box, target)
                if done is None:
                    assert (box, target) not in safe
                    num_refused += 1
                    continue
                can_be_solved = fewest_pushes(rules.play(before, done.directions)[-1]) is not None
                if (box, target) in safe:
                    assert can_be_solved
                    num_safe += 1
                elif not can_be_solved:
                    num_refused += 1
    assert num_safe > 20 and num_refused > 100


def test_levels_of_files_take_turns_with_generated_ones(
    boards: list[Board],
    model: SubgoalNet,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Those that are held out, too large or of too many boxes are left out; bad ones are named."""
    config = replace(tiny(), levels=6, level_seed=4, batch_positions=4)
    mine = Board.from_xsb("#######|#@ $ .#|#######")
    wide = Board.from_xsb("#" * 14 + "|#@ $ .       #|" + "#" * 14)
    many = Board.from_xsb("########|#@$$$$$#|#      #|#..... #|########")
    written = tmp_path / "levels.xsb"
    solved = Board.from_xsb("#######|#@   *#|#######")
    written.write_text(
        "\n\n".join(map(str, (wide, boards[0], mine, solved, many))) + "\n\n####\n#@.#\n####\n"
    )
    system = make_system(replace(config, level_files=(str(written),)))
    assert system.source.boards == [mine]
    told = capsys.readouterr().err
    assert f"{written}:" in told and "no box" in told
    batches = [*itertools.islice(system.train_batches(model, start_step=0), 3)]
    assert [len(batch.is_best) for batch in batches] == [4, 4, 4]
    written.write_text(f"{wide}\n")
    with pytest.raises(ValueError, match="expected unsolved ones of at most 4 boxes"):
        make_system(replace(config, level_files=(str(written),)))


@pytest.mark.parametrize(
    ("drawing", "best", "one_at_a_time"),
    [
        # To the goal in one stretch, and not to a square on the way.
        ("#######|#@ $ .#|#######", {((1, 3), (1, 5))}, True),
        # Either box may be first.
        ("#######|#.$@$.#|#######", {((1, 2), (1, 1)), ((1, 4), (1, 5))}, True),
        # Both boxes can only be pushed up at first, to no goal.
        (
            "########|##  ####|##   ###|##  $###|###$@.##|### . ##|########",
            {((4, 3), (2, 3))},
            False,
        ),
    ],
)
def test_best_subgoals_of_drawings(
    drawing: str, best: set[tuple[tuple[int, int], tuple[int, int]]], one_at_a_time: bool
) -> None:
    stretches = Stretches(Board.from_xsb(drawing))
    assert {*stretches.subgoals(stretches.best(0, stretches.safe(0)))} == best
    assert stretches.can_be_solved_one_at_a_time() == one_at_a_time


@pytest.fixture(scope="module")
def batch(boards: list[Board]) -> Batch:
    """Of levels of several sizes, some positions of which are lost."""
    chance = random.Random(3)
    examples = [example for board in boards for example in examples_of(board, chance)[:6]]
    assert {bool(example.labels.best) for example in examples} == {True, False}
    return batch_of(examples)


def test_a_batch_is_judged_as_each_position_alone(boards: list[Board], model: SubgoalNet) -> None:
    """Squares of larger levels are padding to the others; only boxes go, and not onto boxes."""
    chance = random.Random(5)
    examples = [examples_of(board, chance)[0] for board in boards]
    assert len({len(example.features) for example in examples}) > 1
    together = model(batch_of(examples).boards)
    for row, example in enumerate(examples):
        alone, count = model(batch_of([example]).boards), len(example.features)
        torch.testing.assert_close(together.subgoal[row, :count, :count], alone.subgoal[0])
        torch.testing.assert_close(together.stop[row], alone.stop[0])
        torch.testing.assert_close(together.safe[row, :count, :count], alone.safe[0])
        is_box = torch.from_numpy(example.features[:, HAS_BOX] != 0)
        may_be = is_box[:, None] & ~is_box
        assert torch.equal(alone.subgoal[0] > -1e6, may_be)
        total = alone.subgoal[0].exp().sum() + alone.stop[0].exp()
        torch.testing.assert_close(total, torch.ones(()))


def test_a_turned_batch_has_the_same_best_subgoals(boards: list[Board]) -> None:
    examples = examples_of(boards[0], random.Random(0))
    plain, turned = batch_of(examples), batch_of(examples, view=3)
    assert torch.equal(plain.is_best, turned.is_best)
    assert torch.equal(plain.is_safe, turned.is_safe)
    assert not torch.equal(plain.boards.coordinates, turned.boards.coordinates)


def test_a_grown_network_reads_boards_as_the_push_policy_does(
    batch: Batch, model: SubgoalNet
) -> None:
    torch.manual_seed(1)
    lower = PushNet(push_config.tiny()).eval()
    grown = grow(tiny(), lower).eval()
    read: list[torch.Tensor] = []
    for net in (lower, grown):
        net.last_norm.register_forward_hook(lambda _, __, output: read.append(output))
        net(batch.boards)
    torch.testing.assert_close(read[0], read[1])
    with pytest.raises(ValueError, match="other sizes"):
        grow(replace(tiny(), width=20), lower)


def test_the_loss_is_the_one_computed_by_hand(batch: Batch) -> None:
    rows, num_tokens, _ = batch.is_best.shape
    generator = torch.Generator().manual_seed(0)
    joint = torch.randn(rows, 1 + num_tokens**2, generator=generator).log_softmax(1)
    safe = torch.randn(batch.is_safe.shape, generator=generator)
    output = Output(joint[:, 1:].view_as(batch.is_best), joint[:, 0], safe)
    right = [
        joint[row, 1:][best.flatten()].exp().sum() if best.any() else joint[row, 0].exp()
        for row, best in enumerate(batch.is_best)
    ]
    refused = []
    for row, is_safe in enumerate(batch.is_safe):
        is_box = batch.boards.features[row, :, HAS_BOX] != 0
        squares = [i for i in range(num_tokens) if batch.boards.is_square[row, i] and not is_box[i]]
        pairs = [(box, square) for box in is_box.nonzero()[:, 0].tolist() for square in squares]
        signs = torch.tensor([1.0 if is_safe[pair] else -1.0 for pair in pairs])
        found = torch.stack([safe[row][pair] for pair in pairs])
        refused.append(-(found * signs).sigmoid().log().mean())
    wanted = 4 * torch.stack(refused).mean() - torch.stack(right).log().mean()
    torch.testing.assert_close(loss_of(output, batch).total, wanted)
