"""Character-level tokenizer: one token for each distinct character of a text."""

import json
from collections.abc import Iterable, Sequence


class CharacterTokenizer:
    """Texts as token numbers and back; ``decode(encode(x))`` is x."""

    def __init__(self, characters: str) -> None:
        """``characters`` in the order of their tokens, each once."""
        if len(set(characters)) != len(characters):
            raise ValueError("a character stands in this vocabulary twice")
        self.characters = characters
        self._numbers = {character: number for number, character in enumerate(characters)}

    @classmethod
    def of(cls, text: str) -> "CharacterTokenizer":
        """The tokenizer of all characters of ``text``, in Unicode order."""
        return cls("".join(sorted(set(text))))

    @property
    def vocabulary_size(self) -> int:
        """The number of characters."""
        return len(self.characters)

    def encode(self, text: str) -> list[int]:
        """The token of each character; ``ValueError`` naming the first unknown one."""
        try:
            return [self._numbers[character] for character in text]
        except KeyError as error:
            character = error.args[0]
            raise ValueError(
                f"the character {character!r} (U+{ord(character):04X}) is not among the "
                f"{self.vocabulary_size} of this vocabulary"
            ) from None

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text."""
        return [self.encode(text) for text in texts]

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of ``tokens``."""
        return "".join(self.characters[token] for token in tokens)

    def bytes_of(self, token: int) -> bytes:
        """The character as UTF-8."""
        return self.characters[token].encode()

    def to_json(self) -> str:
        """The tokenizer as one line of JSON."""
        return json.dumps({"characters": self.characters})

    @classmethod
    def from_json(cls, text: str) -> "CharacterTokenizer":
        """The inverse of ``to_json``; ``ValueError`` for anything else."""
        try:
            characters = json.loads(text)["characters"]
            characters.encode()  # half of a surrogate pair is no character
        except (KeyError, TypeError, AttributeError, RecursionError, UnicodeEncodeError):
            raise ValueError("not a vocabulary of characters") from None
        return cls(characters)
