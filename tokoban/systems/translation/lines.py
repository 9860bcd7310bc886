"""Lines of any number, translated in blocks as they are read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tokoban.systems.translation.model import EXTRA_LENGTH, Translator
from tokoban.systems.translation.texts import Translation, num_tokens, translate_texts
from tokoban.systems.translation.translate import complaint


def translate_lines(
    model: Translator,
    blocks: Iterable[Sequence[str]],
    *,
    on_too_long: Callable[[str], None],
    **options: Any,
) -> Iterator[tuple[str, list[Translation]]]:
    """Each line of each block with its translations.

    A line with a sentence that is too long or takes too much memory has none, and ``on_too_long``
    is called with a sentence about it. ``options`` are those of ``translate_texts``.
    """
    first = 1
    for block in blocks:
        complaints = [
            complaint(model, length, length + EXTRA_LENGTH, width=options["beam"])
            for length in num_tokens(model, block)
        ]
        texts = [line for line, why in zip(block, complaints, strict=True) if not why]
        found = iter(translate_texts(model, texts, **options))
        for number, (line, why) in enumerate(zip(block, complaints, strict=True), first):
            if why:
                on_too_long(f"line {number} {why}")
            yield line, [] if why else next(found)
        first += len(block)
