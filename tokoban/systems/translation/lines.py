"""Lines of any number, translated in blocks as they are read."""

import itertools
from collections.abc import Iterator
from typing import Any

from tokoban.systems.translation.model import EXTRA_LENGTH, Translator
from tokoban.systems.translation.pairs import tidy
from tokoban.systems.translation.texts import Translation, num_tokens, tokenizer_of, translate_texts
from tokoban.systems.translation.translate import complaint

_MOST_CHARACTERS = 2**22  # read at a time, and then some of the last line


def translate_lines(
    model: Translator,
    lines: Iterator[str],
    *,
    block_size: int,
    forced_prefix: str = "",
    **options: Any,
) -> Iterator[tuple[str, list[Translation]]]:
    """Each line with its translations; at most ``block_size`` lines are read at a time.

    Raises ``ValueError`` at a line that cannot be read, is too long or takes too much memory, after
    the translations of the lines before it. ``options`` are those of ``translate_texts``.
    """
    prefix_length = len(tokenizer_of(model).encode(tidy(forced_prefix)))
    first = 1
    while True:
        block, error = _read(lines, block_size)
        if not block and error is None:
            return
        for place, length in enumerate(num_tokens(model, block)):
            limit, width = length + EXTRA_LENGTH, options["beam"]
            if why := complaint(model, length, limit, prefix_length=prefix_length, width=width):
                error = ValueError(f"line {first + place} {why}")
                block = block[:place]
                break
        found = translate_texts(model, block, forced_prefix=forced_prefix, **options)
        yield from zip(block, found, strict=True)
        if error is not None:
            raise error
        first += len(block)


def _read(lines: Iterator[str], num_lines: int) -> tuple[list[str], ValueError | None]:
    """The next lines, and the error of the line after them if it cannot be read."""
    block, num_left = list[str](), _MOST_CHARACTERS
    try:
        for line in itertools.islice(lines, num_lines):
            block.append(line)
            num_left -= len(line)
            if num_left <= 0:
                break
    except ValueError as error:
        return block, error
    return block, None
