"""Byte-pair encoding of any text (Sennrich et al. 2016, arXiv:1508.07909), on bytes as in GPT-2.

Text is normalised (NFKC) and encoded as bytes, so no token is unknown. The package tokenizers does
the work; JSON has its format, so its own ``Tokenizer`` reads it too.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

SPECIALS = ("[PAD]", "[BOS]", "[EOS]", "[UNK]")
PAD, BOS, EOS, UNK = range(len(SPECIALS))
SMALLEST_VOCABULARY = len(SPECIALS) + 256


class Tokenizer:
    """Texts as token numbers, without special tokens; ``decode(encode(x))`` is NFKC of x."""

    def __init__(self, encoder: tokenizers.Tokenizer) -> None:
        """``encoder`` as made by ``train_bpe`` or ``from_json``."""
        self._encoder = encoder
        names = tuple(encoder.id_to_token(number) for number in range(len(SPECIALS)))
        if names != SPECIALS:
            raise ValueError(f"the first tokens of the tokenizer are {names}; expected {SPECIALS}")

    @property
    def vocabulary_size(self) -> int:
        """The number of tokens, special ones included."""
        return self._encoder.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        """The tokens of ``text``, without special tokens.

        The name of a special token within a text is ordinary text.
        """
        return self.encode_many([text])[0]

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, on all processors."""
        try:
            return [found.ids for found in self._encoder.encode_batch_fast(list(texts))]
        except TypeError:  # raised by tokenizers for half of a surrogate pair
            raise ValueError("a text with half of a surrogate pair is not Unicode") from None

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of ``tokens``; special tokens are skipped, invalid UTF-8 becomes U+FFFD."""
        return self._encoder.decode([token for token in tokens if token >= len(SPECIALS)])

    def bytes_of(self, token: int) -> bytes:
        """The bytes of ``token``, with a leading space if it has one; none for a special token."""
        name = self._encoder.id_to_token(token)
        if name is None:
            raise ValueError(f"no token {token} in a vocabulary of {self.vocabulary_size}")
        return bytes(_BYTES[char] for char in name) if token >= len(SPECIALS) else b""

    def to_json(self) -> str:
        """The tokenizer as one line of JSON, in the format of the package tokenizers."""
        return self._encoder.to_str()

    @classmethod
    def from_json(cls, text: str) -> "Tokenizer":
        """The inverse of ``to_json``; ``ValueError`` for anything that ``train_bpe`` cannot make.

        Only the tokens and merges of a file are used, after validation. Everything else must equal
        what ``train_bpe`` writes: the package's format also has padding of any length, replacements
        and regular expressions that can exhaust time and memory.
        """
        try:
            return cls(_encoder_of(json.loads(text)))
        except RecursionError:
            raise ValueError("not a tokenizer (nested too deeply)") from None
        except Exception as error:  # tokenizers has no narrower class
            raise ValueError(f"not a tokenizer ({error})") from None


def train_bpe(
    lines: Iterable[str], *, vocabulary_size: int, has_space_before: bool = False
) -> Tokenizer:
    """Learns a vocabulary of at most ``vocabulary_size`` tokens from ``lines``.

    ``has_space_before`` puts a space before a text's first word, so that a word is the same token
    everywhere; ``decode`` removes it. The same lines give the same vocabulary.
    """
    if vocabulary_size < SMALLEST_VOCABULARY:
        raise ValueError(
            f"vocabulary_size must be at least {SMALLEST_VOCABULARY}, all bytes and the specials, "
            f"got {vocabulary_size}"
        )
    encoder = _empty_encoder(has_space_before=has_space_before)
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary_size,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    encoder.train_from_iterator(lines, trainer=trainer)
    # The trainer would recognise special tokens in texts. As ordinary names they never match:
    # ByteLevel splits brackets from letters before merging.
    state = json.loads(encoder.to_str())
    state["added_tokens"] = []
    return Tokenizer.from_json(json.dumps(state))


def _empty_encoder(*, has_space_before: bool) -> tokenizers.Tokenizer:
    """An encoder without tokens, with the normaliser, splitting and decoder of all of ours."""
    encoder = tokenizers.Tokenizer(models.BPE())
    normal: list[Any] = [normalizers.NFKC()]
    plain: list[Any] = [decoders.ByteLevel()]
    if has_space_before:
        # Not ByteLevel's add_prefix_space: it adds none if there is one, so decoding is ambiguous.
        normal.append(normalizers.Prepend(" "))
        plain.append(decoders.Strip(" ", 1, 0))
    encoder.normalizer = normalizers.Sequence(normal)
    encoder.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    encoder.decoder = decoders.Sequence(plain)
    return encoder


def _encoder_of(described: Any) -> tokenizers.Tokenizer:
    """The encoder described by untrusted JSON; ``ValueError`` if it is invalid."""
    if not isinstance(described, dict) or not isinstance(described.get("model"), dict):
        raise ValueError("expected an object with a model")
    model = dict(described["model"])
    vocabulary, merges = model.pop("vocab", None), model.pop("merges", None)
    for has_space_before in (False, True):
        known = json.loads(_empty_encoder(has_space_before=has_space_before).to_str())
        known_model = known["model"]
        # Fields that a version of the package omits have their defaults.
        if all(known_model.get(name) == value for name, value in model.items()) and all(
            known.get(name) == value for name, value in described.items() if name != "model"
        ):
            break
    else:
        raise ValueError("its normaliser, splitting or decoder differs from that of tokoban")
    if not isinstance(vocabulary, dict) or set(vocabulary.values()) != set(range(len(vocabulary))):
        raise ValueError(f"expected tokens numbered from 0 to {len(vocabulary or ()) - 1}")
    if any(not _BYTES.keys() >= set(name) for name in vocabulary if name not in SPECIALS):
        raise ValueError("a token that stands for no bytes")
    known["model"] |= {"vocab": vocabulary, "merges": merges}
    return tokenizers.Tokenizer.from_str(json.dumps(known))


def _byte_alphabet() -> dict[str, int]:
    """ByteLevel's alphabet: printable bytes of Latin-1 as themselves, the others from U+0100 on."""
    printable = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("ÿ") + 1)} - {0xAD}
    others = [byte for byte in range(256) if byte not in printable]
    letters = {chr(byte): byte for byte in printable}
    return letters | {chr(256 + number): byte for number, byte in enumerate(others)}


_BYTES = _byte_alphabet()
