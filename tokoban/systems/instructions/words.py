"""The words of sentences and answers as tokens."""

import json
from collections.abc import Iterable, Sequence

from tokoban.sokoban.board import Direction
from tokoban.sokoban.instructions.grammar import words_of
from tokoban.sokoban.instructions.phrases import fillers, languages

PADDING, BEGIN, END, UNKNOWN = range(4)  # BEGIN stands before an answer, END behind it
_SPECIAL = ("<padding>", "<begin>", "<end>", "<unknown>")
_MOST_NUMBER = 99  # in an answer


class Words:
    """Words as numbers and back."""

    def __init__(self, words: Sequence[str]) -> None:
        """``words`` in the order of their tokens, each once."""
        if len({*words}) != len(words) or tuple(words[: len(_SPECIAL)]) != _SPECIAL:
            raise ValueError("not a vocabulary of words")
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(words)}

    @property
    def vocabulary_size(self) -> int:
        """The number of words."""
        return len(self.words)

    def extended(self, words: Sequence[str], *, most: int) -> "Words":
        """The vocabulary with ``words`` added at its end, up to ``most`` words in all."""
        return Words([*dict.fromkeys([*self.words, *words])][: max(most, len(self.words))])

    def encode(self, text: str) -> list[int]:
        """The token of each word; filler words have none."""
        return self._tokens(word for word in words_of(text) if word not in fillers())

    def mirrored(self, directions: Sequence[int]) -> list[int]:
        """By token, its image in an instruction if direction d becomes ``directions[d]``."""
        other: dict[str, str] = {}
        for phrases in languages().values():
            other |= phrases.left_right if directions[Direction.LEFT] != Direction.LEFT else {}
            other |= phrases.up_down if directions[Direction.UP] != Direction.UP else {}
        return self._tokens(other.get(word, word) for word in self.words)

    def decode(self, tokens: Sequence[int]) -> str:
        """The words of tokens; a network has room for more than there are."""
        known = (token if token < len(self.words) else UNKNOWN for token in tokens)
        return " ".join(self.words[token] for token in known)

    def _tokens(self, words: Iterable[str]) -> list[int]:
        return [self._numbers.get(word, UNKNOWN) for word in words]

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps({"words": self.words})

    @classmethod
    def from_json(cls, text: str) -> "Words":
        """The inverse of ``to_json``; ``ValueError`` for anything else."""
        try:
            words = json.loads(text)["words"]
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                raise TypeError
        except (KeyError, TypeError, RecursionError):
            raise ValueError("not a vocabulary of words") from None
        return cls(words)


def grammar_words() -> Words:
    """All words of the grammar, in sentences and answers, and the numbers in answers."""
    found = {*map(str, range(_MOST_NUMBER + 1))}
    found.update(*(phrases.words() for phrases in languages().values()))
    return Words([*_SPECIAL, *sorted(found)])
