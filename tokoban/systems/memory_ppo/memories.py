"""Four memories of the steps before, each with two implementations, which agree.

Transformer with a window: Transformer-XL (Dai et al. 2019, arXiv:1901.02860) and GTrXL (Parisotto
et al. 2019, arXiv:1910.06764), here pre-norm without gates; rotary positions: Su et al. 2021
(arXiv:2104.09864). LSTM: Hochreiter and Schmidhuber 1997; GRU: Cho et al. 2014 (arXiv:1406.1078).

``forward`` takes whole rows of steps at once, for learning; ``begin`` gives what takes one step of
every row at a time, for acting. Both get each step's age, the number of steps before it in its
episode, and nothing is ever known of another episode.

Axes: B rows (games), T steps of a row, P steps before them, D width, K parts of a recurrent state.
"""

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from tokoban.transformer import BlockOptions, Encoder, Rotary, empty_cache_for


@runtime_checkable
class Acting(Protocol):
    """A memory during a rollout: it reads one step of every row at a time."""

    def step(self, x: Float[Tensor, "B D"], ages: Int64[Tensor, "B"]) -> Float[Tensor, "B D"]:
        """The memory's output at this step."""
        ...

    @property
    def carried(self) -> Float[Tensor, "B K D"] | None:
        """The state that the next rows need besides their past; None without one."""
        ...


class TransformerMemory(nn.Module):
    """Causal self attention to the last ``window`` steps of the episode, the present one included.

    In an episode longer than the window the oldest steps slide out of it, in both ways alike; yet
    through the layers a step is reached from ``reach`` steps later. Positions are rotary: only
    distances count.
    """

    def __init__(
        self,
        width: int,
        *,
        num_layers: int,
        num_heads: int,
        window: int,
        rotary_base: float,
    ) -> None:
        super().__init__()
        self.window = window
        self.reach = num_layers * (window - 1)
        options = BlockOptions(rotary=Rotary(base=rotary_base))
        self.encoder = Encoder(num_layers, width, num_heads, options=options)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        ages: Int64[Tensor, "B T"],
        carried: Tensor | None = None,
    ) -> Float[Tensor, "B T D"]:
        """All steps at once."""
        return self.encoder(x, may_attend=self.may_attend(ages))

    def begin(
        self,
        past: Float[Tensor, "B P D"],
        past_ages: Int64[Tensor, "B P"],
        *,
        carried: Tensor | None,
        num_steps: int,
    ) -> "_CachedAttention":
        """A cache that holds the past, with room for so many steps."""
        return _CachedAttention(self, past, past_ages, num_steps)

    def may_attend(self, ages: Int64[Tensor, "B T"]) -> Bool[Tensor, "B 1 T T"]:
        """To itself, and to what came before in the same episode and in the window."""
        places = torch.arange(ages.shape[1], device=ages.device)
        back = places[:, None] - places
        oldest = ages.clamp(max=self.window - 1)[:, None, :, None]
        return (back >= 0) & (back <= oldest)


class _CachedAttention:
    """``TransformerMemory`` step by step: earlier keys and values are kept, not computed again."""

    carried = None

    def __init__(
        self,
        memory: TransformerMemory,
        past: Float[Tensor, "B P D"],
        past_ages: Int64[Tensor, "B P"],
        num_steps: int,
    ) -> None:
        num_rows, num_past, _ = past.shape
        self.memory = memory
        self.cache = empty_cache_for(memory.encoder, num_rows, num_past + num_steps)
        self.places = torch.arange(num_past + num_steps, device=past.device)
        if num_past:
            memory.encoder(past, may_attend=memory.may_attend(past_ages), cache=self.cache)

    def step(self, x: Float[Tensor, "B D"], ages: Int64[Tensor, "B"]) -> Float[Tensor, "B D"]:
        """One more column of the cache."""
        here = self.cache.length
        first = here - ages.clamp(max=self.memory.window - 1)
        may_attend = (self.places[: here + 1] >= first[:, None])[:, None, None]
        return self.memory.encoder(x[:, None], may_attend=may_attend, cache=self.cache)[:, 0]


