"""``tokoban translate``: a line for a line, in order; whatever came before an error is printed."""

import gzip
import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import confidence
from tests.viewing.attention_pages import read_attention_page
from tokoban import cli, pretrained
from tokoban.inference.engine import Engine
from tokoban.systems.translation import lines as lines_module
from tokoban.systems.translation import number_words, texts
from tokoban.systems.translation import translate as translate_module
from tokoban.systems.translation.config import toy
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.train import build_model
from tokoban.text.bpe import train_bpe
from tokoban.training.checkpoint import save_weights
from tokoban.training.config import to_dict

pytestmark = pytest.mark.usefixtures("shipped_once")

Typed = Callable[[bytes], None]


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of a translator that knows nothing but words."""
    torch.manual_seed(7)
    config = replace(toy(), length_penalty=0.75)
    model = build_model(config)
    lines = [text for pair in number_words.examples(100, seed=0) for text in pair]
    model.tokenizer = train_bpe(
        lines, vocabulary_size=config.vocabulary_size, has_space_before=True
    )
    path = tmp_path_factory.mktemp("weights") / "random.safetensors"
    metadata = {"system": "translation", "config": json.dumps(to_dict(config))}
    save_weights(path, model.state_dict(), metadata)
    return str(path)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Puts bytes into standard input."""

    def put(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


@pytest.fixture
def shouted(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The translation becomes the text in capitals; the list gets what was asked for."""
    calls: list[dict[str, Any]] = []

    def translate_texts(
        model: Translator, sentences: Sequence[str], **options: Any
    ) -> list[list[texts.Translation]]:
        calls.append({"texts": list(sentences)} | options)
        return [
            [
                texts.Translation(text, text.upper() * rank, -0.5 * rank, [], [], -1.0)
                for rank in range(1, options["nbest"] + 1)
            ]
            for text in sentences
        ]

    monkeypatch.setattr(lines_module, "translate_texts", translate_texts)
    return calls


def _translate(weights: str, *words: str) -> int:
    return cli.main(["translate", "--weights", weights, "--device", "cpu", *words])


@pytest.mark.parametrize("words", [[], ["-"], ["eins", "-"]], ids=" ".join)
def test_standard_input_is_read_by_line(
    words: list[str],
    weights: str,
    typed: Typed,
    shouted: list[dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    typed("\ufeffzwei\r\n\ndrei\u2028vier".encode())
    assert _translate(weights, *words) == 0
    start = "EINS\n" if "eins" in words else ""
    assert capsys.readouterr() == (f"{start}ZWEI\n\nDREI\u2028VIER\n", "")


def test_many_lines_come_out_in_their_order(
    weights: str, typed: Typed, shouted: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    typed("".join(f"x{number}\n" for number in range(17)).encode())
    assert _translate(weights, "--batch-size", "3") == 0
    assert capsys.readouterr().out == "".join(f"X{number}\n" for number in range(17))
    assert [len(call["texts"]) for call in shouted] == [3, 6, 6, 2]


@pytest.mark.parametrize("is_keyboard", [True, False])
def test_a_line_at_a_time_is_answered_at_once(
    is_keyboard: bool,
    weights: str,
    typed: Typed,
    shouted: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    typed(b"zwei\ndrei\n")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: is_keyboard)
    assert _translate(weights, *([] if is_keyboard else ["--batch-size", "1"])) == 0
    assert [call["texts"] for call in shouted] == [["zwei"], ["drei"]]
    said = capsys.readouterr().err
    assert said == ("a sentence a line, please; Ctrl-D ends\n" if is_keyboard else "")


def test_the_search_is_as_requested(weights: str, shouted: list[dict[str, Any]]) -> None:
    _translate(weights, "x")
    common = "--length-penalty", "1.5", "--nbest", "2", "--prefix", "Ab", "--batch-size", "5"
    _translate(weights, "x", *common, "--beam", "7")
    engines = [call.pop("engine") for call in shouted]
    assert all(isinstance(engine, Engine) for engine in engines)
    assert [call.pop("reranker") for call in shouted] == [None, None]  # of weights from elsewhere
    plain = {"beam": 4, "length_penalty": 0.75, "nbest": 1, "forced_prefix": "", "batch_size": 32}
    assert shouted[0] == plain | {"texts": ["x"]}
    assert shouted[1] == {
        "texts": ["x"],
        "beam": 7,
        "length_penalty": 1.5,
        "nbest": 2,
        "forced_prefix": "Ab",
        "batch_size": 5,
    }


def test_the_name_of_a_file_is_a_text_and_that_is_reported(
    weights: str,
    shouted: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.de").write_text("zwei\n")
    assert _translate(weights, "s.de") == 0
    told = "tokoban: s.de: taken as a sentence; its lines are read by: < s.de\n"
    assert capsys.readouterr() == ("S.DE\n", told)


def test_several_translations_are_numbered_and_scored(
    weights: str, shouted: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _translate(weights, "x", "y", "--nbest", "2") == 0
    assert capsys.readouterr().out == (
        "1\t-0.5000\tX\n1\t-1.0000\tXX\n2\t-0.5000\tY\n2\t-1.0000\tYY\n"
    )


def test_what_stands_beside_an_error_is_printed(
    weights: str,
    typed: Typed,
    shouted: list[dict[str, Any]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    typed(b"zwei\ndrei\nvi\xffer\nacht\n")
    assert _translate(weights) == 2
    older = "`iconv -f WINDOWS-1252 -t UTF-8` converts text of older programs"
    complaint = f"tokoban: standard input, line 3: not UTF-8; {older}\n"
    assert capsys.readouterr() == ("ZWEI\nDREI\n\nACHT\n", complaint)
    typed("zwei\n".encode("utf-16"))
    assert _translate(weights) == 2
    assert "line 1: not UTF-8 but UTF-16, which `iconv -f UTF-16" in capsys.readouterr().err
    typed(gzip.compress(b"zwei\ndrei\n"))
    assert _translate(weights) == 2
    hint = "tokoban: standard input, line 1: not UTF-8 but gzip: zcat FILE | tokoban ...\n"
    assert capsys.readouterr() == ("", hint)
    typed(b"zwei\n" * 50 + b"zwei " * 10_000 + b"\nacht\n")
    found = tmp_path / "found.json"
    assert _translate(weights, "--batch-size", "5", "--json", str(found)) == 2
    printed = capsys.readouterr()
    assert printed.out == "ZWEI\n" * 50 + "\nACHT\n"
    assert printed.err.startswith("tokoban: line 51 has ")
    assert printed.err.endswith(" tokens; this translator reads at most 127\n")
    assert [len(each["translations"]) for each in json.loads(found.read_text())[49:]] == [1, 0, 1]
    words = ["zwei", "Sand\udcff", "acht"]  # as Python hands over bytes that are no UTF-8
    assert _translate(weights, *words) == 2
    complaint = "tokoban: sentence 2 of the command line: not UTF-8\n"
    assert capsys.readouterr() == ("ZWEI\n\nACHT\n", complaint)
    typed(b"zwei " * 30 + b"\n\nzwei\n")
    assert _translate(weights, "--prefix", "zwei " * 25) == 2
    printed = capsys.readouterr()
    assert printed.out == "ZWEI " * 30 + "\n\n\n"
    assert printed.err.startswith("tokoban: line 3 has ")
    # Where nothing is known, what was there before stays; of no lines all is known.
    typed("zwei\n".encode("utf-16"))
    assert _translate(weights, "--json", str(found)) == 2
    assert len(json.loads(found.read_text())) == 52
    typed(b"")
    assert _translate(weights, "--json", str(found)) == 0
    assert json.loads(found.read_text()) == []


def test_json_has_an_object_for_each_sentence_with_its_alignment(
    weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "found.jsonl"
    words = ["zwei Äpfel", "", "--nbest", "2", "--alignment", "--json", "-", "--jsonl", str(lines)]
    assert _translate(weights, *words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == [json.loads(line) for line in lines.read_text().splitlines()]
    first, empty = found
    assert (first["index"], first["text"]) == (1, "zwei Äpfel")
    scores = [each["score"] for each in first["translations"]]
    assert len(scores) == 2 and scores == sorted(scores, reverse=True)
    aligned = first["alignment"]
    assert aligned["source_words"] == ["zwei", "Äpfel"]
    assert "".join(aligned["target_words"]) == first["translations"][0]["text"].replace(" ", "")
    assert [len(row) for row in aligned["attention_weights"]] == [2] * len(aligned["target_words"])
    assert (empty["index"], empty["text"], empty["translations"][0]["text"]) == (2, "", "")
    assert empty["alignment"] == {field: [] for field in aligned}


def test_a_page_of_attention_shows_every_layer_and_head(weights: str, tmp_path: Path) -> None:
    assert _translate(weights, "zwei Äpfel", "--attention", str(tmp_path / "x.html")) == 0
    shown = read_attention_page(tmp_path / "x.html")
    config = toy()
    sizes = config.num_layers, config.num_heads
    assert list(shown) == ["translation to source", "source to itself", "translation to itself"]
    assert all(panel.shape[:2] == sizes for panel in shown.values())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x", "y", "--attention", "x.svg"], "--attention draws one sentence, got 2"),
        (["", "--attention", "x.svg"], "--attention draws one sentence, got 0"),
        (["12", "--attention", "x.svg"], "--attention draws one sentence with words, got 0"),
        (["Ja. Nein.", "--attention", "x.svg"], "one sentence with words, got 2"),
        (["x", "--no-reranking"], "--no-reranking has no effect with weights that are not shipped"),
        (["x", "--nbest", "5"], "--nbest is 5; expected at most --beam, which is 4"),
        (["x", "--alignment"], "--alignment has no effect without --json or --jsonl"),
        (["x", "--from", "en"], "translates from de to en, not from en to en"),
        (["x", "--to", "fr"], "translates from de to en, not from de to fr"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_one_line(
    words: list[str],
    message: str,
    weights: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refusal: Callable[[int], str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refusal(_translate(weights, *words))


def test_a_direction_without_weights_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["translate", "x", "--from", "fr", "--to", "en"]) == 2
    complaint = "no weights from fr to en come with tokoban, only from de to en and from en to de; "
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], "translation-de-en"),
        (["--to", "de"], "translation-en-de"),
        (["--from", "en"], "translation-en-de"),
        (["--from", "en", "--to", "fr"], "translation-en-fr"),
    ],
    ids=str,
)
def test_the_weights_follow_the_languages(
    words: list[str], name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(weights: str, *, system: str) -> None:
        raise ValueError(f"asked for {weights} of {system}")

    monkeypatch.setattr(pretrained, "names", lambda: [name])
    monkeypatch.setattr(pretrained, "load", load)
    assert cli.main(["translate", "x", *words]) == 2
    assert capsys.readouterr().err == f"tokoban: asked for {name} of translation\n"


CAPTIONS = {
    "de": "Zwei junge Frauen sitzen auf einer Bank im Park.",
    "en": "A brown dog runs through the grass with a ball.",
}
FAR = {
    "de": "Die Zentralbank hebt den Leitzins an, um die Inflation zu dämpfen.",
    "en": "The committee rejected the amendment because it contradicts the treaty.",
}


@pytest.mark.parametrize("source", ["de", "en"])
def test_doubtful_translations_are_named_and_each_has_its_confidence(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*sentences: str) -> tuple[list[str], str]:
        assert cli.main(["translate", "--from", source, *sentences]) == 0
        said = capsys.readouterr()
        return said.out.splitlines(), said.err

    caption, far = CAPTIONS[source], FAR[source]
    (first, second), err = told(caption, far)
    assert err == "tokoban: the translation of sentence 2 is probably not usable (1 of 2)\n"
    path = tmp_path / "found.json"
    out, err = told(far, caption, "", far, far, far, "--json", str(path))
    assert out == [second, first, "", second, second, second]
    assert err == (
        "tokoban: the translations of sentences 1, 4-6 are probably not usable (4 of 6)\n"
    )
    far_share, share, empty, *_ = [each["confidence"] for each in json.loads(path.read_text())]
    assert 0 <= far_share < 0.5 < share <= 1
    assert empty is None


def test_on_a_terminal_each_doubtful_translation_is_named_after_it_and_none_with_a_prefix(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main(["translate", FAR["de"], "--prefix", "A"]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli.main(["translate", FAR["de"], "Ja.", FAR["de"]]) == 0
    assert [line.partition(" (")[0] for line in capsys.readouterr().err.splitlines()] == [
        f"tokoban: the translation of sentence {number} is probably not usable" for number in (1, 3)
    ]


@pytest.mark.parametrize(
    ("source", "sentences", "hint"),
    [
        ([], ["Do you speak English?", "Ja.", "Is it here?"], "en; use --from en --to de"),
        (["--to", "de"], ["Bist du da?"], "de; use --from de --to en"),
        ([], ["Hans-Peter Schmidt", "[Tür knallt]", "The EU", "Wo ist der Kurs of the day?"], ""),
    ],
)
def test_an_input_in_the_other_language_is_reported_once(
    source: list[str], sentences: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["translate", *source, *sentences]) == 0
    hints = [line for line in capsys.readouterr().err.splitlines() if "--from" in line]
    assert hints == [f"tokoban: the input seems to be in {hint}"] * bool(hint)


def test_the_name_of_a_language_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["translate", "--from", "English", "Do you speak English?"]) == 0
    assert capsys.readouterr() == ("Sprichst du Englisch?\n", "")


def test_a_line_in_capitals_is_translated_as_the_same_line_without_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plain = CAPTIONS["en"]
    assert cli.main(["translate", "--from", "en", plain, plain.upper()]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


def test_a_beam_that_memory_cannot_hold_is_refused_in_a_line(
    weights: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translate_module, "MOST_BYTES", 100_000_000)
    assert _translate(weights, "", "zwei drei vier", "--beam", "100000") == 2
    out, err = capsys.readouterr()
    assert out == "\n\n"
    assert err.startswith("tokoban: line 2 cannot be translated: 100,000 translations of up to")
    assert err.count("\n") == 1


def test_weights_of_others_are_not_judged(weights: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["translate", "--weights", weights, "zzz yyy"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("source", ["de", "en"])
def test_confidence_is_calibrated_and_finds_most_bad_sentences(
    source: str, shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On sentences that are in no training text; those of news are nearly all bad."""
    target = {"de": "en", "en": "de"}[source]
    files = ("multi30k/test_2016_flickr", "translation/newstest2013")
    words = [
        word
        for file in files
        for word in ("--pairs", *(str(shared_data / f"{file}.{x}.gz") for x in (source, target)))
    ]
    weights = f"translation-{source}-{target}"
    assert confidence.main([weights, *words, "--most", "200"]) == 0
    every = dict(re.findall(r"(\w+) (\d\.\d+)", capsys.readouterr().out.splitlines()[-1]))
    assert float(every["ece"]) <= 0.1
    assert float(every["bad_found"]) >= 0.7
    assert float(every["good_doubted"]) <= 0.3
    assert float(every["repeats"]) == 0
