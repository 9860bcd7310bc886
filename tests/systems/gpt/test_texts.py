"""Texts in, texts out: streams, stop strings, batches of prompts, and what cannot be read."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.systems.gpt.models import random_gpt
from tokoban.decoding import GREEDY, Sampling
from tokoban.systems.gpt import texts as texts_module
from tokoban.systems.gpt.texts import (
    TextStream,
    encode_prompts,
    forbidden_first_tokens,
    generate_texts,
    line_log_probs_nats,
)
from tokoban.text.bpe import train_bpe
from tokoban.text.characters import CharacterTokenizer
from tokoban.text.saved import tokenizer_of

LETTERS = CharacterTokenizer("abc")
BYTES = train_bpe(["a🎉b é a🎉b"], vocabulary_size=265)


def _said(stream: TextStream, text: str) -> list[str]:
    """What is given out after each letter of ``text``, and at the end."""
    return [*(stream.push(token) for token in LETTERS.encode(text)), stream.finish()]


def test_what_may_become_a_stop_string_is_kept_back() -> None:
    assert _said(TextStream(LETTERS, ["bca"]), "abcbbcab") == [
        *("a", "", "", "bc", "b", "", "", ""),  # after abcbbca the stop string is complete
        "",
    ]
    assert _said(TextStream(LETTERS, ["bca"]), "abc") == ["a", "", "", "bc"]


@pytest.mark.parametrize(
    ("stops", "text", "expected"),
    [
        (["c"], "abcab", "ab"),
        (["abcb", "bc"], "aabcb", "aa"),  # bc is complete first
        (["bc", "abc"], "aabcb", "a"),  # both at once: the longer one
        (["cc"], "abc", "abc"),
        ([], "abc", "abc"),
        (["abc"], "abc", ""),
    ],
)
def test_a_text_ends_before_the_stop_string_that_is_complete_first(
    stops: list[str], text: str, expected: str
) -> None:
    stream = TextStream(LETTERS, stops)
    assert "".join(_said(stream, text)) == stream.text == expected
    assert stream.is_stopped == (expected != text)


@settings(max_examples=200)
@given(
    text=st.text("abc", max_size=17),
    stops=st.lists(st.text("abc", min_size=1, max_size=3), max_size=3),
)
def test_pieces_are_the_text_and_no_stop_string_is_in_it(text: str, stops: list[str]) -> None:
    stream = TextStream(LETTERS, stops)
    pieces = _said(stream, text)
    assert "".join(pieces) == stream.text
    assert text.startswith(stream.text)
    assert not any(stop in stream.text for stop in stops)
    assert stream.is_stopped == any(stop in text for stop in stops)


@settings(max_examples=100)
@given(text=st.text("a🎉bé", max_size=11))
def test_a_character_of_several_tokens_comes_whole(text: str) -> None:
    stream = TextStream(BYTES)
    pieces = [stream.push(token) for token in BYTES.encode(text)]
    assert "�" not in "".join(pieces)
    assert "".join(pieces) == stream.text == text
    assert stream.finish() == ""


def test_half_a_character_at_the_end_is_shown_as_one_that_is_broken() -> None:
    stream = TextStream(BYTES)
    for token in BYTES.encode("aé")[:-1]:
        stream.push(token)
    half = stream.text
    assert (stream.finish(), half) in (("�", "a"), ("", "a"))


def test_a_batch_of_prompts_gives_what_each_gives_alone() -> None:
    model, prompts = random_gpt(context_length=7), ["abc", "", "jihgfedcba" * 2]
    sampling = Sampling(seed=3)
    together = generate_texts(model, prompts, max_tokens=13, sampling=sampling, num_each=2)
    small = generate_texts(
        model, prompts, max_tokens=13, sampling=sampling, num_each=2, batch_size=5
    )
    for number, prompt in enumerate(prompts):
        (alone,) = generate_texts(
            model, [prompt], max_tokens=13, sampling=sampling, num_each=2, numbers=[number]
        )
        for other in together[number], small[number]:
            assert [(x.text, x.tokens) for x in other] == [(x.text, x.tokens) for x in alone]
        assert alone[0].text != alone[1].text


def test_texts_are_reported_as_they_come_about_and_end_at_a_stop_string() -> None:
    told: dict[int, str] = {0: "", 1: ""}

    def on_text(row: int, text: str) -> None:
        told[row] += text

    options: dict[str, Any] = {"max_tokens": 41, "sampling": Sampling(seed=1)}
    whole = [found.text for (found,) in generate_texts(random_gpt(), ["ab", "c"], **options)]
    stop = whole[0][7:9]
    found = generate_texts(random_gpt(), ["ab", "c"], stops=[stop], on_text=on_text, **options)
    for row, (each,) in enumerate(found):
        assert told[row] == each.text == whole[row].split(stop)[0]
        assert each.is_stopped == (stop in whole[row])
        assert random_gpt().tokenizer.decode(each.tokens).removesuffix(stop) == each.text  # type: ignore[union-attr]


def test_where_memory_is_short_fewer_texts_are_written_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options: dict[str, Any] = {"max_tokens": 5, "sampling": Sampling(seed=1), "num_each": 4}
    expected = generate_texts(random_gpt(), ["ab", "c"], **options)
    sizes, generate = list[int](), texts_module.generate

    def counting(model: Any, prompts: Any, **options: Any) -> Any:
        sizes.append(len(prompts))
        return generate(model, prompts, **options)

    monkeypatch.setattr(texts_module, "generate", counting)
    # 4 bytes x (2 x 2 x 2 layers x width 18 x 23 + 8 x 13 tokens) a row, three times
    monkeypatch.setattr(texts_module, "MOST_BYTES", 3 * 13_664)
    found = generate_texts(random_gpt(), ["ab", "c"], **options)
    assert sizes == [3, 3, 2]
    assert [[each.text for each in row] for row in found] == [
        [each.text for each in row] for row in expected
    ]


def test_an_empty_prompt_is_a_line_break_and_one_line_of_several_begins_after_one() -> None:
    model = random_gpt()
    assert encode_prompts(model, ["", "\n", "\ufeff", "ab"]) == [[0], [0], [0], [2, 3]]
    model.reads_lines = True
    assert encode_prompts(model, ["", "ab"]) == [[0], [0, 2, 3]]


@pytest.mark.parametrize("ends", [0.4, 0.6])
def test_a_line_ends_at_once_only_where_that_is_likelier_than_not(ends: float) -> None:
    model = random_gpt()
    model.tokenizer = CharacterTokenizer('\n .,?"abcde')
    share = {".": ends / 2, "?": ends / 2} | dict.fromkeys('\n ,"abcde', (1 - ends) / 9)
    log_probs = torch.full((1, 13), -torch.inf)
    log_probs[0, :11] = torch.tensor([share[each] for each in '\n .,?"abcde']).log()
    assert not forbidden_first_tokens(model, ["ab"], log_probs).any()
    model.reads_lines = True
    is_forbidden = forbidden_first_tokens(model, ["ab"], log_probs)[0].nonzero().flatten().tolist()
    # The line break is an end too: 0.4 and 0.6 / 9 are less than a half.
    assert model.tokenizer.decode(is_forbidden) == ("\n.?" if ends < 0.5 else "")
    sampling = Sampling(temperature=9.0)
    (found,) = generate_texts(model, ["ab"], max_tokens=2, num_each=60, sampling=sampling)
    assert not {"\n", ".", "?"} & {each.text[0] for each in found}
    assert {"\n", ".", "?"} <= {each.text[1] for each in found}


def test_a_space_after_a_prompt_is_that_of_the_next_word() -> None:
    model, told = random_gpt(), [""] * 7
    model.reads_lines = True

    def on_text(row: int, text: str) -> None:
        told[row] += text

    options: dict[str, Any] = {"max_tokens": 5, "num_each": 7, "sampling": Sampling(seed=2)}
    (found,) = generate_texts(model, ["ab  "], on_text=on_text, **options)
    assert [each.text for each in found] == told
    for each in found:
        assert model.tokenizer.decode(each.tokens) == f" {each.text}"  # type: ignore[union-attr]
    assert encode_prompts(model, ["ab  ", " "]) == [[0, 2, 3], [0, 1]]
    model.tokenizer = CharacterTokenizer("\nab")
    with pytest.raises(ValueError, match=r"prompt 1: the character ' ' \(U\+0020\) is not among"):
        generate_texts(model, ["ab "], max_tokens=5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prompts": ["a", "aß"]}, r"prompt 2: the character 'ß' \(U\+00DF\) is not among the 12"),
        ({"stops": ["a", ""]}, "an empty stop string would end every text before it begins"),
        ({"num_each": 0}, "num_each is 0; expected at least 1"),
        ({"batch_size": 0}, "batch_size is 0; expected at least 1"),
        (
            {"num_each": 100_000, "max_tokens": 1001},
            "100,000 texts of up to 1,001 tokens are asked for at once; expected at most 100,000,0",
        ),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generate_texts(random_gpt(), **{"prompts": ["a"], "sampling": GREEDY, **options})


def test_the_log_probability_of_a_line_is_that_of_its_tokens_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(texts_module, "BATCH_SIZE", 3)
    gpt = random_gpt(context_length=8)
    lines = ["a b", "", "j i a b a", "b" * 40, "c" * 7, "c" * 6]
    together = line_log_probs_nats(gpt, lines)
    for line, nats in zip(lines, together, strict=True):
        tokens = tokenizer_of(gpt).encode(f"\n{line}\n")
        with torch.inference_mode():
            one_by_one = [
                gpt(torch.tensor([tokens[(place - 1) // 8 * 8 : place]]))[0, -1]
                .log_softmax(0)[tokens[place]]
                .item()
                for place in range(1, len(tokens))
            ]
        assert nats == pytest.approx(sum(one_by_one), rel=1e-5)
    assert line_log_probs_nats(gpt, []) == []
