"""From the files that a config names to the tokens that a model is trained on, and measured by."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Int64
from torch import Tensor

from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.tokens import Tokenizer, learn_tokenizer


class Corpus(NamedTuple):
    """A text in two parts, as tokens: the end is for validation alone."""

    tokenizer: Tokenizer
    train: Int64[Tensor, "train"]
    validation: Int64[Tensor, "validation"]


def read_files(paths: Sequence[str]) -> str:
    """The texts of files, plain or .gz, in UTF-8, one behind the other."""
    return "".join(_read(Path(path)) for path in paths)


def _read(path: Path) -> str:
    content = path.read_bytes()
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError) as error:
            raise ValueError(f"{path}: not a gzip file ({error})") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text in UTF-8") from None
    return text.replace("\r\n", "\n")


def split(text: str, *, validation_share: float) -> tuple[str, str]:
    """The beginning, and the end that is held out."""
    num_train = int(len(text) * (1 - validation_share))
    return text[:num_train], text[num_train:]


def load_corpus(config: GptConfig) -> Corpus:
    """The text that ``config`` names, as tokens; ``ValueError`` where it is too short."""
    text = read_files(config.text)
    train, validation = split(text, validation_share=config.validation_share)
    tokenizer = learn_tokenizer(
        text, tokens=config.tokens, vocabulary_size=config.vocabulary_size
    )
    parts = [torch.tensor(tokenizer.encode(part)) for part in (train, validation)]
    return Corpus(tokenizer, *parts)
