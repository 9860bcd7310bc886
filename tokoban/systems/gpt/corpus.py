"""From the text that a config names to the tokens that a model is trained on, and measured by."""

import hashlib
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Int64
from torch import Tensor

from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.python_docs import python_docs
from tokoban.systems.gpt.tokens import Tokenizer, learn_tokenizer
from tokoban.training.read_files import read_unpacked


class Corpus(NamedTuple):
    """A text in two parts, as tokens: the end is for validation alone."""

    tokenizer: Tokenizer
    train: Int64[Tensor, "train"]
    validation: Int64[Tensor, "validation"]


def read_files(paths: Sequence[str], *, separator: str = "") -> str:
    """Reads UTF-8 files, plain or .gz, and joins their texts, with Unix line ends."""
    return separator.join(_read(Path(path)) for path in paths)


def _read(path: Path) -> str:
    try:
        text = read_unpacked(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text in UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def text_of(config: GptConfig) -> str:
    """The text that ``config`` names; ``ValueError`` where it names none, or an empty one."""
    if config.source == "python_docs":
        return python_docs()
    if not config.text:
        raise ValueError("there is no text to learn from: --text FILE names one")
    text = read_files(config.text, separator="\n" if config.shuffles_lines else "")
    if not text:
        raise ValueError(f"{', '.join(config.text)}: an empty text")
    return text


def split(text: str, *, validation_share: float) -> tuple[str, str]:
    """The beginning, and the end that is held out."""
    num_train = int(len(text) * (1 - validation_share))
    return text[:num_train], text[num_train:]


def split_lines(text: str, *, validation_share: float, seed: int) -> tuple[str, str]:
    """Each different line once, shuffled by ``seed``: those to train on, and those held out.

    Lines that differ in case, punctuation or digits alone are on the same side, by a hash of what
    remains of them.
    """
    sides: tuple[list[str], list[str]] = ([], [])
    for line in sorted(set(text.split("\n")) - {""}, key=lambda line: _hashed(seed, line)):
        sides[_hashed(seed, _sentence_key(line)) < validation_share * 2**64].append(f"{line}\n")
    return "".join(sides[0]), "".join(sides[1])


def _sentence_key(line: str) -> str:
    """The words of a line, in small letters."""
    folded = unicodedata.normalize("NFKC", line).casefold()
    letters = "".join(each for each in folded if each.isalpha() or each.isspace())
    return " ".join(letters.split())


def _hashed(seed: int, text: str) -> int:
    """64 bits, the same on every machine."""
    digest = hashlib.blake2b(f"{seed} {text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def parts_of(config: GptConfig, *, validation_share: float) -> tuple[str, str]:
    """The text of ``config``: the part that is trained on, and a share that is held out."""
    text = text_of(config)
    if config.shuffles_lines:
        return split_lines(text, validation_share=validation_share, seed=config.data_seed)
    return split(text, validation_share=validation_share)


def load_corpus(config: GptConfig, tokenizer: Tokenizer | None = None) -> Corpus:
    """The text of ``config`` as tokens; ``ValueError`` where it is shorter than a window.

    Without a ``tokenizer`` one is learned: byte pairs from the part that is trained on, or the
    characters of all.
    """
    train, validation = parts_of(config, validation_share=config.validation_share)
    if tokenizer is None:
        tokenizer = learn_tokenizer(
            train if config.tokens == "bpe" else train + validation,
            tokens=config.tokens,
            vocabulary_size=config.vocabulary_size,
        )
    tokens = torch.tensor(tokenizer.encode(train), dtype=torch.int64)
    if len(tokens) <= config.context_length:
        raise ValueError(
            f"the text to train on has {len(tokens)} tokens; a window needs "
            f"{config.context_length + 1}, the context and the token after it"
        )
    return Corpus(tokenizer, tokens, validation_tokens(tokenizer, validation))


def validation_tokens(tokenizer: Tokenizer, text: str) -> Int64[Tensor, "validation"]:
    """A text to measure on; ``ValueError`` where nothing of it could be predicted."""
    tokens = torch.tensor(tokenizer.encode(text), dtype=torch.int64)
    if len(tokens) < 2:
        raise ValueError(f"the text to validate on has {len(tokens)} tokens; expected at least 2")
    return tokens
