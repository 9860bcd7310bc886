"""PPO as a ``System``: games are played between updates, and what was seen there are the batches.

An iteration is one rollout and its ``config.updates`` minibatches, each of which is a step of the
training loop. The rollout, the order of its rows and the games are in every checkpoint, so a run
that was stopped amid an iteration goes on with it.
"""

from collections import deque
from collections.abc import Collection, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from tokoban.systems.memory_ppo.acting import Games
from tokoban.systems.memory_ppo.actions import Policy
from tokoban.systems.memory_ppo.config import PpoConfig
from tokoban.systems.memory_ppo.environments import check_imports_nothing, make_env
from tokoban.systems.memory_ppo.evaluate import METRICS, validate
from tokoban.systems.memory_ppo.memories import Memory, NoMemory, RecurrentMemory, TransformerMemory
from tokoban.systems.memory_ppo.model import Inputs, Player
from tokoban.systems.memory_ppo.ppo import Minibatch, Rollout, advantages, minibatch, ppo_loss
from tokoban.systems.memory_ppo.tensor_env import TensorEnv
from tokoban.training.streams import Purpose, stream, torch_stream
from tokoban.training.system import Loss
from tokoban.training.untrusted import refused_if_unfit

_USUAL_STEPS = 128  # where episodes are not equally long
_RECENT_EPISODES = 100
_USUAL_LAMBDA, _LAMBDA_AT_ONCE = 0.95, 0.5
# More than so many steps of every game are not played again when a run goes on: the games start
# anew before that, in a run that was never stopped as well.
_MOST_TO_REPLAY = 10_000
# Seeds of games to train on are drawn from here up; evaluation takes smaller ones.
FIRST_TRAINING_SEED = 2**30


def check_untrusted(config: PpoConfig, named: Collection[str]) -> None:
    """``ValueError`` for a config from a file whose environment would import code.

    One of the names that the user has ``named`` is allowed.
    """
    if config.env not in named:
        check_imports_nothing(config.env)


def build_model(config: PpoConfig) -> Player:
    """A freshly initialised player on the CPU, for the spaces of the config's game."""
    with torch.device("cpu"):  # also where the player itself is built on the meta device
        task = make_env(config.env, 1, seed=0, device=torch.device("cpu"))
    return Player(
        task.observation_space,
        task.action_space,
        width=config.width,
        memory=build_memory(config, episode_steps=task.episode_steps),
    )


def build_memory(config: PpoConfig, *, episode_steps: int | None) -> Memory:
    """The memory of ``config``, for episodes that are all so long, or of any length."""
    if config.memory == "transformer":
        # One more than an episode's steps: its end is seen as well.
        usual = _USUAL_STEPS if episode_steps is None else episode_steps + 1
        return TransformerMemory(
            config.width,
            num_layers=config.num_layers,
            num_heads=config.num_heads,
            window=config.window or usual,
            rotary_base=config.rotary_base,
        )
    if config.memory == "none":
        return NoMemory()
    return RecurrentMemory(config.width, kind=config.memory)


def segment_steps(task: TensorEnv, num_steps: int | None) -> int:
    """Steps of every game in one rollout; a whole episode has one more, that begins the next."""
    if num_steps is not None:
        return num_steps
    return _USUAL_STEPS if task.episode_steps is None else task.episode_steps + 1


