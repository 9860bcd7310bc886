"""The jobs of the labs answer what the systems say, and refuse what no lab sends."""

import base64
import re
import threading
from typing import Any

import numpy as np
import pytest
import torch

from tokoban import pretrained
from tokoban.pretrained.reranking import reranker_of
from tokoban.systems.gpt.engine import engine_of
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.stepper import TextStepper, forbidden_tokens
from tokoban.systems.gpt.texts import encode_prompts
from tokoban.systems.life.rules import parse_rule, step
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.texts import translate_texts
from tokoban.web import lab_jobs
from tokoban.web.job import Context

pytestmark = pytest.mark.usefixtures("shipped_once")

GLIDER = [".O" + "." * 14, "..O" + "." * 13, "OOO" + "." * 13, *["." * 16] * 13]
OPEN = "########|#      #|# $ .  #|#  @   #|#      #|#      #|#      #|########"


def events(kind: str, **arguments: Any) -> list[dict[str, Any]]:
    return list(getattr(lab_jobs, kind)(arguments, Context(threading.Event(), lambda event: None)))


def weights_of(panel: dict[str, Any]) -> torch.Tensor:
    numbers = np.frombuffer(base64.b64decode(panel["weights"]), "<f4").astype(np.float32)
    return torch.from_numpy(numbers.reshape(panel["shape"]))


def test_a_sentence_has_the_translations_of_the_translator_and_the_attention_of_one() -> None:
    text = "Zwei Hunde spielen im Schnee."
    model, config = pretrained.load("translation-de-en", system="translation")
    assert isinstance(model, Translator)
    (expected,) = translate_texts(
        model,
        [text],
        nbest=4,
        length_penalty=config.length_penalty,
        reranker=reranker_of("translation-de-en"),
    )
    for shown in (0, 2):
        (done,) = events("translate", text=text, shown=shown)
        assert [each["text"] for each in done["translations"]] == [one.text for one in expected]
        *written, _ = done["panels"][0]["queries"]["labels"]
        # A translation ends as its source does, whatever its last token is.
        assert "".join(written).strip().rstrip(".") + "." == expected[shown].text
        cross, source, target = (weights_of(panel).shape[-2:] for panel in done["panels"])
        num_read, num_written = len(expected[shown].source_tokens), len(expected[shown].tokens)
        assert cross == (num_written + 1, num_read + 1)  # each with its end
        assert (source, target) == ((num_read + 1,) * 2, (num_written + 1,) * 2)
    assert done["confidence"] > 0.5
    assert done["is_doubtful"] is False
    (forced,) = events("translate", text=text, prefix="In the snow")
    assert all(each["text"].startswith("In the snow") for each in forced["translations"])
    assert forced["confidence"] is None


def test_each_line_of_a_text_is_translated_by_itself_and_each_sentence_has_its_attention() -> None:
    pair = ["Ich bin da.", "Wo bist du?"]
    lines = ["Liebe Anna,", "", "4 2", " ".join(pair * 14)]  # more tokens than a sentence may have
    alone = [events("translate", text=line)[0] for line in lines if any(map(str.isalpha, line))]
    (done,) = events("translate", text="\n".join(lines), sentence=2)
    for rank, each in enumerate(done["translations"]):
        # Those of a line that differ in their final mark alone are one.
        greeting, rest = (one["translations"][: rank + 1][-1]["text"] for one in alone)
        assert each["text"] == "\n".join([greeting, "", "4 2", rest])
    assert done["confidence"] == pytest.approx(min(one["confidence"] for one in alone))
    assert done["sentences"] == ["Liebe Anna,", *pair * 14]
    assert "".join(done["panels"][1]["queries"]["labels"]).strip() == "Wo bist du?(end)"
    (begun,) = events("translate", text="\n".join(lines), prefix="My dear")
    first, *others = begun["translations"][0]["text"].split("\n")
    assert first.startswith("My dear")
    assert others == done["translations"][0]["text"].split("\n")[1:]


def test_of_a_long_text_the_best_translation_grows_until_nobody_waits() -> None:
    text, stop, so_far = "\n".join(["Ich bin da."] * 12), threading.Event(), list[str]()

    def report(event: dict[str, Any]) -> None:
        so_far.append(event["text"])

    (done,) = lab_jobs.translate({"text": text}, Context(stop, report))
    best = done["translations"][0]["text"]
    assert len(so_far) == 2
    assert so_far[0] == best.split("\n")[0]
    assert so_far[1] == "\n".join(best.split("\n")[:9])
    stop.set()
    assert list(lab_jobs.translate({"text": text}, Context(stop, report))) == []


def test_greedy_text_goes_on_with_the_token_of_the_longest_bar() -> None:
    text = "When I was a child"
    for _ in range(3):
        (found,) = events("next_tokens", text=text)
        shares = [each["probability"] for each in found["next"]]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) <= 1
        (greedy,) = events("continue_text", text=text, num_tokens=1, temperature=0)
        assert greedy["text"] == found["next"][0]["text"]
        text += greedy["text"]
    assert weights_of(found["panels"][0]).shape[-1] == found["num_seen"] == found["num_tokens"]


