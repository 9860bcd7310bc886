"""The policy as a ``System``: its network, its examples, its two losses, wired together."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn import functional

from tokoban.sokoban.puzzles.random_levels import GeneratedLevel
from tokoban.sokoban.simulation import bitboards
from tokoban.systems.sokoban_policy.config import VALIDATION_SEED, SokobanPolicyConfig
from tokoban.systems.sokoban_policy.dataset import ExactGames, SolutionGames, generate_levels
from tokoban.systems.sokoban_policy.episodes import NO_BIN, TrainingBatch
from tokoban.systems.sokoban_policy.evaluate import METRICS, metrics_of
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.solve import Play
from tokoban.training import processes
from tokoban.training.system import Loss


def build_model(config: SokobanPolicyConfig) -> SokobanPolicy:
    """A freshly initialised policy on the CPU."""
    return SokobanPolicy(
        width=config.width,
        num_layers=config.num_layers,
        num_heads=config.num_heads,
        max_positions=config.max_positions,
        dropout=config.dropout,
        has_history=config.has_history,
        pre_norm=config.pre_norm,
        encoder_channels=config.encoder_channels,
        encoder_layers=config.encoder_layers,
    )


@dataclass(frozen=True)
class SokobanSystem:
    """Trains one policy; ``validation`` levels, and their images, are never trained on."""

    config: SokobanPolicyConfig
    validation: tuple[GeneratedLevel, ...]

    def initial_model(self) -> SokobanPolicy:
        """A freshly initialised policy on the CPU."""
        return build_model(self.config)

    def train_batches(self, model: SokobanPolicy, *, start_step: int) -> Iterator[TrainingBatch]:
        """Batches of games for this process, on the model's device."""
        config, device = self.config, next(model.parameters()).device
        if config.labels == "exact":
            games = ExactGames(
                batch_games=config.batch_games,
                num_positions=config.max_positions,
                seed=config.data_seed,
                held_out=held_out_keys(self.validation),
                device=device,
            )
            return games.batches(start_step=start_step, rank=processes.rank())
        solutions = SolutionGames(
            training_levels(config, self.validation),
            batch_games=config.batch_games,
            num_positions=config.max_positions,
            seed=config.data_seed,
            device=device,
        )
        return solutions.batches(
            start_step=start_step, rank=processes.rank(), world_size=processes.world_size()
        )

    def loss(self, model: nn.Module, batch: TrainingBatch) -> Loss:
        """Cross entropies of the right actions (all of them together) and of the steps left."""
        answers = model(batch.games.boards, used=batch.used)
        policy = _policy_loss(answers.action_logits, batch)
        steps_left = functional.cross_entropy(
            answers.steps_left_logits.flatten(0, 1).float(),
            batch.games.steps_left_bin.flatten(),
            ignore_index=NO_BIN,
        )
        metrics = {"policy_loss": policy.detach(), "steps_left_loss": steps_left.detach()}
        return Loss(policy + steps_left, metrics, torch.stack([policy, steps_left]))

    def weights(self, batch: TrainingBatch) -> Tensor:
        """The positions with a right action, and those whose steps left are known."""
        has_bin = batch.games.steps_left_bin != NO_BIN
        return torch.stack([batch.games.has_right_action().sum(), has_bin.sum()])

    def validate(self, model: SokobanPolicy) -> dict[str, float]:
        """The metrics of ``evaluate.metrics_of`` on the validation levels."""
        return metrics_of(model, self.validation, Play(width=self.config.beam_width))

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics of ``validate``."""
        return METRICS


def make_system(config: SokobanPolicyConfig, start: SokobanPolicy | None = None) -> SokobanSystem:
    """The system of ``config`` with its validation levels generated."""
    levels = generate_levels(config.num_validation_levels, seed=VALIDATION_SEED)
    return SokobanSystem(config, tuple(levels))


def held_out_keys(levels: tuple[GeneratedLevel, ...]) -> Int64[Tensor, "H"]:
    """The canonical keys of the levels, sorted."""
    packed = bitboards.pack([level.board for level in levels])
    return bitboards.canonical_keys(packed).unique()


def training_levels(
    config: SokobanPolicyConfig, validation: tuple[GeneratedLevel, ...]
) -> list[GeneratedLevel]:
    """``num_levels`` levels, half of them solvable, without images of validation levels."""
    held_out = held_out_keys(validation)
    # A few more than wanted, in place of those that are held out.
    num_generated = config.num_levels + config.num_levels // 8 + 8
    levels = generate_levels(num_generated, seed=config.data_seed)
    keys = bitboards.canonical_keys(bitboards.pack([level.board for level in levels]))
    is_held_out = torch.isin(keys, held_out).tolist()
    fresh = [level for level, is_out in zip(levels, is_held_out, strict=True) if not is_out]
    half = config.num_levels // 2
    solvable = [level for level in fresh if level.solution is not None][:half]
    lost = [level for level in fresh if level.solution is None][: config.num_levels - half]
    if len(solvable) + len(lost) < config.num_levels:
        raise ValueError(
            f"{len(held_out)} levels are held out, and too few are left of those generated for "
            f"num_levels {config.num_levels}"
        )
    return solvable + lost


def _policy_loss(logits: Float[Tensor, "B T A"], batch: TrainingBatch) -> Float[Tensor, ""]:
    """-log of the probability of a right action, whichever; mean over positions with one, or 0."""
    places = batch.with_right_action
    log_probs = logits.flatten(0, 1).index_select(0, places).float().log_softmax(-1)
    is_right = batch.games.is_right.flatten(0, 1).index_select(0, places)
    right = log_probs.masked_fill(~is_right, -torch.inf)
    return -right.logsumexp(-1).sum() / max(1, len(right))
