"""Examples from exact tables and from solutions: labels are right, batches can be resumed."""

from collections.abc import Callable
from itertools import islice, pairwise

import pytest
import torch

from tests.sokoban.unpacked import to_board
from tokoban.sokoban import rules
from tokoban.sokoban.formats.xsb import parse_board
from tokoban.sokoban.puzzles.random_levels import generate, sample_one_box
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.sokoban.simulation.distances import one_box_tables
from tokoban.sokoban.symmetry import SYMMETRIES
from tokoban.systems.sokoban_policy.dataset import (
    ExactGames,
    SolutionGames,
    play_imperfectly,
    replay_entries,
)
from tokoban.systems.sokoban_policy.episodes import (
    FIRST_BOARD,
    NO_BIN,
    Episodes,
    TrainingBatch,
    steps_left_bin,
    training_batches,
)
from tokoban.systems.sokoban_policy.handcrafted import HandcraftedEntry

CPU = torch.device("cpu")
FIRST = (slice(None), FIRST_BOARD)
NOTHING_HELD_OUT = torch.zeros(0, dtype=torch.int64)


def _exact_games(
    held_out: torch.Tensor = NOTHING_HELD_OUT,
    *,
    drawings_at_once: int | None = None,
) -> ExactGames:
    return ExactGames(
        batch_games=5,
        num_positions=13,
        seed=3,
        held_out=held_out,
        device=CPU,
        drawings_at_once=drawings_at_once,
    )


def _assert_equal(first: TrainingBatch, second: TrainingBatch) -> None:
    for word, other in zip(first.games.boards, second.games.boards, strict=True):
        assert torch.equal(word, other)
    for tensor, other in zip(
        (*first.games[1:], *first[1:]), (*second.games[1:], *second[1:]), strict=True
    ):
        assert torch.equal(tensor, other)


@pytest.fixture(scope="module")
def games() -> Episodes:
    generator = torch.Generator().manual_seed(2)
    levels = sample_one_box(211, generator=generator)
    tables = one_box_tables(levels)
    return play_imperfectly(levels, tables, num_positions=29, generators=[generator])


def test_every_used_position_has_the_exact_steps_left(games: Episodes) -> None:
    distance = one_box_tables(games.boards.at(FIRST)).distance(games.boards)
    expected = torch.where(games.is_used, steps_left_bin(distance), NO_BIN)
    assert torch.equal(games.steps_left_bin[:, 1:], expected[:, 1:])
    assert (games.steps_left_bin[:, 0] == NO_BIN).all()


def test_right_moves_are_all_those_of_shortest_solutions(games: Episodes) -> None:
    levels = games.boards.at(FIRST)
    is_optimal = one_box_tables(levels).is_optimal(games.boards) & games.is_used.unsqueeze(-1)
    assert torch.equal(games.is_right[:, 1:, :4], is_optimal[:, 1:])


def test_undo_is_right_where_the_game_itself_deadlocked_the_level(games: Episodes) -> None:
    levels = games.boards.at(FIRST)
    tables = one_box_tables(levels)
    is_lost = (tables.distance(games.boards) < 0) & games.is_used
    by_itself = is_lost & (tables.distance(levels) >= 0).unsqueeze(1)
    assert by_itself[:, 1:].sum() > 7
    assert torch.equal(games.is_right[:, 1:, 4], by_itself[:, 1:])


def test_games_go_by_the_rules_and_end_when_solved(games: Episodes) -> None:
    num_after_solved = 0
    for row in range(40):
        length = int(games.is_used[row].sum())
        words = Bitboards(*(word[row, FIRST_BOARD:length] for word in games.boards))
        boards = [to_board(words, (position,)) for position in range(length - 1)]
        num_after_solved += sum(board.is_solved for board in boards[:-1])
        seen = [boards[0]]
        for before, after in pairwise(boards):
            assert after in [rules.step(before, d) for d in range(4)] or after in seen
            seen.append(after)
    assert num_after_solved == 0


def test_games_have_mistakes_and_are_not_made_of_them(games: Episodes) -> None:
    """Training on states met under imperfect play: some games must contain mistakes."""
    distance = one_box_tables(games.boards.at(FIRST)).distance(games.boards)
    both = (distance[:, 1:-1] > 0) & (distance[:, 2:] > 0) & games.is_used[:, 2:]
    got_further = distance[:, 2:] > distance[:, 1:-1]
    assert 0.1 < (got_further & both).sum() / both.sum() < 0.6


@pytest.mark.parametrize("start", [0, 21])
def test_drawings_that_are_labelled_together_give_the_same_batches(start: int) -> None:
    held_out = bitboards.canonical_keys(_exact_games().draw(2)[0])[::3].unique()
    one, three = (
        _exact_games(held_out, drawings_at_once=number).batches(start_step=start)
        for number in (1, 3)
    )
    for _ in range(5 * 16):
        _assert_equal(next(one), next(three))


def test_a_batch_names_the_places_of_what_counts(games: Episodes) -> None:
    (batch,) = training_batches([games.at((slice(7), slice(19)))])
    num_positions = batch.games.is_used.shape[1]
    assert batch.games.is_used.any(0).all() and batch.games.is_used.any(1).all()
    for places, mask in (
        (batch.used, batch.games.is_used),
        (batch.with_right_action, batch.games.is_right.any(-1)),
    ):
        rows, positions = places // num_positions, places % num_positions
        assert torch.stack([rows, positions], 1).tolist() == mask.nonzero().tolist()


