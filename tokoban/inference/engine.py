"""The interface between a model and its fast execution: what is executed, and by which methods.

Axes: P prompts, T positions, D width, V vocabulary; a row R is one sequence under way, prompt *
width + copy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor, nn

from tokoban.transformer import Decoder, Encoder

# Of each prompt its tokens; or, where a network has no embedding, the vectors [P, T, D] of all.
Prompts = Sequence[Sequence[int]] | Float[Tensor, "P T D"]
# The next token of each row, or its vector.
Inputs = Int64[Tensor, "R"] | Float[Tensor, "R D"]

MOST_BYTES = 4 * 2**30  # of all rows that are under way together
_OUTPUT_COPIES = 8  # a search and a draw hold them changed, sorted and with their places


@dataclass(frozen=True, eq=False, kw_only=True)
class Network:
    """A stack of the core with what stands before and behind it: all that an engine knows.

    Attention is causal in an ``Encoder`` without a mask and in a ``Decoder``. A ``Decoder`` reads
    the output of ``encoder``, whose inputs are the prompts.
    """

    stack: Encoder | Decoder
    encoder: Encoder | None = None
    max_length: int  # positions of a sequence, and of a prompt that the encoder reads
    embedding: Float[Tensor, "V D"] | None = None  # None: the inputs are vectors
    embedding_scale: float = 1.0
    positions: Float[Tensor, "max_length D"] | None = None  # added to the inputs
    projection: nn.Module | None = None  # None: the outputs are the stack's vectors
    start: int | None = None  # the first token of every row, where there is an encoder
    may_attend: Bool[Tensor, "max_length max_length"] | None = None  # None: causal

    def __post_init__(self) -> None:
        if isinstance(self.stack, Decoder) != (self.encoder is not None):
            raise ValueError("a Decoder stack needs an encoder, and an Encoder stack takes none")
        if (self.encoder is None) != (self.start is None):
            raise ValueError("a network has a start token if and only if it has an encoder")

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(self.stack.parameters()).device

    @property
    def first_token(self) -> int:
        """``start`` of a network that has one."""
        assert self.start is not None
        return self.start

    def require_length(self, length: int) -> None:
        """``ValueError`` unless there is a position for so many inputs."""
        if length > self.max_length:
            raise ValueError(f"{length} positions; this network has {self.max_length}")

    def row_bytes(self, length: int) -> int:
        """About what a row of so many positions takes of memory; the network has an embedding.

        Keys and values are there twice while they move, and outputs in some copies.
        """
        assert self.embedding is not None
        num_outputs, width = self.embedding.shape
        keys_and_values = 2 * len(self.stack.blocks) * width * length
        return 4 * (2 * keys_and_values + _OUTPUT_COPIES * num_outputs)


@runtime_checkable
class Rows(Protocol):
    """Sequences under way, which grow by one position at a time; storage, which changes.

    ``output`` is what the network says after the newest position of each row: logits [R, V], or
    vectors [R, D] of a network without a projection. It holds until the next step.
    """

    output: Tensor

    @torch.no_grad()
    def advance(self, inputs: Inputs, parents: Int[Tensor, "R"] | None) -> Tensor:
        """Row i becomes what row ``parents[i]`` was, with one more input; the new output.

        ``None`` is each row its own parent; fewer parents than rows drop the others. Where there is
        an encoder, a row's parent is of its own prompt, and all rows of a prompt are kept or none.
        """
        self.output = self.step(parents)(inputs)
        return self.output

    def step(self, parents: Int[Tensor, "R"] | None) -> Callable[[Inputs], Tensor]:
        """``advance`` in two parts: the second can be compiled with what computes the inputs.

        It leaves ``output`` as it was.
        """
        ...

    def log_probs(self) -> Float[Tensor, "R V"]:
        """The log-softmax of the output, which on a CPU it may overwrite."""
        logits = self.output.to(torch.promote_types(self.output.dtype, torch.float32))
        # Nobody needs the logits: where memory is slow, that saves writing to new.
        out = logits if logits.device.type == "cpu" else None
        return torch.log_softmax(logits, dim=-1, out=out)

    def best(
        self, wanted: Int64[Tensor, "R"], is_allowed: Bool[Tensor, "V"]
    ) -> tuple[Int64[Tensor, "R"], Float[Tensor, "R"]]:
        """The most probable allowed token of each row, and its log-probability.

        Where ``wanted`` is not negative, that token is taken instead.
        """
        logits = self.output.to(torch.promote_types(self.output.dtype, torch.float32))
        best = logits.masked_fill(~is_allowed, -torch.inf).argmax(dim=1)
        chosen = torch.where(wanted < 0, best, wanted)
        return chosen, logits.gather(1, chosen[:, None])[:, 0] - logits.logsumexp(dim=1)


@runtime_checkable
class Engine(Protocol):
    """Executes a network; it holds no sequences itself, so threads may share one.

    Laws: outputs are those of the plain modules on the whole sequence, up to rounding, whatever is
    read together; ``advance`` with ``parents`` continues exactly those rows.
    """

    network: Network

    def read(self, prompts: Prompts, *, width: int = 1, max_length: int | None = None) -> Rows:
        """``width`` neighbouring rows of each prompt, which share its cache.

        ``max_length`` is the most positions of a row, with a prompt that the stack itself reads
        (by default the network's).
        """
        ...

    @torch.no_grad()
    def greedy(
        self,
        sources: Sequence[Sequence[int]],
        forced: Int64[Tensor, "P T"],
        *,
        may_follow: Bool[Tensor, "V"],
        end: int,
    ) -> tuple[list[list[int]], list[float]]:
        """The most probable tokens after each source, and the sums of their log-probabilities.

        ``forced`` says which token there must be at a position, and is negative where there is a
        choice among those that ``may_follow``. The tokens end with ``end``, which is not the first
        unless forced, or with the last forced position. An engine may have a faster way than these
        steps, which define it.
        """
        rows = self.read(sources, max_length=forced.shape[1])
        tokens, scores_nats = [list[int]() for _ in sources], [0.0 for _ in sources]
        may_follow = may_follow.to(rows.output.device)
        may_begin = may_follow.clone()
        may_begin[end] = False
        running = torch.arange(len(sources))
        for position, wanted in enumerate(forced.to(rows.output.device).T):
            own = wanted[running.to(wanted.device)]
            chosen, gained = rows.best(own, may_follow if position else may_begin)
            newest = zip(running.tolist(), chosen.tolist(), gained.tolist(), strict=True)
            for number, token, gained_nats in newest:
                tokens[number].append(token)
                scores_nats[number] += gained_nats
            going_on = (chosen != end).nonzero()[:, 0]
            if len(going_on) == 0 or position + 1 == forced.shape[1]:
                break
            has_moved = len(going_on) < len(running)
            running = running[going_on.cpu()]
            rows.advance(chosen[going_on], going_on if has_moved else None)
        return tokens, scores_nats


def tied_projection(embedding: Float[Tensor, "V D"]) -> nn.Linear:
    """The projection that shares its weights with the embedding."""
    num_tokens, width = embedding.shape
    linear = nn.Linear(width, num_tokens, bias=False, device="meta")
    linear.weight = nn.Parameter(embedding, requires_grad=False)
    return linear
