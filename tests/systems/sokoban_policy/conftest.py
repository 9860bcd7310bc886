"""A small policy with random weights, in eval mode, for every test of this folder."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy import solve, stepper
from tokoban.systems.sokoban_policy.episodes import NUM_ACTIONS, NUM_BINS
from tokoban.systems.sokoban_policy.model import PolicyOutput, SokobanPolicy

MakePolicy = Callable[..., SokobanPolicy]
FakeOutput = Callable[[Bitboards], PolicyOutput]  # of boards [M]


@pytest.fixture
def make_policy() -> MakePolicy:
    """``make_policy(max_positions=13, …)``: the same weights every time."""

    def make(*, has_history: bool = True, max_positions: int = 13) -> SokobanPolicy:
        torch.manual_seed(0)
        return SokobanPolicy(
            width=6,
            num_layers=2,
            num_heads=3,
            max_positions=max_positions,
            dropout=0.5,
            has_history=has_history,
            pre_norm=True,
            encoder_channels=5,
            encoder_layers=2,
        ).eval()

    return make


class _Echo:
    """An engine and its rows at once, whose outputs are their newest inputs."""

    network: Any = None
    output: Tensor

    def read(self, prompts: Tensor, *, width: int = 1, max_length: int | None = None) -> "_Echo":
        self.output = prompts[:, -1].repeat_interleave(width, dim=0)
        return self

    def step(self, parents: Tensor | None) -> Callable[[Tensor], Tensor]:
        return lambda inputs: inputs

    def advance(self, inputs: Tensor, parents: Tensor | None) -> Tensor:
        return inputs

    def greedy(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


@pytest.fixture
def fake_output(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeOutput], None]:
    """``fake_output(of_boards)``: from then on every policy has the output of that function."""

    def fake(of_boards: FakeOutput) -> None:
        def forward(self: SokobanPolicy, boards: Bitboards, *, used=None) -> PolicyOutput:
            shape = boards.boxes.shape
            flat = of_boards(boards.map(torch.Tensor.flatten))
            return PolicyOutput(*(part.reshape(*shape, part.shape[-1]) for part in flat))

        def encode(self: SokobanPolicy, boards: Bitboards, used=None) -> Tensor:
            return torch.cat(forward(self, boards), dim=-1)

        def heads(self: SokobanPolicy, hidden: Tensor) -> PolicyOutput:
            return PolicyOutput(*hidden.split([NUM_ACTIONS, NUM_BINS], dim=-1))

        for function in (forward, encode, heads):
            monkeypatch.setattr(SokobanPolicy, function.__name__, function)
        for module in (stepper, solve):
            monkeypatch.setattr(module, "engine_of", lambda *_, **__: _Echo())

    return fake


@pytest.fixture
def policy(make_policy: MakePolicy) -> SokobanPolicy:
    return make_policy()
