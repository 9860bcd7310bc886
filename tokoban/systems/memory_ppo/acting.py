"""A player at its games, step by step, with its memory kept from one step to the next.

Axes: B games, T steps, P steps before them.
"""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tokoban.systems.memory_ppo.model import Inputs, Player, no_action
from tokoban.systems.memory_ppo.ppo import Rollout
from tokoban.systems.memory_ppo.tensor_env import TensorEnv


class Games:
    """B running games with the part of their past that the memory reaches; mutable.

    Between two calls of ``play`` the player may have learned. Then keys and values of what came
    before are computed again, from what was seen, so that the weights that act are those that
    are learned with, at every step; a recurrent state alone is carried over as it was.
    """

    def __init__(self, task: TensorEnv) -> None:
        self.task = task
        observations = task.reset()
        self.device = observations.device
        self._nothing = no_action(task.action_space, task.num_games, device=self.device)
        self.ages = torch.zeros(task.num_games, dtype=torch.int64, device=self.device)
        self.is_between = self.ages > 0  # an end is behind, a start ahead
        self.now = Inputs(observations, self._nothing, self.ages)
        self.past = Inputs(*(tensor[:, None][:, :0] for tensor in self.now))
        self.carried: Tensor | None = None

    @torch.no_grad()
    def play(
        self,
        player: Player,
        num_steps: int,
        *,
        generator: torch.Generator | None,
        before_step: Callable[[], None] | None = None,
    ) -> Rollout:
        """The next steps of every game, sampled with ``generator``, or the most likely for None."""
        policy, num_games = player.policy, self.task.num_games
        begun_with, past = self.carried, self.past
        acting = player.begin(past, carried=self.carried, num_steps=num_steps + 1)
        noise = None
        if generator is not None:
            noise = policy.noise(num_steps, num_games, generator=generator)
        steps = []
        for t in range(num_steps):
            answer = player.answer(acting.step(player.embed(self.now), self.now.ages))
            action = policy.choose(answer.policy, None if noise is None else noise[t])
            if before_step is not None:
                before_step()
            outcome = self.task.step(policy.to_game(action))
            steps.append((self.now, answer, action, outcome, self.is_between))
            is_last = outcome.is_terminated | outcome.is_truncated
            self._advance(outcome.observations, action, is_last)
        self.carried = acting.carried
        after = player.answer(acting.step(player.embed(self.now), self.now.ages))

        seen, answers, actions, outcomes, between = zip(*steps, strict=True)
        rewards = torch.stack([outcome.rewards for outcome in outcomes], dim=1)
        _refuse_what_is_no_number(rewards)
        inputs = Inputs(
            *(
                torch.cat([old, torch.stack(new, dim=1)], dim=1)
                for old, new in zip(past, zip(*seen, strict=True), strict=True)
            )
        )
        self._keep(inputs, reach=player.memory.reach)
        described = torch.stack([answer.policy for answer in answers], dim=1)
        values = torch.stack([answer.values for answer in (*answers, after)], dim=1)
        taken = torch.stack(actions, dim=1)
        is_terminated = torch.stack([outcome.is_terminated for outcome in outcomes], dim=1)
        is_truncated = torch.stack([outcome.is_truncated for outcome in outcomes], dim=1)
        return Rollout(
            inputs=inputs,
            carried=begun_with,
            actions=taken,
            log_probs=policy.log_probs(described, taken),
            values=values,
            rewards=rewards,
            is_terminated=is_terminated,
            is_last=is_terminated | is_truncated,
            counts=~torch.stack(between, dim=1),
        )

    def _advance(self, observations: Tensor, action: Tensor, is_last: Bool[Tensor, "B"]) -> None:
        self.ages = (self.ages + 1).masked_fill(self.is_between, 0)
        previous = torch.where(self.is_between[:, None], self._nothing, action)
        self.now = Inputs(observations, previous, self.ages)
        self.is_between = is_last

    def _keep(self, inputs: Inputs, *, reach: int) -> None:
        """The past that the longest of the episodes under way still needs."""
        num_kept = min(reach, int(self.ages.max()), inputs.ages.shape[1])
        first = inputs.ages.shape[1] - num_kept
        self.past = Inputs(*(tensor[:, first:] for tensor in inputs))

    def state_dict(self) -> dict[str, Any]:
        """All that the next call of ``play`` depends on but the player."""
        return {
            "task": self.task.state_dict(),
            "now": tuple(self.now),
            "past": tuple(self.past),
            "is_between": self.is_between,
            "carried": self.carried,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from there, on this device."""
        self.task.load_state_dict(state["task"])
        self.now = Inputs(*(tensor.to(self.device) for tensor in state["now"]))
        self.past = Inputs(*(tensor.to(self.device) for tensor in state["past"]))
        self.ages, self.is_between = self.now.ages, state["is_between"].to(self.device)
        carried = state["carried"]
        self.carried = None if carried is None else carried.to(self.device)


def _refuse_what_is_no_number(rewards: Float[Tensor, "B T"]) -> None:
    """One look at a whole rollout, since it waits for the device."""
    if not rewards.isfinite().all():
        game, step = (~rewards.isfinite()).nonzero()[0].tolist()
        raise ValueError(
            f"game {game} gave the reward {rewards[game, step].item()} "
            f"at step {step} of {rewards.shape[1]}"
        )
