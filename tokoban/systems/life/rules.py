"""Life-like cellular automata on a torus; Life is Conway's (Gardner 1970, Scientific American 223).

Axes: B batch, H rows, W columns.
"""

import re
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

LEAST_SIDE = 3  # on a smaller torus a cell would neighbour itself, or another cell twice

NEIGHBOURS = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right)


@dataclass(frozen=True)
class Rule:
    """The numbers of living neighbours for which a dead cell is born and a living one survives."""

    births: frozenset[int]
    survivals: frozenset[int]

    def __str__(self) -> str:
        births, survivals = ("".join(map(str, sorted(x))) for x in (self.births, self.survivals))
        return f"B{births}/S{survivals}"


def parse_rule(text: str) -> Rule:
    """The rule that ``B3/S23`` names, or in the older way of writing ``23/3``.

    ``ValueError`` for anything else.
    """
    found = re.fullmatch(r"[Bb]([0-8]*)/[Ss]([0-8]*)", text)
    if found:
        births, survivals = found.groups()
    elif found := re.fullmatch(r"([0-8]*)/([0-8]*)", text):
        survivals, births = found.groups()
    else:
        raise ValueError(f"unknown rule {text!r}; expected one like B3/S23, of the digits 0 to 8")
    return Rule(frozenset(map(int, births)), frozenset(map(int, survivals)))


def step(grids: Bool[Tensor, "B H W"], rule: Rule) -> Bool[Tensor, "B H W"]:
    """The next generation of each torus, whose sides are at least ``LEAST_SIDE``."""
    if min(grids.shape[1:]) < LEAST_SIDE:
        sides = " x ".join(map(str, grids.shape[1:]))
        raise ValueError(f"a torus has sides of at least {LEAST_SIDE}, got {sides}")
    cells = grids.to(torch.int8)
    num_alive = sum(torch.roll(cells, shift, dims=(1, 2)) for shift in NEIGHBOURS)
    assert isinstance(num_alive, Tensor)
    return torch.where(grids, _is_in(num_alive, rule.survivals), _is_in(num_alive, rule.births))


def _is_in(numbers: torch.Tensor, wanted: frozenset[int]) -> Bool[Tensor, "B H W"]:
    is_wanted = torch.tensor([number in wanted for number in range(9)], device=numbers.device)
    return is_wanted[numbers.int()]
