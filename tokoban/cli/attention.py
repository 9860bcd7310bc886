"""``tokoban attention``: every step from queries to outputs, as tables, for small matrices."""

import argparse
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from tokoban.cli import options
from tokoban.cli.output import check_outputs
from tokoban.cli.parser import whole
from tokoban.cli.report import write_object

if TYPE_CHECKING:
    from rich.table import Table
    from torch import Tensor

SUMMARY = "print attention step by step for small matrices (the lesson is docs/attention.md)"
UNDECIDED = ""
EXAMPLE = "1 0 1 0; 0 1 0 1; 1 1 1 1"
NAMES = ("queries", "keys", "values")
_MOST_NUMBERS = 10_000  # of each matrix on the way: its table is slow, and nobody reads it

Matrix = list[list[float]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the matrices, the mask and the outputs."""
    for name, default in zip(NAMES, (f'"{EXAMPLE}"', "the queries", "the keys"), strict=True):
        parser.add_argument(
            f"--{name}",
            metavar="ROWS",
            help=f'matrix of {name}, rows separated by ;, as "1 0; 0 1" or --{name}="-1;2" '
            f"(default: {default}); at most {_MOST_NUMBERS:,} numbers, also in the scores",
        )
    parser.add_argument(
        "--mask",
        choices=("full", "causal", "local"),
        default="full",
        help="which keys a query may attend to: all, those up to its own position, or those near "
        "it. With more keys than queries, the queries have the last positions (default: full)",
    )
    parser.add_argument(
        "--window",
        type=whole(0),
        default=1,
        metavar="W",
        help="with --mask local: number of positions to each side (default: 1)",
    )
    options.add(parser, "--attention")
    options.add(parser, "--json", "every intermediate matrix")


@dataclass(frozen=True)
class Steps:
    """The matrices of every step, with a row for each query or source."""

    queries: "Tensor"
    keys: "Tensor"
    values: "Tensor"
    exact_retrieval: "Tensor"  # a database lookup: the values of equal, unmasked keys, summed
    scores: "Tensor"
    scaled_scores: "Tensor"
    may_attend: "Tensor"
    weights: "Tensor"
    outputs: "Tensor"


def run(arguments: argparse.Namespace) -> int:
    """Answers 0 once all is printed."""
    check_outputs(arguments, "attention", "json")
    if arguments.mask != "local":
        options.refuse(arguments, "--window", because=f"with --mask {arguments.mask}")
    steps = take_steps(*_matrices(arguments), mask=arguments.mask, half_width=arguments.window)
    if arguments.json:
        described = {"mask": arguments.mask, "num_pairs": int(steps.may_attend.sum())}
        described |= {field.name: getattr(steps, field.name).tolist() for field in fields(steps)}
        write_object(arguments.json, described)
    if arguments.attention:
        _write_page(steps, arguments.attention)
    if arguments.json != "-":
        _show(steps)
    return 0


def take_steps(q: Matrix, k: Matrix, v: Matrix, *, mask: str, half_width: int) -> Steps:
    """The core's attention of one head, in double precision, with every intermediate result.

    ``ValueError`` for matrices of different sizes and for products that overflow.
    """
    import torch

    from tokoban.transformer import Window, attend, attention_weights, masks

    if len(q[0]) != len(k[0]):
        raise ValueError(
            f"a query is as wide as a key: got widths {len(q[0])} of queries, {len(k[0])} of keys"
        )
    if len(k) != len(v):
        raise ValueError(f"each key has a value: the keys are {len(k)}, the values {len(v)}")
    largest = max(len(a) * len(b) for a, b in ((q, k), (q, q[0]), (k, k[0]), (v, v[0]), (q, v[0])))
    if largest > _MOST_NUMBERS:
        raise ValueError(
            f"these make a matrix of {largest:,} numbers; expected at most {_MOST_NUMBERS:,}"
        )
    may_attend = torch.ones(len(q), len(k), dtype=torch.bool)
    if mask == "causal":
        may_attend = masks.causal(len(q), num_keys=len(k))
    if mask == "local":
        may_attend = Window(half_width).mask(len(q), len(k))
    queries, keys, values = (torch.tensor(rows, dtype=torch.float64) for rows in (q, k, v))
    scores = queries @ keys.T
    # A query at a time, for all of them would compare as many numbers as the three sizes multiply.
    is_equal = torch.stack([(query == keys).all(-1) for query in queries]) & may_attend
    exact_retrieval = is_equal.double() @ values
    if not (scores.isfinite().all() and exact_retrieval.isfinite().all()):
        raise ValueError("these numbers are too large: a sum of products is infinite")
    one_head = queries[None, None], keys[None, None]
    return Steps(
        queries=queries,
        keys=keys,
        values=values,
        exact_retrieval=exact_retrieval,
        scores=scores,
        scaled_scores=scores / math.sqrt(queries.shape[-1]),
        may_attend=may_attend,
        weights=attention_weights(*one_head, may_attend)[0, 0],
        outputs=attend(*one_head, values[None, None], may_attend)[0, 0],
    )


def _matrices(arguments: argparse.Namespace) -> tuple[Matrix, Matrix, Matrix]:
    """Queries, keys and values; those that are not given have their defaults."""
    given = {name: getattr(arguments, name) for name in NAMES}
    if given["queries"] is None and given != dict.fromkeys(NAMES):
        raise ValueError("--keys and --values need --queries")
    texts = {"queries": EXAMPLE} | {name: text for name, text in given.items() if text is not None}
    found = {name: _read_matrix(text, f"--{name}") for name, text in texts.items()}
    queries = found["queries"]
    keys = found.get("keys", queries)
    return queries, keys, found.get("values", keys)


def _read_matrix(text: str, name: str) -> Matrix:
    """Rows of numbers with spaces or commas between them; ``name`` says whose they are."""
    matrix: Matrix = []
    for number, row in enumerate(text.split(";"), start=1):
        words = row.replace(",", " ").split()
        if not words:
            raise ValueError(f"{name}: row {number} is empty; expected numbers")
        matrix.append([_read_number(word, f"{name}: row {number}") for word in words])
        if len(words) != len(matrix[0]):
            raise ValueError(
                f"{name}: row {number} has width {len(words)}, row 1 has {len(matrix[0])}"
            )
    return matrix


def _read_number(word: str, place: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{place}: expected a number, got {word!r}")
    return value


def _write_page(steps: Steps, page: str) -> None:
    from tokoban.viewing.attention_page import AttentionPanel, AttentionView, TokenRow
    from tokoban.viewing.plots import write_attention

    queries, keys = (
        TokenRow([f"{letter}{number}" for number in range(1, len(matrix) + 1)])
        for letter, matrix in (("q", steps.queries), ("k", steps.keys))
    )
    panel = AttentionPanel("weights", steps.weights[None, None], queries, keys)
    guide = (
        "A row of the map holds the weights of one query: the softmax of its scores with all keys "
        "that it may attend to. The key with the largest dot product gets most."
    )
    view = AttentionView([panel], guide)
    write_attention(Path(page), view, title="Which keys each query takes")


def _show(steps: Steps) -> None:
    import torch

    from tokoban.cli.screen import Screen

    num_pairs, num_all = int(steps.may_attend.sum()), steps.may_attend.numel()
    width = steps.queries.shape[-1]
    masked = steps.scaled_scores.masked_fill(~steps.may_attend, -math.inf)
    hidden = "" if num_pairs == num_all else "; masked scores are -inf"
    lookup = "A database lookup: the sum of the values of equal, unmasked keys, 0 without any"
    shown: list[tuple[str, torch.Tensor, str, str]] = [
        ("Queries: what each position searches for", steps.queries, "q", ""),
        ("Keys: what each source is matched by", steps.keys, "k", ""),
        ("Values: what each source contributes", steps.values, "v", ""),
        (lookup, steps.exact_retrieval, "q", ""),
        ("Scores: each query times each key", steps.scores, "q", "k"),
        (f"Scaled: divided by the root of the width {width}{hidden}", masked, "q", "k"),
        ("Weights: the softmax of each row, whose sum is 1", steps.weights, "q", "k"),
        ("Outputs: the weighted sums of the values", steps.outputs, "q", ""),
    ]
    screen = Screen()
    # Never truncated: a cut number would be wrong.
    screen.width = 10_000
    for title, matrix, row, column in shown:
        screen.print(title)
        screen.print(_box(matrix, row, column))
    screen.print(f"{num_pairs} of {num_all} pairs of a query and a key are not masked.")


def _box(matrix: "Tensor", row: str, column: str) -> "Table":
    """Rows q1, q2, ... of numbers, below columns k1, k2, ... if ``column`` is "k"."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SQUARE, show_header=bool(column), show_lines=False)
    table.add_column("")
    for number in range(1, matrix.shape[1] + 1):
        table.add_column(f"{column}{number}", justify="right", no_wrap=True)
    for number, values in enumerate(matrix.tolist(), start=1):
        # Eight digits; the sum with 0 makes 0 of -0.
        table.add_row(f"{row}{number}", *(f"{value + 0.0:.8g}" for value in values))
    return table
