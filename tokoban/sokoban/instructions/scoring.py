"""Scores the responses of any model to the benchmark; the truth is found anew, not read."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import lurd
from tokoban.sokoban.instructions.grammar import parse, words_of
from tokoban.sokoban.instructions.machine import obeys
from tokoban.sokoban.instructions.phrases import languages
from tokoban.sokoban.instructions.questions import answers
from tokoban.sokoban.instructions.truth import truth_of
from tokoban.sokoban.wording import counted

# By metric, the whole of which it is a share.
_SHARES = {
    "obeyed": "possible",
    "extra_pushes": "fewest_pushes",
    "refused": "impossible",
    "answered": "questions",
}
_Key = tuple[str, str, str]
_MOST_NAME = 100  # characters of a split's name
_NO_RESPONSE = "?"  # in place of a missing response; never right


def score(
    lines: Iterable[tuple[int, Any]], benchmark: Iterable[Mapping[str, Any]] = ()
) -> tuple[dict[str, float], list[str]]:
    """The metrics by split, and a sentence for each fault of lines, which come with their numbers.

    An item whose response is missing or no text counts as wrong. An item that is repeated (same
    split, board and text) is reported and not counted again. With the items of a ``benchmark``,
    others are reported, and those of the same splits that no line has count as wrong.
    ``docs/instructions.md`` lists the metrics.
    """
    splits: dict[str, dict[str, int]] = {}
    problems, first = dict[str, list[int]](), dict[_Key, int]()
    expected = {_key(item): item for item in benchmark}
    for number, item in lines:
        try:
            board, response = board_of(item), item.get("response")
            said = response.strip() if isinstance(response, str) else _NO_RESPONSE
            judged = _judge(board, item["text"], said)
        except ValueError as error:
            problems.setdefault(str(error), []).append(number)
            continue
        key = _key(item)
        if expected and key not in expected:
            stray = "no item of the benchmark; expected its boards and texts"
            problems.setdefault(stray, []).append(number)
            continue
        if first.setdefault(key, number) != number:
            again = f"the item of line {first[key]} again; expected each once"
            problems.setdefault(again, []).append(number)
            continue
        if not isinstance(response, str | None):
            problems.setdefault(_fault(item, "response", "text or null"), []).append(number)
        _add(splits.setdefault(item["split"], {}), judged)
    for key, item in expected.items():
        if item["split"] in splits and key not in first:
            _add(splits[item["split"]], _judge(board_of(item), item["text"], _NO_RESPONSE))
    metrics: dict[str, float] = {}
    for split, counts in splits.items():
        for name in ("possible", "impossible", "questions"):
            if name in counts:
                metrics[f"{split}_{name}"] = counts[name]
        for name, whole in _SHARES.items():
            if counts.get(whole):
                metrics[f"{split}_{name}"] = counts[name] / counts[whole]
    return metrics, [_message(problem, numbers) for problem, numbers in problems.items()]


def _message(problem: str, numbers: Sequence[int]) -> str:
    """A fault behind its first line, with the number of the others."""
    others = f" (and {counted(len(numbers) - 1, 'other line')})" if len(numbers) > 1 else ""
    return f"{numbers[0]}: {problem}{others}"


def _key(item: Mapping[str, Any]) -> _Key:
    return item["split"], "\n".join(item["board"]), item["text"]


def _add(counts: dict[str, int], judged: Mapping[str, int]) -> None:
    for name, count in judged.items():
        counts[name] = counts.get(name, 0) + count


def _judge(board: Board, text: str, response: str) -> dict[str, int]:
    """What to count; ``ValueError`` for a sentence that means nothing on the board."""
    sentence = parse(text)
    if sentence.is_question:
        right = map(words_of, answers(board, sentence))
        return {"questions": 1, "answered": words_of(response) in right}
    truth = truth_of(board, sentence.meaning)
    if truth.fewest_pushes is None:
        refusals = [[phrases.answers["impossible"]] for phrases in languages().values()]
        return {"impossible": 1, "refused": words_of(response) in refusals}
    with suppress(ValueError):
        moves, fewest = lurd.parse(response), truth.fewest_pushes
        if obeys(truth.graph.cells, truth.machine, moves):
            extra = sum(map(str.isupper, lurd.format(board, moves))) - fewest
            return {"possible": 1, "obeyed": 1, "extra_pushes": extra, "fewest_pushes": fewest}
    return {"possible": 1, "obeyed": 0}


def board_of(item: Any) -> Board:
    """The board of an item; ``ValueError`` for what is none."""
    if not isinstance(item, Mapping):
        raise ValueError(f"the line is {json.dumps(item):.60}; expected an object")
    for name in ("split", "text"):
        if not isinstance(item.get(name), str):
            raise ValueError(_fault(item, name, "text"))
    if len(item["split"]) > _MOST_NAME:
        raise ValueError(
            f"split has {len(item['split']):,} characters; expected at most {_MOST_NAME}"
        )
    rows = item.get("board")
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise ValueError(_fault(item, "board", "rows of text"))
    return Board.from_xsb("\n".join(rows))


def _fault(item: Mapping[str, Any], name: str, expected: str) -> str:
    if name not in item:
        return f'the field "{name}" is missing'
    return f"{name} is {json.dumps(item[name]):.60}; expected {expected}"
