"""The stepper of texts: their tokens so far, and the rows of the engine.

Axes: B texts (rows), T positions, V vocabulary.
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from tokoban.inference.engine import Engine, Rows
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.tokens import num_specials


def context_start(num_tokens: int, context_length: int) -> int:
    """The first token of a text that is still read for the one after its last.

    What no longer fits is forgotten by halves: the start is the least multiple of half a context
    from which on the text fits. It depends on the text's length alone, so that a cache is of use
    for half a context at a time, and changes nothing.
    """
    half = context_length // 2
    return -(-max(0, num_tokens - context_length) // half) * half


class TextStepper:
    """Adds a token to the text of each row at each step, also beyond the network's context.

    ``log_probs`` are the model's own, not renormalised where a token is forbidden: what stands for
    no text.
    """

    def __init__(
        self,
        engine: Engine,
        prompts: Sequence[Sequence[int]],
        *,
        is_forbidden: Bool[Tensor, "V"],
        forbidden_first: Callable[[Float[Tensor, "B V"]], Bool[Tensor, "B V"]] | None = None,
        max_steps: int,
        are_over: Callable[[list[int]], list[bool]] | None = None,
    ) -> None:
        """``prompts`` are tokens, at least one each; each row takes up to ``max_steps`` more.

        ``forbidden_first`` takes log-probabilities and returns which tokens may not be the first.
        ``are_over`` is given the tokens of each step, one per row, and returns which texts end with
        them; without it none ever does.
        """
        self.device = engine.network.device
        self._engine, self._are_over = engine, are_over
        self._lengths = [len(prompt) for prompt in prompts]
        longest = max(self._lengths)
        self._tokens = torch.tensor(
            [[*prompt, *[0] * (longest + max_steps - len(prompt))] for prompt in prompts],
            device=self.device,
        )  # [B, T], aligned to the left
        self._places = torch.arange(len(prompts), device=self.device)
        self._is_forbidden = is_forbidden
        self._starts = self._context_starts()  # of what the engine's rows have read
        self._rows = self._read_anew()
        self._log_probs = self._normalised(self._rows.output)
        if forbidden_first is not None:
            self._log_probs.masked_fill_(forbidden_first(self._log_probs), -torch.inf)

    def log_probs(self) -> Float[Tensor, "B V"]:
        """The log-probabilities of each row's next token."""
        return self._log_probs

    @torch.no_grad()
    def advance(
        self, parents: Int[Tensor, "B"] | None, actions: Int[Tensor, "B"]
    ) -> Bool[Tensor, "B"]:
        """Each row becomes its parent with one more token."""
        if parents is not None:
            self._tokens = self._tokens[parents]
            order = parents.tolist()
            self._lengths = [self._lengths[parent] for parent in order]
            self._starts = [self._starts[parent] for parent in order]
        is_over = torch.zeros_like(actions, dtype=torch.bool)
        if self._are_over is not None:  # asked before the next token is computed
            is_over = torch.tensor(self._are_over(actions.tolist()), device=self.device)
        places = torch.tensor(self._lengths, device=self.device)
        self._tokens[self._places, places] = actions
        self._lengths = [length + 1 for length in self._lengths]
        if (starts := self._context_starts()) == self._starts:
            logits = self._rows.advance(actions, parents)
        else:
            self._starts = starts
            self._rows = self._read_anew()
            logits = self._rows.output
        self._log_probs = self._normalised(logits)
        return is_over

    def _context_starts(self) -> list[int]:
        return [context_start(n, self._engine.network.max_length) for n in self._lengths]

    def _read_anew(self) -> Rows:
        """Rows that have read all that the network still sees of each text."""
        bounds = zip(self._tokens.tolist(), self._starts, self._lengths, strict=True)
        return self._engine.read([tokens[start:end] for tokens, start, end in bounds])

    @torch.no_grad()
    def _normalised(self, logits: Float[Tensor, "B V"]) -> Float[Tensor, "B V"]:
        dtype = torch.promote_types(logits.dtype, torch.float32)
        return logits.to(dtype).log_softmax(dim=-1).masked_fill_(self._is_forbidden, -torch.inf)


def forbidden_tokens(model: Gpt) -> Bool[Tensor, "V"]:
    """The tokens that stand for no text, on the model's device."""
    weight = model.embedding.weight
    is_forbidden = torch.zeros(len(weight), dtype=torch.bool, device=weight.device)
    if model.tokenizer is not None:
        is_forbidden[: num_specials(model.tokenizer)] = True
        is_forbidden[model.tokenizer.vocabulary_size :] = True
    return is_forbidden
