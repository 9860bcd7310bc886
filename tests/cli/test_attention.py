"""``tokoban attention``: its numbers are the core's, its words about bad matrices one sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.viewing.attention_pages import read_attention_page
from tokoban.cli import main
from tokoban.transformer import Window, attend, masks

# Two queries of width 2, five keys, values of width 3.
QUERIES, KEYS = "1 0; 0 1", "1 0; 0 1; 1 1; 2 0; 0 -3"
VALUES = "1 2 3; 4 5 6; 7 8 9; 10 11 12; 13 14 15"


def numbers(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["attention", *words, "--json", "-"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def matrix(text: str) -> torch.Tensor:
    rows = [[float(word) for word in row.split()] for row in text.split(";")]
    return torch.tensor(rows, dtype=torch.float64)


def test_a_page_shows_the_weights_that_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "x.html"
    found = numbers(capsys, "--queries", QUERIES, "--keys", KEYS, "--attention", str(page))
    shown = read_attention_page(page)["weights"]
    assert torch.equal(shown[0, 0], torch.tensor(found["weights"]))
    for wrong, complaint in (
        (str(tmp_path / "no" / "x.html"), "no folder to write it into"),
        ("-", "-: expected a name that ends in .html or .png or .svg"),
    ):
        assert main(["attention", "--attention", wrong]) == 2
        assert complaint in capsys.readouterr().err


def test_without_matrices_it_prints_the_published_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["attention"]) == 0
    printed = [
        line.strip("│ ").replace(" │ ", "  ") for line in capsys.readouterr().out.split("\n")
    ]
    rows = [" ".join(line.split()[1:]) for line in printed if line[:2] in ("q1", "q2", "q3")]
    assert rows[-12:] == [
        "2 0 2", "0 2 2", "2 2 4",
        "1 0 1", "0 1 1", "1 1 2",
        "0.4223188 0.1553624 0.4223188",
        "0.1553624 0.4223188 0.4223188",
        "0.21194156 0.21194156 0.57611688",
        "0.8446376 0.5776812 0.8446376 0.5776812",
        "0.5776812 0.8446376 0.5776812 0.8446376",
        "0.78805844 0.78805844 0.78805844 0.78805844",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "may_attend"),
    [
        ([], torch.ones(2, 5, dtype=torch.bool)),
        (["--mask", "causal"], masks.causal(2, num_keys=5)),
        (["--mask", "local"], Window(1).mask(2, 5)),
        (["--mask", "local", "--window", "0"], Window(0).mask(2, 5)),
        (["--mask", "local", "--window", "2"], Window(2).mask(2, 5)),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_the_numbers_are_those_of_the_core(
    words: list[str], may_attend: torch.Tensor, capsys: pytest.CaptureFixture[str]
) -> None:
    found = numbers(capsys, "--queries", QUERIES, "--keys", KEYS, "--values", VALUES, *words)
    q, k, v = matrix(QUERIES), matrix(KEYS), matrix(VALUES)
    assert found["may_attend"] == may_attend.tolist()
    assert found["num_pairs"] == may_attend.sum()
    assert found["scores"] == (q @ k.T).tolist()
    outputs = attend(q[None, None], k[None, None], v[None, None], may_attend)[0, 0]
    assert found["outputs"] == outputs.tolist()
    weights = torch.tensor(found["weights"], dtype=torch.float64)
    scaled = torch.tensor(found["scaled_scores"], dtype=torch.float64)
    by_hand = scaled.masked_fill(~may_attend, -torch.inf).softmax(-1)
    torch.testing.assert_close(weights, by_hand, rtol=0, atol=1e-12)
    torch.testing.assert_close(weights @ v, outputs, rtol=0, atol=1e-12)


def test_a_lookup_adds_up_the_values_of_equal_keys_that_are_not_masked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--queries", "3; 2; 3", "--keys", "1; 3; 3", "--values", "5; 7; 9"]
    for mask, expected in (("full", [[16], [0], [16]]), ("causal", [[0], [0], [16]])):
        assert numbers(capsys, *words, "--mask", mask)["exact_retrieval"] == expected


def test_keys_are_the_queries_and_values_the_keys_where_not_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = numbers(capsys, "--queries", "1, 2; 3, 4")
    assert found["queries"] == found["keys"] == found["values"] == [[1, 2], [3, 4]]
    found = numbers(capsys, "--queries=-1 2", "--keys", "3 4;5 6")
    assert (found["queries"], found["values"]) == ([[-1, 2]], [[3, 4], [5, 6]])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--queries", "1 2; 3"], "--queries: row 2 has width 1, row 1 has 2"),
        (["--queries", "1", "--keys", "1; nan"], "--keys: row 2: expected a number, got 'nan'"),
        (
            ["--queries", "1 2", "--keys", "1 2 3"],
            "a query is as wide as a key: got widths 2 of queries, 3 of keys",
        ),
        (
            ["--queries", "1 2", "--values", "1; 2"],
            "each key has a value: the keys are 1, the values 2",
        ),
        (["--keys", "1 2"], "--keys and --values need --queries"),
        (["--window", "2"], "--window has no effect with --mask full"),
        (
            ["--queries", "1;2;3", "--keys", "1;2", "--mask", "local"],
            "expected at least as many keys as queries (3), got 2",
        ),
        (["--queries", "1e200"], "these numbers are too large: a sum of products is infinite"),
        (
            ["--queries", "1;" * 100 + "1", "--keys", "1;" * 99 + "1"],
            "these make a matrix of 10,100 numbers; expected at most 10,000",
        ),
    ],
)
def test_what_is_wrong_is_reported_in_one_sentence(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["attention", *words]) == 2
    assert capsys.readouterr() == ("", f"tokoban: {message}\n")
