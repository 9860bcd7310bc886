"""From files to tokens: both kinds of file, both kinds of token, and each complaint."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from tokoban.systems.gpt.config import GptConfig, Tokens
from tokoban.systems.gpt.corpus import load_corpus, read_files, split, split_lines
from tokoban.text.characters import CharacterTokenizer

CONFIG = GptConfig(context_length=7, vocabulary_size=13)


def _file(tmp_path: Path, content: str | bytes, name: str = "text.txt") -> str:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def test_files_plain_and_packed_are_read_one_behind_the_other(tmp_path: Path) -> None:
    plain = _file(tmp_path, b"\xef\xbb\xbfone\r\ntwo\r")
    packed = _file(tmp_path, gzip.compress("drei é".encode()), "more.txt.gz")
    assert read_files([plain, packed]) == "one\ntwo\ndrei é"


def test_the_end_is_held_out_as_nanogpt_does() -> None:
    train, validation = split("x" * 1_003_854 + "y" * 111_540, validation_share=0.1)
    assert (set(train), set(validation)) == ({"x"}, {"y"})


def test_lines_are_shuffled_and_no_held_out_one_is_like_one_to_train_on() -> None:
    words = [f"{first} {second}" for first in "abcdefghijklm" for second in "nopqrstuvwx"]
    lines = [line for each in words for line in (each, f"{each.upper()}!", f"{each}, 17", each)]
    train, held_out = split_lines("\n".join(lines), validation_share=0.3, seed=5)
    found = [set(part.splitlines()) for part in (train, held_out)]
    assert found[0] | found[1] == set(lines)
    assert len(train.splitlines()) + len(held_out.splitlines()) == len(set(lines))  # each once
    alike = [{line.lower()[:3] for line in part} for part in found]
    assert not alike[0] & alike[1]
    assert len(alike[1]) == pytest.approx(0.3 * len(words), abs=13)  # two standard deviations
    assert train.splitlines() != [line for line in lines if line in found[0]]
    mixed = "\n".join(reversed(lines))
    assert split_lines(mixed, validation_share=0.3, seed=5) == (train, held_out)
    assert split_lines(mixed, validation_share=0.3, seed=6) != (train, held_out)


@pytest.mark.parametrize("tokens", ["characters", "bpe"])
def test_both_parts_come_back_from_their_tokens(tmp_path: Path, tokens: Tokens) -> None:
    text = "abba cadabra " * 7 + "and the end of it"
    size = 13 if tokens == "characters" else 277
    config = replace(CONFIG, text=(_file(tmp_path, text),), tokens=tokens, vocabulary_size=size)
    corpus = load_corpus(config)
    assert isinstance(corpus.tokenizer, CharacterTokenizer) == (tokens == "characters")
    parts = [corpus.tokenizer.decode(part.tolist()) for part in (corpus.train, corpus.validation)]
    assert parts == list(split(text, validation_share=0.1))
    assert int(max(corpus.train.max(), corpus.validation.max())) < size


def test_a_given_tokenizer_takes_the_place_of_one_that_is_learned(tmp_path: Path) -> None:
    given = CharacterTokenizer("zdcrba ")
    config = replace(CONFIG, text=(_file(tmp_path, "abba cadabra " * 7),))
    corpus = load_corpus(config, given)
    assert corpus.tokenizer is given
    assert given.decode(corpus.train.tolist()).startswith("abba cadabra abba")


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("", "a.txt", "a.txt: an empty text"),
        ("abc" * 2, "a.txt", "the text to train on has 5 tokens; a window needs 8"),
        ("ab" * 5, "a.txt", "the text to validate on has 1 tokens; expected at least 2"),
        ("abcdefghijklmno", "a.txt", "the text has 15 different characters; expected at most"),
        (b"\xff\xfe\x00", "a.txt", "a.txt: not a text in UTF-8"),
        (gzip.compress(b"abc" * 99, mtime=0)[:-9], "a.gz", "a.gz: a damaged gzip file"),
    ],
)
def test_a_text_that_cannot_be_learned_from_is_refused(
    content: str | bytes, name: str, message: str, tmp_path: Path
) -> None:
    config = replace(CONFIG, text=(_file(tmp_path, content, name),))
    with pytest.raises(ValueError, match=message):
        load_corpus(config)