class PpoSystem:
    """Trains one player. Its state is the games, the rollout and what has been counted; storage."""

    def __init__(self, config: PpoConfig) -> None:
        self.config = config
        self.env_steps = 0
        self.recent: deque[float] = deque(maxlen=_RECENT_EPISODES)
        self._policy: Policy | None = None  # the player's, whose own numbers it may have
        self._generator: torch.Generator | None = None
        self._games: Games | None = None
        self._returns: list[float] = []  # so far, of the episodes under way
        self._rollout: Rollout | None = None
        self._advantages: Tensor | None = None
        self._order: Tensor | None = None  # [updates, rows]
        self._to_restore: dict[str, Any] | None = None

    def initial_model(self) -> Player:
        """A freshly initialised player on the CPU."""
        return build_model(self.config)

    def train_batches(self, model: Player, *, start_step: int) -> Iterator[Minibatch]:
        """Minibatches of one rollout after another, on the model's device.

        A rollout is played when its first minibatch is asked for, by the weights of that moment.
        """
        self._policy = model.policy
        # At once, and not with the first batch: a run that is over goes on without one.
        self._begin(next(model.parameters()).device)
        return self._minibatches(model, start_step)

    def loss(self, model: nn.Module, batch: Minibatch) -> Loss:
        """PPO's, and the mean return of the last hundred episodes that were played to learn."""
        config = self.config
        if self._policy is None:
            raise ValueError("train_batches must be called before loss: it says whose policy it is")
        total, metrics = ppo_loss(
            model(batch.inputs, batch.carried),
            self._policy,
            batch,
            clip_range=config.clip_range,
            value_coef=config.value_coef,
            entropy_coef=config.entropy_coef,
        )
        counted = {"env_steps": float(self.env_steps), "mean_return": self._recent_return()}
        device = total.device
        metrics |= {name: torch.tensor(value, device=device) for name, value in counted.items()}
        return Loss(total, metrics)

    def weights(self, batch: Minibatch) -> Tensor:
        """The number of steps that count."""
        return batch.counts.sum()[None]

    def validate(self, model: Player) -> dict[str, float]:
        """Greedy games from seeds that training never has."""
        return validate(model, self.config) | {"env_steps": float(self.env_steps)}

    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics of ``validate``."""
        return (*METRICS, "env_steps")

    def state_dict(self) -> dict[str, Any]:
        """All that the next minibatch depends on besides the weights."""
        assert self._games is not None and self._generator is not None
        rollout = None
        if self._rollout is not None:
            rollout = {**self._rollout._asdict(), "inputs": tuple(self._rollout.inputs)}
        return {
            "env_steps": self.env_steps,
            "recent": list(self.recent),
            "returns": self._returns,
            "generator": self._generator.get_state(),
            "games": self._games.state_dict(),
            "rollout": rollout,
            "advantages": self._advantages,
            "order": self._order,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Keeps the state for ``train_batches``, which knows the device."""
        self._to_restore = state

    def _minibatches(self, player: Player, start_step: int) -> Iterator[Minibatch]:
        step = start_step
        while True:
            number = step % self.config.updates
            if number == 0 or self._rollout is None:
                self._play(player)
            assert self._rollout is not None
            assert self._advantages is not None and self._order is not None
            yield minibatch(self._rollout, self._advantages, self._order[number])
            step += 1

    def _begin(self, device: torch.device) -> None:
        """The games and all chance of playing come from torch's seed, which the run sets."""
        seed = torch.initial_seed()
        # Of the actions, and of the order of the rows.
        self._generator = torch_stream(seed, Purpose.ACTIONS, device=device)
        # Evaluation takes none of these seeds.
        games = int(stream(seed, Purpose.GAMES).integers(FIRST_TRAINING_SEED, 2**31 - 1))
        task = make_env(self.config.env, self.config.num_games, seed=games, device=device)
        self._games = Games(task)
        self._returns = [0.0] * task.num_games
        if self._to_restore is not None:
            with refused_if_unfit("the checkpoint is not of these games"):
                self._restore(self._to_restore, device)
            self._to_restore = None

    def _restore(self, state: dict[str, Any], device: torch.device) -> None:
        assert self._games is not None and self._generator is not None
        self.env_steps = state["env_steps"]
        self.recent.extend(state["recent"])
        self._returns = list(state["returns"])
        self._generator.set_state(state["generator"].cpu())
        self._games.load_state_dict(state["games"])
        if state["rollout"] is not None:
            rollout: dict[str, Any] = {
                name: value.to(device) if isinstance(value, Tensor) else value
                for name, value in state["rollout"].items()
            }
            inputs = Inputs(*(tensor.to(device) for tensor in rollout["inputs"]))
            self._rollout = Rollout(**rollout | {"inputs": inputs})
            self._advantages = state["advantages"].to(device)
            self._order = state["order"].to(device)

    def _play(self, player: Player) -> None:
        """One rollout; its rows in a new order for each epoch, which leaves out what is over."""
        assert self._games is not None and self._generator is not None
        config, task = self.config, self._games.task
        if task.num_to_replay >= _MOST_TO_REPLAY:
            self._games = Games(task)
            self._returns = [0.0] * task.num_games
        num_steps = segment_steps(task, config.num_steps)
        rollout = self._games.play(player, num_steps, generator=self._generator)
        self._count(rollout)
        rollout = rollout._replace(rewards=rollout.rewards * config.reward_scale)
        self._rollout = rollout
        usual = _LAMBDA_AT_ONCE if task.is_judged_at_once else _USUAL_LAMBDA
        gae_lambda = usual if config.gae_lambda is None else config.gae_lambda
        self._advantages = advantages(rollout, discount=config.discount, gae_lambda=gae_lambda)
        orders = [
            torch.randperm(task.num_games, generator=self._generator, device=self._generator.device)
            for _ in range(config.epochs)
        ]
        rows = task.num_games // config.minibatches
        used = torch.stack(orders)[:, : rows * config.minibatches]
        self._order = used.reshape(config.updates, rows)

    def _count(self, rollout: Rollout) -> None:
        """Steps, and the returns of episodes that came to their end."""
        self.env_steps += int(rollout.counts.sum())
        rewards, is_last = rollout.rewards.T.tolist(), rollout.is_last.T.tolist()
        for rewards_t, is_last_t in zip(rewards, is_last, strict=True):
            for game, (reward, is_over) in enumerate(zip(rewards_t, is_last_t, strict=True)):
                self._returns[game] += reward
                if is_over:
                    self.recent.append(self._returns[game])
                    self._returns[game] = 0.0

    def _recent_return(self) -> float:
        return sum(self.recent) / len(self.recent) if self.recent else float("nan")


def make_system(config: PpoConfig, start: Player | None = None) -> PpoSystem:
    """The system of ``config``."""
    return PpoSystem(config)
