"""``tokoban generate-text``: texts, streams, JSON, and each complaint in one line."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.viewing.attention_pages import read_attention_page
from tokoban import cli
from tokoban.cli.exit_codes import ExitCode
from tokoban.systems.gpt import texts
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.train import build_model
from tokoban.text.characters import CharacterTokenizer
from tokoban.training.checkpoint import save_weights
from tokoban.training.config import to_dict


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of a model of the letters a to k that knows nothing."""
    torch.manual_seed(3)
    config = GptConfig(num_layers=1, width=8, context_length=11, vocabulary_size=13)
    model = build_model(config)
    model.tokenizer = CharacterTokenizer("\nabcdefghijk")
    path = tmp_path_factory.mktemp("weights") / "random.safetensors"
    metadata = {"system": "gpt", "config": json.dumps(to_dict(config))}
    save_weights(path, model.state_dict(), metadata)
    return str(path)


def _generate(weights: str, *words: str) -> int:
    return cli.main(["generate-text", "--weights", weights, "--device", "cpu", *words])


def _objects(weights: str, capsys: pytest.CaptureFixture[str], *words: str) -> list[Any]:
    assert _generate(weights, *words, "--json", "-") == 0
    return json.loads(capsys.readouterr().out)


def test_each_prompt_comes_with_its_text(
    weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "texts.json"
    words = ["abc", "k", "--max-tokens", "17", "--top-p", "0.9", "--json", str(out)]
    assert _generate(weights, *words) == 0
    found = json.loads(out.read_text())
    assert [each["prompt"] for each in found] == ["abc", "k"]
    for each in found:
        (text,) = each["texts"]
        assert (len(text["tokens"]), text["is_stopped"]) == (17, False)
        assert text["score_nats"] < 0
    lines = [f"{each['prompt']}{each['texts'][0]['text']}\n" for each in found]
    assert capsys.readouterr().out == "".join(lines)


def test_standard_input_is_read_by_line_and_a_batch_size_changes_nothing(
    weights: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts = ["abc", "", "kkkkkkkkkkkkkkk", "d"]

    def answers(*words: str) -> list[Any]:
        lines = io.TextIOWrapper(io.BytesIO("\n".join(prompts).encode()))
        monkeypatch.setattr("sys.stdin", lines)
        return _objects(weights, capsys, "--max-tokens", "13", "--num", "2", *words)

    found = answers()
    assert [each["prompt"] for each in found] == prompts
    assert found == answers("--batch-size", "3")
    given = _objects(weights, capsys, *prompts, "--max-tokens", "13")
    assert [each["texts"][:1] for each in found] == [each["texts"] for each in given]


def test_a_refused_prompt_or_line_leaves_the_texts_of_its_batch(
    weights: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answers(lines: bytes, status: int) -> tuple[dict[int, Any], str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
        assert _generate(weights, "--max-tokens", "5", "--jsonl", "-") == status
        captured = capsys.readouterr()
        found = map(json.loads, captured.out.splitlines())
        return {each["index"]: each for each in found}, captured.err

    whole, _ = answers(b"abc\nabc\nd\nabc", 0)
    assert len({str(whole[index]["texts"]) for index in (1, 2, 4)}) == 3  # alike, drawn apart
    found, errors = answers(b"abc\nxyz\nd\nabc", 2)
    assert found == {index: whole[index] for index in (1, 3, 4)}
    assert errors.startswith("tokoban: prompt 2: the character 'x'") and errors.count("\n") == 1
    found, errors = answers(b"abc\nabc\n\xff\nabc", 2)
    assert found == {index: whole[index] for index in (1, 2, 4)}
    assert errors.startswith("tokoban: standard input, line 3: not UTF-8; `iconv -f ")


def test_a_text_ends_before_a_stop_string(weights: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["abc", "--max-tokens", "97", "--temperature", "1.5"]
    (whole,) = _objects(weights, capsys, *words)[0]["texts"]
    (stopped,) = _objects(weights, capsys, *words, "--stop", "zz", "--stop", "\\n")[0]["texts"]
    assert stopped["is_stopped"]
    assert stopped["text"] == whole["text"].partition("\n")[0]


def test_on_a_terminal_texts_are_seen_as_they_come_about(
    weights: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["abc", "k", "--max-tokens", "7", "--num", "2"]
    expected = [
        f"{each['prompt']}{text['text']}\n"
        for each in _objects(weights, capsys, *words)
        for text in each["texts"]
    ]

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen, seen = Terminal(), []
    monkeypatch.setattr("sys.stdout", screen)
    push = texts.TextStream.push

    def watched(stream: texts.TextStream, token: int) -> str:
        seen.append(screen.getvalue())
        return push(stream, token)

    monkeypatch.setattr(texts.TextStream, "push", watched)
    assert _generate(weights, *words) == 0
    assert screen.getvalue() == "".join(expected)
    assert seen[:7] == [expected[0][: 3 + count] for count in range(7)]


def test_the_page_of_attention_shows_the_text_that_was_written(
    weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "looked.html"
    assert _generate(weights, "abc", "--max-tokens", "5", "--attention", str(page)) == 0
    (found,) = read_attention_page(page).values()
    assert found.shape == (1, 4, 8, 8)  # layers, heads, three letters of the prompt and five more
    written = capsys.readouterr().out.strip()
    assert f"<title>{written}" in page.read_text()


def test_what_the_model_cannot_see_of_a_long_text_is_reported(
    weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, prompt = tmp_path / "looked.html", "abcdefghijkabcd"
    assert _generate(weights, prompt, "--max-tokens", "5", "--attention", str(page)) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(prompt)
    # The model sees 11 letters, and forgets by five.
    assert captured.err.splitlines() == [
        "tokoban: prompt 1 has 15 tokens and the model sees at most 11; the first 5 are left out",
        f"tokoban: {page} shows the last 10 of 20 tokens, all that the model saw",
    ]
    assert "these are the last 10 of 20 tokens." in page.read_text()
    assert _generate(weights, prompt[:11], "--max-tokens", "5") == 0
    assert capsys.readouterr().err == ""
    # With 12 letters all 11 are shown that the last one was chosen by.
    assert _generate(weights, "abcdefghi", "--max-tokens", "3", "--attention", str(page)) == 0
    (shown,) = read_attention_page(page).values()
    assert (shown.shape[-1], capsys.readouterr().err) == (11, "")


def test_an_interrupted_run_keeps_the_texts_that_were_finished(
    weights: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["aaaa", "b", "cc", "--num", "2", "--batch-size", "3", "--max-tokens", "3"]
    whole = _objects(weights, capsys, *words)
    generate, calls = texts.generate, []

    def interrupted(*args: Any, **options: Any) -> Any:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return generate(*args, **options)

    monkeypatch.setattr(texts, "generate", interrupted)
    out = tmp_path / "texts.json"
    assert _generate(weights, *words, "--json", str(out)) == ExitCode.INTERRUPTED
    # The first batch had both texts of the shortest prompt and one of the next.
    known = [whole[1], whole[2] | {"texts": whole[2]["texts"][:1]}]
    assert json.loads(out.read_text()) == known
    lines = [f"{each['prompt']}{text['text']}\n" for each in known for text in each["texts"]]
    assert capsys.readouterr().out == "".join(lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a", "--temperature", "0", "--seed", "1"], "--seed has no effect with --temperature 0"),
        (["a", "--temperature", "0", "--top-k", "2"], "--top-k has no effect with --temp"),
        (["a", "--temperature", "0", "--top-p", "0.5"], "--top-p has no effect with --temp"),
        (["a", "--temperature", "0", "--num", "2"], "writes one text for each prompt, not 2"),
        (["a", "--stop", ""], "--stop is empty; expected the text before which to end"),
        (["a", "b", "--attention", "x.html"], "--attention shows one text; expected one prompt"),
        (["-", "--attention", "x.html"], "one prompt, in the command line, and --num 1"),
        (["a", "-", "--attention", "x.html"], "one prompt, in the command line, and --num 1"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_one_line(
    words: list[str], message: str, weights: str, refusal: Callable[[int], str]
) -> None:
    assert message in refusal(_generate(weights, *words))