class RecurrentMemory(nn.Module):
    """An LSTM or a GRU, whose state is zero at the beginning of every episode.

    Rows that begin inside an episode begin with the state that acting had come to, so gradients
    reach back to the beginning of the row (truncated backpropagation through time).
    """

    reach = 0

    def __init__(self, width: int, *, kind: str) -> None:
        super().__init__()
        self.has_cell = kind == "lstm"
        self.num_parts = 1 + self.has_cell
        self.net = (nn.LSTM if self.has_cell else nn.GRU)(width, width, batch_first=True)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        ages: Int64[Tensor, "B T"],
        carried: Float[Tensor, "B K D"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """All steps at once; each episode becomes a padded row of its own."""
        num_rows, length, width = x.shape
        is_first = ages == 0
        is_first[:, 0] = True
        places = torch.arange(num_rows * length, device=x.device)
        pieces = is_first.flatten().cumsum(0) - 1  # of each step, the row it goes to
        begins = places[is_first.flatten()]
        offsets = places - begins[pieces]
        apart = x.new_zeros(len(begins), int(offsets.max()) + 1, width)
        apart[pieces, offsets] = x.flatten(0, 1)
        states = x.new_zeros(len(begins), self.num_parts, width)
        if carried is not None:
            states[pieces[places % length == 0]] = _reset(carried, ages[:, 0])
        out, _ = self.net(apart, self.unpacked(states))
        return out[pieces, offsets].unflatten(0, (num_rows, length))

    def begin(
        self,
        past: Float[Tensor, "B P D"],
        past_ages: Int64[Tensor, "B P"],
        *,
        carried: Float[Tensor, "B K D"] | None,
        num_steps: int,
    ) -> "_RecurrentActing":
        """Starts from the carried state, or from zeros."""
        zeros = past.new_zeros(len(past), self.num_parts, past.shape[-1])
        return _RecurrentActing(self, zeros if carried is None else carried)

    def unpacked(self, state: Float[Tensor, "B K D"]) -> Tensor | tuple[Tensor, Tensor]:
        """The state as torch's nets take it."""
        parts = state.transpose(0, 1).contiguous()
        if not self.has_cell:
            return parts
        hidden, cell = parts.chunk(2)
        return hidden.contiguous(), cell.contiguous()


class _RecurrentActing:
    """``RecurrentMemory`` step by step."""

    def __init__(self, memory: RecurrentMemory, state: Float[Tensor, "B K D"]) -> None:
        self.memory = memory
        self.carried: Float[Tensor, "B K D"] | None = state

    def step(self, x: Float[Tensor, "B D"], ages: Int64[Tensor, "B"]) -> Float[Tensor, "B D"]:
        """The state moves on; the old one is not changed in place."""
        assert self.carried is not None
        memory = self.memory
        out, after = memory.net(x[:, None], memory.unpacked(_reset(self.carried, ages)))
        self.carried = (torch.cat(after) if memory.has_cell else after).transpose(0, 1)
        return out[:, 0]


class NoMemory(nn.Module):
    """The present step alone."""

    reach = 0
    carried = None

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        ages: Int64[Tensor, "B T"],
        carried: Tensor | None = None,
    ) -> Float[Tensor, "B T D"]:
        """The inputs, unchanged."""
        return x

    def begin(
        self,
        past: Float[Tensor, "B P D"],
        past_ages: Int64[Tensor, "B P"],
        *,
        carried: Tensor | None,
        num_steps: int,
    ) -> "NoMemory":
        """Itself, since there is nothing to keep."""
        return self

    def step(self, x: Float[Tensor, "B D"], ages: Int64[Tensor, "B"]) -> Float[Tensor, "B D"]:
        """The inputs, unchanged."""
        return x


Memory = TransformerMemory | RecurrentMemory | NoMemory


def _reset(state: Float[Tensor, "B K D"], ages: Int64[Tensor, "B"]) -> Float[Tensor, "B K D"]:
    return state.masked_fill((ages == 0)[:, None, None], 0.0)
