"""Word alignment of a translation by its decoder's cross-attention.

The mean over heads of the last layer but one comes close to human alignments (Garg et al. 2019,
arXiv:1909.02074), although attention does not prove what was used.

Axes: L layers, N heads, T target positions, S source positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.texts import Translation
from tokoban.text.bpe import BOS, EOS, Tokenizer
from tokoban.text.saved import tokenizer_of
from tokoban.transformer import evaluating, record_attention


@dataclass(frozen=True)
class Alignment:
    """The words of both sides, and the weight of each source word for every target word.

    The weights of a target word sum to 1 minus the weight of the source's end. The target's end is
    left out.
    """

    source_words: list[str]
    target_words: list[str]
    weights: list[list[float]]  # by target word, then by source word

    def links(self) -> list[tuple[int, int]]:
        """(source, target) for each target word, with its greatest weight; indices from 0."""
        return [
            (max(range(len(row)), key=row.__getitem__), number)
            for number, row in enumerate(self.weights)
            if row
        ]

    def to_dict(self) -> dict[str, Any]:
        """The alignment as ``tokoban translate`` writes it in JSON."""
        return {
            "source_words": self.source_words,
            "target_words": self.target_words,
            "attention_weights": [[round(weight, 4) for weight in row] for row in self.weights],
            "links": [list(link) for link in self.links()],
        }


class AllAttention(NamedTuple):
    """The weights of every kind of attention, by the positions of the tokens that it reads."""

    encoder: Float[Tensor, "L N S S"]
    decoder: Float[Tensor, "L N T T"]
    cross: Float[Tensor, "L N T S"]


@torch.no_grad()
def all_attention(model: Translator, source: Sequence[int], target: Sequence[int]) -> AllAttention:
    """All attention weights of reading ``source``, with its end, and writing ``target``.

    Each target position writes a token and reads the one before it; the first one reads the start
    token, the last one writes the end. Both are given without special tokens.
    """
    device = model.embedding.weight.device
    with evaluating(model), record_attention(model) as record:
        model(
            torch.tensor([[*source, EOS]], device=device),
            torch.tensor([[BOS, *target]], device=device),
        )
    kinds = "encoder.*.attention", "decoder.*.attention", "decoder.*.cross_attention"
    return AllAttention(*(record.stacked(f"transformer.{kind}")[:, 0] for kind in kinds))


def align(model: Translator, source: Sequence[int], target: Sequence[int]) -> Alignment:
    """The alignment of a sentence and its translation, given as tokens without special ones.

    Weights are averaged over a target word's tokens and summed over a source word's.
    ``ValueError`` if the model has no tokenizer.
    """
    tokenizer = tokenizer_of(model)
    of_tokens = _token_alignment(all_attention(model, source, target).cross).tolist()
    sources, targets = (words(tokenizer, tokens) for tokens in (source, target))
    of_words = [
        [
            sum(of_tokens[row][column] for row in rows for column in columns) / len(rows)
            for _, columns in sources
        ]
        for _, rows in targets
    ]
    return Alignment([word for word, _ in sources], [word for word, _ in targets], of_words)


def align_sentences(model: Translator, best: Translation) -> Alignment:
    """The alignment of a translation, of each sentence by itself, as it was translated.

    ``ValueError`` if the model has no tokenizer.
    """
    parts = [align(model, each.source_tokens, each.tokens) for each in best.sentences or (best,)]
    source_words = [word for part in parts for word in part.source_words]
    weights: list[list[float]] = []
    first = 0  # of the source words of a part
    for part in parts:
        behind = first + len(part.source_words)
        rest = [0.0] * (len(source_words) - behind)
        weights += [[0.0] * first + row + rest for row in part.weights]
        first = behind
    return Alignment(source_words, [word for part in parts for word in part.target_words], weights)


def aligning_head(cross: Float[Tensor, "L N T S"]) -> tuple[int, int]:
    """The layer and head, from 0, that agrees best with the alignment.

    It gives most, in the mean over target tokens, to the source token that each is aligned with.
    """
    _, num_heads, _, _ = cross.shape
    linked = _token_alignment(cross).argmax(-1)[None, None, :, None]
    given = cross.take_along_dim(linked, dim=-1).mean((-2, -1))
    layer, head = divmod(int(given.argmax()), num_heads)
    return layer, head


def _token_alignment(cross: Float[Tensor, "L N T S"]) -> Float[Tensor, "T S"]:
    return cross[max(0, len(cross) - 2)].mean(dim=0)


def words(tokenizer: Tokenizer, tokens: Sequence[int]) -> list[tuple[str, list[int]]]:
    """Each word and the indices of its tokens; a punctuation mark is a word of its own."""
    found: list[tuple[bytes, list[int]]] = []
    for place, token in enumerate(tokens):
        piece = tokenizer.bytes_of(token)
        before = found[-1][0] if found else b""
        # A token may be no more than the space before a word.
        is_begun = before.isspace() or (bool(found) and _goes_on(before, piece))
        if is_begun and not piece[:1].isspace():
            found[-1] = before + piece, [*found[-1][1], place]
        else:
            found.append((piece, [place]))
    return [(word.decode(errors="replace").strip(), places) for word, places in found]


def _goes_on(before: bytes, piece: bytes) -> bool:
    """Whether ``piece`` continues a word: letters and digits do so, and so do punctuation marks."""
    return _is_of_letters(before[-1:]) == _is_of_letters(piece[:1])


def _is_of_letters(byte: bytes) -> bool:
    # Bytes beyond ASCII are almost always parts of letters.
    return byte.isalnum() or byte > b"\x7f"