def test_each_process_draws_its_own_games() -> None:
    first, second = (_exact_games().draw(0, rank=rank)[0] for rank in (0, 1))
    assert not torch.equal(bitboards.keys(first), bitboards.keys(second))


def test_held_out_levels_and_their_images_are_never_drawn() -> None:
    def keys_of_batches(games: ExactGames) -> torch.Tensor:
        batches = games.batches(start_step=0)
        starts = [next(batches).games.boards.at(FIRST) for _ in range(16)]
        return torch.cat([bitboards.canonical_keys(start) for start in starts])

    drawn = keys_of_batches(_exact_games())
    held_out = drawn[::2].unique()
    fresh = keys_of_batches(_exact_games(held_out))
    assert not torch.isin(fresh, held_out).any()


def test_levels_use_all_of_the_interior_and_nothing_else() -> None:
    levels = sample_one_box(997, generator=torch.Generator().manual_seed(5))
    assert len(levels.walls) == 997
    used = bitboards.cells(~levels.walls).any(0)
    expected = torch.zeros(8, 8, dtype=torch.bool)
    expected[1:-1, 1:-1] = True
    assert torch.equal(used, expected)


LEFT = HandcraftedEntry(parse_board("######|#. $@#|######"), (1, 1), (False, False), True)


def test_an_entry_is_replayed_under_each_symmetry() -> None:
    games = replay_entries([LEFT], 7, symmetries=SYMMETRIES)
    assert games.is_used.tolist() == [[True] * 4 + [False] * 3] * 8
    assert games.steps_left_bin.tolist() == [[NO_BIN, 1, 1, 0, NO_BIN, NO_BIN, NO_BIN]] * 8
    last = games.boards.at((slice(None), 3))
    assert bitboards.is_solved(last).all()
    actions = games.is_right[:, 1:3].int().argmax(-1)
    assert actions[:, 0].tolist() == [
        int(symmetry.of_actions(torch.tensor(1))) for symmetry in SYMMETRIES
    ]
    assert (games.is_right.sum((1, 2)) == 2).all()


def test_masked_moves_do_not_count_in_the_loss() -> None:
    detour = HandcraftedEntry(LEFT.start, (4, 1, 1), (True, False, False), True)
    games = replay_entries([detour], 7, symmetries=SYMMETRIES[:1])
    assert games.is_right.any(-1).tolist() == [[False, False, True, True, False, False, False]]
    assert games.steps_left_bin.tolist() == [[NO_BIN, NO_BIN, 1, 1, 0, NO_BIN, NO_BIN]]


def test_an_unsolvable_entry_says_so_at_its_start() -> None:
    lost = HandcraftedEntry(parse_board("######|#$ .@#|######"), (), (), False)
    games = replay_entries([lost], 5, symmetries=SYMMETRIES[:1])
    assert games.steps_left_bin.tolist() == [[NO_BIN, 6, NO_BIN, NO_BIN, NO_BIN]]
    assert not games.is_right.any()


def _solution_games(batch_games: int = 5) -> SolutionGames:
    return SolutionGames(
        list(generate(11, seed=1)),
        batch_games=batch_games,
        num_positions=32,
        seed=0,
        device=CPU,
    )


@pytest.mark.parametrize(
    ("games_of", "start"),
    [(_exact_games, start) for start in (1, 15, 16, 35)]
    + [(_solution_games, start) for start in (1, 20, 45)],
)
def test_batches_do_not_depend_on_where_the_run_began(
    games_of: Callable[[], ExactGames | SolutionGames], start: int
) -> None:
    whole = games_of().batches(start_step=0)
    expected = next(islice(whole, start, None))
    _assert_equal(next(games_of().batches(start_step=start)), expected)


def test_an_epoch_reads_each_solution_under_each_symmetry_once() -> None:
    solutions = _solution_games()
    num_games = len(solutions.episodes.is_used)
    assert num_games == 8 * (11 + 3)  # generated, and drawn by hand
    batches = solutions.batches(start_step=0)
    starts = [next(batches).games.boards.at(FIRST) for _ in range(num_games // 5)]
    keys = torch.cat([bitboards.keys(start) for start in starts])
    truth = bitboards.keys(solutions.episodes.boards.at(FIRST))
    counts = {key: truth.tolist().count(key) for key in truth.tolist()}
    assert len(keys) == num_games - num_games % 5
    assert all(keys.tolist().count(key) <= counts[key] for key in keys.tolist())


def test_fewer_games_than_all_processes_need_are_refused() -> None:
    solutions = _solution_games(batch_games=57)
    next(solutions.batches(start_step=0))
    told = "^112 games do not fill a batch of 114 of all processes; expected a smaller batch_games"
    with pytest.raises(ValueError, match=told):
        next(solutions.batches(start_step=0, rank=1, world_size=2))


def test_two_processes_read_different_parts_of_one_epoch() -> None:
    solutions = _solution_games()
    alone = solutions.batches(start_step=0, rank=0, world_size=1)
    first, second = (next(solutions.batches(start_step=0, rank=r, world_size=2)) for r in (0, 1))
    _assert_equal(first, next(alone))
    _assert_equal(second, next(alone))
