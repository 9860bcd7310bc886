"""What decoding knows of texts under way: their tokens, and the cache of what the model has read.

Axes: B texts (rows), T positions, V vocabulary.
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.tokens import num_specials
from tokoban.transformer import KVCache


def context_start(num_tokens: int, context_length: int) -> int:
    """The first token of a text that is still read for the one after its last.

    What no longer fits is forgotten by halves: the start is the least multiple of half a context
    from which on the text fits. It depends on the text's length alone, so that a cache is of use
    for half a context at a time, and changes nothing.
    """
    half = context_length // 2
    return -(-max(0, num_tokens - context_length) // half) * half


class TextStepper:
    """Grows one text per row by a token a step, beyond the model's context too.

    Without a cache every step reads all that ``context_start`` leaves: slow, and what the cache is
    held to. ``log_probs`` are the model's own, not renormalised where a token is forbidden: what
    stands for no text. With a ``repetition_penalty`` above 1 the log-probability of each token
    that the text has already is that many times as low, and all are renormalised.
    """

    def __init__(
        self,
        model: Gpt,
        prompts: Sequence[Sequence[int]],
        *,
        max_steps: int,
        uses_cache: bool = True,
        repetition_penalty: float = 1.0,
        are_over: Callable[[list[int]], list[bool]] | None = None,
    ) -> None:
        """``prompts`` are tokens, at least one each; up to ``max_steps`` more have room.

        ``are_over`` is told the tokens of each step, a row each, and answers which texts end with
        them; without it none ever does.
        """
        self.model, self.device = model, model.embedding.weight.device
        self._uses_cache, self._penalty = uses_cache, repetition_penalty
        self._are_over = are_over
        self._lengths = [len(prompt) for prompt in prompts]
        longest = max(self._lengths)
        self._tokens = torch.tensor(
            [[*prompt, *[0] * (longest + max_steps - len(prompt))] for prompt in prompts],
            device=self.device,
        )  # [B, T], aligned to the left
        self._rows = torch.arange(len(prompts), device=self.device)
        self._is_forbidden = _forbidden(model, self.device)
        self._is_used = torch.zeros(
            len(prompts), model.embedding.num_embeddings, dtype=torch.bool, device=self.device
        )
        for row, prompt in enumerate(prompts):
            self._is_used[row, list(prompt)] = True
        self._cache: KVCache | None = None
        self._starts: list[int] = []  # of what the cache holds, a row each
        self._num_padding: Tensor | None = None  # [B]
        self._log_probs = self._read()

    def log_probs(self) -> Float[Tensor, "B V"]:
        """What the model says of each row's next token."""
        return self._log_probs

    @torch.no_grad()
    def advance(
        self, parents: Int[Tensor, "B"] | None, actions: Int[Tensor, "B"]
    ) -> Bool[Tensor, "B"]:
        """Each row becomes its parent with one more token."""
        if parents is not None:
            self._take(parents)
        is_over = torch.zeros_like(actions, dtype=torch.bool)
        if self._are_over is not None:  # told before the next token is thought of
            is_over = torch.tensor(self._are_over(actions.tolist()), device=self.device)
        places = torch.tensor(self._lengths, device=self.device)
        self._tokens[self._rows, places] = actions
        self._is_used[self._rows, actions] = True
        self._lengths = [length + 1 for length in self._lengths]
        self._log_probs = self._read()
        return is_over

    def _take(self, parents: Int[Tensor, "B"]) -> None:
        self._tokens, self._is_used = self._tokens[parents], self._is_used[parents]
        order = parents.tolist()
        self._lengths = [self._lengths[parent] for parent in order]
        self._starts = [self._starts[parent] for parent in order]
        if self._cache is not None:
            self._cache.reorder(parents)
        if self._num_padding is not None:
            self._num_padding = self._num_padding[parents]

    @torch.no_grad()
    def _read(self) -> Float[Tensor, "B V"]:
        starts = [context_start(n, self.model.context_length) for n in self._lengths]
        if self._cache is None or starts != self._starts:
            tokens = self._start_anew(starts)
        else:
            places = torch.tensor(self._lengths, device=self.device) - 1
            tokens = self._tokens[self._rows, places][:, None]
        logits = self.model.read(tokens, num_padding=self._num_padding, cache=self._cache)
        dtype = torch.promote_types(logits.dtype, torch.float32)
        log_probs = (
            logits.to(dtype).log_softmax(dim=-1).masked_fill_(self._is_forbidden, -torch.inf)
        )
        if self._penalty == 1.0:
            return log_probs
        # Rounded to 0 or to infinity it would make NaN of a probability of 0 or of 1.
        limits = torch.finfo(dtype)
        penalty = min(max(self._penalty, limits.tiny), limits.max)
        return log_probs.where(~self._is_used, log_probs * penalty).log_softmax(dim=-1)

    def _start_anew(self, starts: list[int]) -> Int64[Tensor, "B T"]:
        """All that each row's model still sees, so that the last tokens stand side by side."""
        if self._uses_cache:
            self._cache = self.model.new_cache(len(starts))
        self._starts = starts
        lengths = [end - start for start, end in zip(starts, self._lengths, strict=True)]
        longest = max(lengths)
        firsts = torch.tensor(self._lengths, device=self.device)[:, None] - longest
        places = firsts + torch.arange(longest, device=self.device)
        self._num_padding = None
        if min(lengths) < longest:
            self._num_padding = longest - torch.tensor(lengths, device=self.device)
        return self._tokens.gather(1, places.clamp_min(0))


def _forbidden(model: Gpt, device: torch.device) -> Bool[Tensor, "V"]:
    """The tokens that stand for no text."""
    is_forbidden = torch.zeros(model.embedding.num_embeddings, dtype=torch.bool, device=device)
    if model.tokenizer is not None:
        is_forbidden[: num_specials(model.tokenizer)] = True
        is_forbidden[model.tokenizer.vocabulary_size :] = True
    return is_forbidden
