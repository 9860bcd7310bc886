"""Lines of any number, translated in blocks as they are read."""

import itertools
from collections.abc import Callable, Iterator
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
    on_too_long: Callable[[str], None],
    forced_prefix: str = "",
    **options: Any,
) -> Iterator[tuple[str, list[Translation]]]:
    """Each line with its translations; at most ``block_size`` lines are read at a time.

    A line with a sentence that is too long or takes too much memory has none, and ``on_too_long``
    is called with a sentence about it. Raises ``ValueError`` at a line that cannot be read, after
    the translations of the lines before it. ``options`` are those of ``translate_texts``.
    """
    prefix_length = len(tokenizer_of(model).encode(tidy(forced_prefix)))
    first = 1
    while True:
        block, error = _read(lines, block_size)
        if not block and error is None:
            return
        complaints = [
            complaint(
                model,
                length,
                length + EXTRA_LENGTH,
                prefix_length=prefix_length,
                width=options["beam"],
            )
            for length in num_tokens(model, block, is_divided=not forced_prefix)
        ]
        texts = [line for line, why in zip(block, complaints, strict=True) if not why]
        found = iter(translate_texts(model, texts, forced_prefix=forced_prefix, **options))
        for number, (line, why) in enumerate(zip(block, complaints, strict=True), first):
            if why:
                on_too_long(f"line {number} {why}")
            yield line, [] if why else next(found)
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
