"""The stepper of translations: the log-probabilities of allowed next tokens.

Axes: T target positions, V vocabulary; a row R is one translation under way, source * K + beam of
the K of each.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.inference.engine import Rows
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.repetition import token_too_many
from tokoban.text.bpe import BOS, EOS, PAD, UNK

FREE = -1  # where no token is forced


class TranslationStepper:
    """Grows one translation per row.

    ``log_probs`` are the model's own, not renormalised where a token is forbidden: the padding, the
    beginning, what is in no vocabulary, and the end as the first token, since no sentence means
    nothing. A score is then what teacher forcing gives.
    """

    def __init__(
        self,
        rows: Rows,
        *,
        forced: Int64[Tensor, "R T"],
        forbidden: Int64[Tensor, "tokens"],
        starts_word: Callable[[int], bool] | None = None,
    ) -> None:
        """``rows`` are those of an engine that has read the sources.

        ``forced`` says which token a translation must have at a position, or ``FREE``. Its length
        is the longest that a translation can have. The ``forbidden`` tokens are in none. With
        ``starts_word`` no word follows itself too often, as ``repetition`` has it.
        """
        self.device = forced.device
        self.forced = forced
        self.is_forced = (forced != FREE).any(dim=0).tolist()  # by position, for any row
        self.forbidden = forbidden
        self.forbidden_first = torch.cat([forbidden, forbidden.new_tensor([EOS])])
        self._starts_word = starts_word
        self._tokens = list[list[int]]([[]] * len(forced))  # so far, where words are looked at
        self._rows, self._position = rows, 0  # of the token to come
        self._log_probs = self._allowed(rows.log_probs())

    @property
    def max_length(self) -> int:
        """The most tokens that any translation may have, its end counted."""
        return self.forced.shape[1]

    def log_probs(self) -> Float[Tensor, "R V"]:
        """The log-probabilities of each row's next token, valid until the next ``advance``."""
        return self._log_probs

    @torch.no_grad()
    def advance(
        self, parents: Int[Tensor, "R"] | None, actions: Int[Tensor, "R"]
    ) -> Bool[Tensor, "R"]:
        """Reads one more token of each row; EOS is the end. Fewer parents drop the other rows."""
        if parents is not None:
            self.forced = self.forced[parents]
        if self._starts_word is not None:
            places = range(len(actions)) if parents is None else parents.tolist()
            self._tokens = [
                [*self._tokens[place], token]
                for place, token in zip(places, actions.tolist(), strict=True)
            ]
        self._position += 1
        if self._position < self.max_length:  # nobody reads what follows the longest translation
            self._rows.advance(actions, parents)
            self._log_probs = self._allowed(self._rows.log_probs())
        return actions == EOS

    @torch.no_grad()
    def _allowed(self, log_probs: Float[Tensor, "R V"]) -> Float[Tensor, "R V"]:
        position = self._position
        forbidden = self.forbidden if position else self.forbidden_first
        if not self.is_forced[position]:
            # A few columns, and not a mask over all: that would take as long as the softmax.
            return self._unrepeated(log_probs.index_fill_(1, forbidden, -torch.inf))
        wanted = self.forced[:, position, None]
        tokens = torch.arange(log_probs.shape[1], device=self.device)
        is_forbidden = torch.isin(tokens, forbidden)
        is_forbidden = torch.where(wanted == FREE, is_forbidden, tokens != wanted)
        return log_probs.masked_fill_(is_forbidden, -torch.inf)

    def _unrepeated(self, log_probs: Float[Tensor, "R V"]) -> Float[Tensor, "R V"]:
        if self._starts_word is not None:
            for row, tokens in enumerate(self._tokens):
                token = token_too_many(tokens, self._starts_word)
                if token is not None:
                    log_probs[row, token] = -torch.inf
        return log_probs


def forbidden_tokens(model: Translator) -> Int64[Tensor, "tokens"]:
    """The tokens that no translation may contain, on the model's device."""
    vocabulary_size = model.embedding.num_embeddings
    end = vocabulary_size if model.tokenizer is None else model.tokenizer.vocabulary_size
    tokens = [PAD, BOS, UNK, *range(end, vocabulary_size)]
    return torch.tensor(tokens, device=model.embedding.weight.device)
