"""Lines of any number, translated in blocks as they are read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tokoban.systems.translation.model import EXTRA_LENGTH, Translator
from tokoban.systems.translation.pairs import tidy
from tokoban.systems.translation.texts import Translation, num_tokens, tokenizer_of, translate_texts
from tokoban.systems.translation.translate import complaint


def translate_lines(
    model: Translator,
    blocks: Iterable[Sequence[str]],
    *,
    on_too_long: Callable[[str], None],
    forced_prefix: str = "",
    **options: Any,
) -> Iterator[tuple[str, list[Translation]]]:
    """Each line of each block with its translations.

    A line with a sentence that is too long or takes too much memory has none, and ``on_too_long``
    is called with a sentence about it. ``options`` are those of ``translate_texts``.
    """
    prefix_length = len(tokenizer_of(model).encode(tidy(forced_prefix)))
    first = 1
    for block in blocks:
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
        first += len(block)
