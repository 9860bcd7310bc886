"""Training examples: exact labels of imperfect play, or one A* solution of each level.

Axes: B games, T positions, A the five actions.
"""

import itertools
from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.sokoban.puzzles.random_levels import GeneratedLevel, generate, sample_one_box
from tokoban.sokoban.simulation import bitboards
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.sokoban.simulation.distances import OneBoxTables, one_box_tables
from tokoban.sokoban.symmetry import SYMMETRIES, Symmetry
from tokoban.systems.sokoban_policy.episodes import (
    FIRST_BOARD,
    NO_BIN,
    NUM_ACTIONS,
    Episodes,
    Game,
    TrainingBatch,
    places,
    steps_left_bin,
    training_batches,
)
from tokoban.systems.sokoban_policy.fitting import INTERIOR, MARGIN
from tokoban.systems.sokoban_policy.handcrafted import HANDCRAFTED, HandcraftedEntry
from tokoban.training.streams import Purpose, shuffled, torch_stream

# Batches cut from one drawing: the per-step cost of playing is shared by many games.
BATCHES_A_DRAWING = 16

# On a GPU as many drawings are labelled at once as make so many games: its kernels take as long for
# a few, and there are some ten thousand of them.
_GAMES_ON_GPU = 2**15

# How much of its games a batch reads, in turn: most learn many beginnings, for little attention and
# padding, some learn whole games. (Games sorted by length would save as much, but a batch of games
# of one length is nearly all lost or nearly all won, and learning from such batches stalls.)
POSITIONS_OF_BATCHES = (8, 8, 16, None)

# Chance that a game without any solution ends after a position: there is little to learn from it.
_GIVE_UP_SHARE = 0.25
# Chance that a right undo is played in a lost position, in a game that follows its labels.
_UNDO_SHARE = 0.7


def generate_levels(num_levels: int, *, seed: int) -> list[GeneratedLevel]:
    """Levels with their solutions, whose floor is up to ``INTERIOR`` squares wide and high."""
    side = INTERIOR + 2  # with the walls around
    return list(generate(num_levels, seed=seed, rows=side, columns=side))


