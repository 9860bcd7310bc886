"""What decoding knows of translations under way: which tokens may come next, and how likely.

Axes: M sources, S their positions, T target positions, V vocabulary; a row R is one translation
under way, source * K + beam of the K of each.
"""

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from tokoban.systems.translation.model import Memory, Rows, Translator
from tokoban.text.bpe import BOS, EOS, PAD, UNK

FREE = -1  # where no token is forced


class TranslationStepper:
    """Grows one translation per row; the encoder reads each source once, at the start.

    ``log_probs`` are the model's own, not renormalised where a token is forbidden: the padding, the
    beginning, what is in no vocabulary, and the end as the first token, since no sentence means
    nothing. A score is then what teacher forcing gives.
    """

    def __init__(
        self,
        model: Translator,
        source: Int64[Tensor, "M S"],
        *,
        width: int,
        forced: Int64[Tensor, "M T"],
    ) -> None:
        """``source`` ends with EOS, padded on the right; each has ``width`` rows.

        ``forced`` says which token a translation must have at a position, or ``FREE``. Its length
        is the longest that a translation can have.
        """
        self.device = source.device
        self.forced = forced.repeat_interleave(width, dim=0)
        self.is_forced = (forced != FREE).any(dim=0).tolist()  # by position, for any row
        self.forbidden = forbidden_tokens(model).to(self.device)
        self.forbidden_first = torch.cat([self.forbidden, self.forbidden.new_tensor([EOS])])
        self._num_read = 0  # tokens of each row
        with torch.no_grad():
            self._rows = _begin(model, source, width=width, max_length=forced.shape[1])
            start = torch.full((len(source) * width,), BOS, device=self.device)
            self._log_probs = self._read(start)

    @property
    def max_length(self) -> int:
        """The most tokens that any translation may have, its end counted."""
        return self.forced.shape[1]

    def log_probs(self) -> Float[Tensor, "R V"]:
        """What the model says of each row's next token. They hold until the next ``advance``."""
        return self._log_probs

    @torch.no_grad()
    def advance(
        self, parents: Int[Tensor, "R"] | None, actions: Int[Tensor, "R"]
    ) -> Bool[Tensor, "R"]:
        """Reads one more token of each row; EOS is the end. Fewer parents drop the other rows."""
        if parents is not None:
            self._rows.take(parents)
            self.forced = self.forced[parents]
        self._log_probs = self._read(actions)
        return actions == EOS

    def _read(self, tokens: Int64[Tensor, "R"]) -> Float[Tensor, "R V"]:
        position, self._num_read = self._num_read, self._num_read + 1  # of the token to come
        if position == self.max_length:
            return self._log_probs  # nobody reads what would come after the longest translation
        forbidden = self.forbidden if position else self.forbidden_first
        logits = self._rows.read(tokens)
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        # Nobody needs the logits: where memory is slow, that saves writing to new.
        out = logits if logits.device.type == "cpu" else None
        log_probs = torch.log_softmax(logits, dim=-1, out=out)
        if not self.is_forced[position]:
            # A few columns, and not a mask over all: that would take as long as the softmax.
            return log_probs.index_fill_(1, forbidden, -torch.inf)
        wanted = self.forced[:, position, None]
        tokens = torch.arange(log_probs.shape[1], device=self.device)
        is_forbidden = torch.isin(tokens, forbidden)
        is_forbidden = torch.where(wanted == FREE, is_forbidden, tokens != wanted)
        return log_probs.masked_fill_(is_forbidden, -torch.inf)


class CachedRows:
    """The ``Rows`` of a translator as it is, with a cache; storage, which changes."""

    def __init__(
        self, model: Translator, source: Int64[Tensor, "M S"], *, width: int, max_length: int
    ) -> None:
        self.model, self.width = model, width
        self.memory = model.encode(source)
        self.cache = model.new_cache(len(source) * width, max_length)

    def take(self, parents: Int[Tensor, "R"]) -> None:
        """All that the cache holds moves."""
        self.cache.reorder(parents)
        vectors, may_attend = self.memory
        if len(parents) < len(vectors) * self.width:
            sources = parents[:: self.width] // self.width
            self.memory = Memory(vectors[sources], may_attend[sources])

    def read(self, tokens: Int64[Tensor, "R"]) -> Float[Tensor, "R V"]:
        """The translator's own logits."""
        return self.model.decode(tokens[:, None], self.memory, cache=self.cache)


def _begin(model: Translator, source: Int64[Tensor, "M S"], *, width: int, max_length: int) -> Rows:
    """The rows that are quicker to come by."""
    if model.compiled is not None and model.compiled.is_quicker():
        return model.compiled.begin(source, width=width, max_length=max_length)
    return CachedRows(model, source, width=width, max_length=max_length)


def forbidden_tokens(model: Translator) -> Int64[Tensor, "tokens"]:
    """The tokens that no translation may contain."""
    vocabulary_size = model.embedding.num_embeddings
    end = vocabulary_size if model.tokenizer is None else model.tokenizer.vocabulary_size
    return torch.tensor([PAD, BOS, UNK, *range(end, vocabulary_size)])
