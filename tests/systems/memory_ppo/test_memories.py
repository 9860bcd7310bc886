"""The memories: acting and learning agree, and nothing is known that should not be."""

import pytest
import torch
from torch import Tensor

from tokoban.systems.memory_ppo.memories import (
    Memory,
    NoMemory,
    RecurrentMemory,
    TransformerMemory,
)

B, T, D, WINDOW = 3, 17, 14, 5
TOLERANCE = 1e-5  # of float32: the two ways add up in different orders

# In the second row an episode begins amid the row, in the third two, one of them of one step; the
# first began before the row.
AGES = torch.stack(
    [
        torch.arange(4, 4 + T),
        torch.tensor([*range(6), *range(T - 6)]),
        torch.tensor([*range(9), 0, *range(T - 10)]),
    ]
)


def transformer(*, window: int = WINDOW, num_layers: int = 2) -> TransformerMemory:
    torch.manual_seed(0)
    return TransformerMemory(
        D, num_layers=num_layers, num_heads=7, window=window, rotary_base=100.0
    )


def recurrent(kind: str) -> RecurrentMemory:
    torch.manual_seed(0)
    return RecurrentMemory(D, kind=kind)


MEMORIES: dict[str, Memory] = {
    "rotary": transformer(),
    "rotary, a long window": transformer(window=97),
    "lstm": recurrent("lstm"),
    "gru": recurrent("gru"),
    "none": NoMemory(),
}


@pytest.fixture(params=MEMORIES)
def memory(request: pytest.FixtureRequest) -> Memory:
    return MEMORIES[request.param]


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def act(memory: Memory, x: Tensor, ages: Tensor, carried: Tensor | None = None) -> Tensor:
    acting = memory.begin(x[:, :0], ages[:, :0], carried=carried, num_steps=x.shape[1])
    return torch.stack([acting.step(x[:, t], ages[:, t]) for t in range(x.shape[1])], dim=1)


def test_acting_step_by_step_is_one_pass_over_the_row(memory: Memory) -> None:
    x = draw(B, T, D)
    ages = AGES.clone()
    ages[0] -= 4  # all that the first episode has is in the row
    assert torch.allclose(act(memory, x, ages), memory(x, ages), atol=TOLERANCE)


@torch.no_grad()
def test_acting_goes_on_after_a_past_as_if_it_had_never_stopped(memory: Memory) -> None:
    """With as much of the past as the memory reaches, or with the state that was carried over."""
    x, cut = draw(B, T, D), 11
    ages = AGES.clone()
    ages[0] -= 4
    whole = act(memory, x, ages)
    first = memory.begin(x[:, :0], ages[:, :0], carried=None, num_steps=cut)
    for t in range(cut):
        first.step(x[:, t], ages[:, t])
    since = max(0, cut - memory.reach)
    second = memory.begin(
        x[:, since:cut], ages[:, since:cut], carried=first.carried, num_steps=T - cut
    )
    rest = [second.step(x[:, t], ages[:, t]) for t in range(cut, T)]
    assert torch.allclose(torch.stack(rest, dim=1), whole[:, cut:], atol=TOLERANCE)


def test_nothing_is_known_of_another_episode_or_of_the_future(memory: Memory) -> None:
    x, ages = draw(B, T, D), AGES
    before = memory(x, ages)
    other = draw(B, T, D, seed=1)
    changed = x.clone()
    changed[1, :6] = other[1, :6]  # the episode before
    changed[2, 12:] = other[2, 12:]  # what comes later
    after = memory(changed, ages)
    assert torch.allclose(after[1, 6:], before[1, 6:], atol=1e-6)
    assert torch.allclose(after[2, :12], before[2, :12], atol=1e-6)


def test_a_row_alone_is_what_it_is_among_others(memory: Memory) -> None:
    x, ages = draw(B, T, D), AGES
    together = memory(x, ages)
    for row in range(B):
        alone = memory(x[row : row + 1], ages[row : row + 1])
        assert torch.allclose(alone, together[row : row + 1], atol=TOLERANCE)


@pytest.mark.parametrize("name", ["rotary, a long window", "gru", "lstm"])
def test_a_step_learns_to_keep_what_a_later_one_reads(name: str) -> None:
    """Gradients reach the past, which memories kept under old weights do not allow."""
    x = draw(B, T, D).requires_grad_()
    ages = torch.arange(T).expand(B, T)
    MEMORIES[name](x, ages)[:, T - 1, 0].sum().backward()
    assert x.grad is not None
    assert (x.grad[:, T - 4].abs().sum(-1) > 0).all()


@pytest.mark.parametrize("num_layers", [1, 3])
def test_a_window_reaches_as_far_as_it_says_and_not_further(num_layers: int) -> None:
    memory = transformer(num_layers=num_layers)
    assert memory.reach == num_layers * (WINDOW - 1)
    x, ages = draw(B, T, D).requires_grad_(), torch.arange(T).expand(B, T)
    memory(x, ages)[:, T - 1, 0].sum().backward()
    assert x.grad is not None
    is_reached = x.grad.abs().sum((0, 2)) > 0
    assert is_reached.tolist() == [t >= T - 1 - memory.reach for t in range(T)]


def test_with_rotary_positions_an_episode_is_the_same_wherever_it_stands() -> None:
    x, shift = draw(B, T, D), 211
    memory = transformer(window=97)
    ages = torch.arange(T).expand(B, T)
    padded = torch.cat([draw(B, shift, D, seed=1), x], dim=1)
    all_ages = torch.cat([torch.arange(shift).expand(B, shift), ages], dim=1)
    assert torch.allclose(memory(padded, all_ages)[:, shift:], memory(x, ages), atol=TOLERANCE)


def test_a_row_that_begins_amid_an_episode_takes_up_the_carried_state() -> None:
    for kind in ("gru", "lstm"):
        memory = recurrent(kind)
        x, carried = draw(B, T, D), draw(B, memory.num_parts, D, seed=2)
        with_state, without = memory(x, AGES, carried), memory(x, AGES)
        assert not torch.allclose(with_state[0], without[0], atol=1e-3)
        assert torch.allclose(with_state[1:], without[1:])  # they begin with an episode
        assert torch.allclose(act(memory, x, AGES, carried), with_state, atol=TOLERANCE)