class ExactGames:
    """Endless games of imperfect play on fresh levels, every position labelled by exact tables."""

    def __init__(
        self,
        *,
        batch_games: int,
        num_positions: int,
        seed: int,
        held_out: Int64[Tensor, "H"],
        device: torch.device,
        drawings_at_once: int | None = None,
    ) -> None:
        """``held_out`` are canonical keys of levels that must not be drawn, nor their images.

        ``drawings_at_once`` are labelled together, which changes no batch; None: one on the CPU,
        and on a GPU as many as it takes to fill it.
        """
        self.batch_games, self.num_positions, self.seed = batch_games, num_positions, seed
        self.held_out, self.device = held_out.to(device), device
        usual = max(1, _GAMES_ON_GPU // self.games_a_drawing) if device.type == "cuda" else 1
        self.drawings_at_once = drawings_at_once or usual

    @property
    def games_a_drawing(self) -> int:
        return self.batch_games * BATCHES_A_DRAWING

    def batches(self, *, start_step: int, rank: int = 0) -> Iterator[TrainingBatch]:
        """Batch n of a rank is the same whatever ``start_step`` is."""
        drawing, skip = divmod(start_step, BATCHES_A_DRAWING)
        while True:
            after = drawing + self.drawings_at_once
            games = self._labelled([self.draw(n, rank=rank) for n in range(drawing, after)])
            parts = []
            for batch in range(skip, self.drawings_at_once * BATCHES_A_DRAWING):
                rows = slice(batch * self.batch_games, (batch + 1) * self.batch_games)
                length = POSITIONS_OF_BATCHES[batch % len(POSITIONS_OF_BATCHES)]
                parts.append(games.at((rows, slice(length))))
            yield from training_batches(parts)
            drawing, skip = after, 0

    def draw(self, drawing: int, *, rank: int = 0) -> tuple[Bitboards, torch.Generator]:
        """The levels of a drawing, held-out ones included, and the generator after them."""
        generator = torch_stream(self.seed, Purpose.EXAMPLES, rank, drawing, device=self.device)
        num_levels = self.games_a_drawing * 3 // 2
        return sample_one_box(num_levels, generator=generator), generator

    def _labelled(self, drawn: Sequence[tuple[Bitboards, torch.Generator]]) -> Episodes:
        """The games of these drawings, one after the other."""
        all_levels, generators = zip(*drawn, strict=True)
        levels = Bitboards(*(torch.cat(words) for words in zip(*all_levels, strict=True)))
        numbers = torch.arange(len(drawn), device=self.device)
        drawing = numbers.repeat_interleave(len(levels.walls) // len(drawn))
        fresh = places(~torch.isin(bitboards.canonical_keys(levels), self.held_out))
        levels, drawing = levels.at(fresh), drawing[fresh]
        tables = one_box_tables(levels)
        is_solvable = tables.distance(levels) >= 0
        chosen = torch.cat(
            [
                self._chosen(drawing == number, is_solvable, generator)
                for number, generator in enumerate(generators)
            ]
        )
        return play_imperfectly(
            levels.at(chosen),
            tables.rows(chosen),
            num_positions=self.num_positions,
            generators=generators,
        )

    def _chosen(
        self,
        is_drawn: Bool[Tensor, "B"],
        is_solvable: Bool[Tensor, "B"],
        generator: torch.Generator,
    ) -> Int64[Tensor, "games"]:
        """As many levels of a drawing as are played, nearly half of them solvable, shuffled."""
        solvable, lost = (places(is_drawn & kind) for kind in (is_solvable, ~is_solvable))
        # Solvable ones are rarer (about a third): as many of them as there are, up to half.
        solvable = solvable[: self.games_a_drawing // 2]
        chosen = torch.cat([solvable, lost[: self.games_a_drawing - len(solvable)]])
        if len(chosen) < self.games_a_drawing:
            raise ValueError(
                f"{len(self.held_out)} levels are held out, and too few are left of those drawn"
            )
        return chosen[torch.randperm(len(chosen), generator=generator, device=self.device)]


def play_imperfectly(
    levels: Bitboards,
    tables: OneBoxTables,
    *,
    num_positions: int,
    generators: Sequence[torch.Generator],
) -> Episodes:
    """One game of each level with random mistakes, labelled at every position.

    Each game has its own rate of mistakes, from none to all moves. The right actions are all those
    on a shortest solution; in a position lost by a move of the game itself, undo. Each generator
    draws for an equal share of the games, in their order.
    """
    game = Game(levels, num_positions)
    share = len(levels.boxes) // len(generators)

    def uniform(*shape: int) -> Float[Tensor, "B *shape"]:
        drawn = [torch.rand(share, *shape, generator=g, device=g.device) for g in generators]
        return torch.cat(drawn) if len(drawn) > 1 else drawn[0]

    mistake_rate = uniform() ** 2
    can_be_solved = tables.distance(levels) >= 0
    is_going = torch.ones_like(can_be_solved)
    used, right, bins = [], [], []
    for position in range(FIRST_BOARD, num_positions):
        boards = game.current()
        is_right, distance, is_legal = _labels(tables, boards, can_be_solved)
        used.append(is_going)
        right.append(is_right & is_going.unsqueeze(1))
        bins.append(torch.where(is_going, steps_left_bin(distance), NO_BIN))
        is_over = (distance == 0) | (~can_be_solved & (uniform() < _GIVE_UP_SHARE))
        is_going = is_going & ~is_over
        if position + 1 < num_positions:
            errs = uniform() < mistake_rate
            errs |= (distance < 0) & (uniform() > _UNDO_SHARE)
            choices = torch.where((errs | ~is_right.any(1)).unsqueeze(1), is_legal, is_right)
            # Among equals the highest random number wins; a walled-in player stays where it is.
            game.advance((choices * (1 + uniform(NUM_ACTIONS))).argmax(1))
    empty = torch.zeros_like(right[0])
    return Episodes(
        boards=game.all_boards(),
        is_used=torch.stack([torch.ones_like(used[0]), *used], dim=1),
        is_right=torch.stack([empty, *right], dim=1),
        steps_left_bin=torch.stack([torch.full_like(bins[0], NO_BIN), *bins], dim=1),
    )


def _labels(
    tables: OneBoxTables, boards: Bitboards, can_be_solved: Bool[Tensor, "B"]
) -> tuple[Bool[Tensor, "B A"], Int64[Tensor, "B"], Bool[Tensor, "B A"]]:
    """The right actions, the moves to go, and the actions that are no bumps (undo among them)."""
    after = bitboards.successors(boards)
    distance = tables.distance(boards)
    is_right = tables.is_optimal_given(distance, tables.distance(after))
    is_undo_right = (distance < 0) & can_be_solved
    is_legal = after.player != boards.player.unsqueeze(1)
    always = torch.ones_like(is_undo_right)
    return (
        torch.cat([is_right, is_undo_right.unsqueeze(1)], dim=1),
        distance,
        torch.cat([is_legal, always.unsqueeze(1)], dim=1),
    )


class SolutionGames:
    """The post's training set: so many solutions under the eight symmetries, in epochs."""

    def __init__(
        self,
        levels: Sequence[GeneratedLevel],
        *,
        batch_games: int,
        num_positions: int,
        seed: int,
        device: torch.device,
    ) -> None:
        """Solutions of more moves than there are positions for are left out, as in the post."""
        entries = [HandcraftedEntry.from_level(level) for level in levels]
        entries += HANDCRAFTED
        entries = [entry for entry in entries if len(entry.actions) <= num_positions - 2]
        games = replay_entries(entries, num_positions, symmetries=SYMMETRIES)
        self.episodes = games.map(lambda tensor: tensor.to(device))
        self.batch_games, self.seed = batch_games, seed

    def batches(
        self, *, start_step: int, rank: int = 0, world_size: int = 1
    ) -> Iterator[TrainingBatch]:
        """Batch n of a rank is the same whatever ``start_step`` is; each epoch is shuffled anew."""
        num_games = len(self.episodes.is_used)
        per_step = self.batch_games * world_size
        if num_games < per_step:
            raise ValueError(
                f"{num_games} games do not fill a batch of {per_step} of all processes; expected a "
                "smaller batch_games or more num_levels"
            )
        device = self.episodes.is_used.device
        own = slice(rank * self.batch_games, (rank + 1) * self.batch_games)
        chosen = shuffled(num_games, per_step, seed=self.seed, start_step=start_step, device=device)
        while True:
            parts = itertools.islice(chosen, BATCHES_A_DRAWING)
            yield from training_batches([self.episodes.at(everybodys[own]) for everybodys in parts])


def replay_entries(
    entries: Sequence[HandcraftedEntry], num_positions: int, *, symmetries: Sequence[Symmetry]
) -> Episodes:
    """The entries played out, once under each of ``symmetries``."""
    levels = bitboards.pack([entry.start for entry in entries], margin=MARGIN)
    lengths = torch.tensor([len(entry.actions) for entry in entries])
    actions = torch.zeros(len(entries), num_positions - 2, dtype=torch.int64)
    counts = torch.zeros(len(entries), num_positions - 2, dtype=torch.bool)
    for row, entry in enumerate(entries):
        actions[row, : len(entry.actions)] = torch.tensor(entry.actions, dtype=torch.int64)
        counts[row, : len(entry.actions)] = ~torch.tensor(entry.is_bad, dtype=torch.bool)
    is_solved = torch.tensor([entry.is_solved for entry in entries])

    place = torch.arange(num_positions) - FIRST_BOARD  # of the action taken at a position
    is_used = place <= lengths[:, None]
    takes_action = (place >= 0) & (place < lengths[:, None])
    counted = torch.zeros_like(is_used)
    counted[:, FIRST_BOARD:-1] = counts
    steps_left = (counted.flip(1).cumsum(1).flip(1)).long()
    bins = torch.where(
        is_solved[:, None], steps_left_bin(steps_left), steps_left_bin(-is_used.long())
    )
    has_bin = (place >= 0) & is_used & (counted | ~takes_action)
    games = []
    for symmetry in symmetries:
        turned = symmetry.of_actions(actions)
        game = Game(bitboards.image(levels, symmetry), num_positions)
        for step in range(num_positions - 2):
            game.advance(turned[:, step])
        is_right = torch.zeros(*is_used.shape, NUM_ACTIONS, dtype=torch.bool)
        is_right[:, FIRST_BOARD:-1].scatter_(2, turned.unsqueeze(2), True)
        games.append(
            Episodes(
                game.all_boards(),
                is_used,
                is_right & counted.unsqueeze(2),
                torch.where(has_bin, bins, NO_BIN),
            )
        )
    boards, *others = zip(*games, strict=True)
    words = zip(*boards, strict=True)
    return Episodes(Bitboards(*(torch.cat(w) for w in words)), *(torch.cat(x) for x in others))
