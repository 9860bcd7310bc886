"""The two kinds of tokenizer as one: which one a text was read by is kept with the weights."""

import json

from tokoban.systems.gpt.config import Tokens
from tokoban.text.bpe import SPECIALS, train_bpe
from tokoban.text.bpe import Tokenizer as BpeTokenizer
from tokoban.text.characters import CharacterTokenizer

Tokenizer = BpeTokenizer | CharacterTokenizer


def learn_tokenizer(text: str, *, tokens: Tokens, vocabulary_size: int) -> Tokenizer:
    """The tokenizer of ``text``; ``ValueError`` where there is too little room for its tokens."""
    if tokens == "bpe":
        return train_bpe([text], vocabulary_size=vocabulary_size)
    tokenizer = CharacterTokenizer.of(text)
    if tokenizer.vocabulary_size > vocabulary_size:
        raise ValueError(
            f"the text has {tokenizer.vocabulary_size} different characters; expected at most "
            f"--vocabulary-size, which is {vocabulary_size}: give a larger one"
        )
    return tokenizer


def tokenizer_from_json(text: str) -> Tokenizer:
    """Reads the ``to_json`` of either kind of tokenizer; ``ValueError`` for anything else."""
    try:
        described = json.loads(text)
    except RecursionError:
        raise ValueError("not a tokenizer (nested too deeply)") from None
    if isinstance(described, dict) and "characters" in described:
        return CharacterTokenizer.from_json(text)
    return BpeTokenizer.from_json(text)


def num_specials(tokenizer: Tokenizer) -> int:
    """The number of special tokens, the first ones, which stand for no text."""
    return len(SPECIALS) if isinstance(tokenizer, BpeTokenizer) else 0
