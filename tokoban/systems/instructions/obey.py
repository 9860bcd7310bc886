"""A network plays as sentences say: greedily, or by best-first search.

The search is Levin's (Orseau et al. 2018, arXiv:1811.10928): the next play to evaluate has the
fewest pushes for its probability. The machine of a sentence refuses plays and accepts their ends;
it proposes nothing. Axes as in ``prompts``.
"""

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from tokoban.sokoban.board import Direction
from tokoban.sokoban.instructions.machine import Cells, Machine, obeys
from tokoban.sokoban.instructions.play import Followed, Play, followed
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.prompts import EncodedPlay, Encoder, Prompt, prompt_of
from tokoban.systems.instructions.words import IMPOSSIBLE
from tokoban.text.saved import tokenizer_of

_ROWS_AT_ONCE = 64


@dataclass(frozen=True)
class Task:
    """A sentence on a board, and its machine."""

    cells: Cells
    machine: Machine
    text: str


@dataclass
class Obeyed:
    """What a network made of a task; filled in while it plays."""

    impossible: float = math.nan  # the probability, at the start
    moves: tuple[Direction, ...] | None = None  # an obedient solution, replayed by the machine
    num_evaluated: int = 0


@dataclass
class _Search:
    task: Task
    encoder: Encoder
    words: list[int]
    found: Obeyed = field(default_factory=Obeyed)
    # By cost, with a number that parts equals: log-probability, pushes, and the play.
    waiting: list[tuple[float, int, float, int, Followed]] = field(default_factory=list)
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    seen: set[object] = field(default_factory=set)


def obey_all(
    model: InstructionNet,
    tasks: Sequence[Task],
    *,
    most_evaluated: int,
    is_greedy: bool = False,
    hides_board: bool = False,
) -> list[Obeyed]:
    """Plays all tasks side by side; each is played as it would be alone.

    Greedy play follows the likeliest legal push, and ends where the machine refuses it.
    """
    words = tokenizer_of(model)
    searches = [_Search(task, Encoder(task.cells.board), words.encode(task.text)) for task in tasks]
    for search in searches:
        start = Followed(Play.of(search.task.cells.board), search.task.machine.start, ())
        if not _end(search, start):
            search.waiting.append((0.0, next(search.numbers), 0.0, 0, start))
    unsaid = [number for word in IMPOSSIBLE.values() for number in words.encode(word)]
    while chosen := [
        search
        for search in searches
        if search.waiting
        and search.found.moves is None
        and search.found.num_evaluated < most_evaluated
    ]:
        for first in range(0, len(chosen), _ROWS_AT_ONCE):
            group = chosen[first : first + _ROWS_AT_ONCE]
            nodes = [heapq.heappop(search.waiting)[2:] for search in group]
            plays = [
                search.encoder.encode([now.play])[0]
                for search, (_, _, now) in zip(group, nodes, strict=True)
            ]
            prompt = prompt_of(plays, [search.words for search in group])
            push, said = judged(model, prompt, hides_board=hides_board)
            impossible = said[:, unsaid].sum(1)
            for row, (search, node) in enumerate(zip(group, nodes, strict=True)):
                if search.found.num_evaluated == 0:
                    search.found.impossible = float(impossible[row])
                search.found.num_evaluated += 1
                _expand(search, node, push[row], is_greedy=is_greedy)
    return [search.found for search in searches]


def judged(
    model: InstructionNet, prompt: Prompt, *, hides_board: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Log-probabilities of the legal pushes, [B, T, 4], and probabilities of the words, [B, V].

    Pushes share what words leave. A network from which the board is hidden sees the floor alone.
    """
    is_legal = prompt.is_legal
    answers = torch.zeros(len(prompt.words), 1, dtype=torch.int64)
    device = next(model.parameters()).device
    with torch.inference_mode():
        output = model((hidden(prompt) if hides_board else prompt).to(device), answers.to(device))
    push = output.push.cpu().masked_fill(~is_legal, -torch.inf)
    total = push.flatten(1).logsumexp(1)[:, None, None]
    return (push - total).numpy(), output.first.exp().cpu().numpy()


def hidden(prompt: Prompt) -> Prompt:
    """Prompts that show of a board the floor alone."""
    features = torch.zeros_like(prompt.boards.features)
    features[:, :, 0] = prompt.boards.features[:, :, 0]
    nothing = torch.zeros_like(prompt.history), torch.zeros_like(prompt.origins)
    return Prompt(prompt.boards._replace(features=features), *nothing, prompt.words)


def _expand(
    search: _Search,
    node: tuple[float, int, Followed],
    push: np.ndarray,
    *,
    is_greedy: bool,
) -> None:
    """Adds the plays after the pushes of one, or ends the search."""
    nats, depth, now = node
    order = np.argsort(-push, axis=None, kind="stable")[: int(np.isfinite(push).sum())]
    task = search.task
    for action in order[:1] if is_greedy else order:
        token, direction = divmod(int(action), 4)
        then = followed(task.cells, task.machine, now, search.encoder.push(token, direction))
        if then is None or _end(search, then):
            continue
        key = then.state, then.play.origins, min(then.play.board.area())
        if key not in search.seen:
            search.seen.add(key)
            own = nats + float(push[token, direction])
            cost = math.log(depth + 1) - own
            heapq.heappush(search.waiting, (cost, next(search.numbers), own, depth + 1, then))


def _end(search: _Search, now: Followed) -> bool:
    """Whether the play is an obedient solution; the first is kept."""
    task = search.task
    if not now.play.board.is_solved or not task.machine.accepts[now.state]:
        return False
    if not obeys(task.cells, task.machine, now.moves):
        raise RuntimeError(f"the rules and the machine refuse a play of {task.cells.board!r}")
    if search.found.moves is None:
        search.found.moves = now.moves
    return True


def answer_all(
    model: InstructionNet, asked: Sequence[tuple[EncodedPlay, str]], *, hides_board: bool = False
) -> list[str]:
    """The answers to questions, in words."""
    words = tokenizer_of(model)
    found: list[str] = []
    device = next(model.parameters()).device
    for first in range(0, len(asked), _ROWS_AT_ONCE):
        plays, texts = zip(*asked[first : first + _ROWS_AT_ONCE], strict=True)
        prompt = prompt_of(plays, [words.encode(text) for text in texts])
        with torch.inference_mode():
            _, answers = model.answers((hidden(prompt) if hides_board else prompt).to(device))
        found += map(words.decode, answers)
    return found
