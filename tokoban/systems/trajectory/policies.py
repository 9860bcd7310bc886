"""The policies that collect data: random, hand-written experts, and mixtures."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.systems.trajectory.environments import Spec
from tokoban.systems.trajectory.rollouts import History, Policy


@dataclass(frozen=True)
class Part:
    """One kind of episode in a mixture."""

    policy: str
    noise: float  # the share of actions that are drawn at random instead
    share: float  # of the episodes, beside the other parts' shares


def parse_mix(text: str) -> tuple[Part, ...]:
    """The parts that ``random:1,expert+0.3:2`` names: policy, noise and share.

    Noise is 0 and the share 1 where they are left out.
    """
    parts = []
    for word in text.split(","):
        found = re.fullmatch(r"([a-z][a-z_]*)(?:\+([0-9.]+))?(?::([0-9.]+))?", word.strip())
        complaint = ValueError(
            f"mix: got {word.strip()!r}; expected POLICY, POLICY+NOISE or POLICY+NOISE:SHARE, "
            "with noise from 0 to 1 and a share above 0"
        )
        if found is None:
            raise complaint
        try:
            part = Part(found[1], float(found[2] or 0), float(found[3] or 1))
        except ValueError:
            raise complaint from None
        if part.noise > 1 or not 0 < part.share < math.inf:
            raise complaint
        parts.append(part)
    return tuple(parts)


def random_policy(*, generator: torch.Generator) -> Policy:
    """Every possible action alike: uniform within its bounds."""

    def act(history: History) -> Tensor:
        if history.is_legal is not None:
            drawn = torch.multinomial(history.is_legal.cpu().float(), 1, generator=generator)
            return drawn.float().to(history.observations[-1].device)
        return _uniform(history.spec, len(history.observations[-1]), generator)

    return act


def noisy(policy: Policy, noise: float, *, generator: torch.Generator) -> Policy:
    """``policy``, but so large a share of its actions is drawn at random instead."""
    chance = random_policy(generator=generator)

    def act(history: History) -> Tensor:
        chosen, drawn = policy(history), chance(history)
        is_drawn = torch.rand(len(chosen), 1, generator=generator) < noise
        return torch.where(is_drawn.to(chosen.device), drawn, chosen)

    return act


def by_hand(env: str) -> dict[str, Policy]:
    """The policies written for this environment: ``expert``, and ``novice``, which always fails."""
    found = {"expert": _EXPERTS.get(env), "novice": _NOVICES.get(env)}
    return {name: _of_observations(act) for name, act in found.items() if act is not None}


def _uniform(spec: Spec, num_rows: int, generator: torch.Generator) -> Tensor:
    low, high = torch.tensor(spec.action_low), torch.tensor(spec.action_high)
    drawn = torch.rand(num_rows, len(low), generator=generator)
    is_whole = torch.tensor([size is not None for size in spec.action_sizes])
    values = (drawn * (high - low + 1)).floor().minimum(high - low)
    return torch.where(is_whole, values, drawn * (high - low)) + low


def _of_observations(act: Callable[[Tensor], Tensor]) -> Policy:
    return lambda history: act(history.observations[-1])


def _pendulum(seen: Float[Tensor, "B 3"]) -> Float[Tensor, "B 1"]:
    """Pumps energy until the pendulum nearly stands, then holds it there."""
    cosine, sine, speed = seen.unbind(1)
    angle = torch.atan2(sine, cosine)
    # Gymnasium's pendulum has m = l = 1, g = 10: upright and at rest its energy is 5, by
    # speed^2 / 6 + 5 cos.
    lacking = 5.0 - (speed**2 / 6 + 5 * cosine)
    pump = 4.0 * lacking * torch.where(speed == 0, 1.0, speed.sign())
    hold = -(16.0 * angle + 4.0 * speed)
    is_near = (angle.abs() < 0.6) & (speed.abs() < 4.0)
    return torch.where(is_near, hold, pump).clamp(-2, 2)[:, None]


def _cart_pole(seen: Float[Tensor, "B 4"]) -> Float[Tensor, "B 1"]:
    """Pushes the way that the pole falls, and a little towards the middle."""
    place, speed, angle, turning = seen.unbind(1)
    return (0.05 * place + 0.2 * speed + 2.0 * angle + turning > 0).float()[:, None]


def _inverted_pendulum(seen: Float[Tensor, "B 4"]) -> Float[Tensor, "B 1"]:
    """As ``_cart_pole``, with a force in proportion."""
    place, angle, speed, turning = seen.unbind(1)
    return (1.0 * place + 20.0 * angle + 1.5 * speed + 3.0 * turning).clamp(-3, 3)[:, None]


def _pendulum_novice(seen: Float[Tensor, "B 3"]) -> Float[Tensor, "B 1"]:
    """Turns it the way that it turns, and so past the top, again and again."""
    return torch.where(seen[:, 2:] < 0, -2.0, 2.0)


def _cart_pole_novice(seen: Float[Tensor, "B 4"]) -> Float[Tensor, "B 1"]:
    """Pushes the way that the pole leans, and never before it does."""
    return (seen[:, 2:3] > 0).float()


def _inverted_pendulum_novice(seen: Float[Tensor, "B 4"]) -> Float[Tensor, "B 1"]:
    """As ``_cart_pole_novice``, with half of the greatest force."""
    return torch.where(seen[:, 1:2] < 0, -1.5, 1.5)


_EXPERTS: dict[str, Callable[[Tensor], Tensor]] = {
    "Pendulum-v1": _pendulum,
    "CartPole-v1": _cart_pole,
    "InvertedPendulum-v5": _inverted_pendulum,
}
_NOVICES: dict[str, Callable[[Tensor], Tensor]] = {
    "Pendulum-v1": _pendulum_novice,
    "CartPole-v1": _cart_pole_novice,
    "InvertedPendulum-v5": _inverted_pendulum_novice,
}