def test_of_a_text_beyond_the_context_the_next_tokens_are_those_of_continuing() -> None:
    model, _ = pretrained.load("gpt-everyday", system="gpt")
    assert isinstance(model, Gpt)
    text = "The train is late, " * 13 + "and Tom"
    (found,) = events("next_tokens", text=text)
    assert 32 < found["num_seen"] < model.context_length < found["num_tokens"]
    prompts, is_forbidden = encode_prompts(model, [text]), forbidden_tokens(model)
    stepper = TextStepper(engine_of(model), prompts, is_forbidden=is_forbidden, max_steps=1)
    expected = stepper.log_probs()[0].exp()
    expected = (expected / expected[~is_forbidden].sum()).topk(len(found["next"])).values
    assert [each["probability"] for each in found["next"]] == pytest.approx(
        expected.tolist(), abs=1e-5
    )


def test_a_space_after_the_text_is_that_of_the_next_tokens() -> None:
    (plain,), (spaced,) = (events("next_tokens", text=text) for text in ("The train", "The train "))
    expected = [each["text"][1:] for each in plain["next"] if each["text"].startswith(" ")]
    assert [each["text"] for each in spaced["next"]][: len(expected)] == expected != []
    assert spaced["num_tokens"] == plain["num_tokens"]


def test_the_proved_network_plays_life_and_a_noisy_one_is_marked_where_it_is_wrong() -> None:
    def grid(rows: list[str]) -> torch.Tensor:
        return torch.tensor([[cell == "O" for cell in row] for row in rows])

    rule = parse_rule("B3/S23")
    for noise in (0.0, 0.5):
        *answers, _ = events("life", rows=GLIDER, steps=8, noise=noise)
        true = grid(GLIDER)[None]
        for answer in answers:
            true = step(true, rule)
            is_wrong = grid(answer["rows"]) != true[0]
            assert answer["wrong"] == is_wrong.nonzero().tolist()
            # What follows by the rules from a wrong cell is not wrong again.
            true = grid(answer["rows"])[None]
        assert len(answers) == 8
        assert any(answer["wrong"] for answer in answers) == (noise > 0)
    (looked,) = events("life_attention", rows=GLIDER)
    weights = weights_of(looked["panels"][0])[0, 0]
    beside = [0, 1, 2, 16, 18, 32, 33, 34]  # of the cell in row 1, column 1
    assert weights[17, beside].sum() > 0.7


@pytest.mark.parametrize(
    ("board", "status"),
    [
        (OPEN, "open"),
        (OPEN.replace(" $ .", "  * "), "solved"),
        (OPEN.replace("#      #", "#$     #", 1).replace("# $ .", "#   ."), "lost"),
    ],
)
def test_a_picture_is_judged_by_the_network_and_by_a_proof(board: str, status: str) -> None:
    seen, proved = events("classify", board=board)
    assert proved["proved"] == status
    assert max(seen["classes"], key=lambda each: each["probability"])["name"] == status
    assert weights_of(seen["panels"][0]).sum(-1).mean() == pytest.approx(1, abs=1e-4)
    assert seen["panels"][0]["queries"]["has_class_token"]


def test_a_player_is_asked_for_the_card_of_three_steps_before() -> None:
    (played,) = events("remember", seed=7)
    seen = [step["seen"] for step in played["steps"]]
    asked = [step["asked"] for step in played["steps"]]
    assert asked == [None, None, None, *seen[:-3]]
    judged = [step["answer"] == step["asked"] for step in played["steps"][3:]]
    assert sum(judged) > 0.9 * len(judged)
    assert played["look"]["steps_back"] == 3
    assert events("remember", seed=8)[0]["steps"] != played["steps"]


@pytest.mark.parametrize(
    ("kind", "arguments", "complaint"),
    [
        ("translate", {"text": "  "}, "text: expected a sentence with words"),
        ("translate", {"text": "Hund " * 401}, "2,005 characters; expected at most 2,000"),
        ("translate", {"text": "4 2"}, "text: expected a sentence with words"),
        ("translate", {"text": "🦄"}, "text: expected a sentence with words"),
        ("translate", {"text": f"Ja.\n{'xq' * 150}"}, "expected sentences of at most 100 tokens"),
        ("translate", {"text": "Ja.", "prefix": "xq" * 150}, "sentences of at most 100 tokens"),
        ("translate", {"text": "a", "source": "fr"}, "source: expected one of de, en"),
        ("life", {"rows": ["O"]}, "rows: expected 16 rows of 16 cells, each O or a dot"),
        ("life", {"rows": ["x" * 16] * 16}, "rows: expected 16 rows of 16 cells"),
        ("life", {"rows": GLIDER, "steps": 10**9}, "steps: expected a number from 1 to 200"),
        ("classify", {"board": "#####|#@$.#|#####"}, "3x5 squares; the network reads 8x8"),
    ],
)
def test_what_no_lab_sends_is_refused(kind: str, arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        events(kind, **arguments)
