"""Words that follow themselves again and again: a small translator may come to a loop.

Checked after the search, which is nearly always enough; only what repeats is searched anew, with
the repetition blocked.
"""

from collections.abc import Callable, Sequence

_MOST_TIMES = 3  # that words may stand one behind the other
_LONGEST = 8  # tokens of what is repeated


def token_too_many(tokens: Sequence[int], starts_word: Callable[[int], bool]) -> int | None:
    """The next token by which words would have followed themselves ``_MOST_TIMES`` times.

    Only words count, which begin with a token that ``starts_word``: not dots, and not zeros.
    """
    for length in range(1, min(_LONGEST, (len(tokens) + 1) // (_MOST_TIMES + 1)) + 1):
        tail = tokens[1 - (_MOST_TIMES + 1) * length :]
        if tail[length:] == tail[:-length] and any(map(starts_word, tail[-length:])):
            return tail[-length]
    return None


def repeats(tokens: Sequence[int], starts_word: Callable[[int], bool]) -> bool:
    """Whether a token is there that ``token_too_many`` names after those before it."""
    if len(tokens) - len(set(tokens)) < _MOST_TIMES:  # quick: no token is there often enough
        return False
    return any(
        token_too_many(tokens[:place], starts_word) == token for place, token in enumerate(tokens)
    )
