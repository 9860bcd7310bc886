"""Lines of any number, translated in blocks as they are read."""

import itertools
from collections.abc import Iterator
from typing import Any

from tokoban.systems.translation.model import EXTRA_LENGTH, Translator
from tokoban.systems.translation.pairs import tidy
from tokoban.systems.translation.texts import (
    Translation,
    num_tokens,
    tokenizer_of,
    translate_texts,
)


def translate_lines(
    model: Translator,
    lines: Iterator[str],
    *,
    block_size: int,
    forced_prefix: str = "",
    **options: Any,
) -> Iterator[tuple[str, list[Translation]]]:
    """Each line with its translations; ``block_size`` lines are read at a time.

    Raises ``ValueError`` at a line that cannot be read or is too long, after the translations of
    the lines before it. ``options`` are those of ``translate_texts``.
    """
    prefix_length = len(tokenizer_of(model).encode(tidy(forced_prefix)))
    for first in itertools.count(1, block_size):
        block, error = _read(lines, block_size)
        for place, length in enumerate(num_tokens(model, block)):
            complaint = _complaint(length, model.max_positions - 1, prefix_length)
            if complaint:
                error = ValueError(f"line {first + place} {complaint}")
                block = block[:place]
                break
        found = translate_texts(
            model, block, forced_prefix=forced_prefix, first_number=first, **options
        )
        yield from zip(block, found, strict=True)
        if error is not None:
            raise error
        if len(block) < block_size:
            return


def _complaint(length: int, longest: int, prefix_length: int) -> str:
    """Why a line of so many tokens cannot be translated; empty if it can."""
    if length > longest:
        return f"has {length} tokens; this translator reads at most {longest}"
    most = length + EXTRA_LENGTH
    if length and prefix_length >= most:
        return (
            f"has {length} tokens, so its translation has at most {most} with its end; "
            f"the prefix has {prefix_length}"
        )
    return ""


def _read(lines: Iterator[str], num_lines: int) -> tuple[list[str], ValueError | None]:
    """The next lines, and the error of the line after them if it cannot be read."""
    block: list[str] = []
    try:
        block.extend(itertools.islice(lines, num_lines))
    except ValueError as error:
        return block, error
    return block, None
