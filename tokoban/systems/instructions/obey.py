"""A network plays as sentences say: greedily, or by best-first search.

The search is PHS (Orseau and Lelis 2021, arXiv:2103.11505): the next play to evaluate has the
fewest pushes for its probability, counting the pushes that a lower bound leaves. It goes on for a
shorter solution, and leaves out plays that are too long for one by that bound. The machine of a
sentence refuses plays and accepts their ends; it proposes nothing. Axes as in ``prompts``.
"""

import heapq
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float32

from tokoban.compiling import clock
from tokoban.sokoban.board import Board, Direction
from tokoban.sokoban.encoding.features import DIRECTIONS
from tokoban.sokoban.formats.level import Solution
from tokoban.sokoban.instructions import grammar
from tokoban.sokoban.instructions.machine import Cells, Machine, TooLargeError, build_machine, obeys
from tokoban.sokoban.instructions.meaning import CONDITIONAL, Clause, Kind
from tokoban.sokoban.instructions.naming import named_boxes, without_squares
from tokoban.sokoban.instructions.phrases import languages
from tokoban.sokoban.instructions.play import Followed, Play, followed
from tokoban.sokoban.search.answer import Answer
from tokoban.sokoban.search.level.ground import UNREACHABLE
from tokoban.sokoban.search.limits import DEFAULT_LIMITS, UNWATCHED, Limits, Watch
from tokoban.sokoban.search.searches.guided.tree import PUSH_LOSS
from tokoban.sokoban.wording import counted
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.prompts import (
    LONGER,
    MIRRORS,
    EncodedPlay,
    Encoder,
    Prompt,
    joined,
    mirrored,
    prompt_of,
)
from tokoban.systems.instructions.words import UNKNOWN
from tokoban.text.saved import tokenizer_of
from tokoban.training.system import to_device

BY_NETWORK = "network"  # the ``Answer.solver``
MOST_EVALUATED = 100  # positions, where nobody says how many
_NEVER_DRAWN = Kind.IS_SOLVABLE, Kind.IS_LOST  # so that no network knows their phrases
_ROWS_AT_ONCE = 16  # positions or questions; more take no less time each


class Task(NamedTuple):
    """A sentence on a board, and its machine."""

    cells: Cells
    machine: Machine
    text: str


class Predicted(NamedTuple):
    """What the network says of a sentence before the first push."""

    predicted_unsolvable: float  # the probability of "impossible"

    def __str__(self) -> str:
        return f"impossible with probability {self.predicted_unsolvable:.2f}"


class _Node(NamedTuple):
    cost: float
    number: int  # parts equal costs
    nats: float  # log-probability
    depth: int  # pushes
    now: Followed
    encoded: EncodedPlay


class Search:
    """What a network makes of a task."""

    def __init__(self, task: Task, words: list[int]) -> None:
        """``words`` are its sentence."""
        self.task, self.words, self.encoder = task, words, Encoder(task.cells.board)
        self.impossible = math.nan  # the probability, at the start
        self.moves: tuple[Direction, ...] | None = None  # a solution that the machine accepts
        self.num_pushes = UNREACHABLE  # of it, once there is one
        self.num_evaluated = 0
        self._waiting: list[_Node] = []
        self._numbers = itertools.count()
        self._fewest: dict[object, int] = {}  # pushes to each position
        self._add(Followed(Play.of(task.cells.board), task.machine.start, ()), 0.0, 0)

    def take(self) -> _Node | None:
        """The next play to evaluate; None if no play that waits can become a shorter solution."""
        while self._waiting:
            node = heapq.heappop(self._waiting)
            # The network is asked at the start, even of a level that is lost.
            if node.depth == 0 or node.depth + node.encoded.bound < self.num_pushes:
                return node
        return None

    def expand(self, node: _Node, push: Float32[np.ndarray, "T 4"], *, is_greedy: bool) -> None:
        """Adds the play after each legal push, with its log-probability.

        Greedily, only the likeliest push to a new position is tried; if the machine refuses it, no
        play is added.
        """
        self.num_evaluated += 1
        order = np.argsort(-push, axis=None, kind="stable")[: int(np.isfinite(push).sum())]
        for action in order:
            token, direction = divmod(int(action), 4)
            chosen = self.encoder.squares.squares[token], Direction(direction)
            then = followed(self.task.cells, self.task.machine, node.now, chosen)
            is_new = then is not None and self._add(
                then, node.nats + float(push[token, direction]), node.depth + 1
            )
            if is_greedy and (then is None or is_new):
                return

    def _add(self, now: Followed, nats: float, depth: int) -> bool:
        """Whether no play with as few pushes came to the position; keeps a shorter solution."""
        (cells, machine, _), board = self.task, now.play.board
        forbidden = cells.squares(machine.walls[now.state])
        area = board.flood(board.player, board.walls | board.boxes | forbidden)
        # A player on a forbidden square cannot come back to it.
        key = now.state, now.play.origins, min(area), board.player in forbidden and board.player
        if self._fewest.get(key, UNREACHABLE) <= depth:
            return False
        self._fewest[key] = depth
        if not board.is_solved or not machine.accepts[now.state]:
            [encoded] = self.encoder.encode([now.play])
            cost = math.log(depth + encoded.bound + 1) + PUSH_LOSS * encoded.bound - nats
            node = _Node(cost, next(self._numbers), nats, depth, now, encoded)
            heapq.heappush(self._waiting, node)
        elif depth < self.num_pushes:
            if not obeys(cells, machine, now.moves):
                raise RuntimeError(f"a play is refused: {cells.board!r}")
            self.moves, self.num_pushes = now.moves, depth
            if depth == 0:  # the network is not asked
                self.impossible = 0.0
        return True


def obey_all(
    model: InstructionNet,
    tasks: Iterable[Task],
    *,
    most_evaluated: int,
    is_greedy: bool = False,
    watch: Watch = UNWATCHED,
) -> list[Search]:
    """Plays all tasks side by side; each is played as it would be alone.

    A search ends with the shortest solution that it finds; all end once the ``watch`` says so.
    Greedy play follows the likeliest legal push to a new position, and ends where the machine
    refuses it.
    """
    words = tokenizer_of(model)
    searches = [Search(task, words.encode(task.text)) for task in tasks]
    active = searches
    while active := [search for search in active if search.num_evaluated < most_evaluated]:
        if watch.reason_to_end() is not None:
            break
        taken = [(search, node) for search in active if (node := search.take())]
        for first in range(0, len(taken), _ROWS_AT_ONCE):
            group = taken[first : first + _ROWS_AT_ONCE]
            prompt = prompt_of(
                [node.encoded for _, node in group], [search.words for search, _ in group]
            )
            push, impossible = judged(model, prompt)
            for row, (search, node) in enumerate(group):
                if node.depth == 0:
                    search.impossible = float(impossible[row])
                search.expand(node, push[row], is_greedy=is_greedy)
        active = [search for search, _ in taken]
    return searches


def answer(
    model: InstructionNet, board: Board, text: str, limits: Limits = DEFAULT_LIMITS
) -> tuple[Answer, Predicted | None]:
    """The shortest solution that a network's search finds, or none; the network proves nothing.

    It evaluates ``limits.max_expansions`` positions, or ``MOST_EVALUATED``; what it reads is
    ``for_network``. The prediction is None where the floor is too large, or if no position was
    evaluated. ``ValueError`` where names mean nothing on the board, or the network does not know
    them.
    """
    started_s = clock()
    meaning = grammar.instruction(text).meaning
    try:
        cells = Cells.of(board, named_boxes(board, meaning))
    except TooLargeError as error:
        return Answer(status="gave up", solver=BY_NETWORK, reason=error.args[0]), None
    task = Task(cells, build_machine(cells, meaning), for_network(model, board, text))
    watch, most = Watch(limits), limits.max_expansions
    most = MOST_EVALUATED if most is None else most
    [found] = obey_all(model, [task], most_evaluated=most, watch=watch)
    tried = counted(found.num_evaluated, "position")
    why: str | None = f"no push is left to try after {tried}"
    if found.take():
        why = f"not within {tried}" if found.num_evaluated >= most else watch.reason_to_end()
    found_answer = Answer(
        status="gave up" if found.moves is None else "solved",
        solver=BY_NETWORK,
        solution=None if found.moves is None else Solution.of(board, found.moves),
        num_expansions=found.num_evaluated,
        num_evaluated=found.num_evaluated,
        elapsed_s=clock() - started_s,
        reason=why if found.moves is None else None,
    )
    return found_answer, None if math.isnan(found.impossible) else Predicted(found.impossible)


def judged(
    model: InstructionNet, prompt: Prompt
) -> tuple[Float32[np.ndarray, "B T 4"], Float32[np.ndarray, " B"]]:
    """Log-probabilities of the pushes, which sum to 1, and the probability of "impossible".

    A push is weighted by the probability that the sentence can be obeyed after it. Probabilities
    are means over ``MIRRORS`` of the prompt.
    """
    words = tokenizer_of(model)
    image = joined([mirrored(prompt, view, words) for view in MIRRORS])
    device, none = model.push.weight.device, torch.zeros(len(image.words), 1, dtype=torch.int64)
    with torch.inference_mode():
        output = model(to_device(image, device), none.to(device))
    is_kept = output.outlook.log_softmax(3)[..., LONGER:].logsumexp(3)
    push = (output.push + is_kept).cpu().masked_fill(~image.is_legal, -torch.inf)
    shares = push - push.flatten(1).logsumexp(1)[:, None, None]
    pushes = [
        share[:, :, DIRECTIONS[view].tolist()]
        for view, share in zip(MIRRORS, shares.chunk(len(MIRRORS)), strict=True)
    ]
    mean = torch.stack(pushes).logsumexp(0) - math.log(len(MIRRORS))
    refusals = (phrases.answers["impossible"] for phrases in languages().values())
    impossible = [number for word in refusals for number in words.encode(word)]
    refused = output.first[:, impossible].exp().sum(1).cpu().view(len(MIRRORS), -1).mean(0)
    return mean.numpy(), refused.numpy()


def for_network(model: InstructionNet, board: Board, text: str) -> str:
    """The sentence, if training had its phrases and its words; else its meaning in the usual ones.

    Training had no rows and columns: ``ValueError`` for what has no other name.
    """
    understood = grammar.parse(text)
    meaning = without_squares(board, understood.meaning)
    if meaning[0].kind in CONDITIONAL and meaning[1:]:
        meaning = meaning[1:]
    elif meaning[0].kind in _NEVER_DRAWN:
        meaning = (Clause(Kind.PUSHES_LEFT),)
    is_known = UNKNOWN not in tokenizer_of(model).encode(text)
    is_generated = grammar.readings(text, knows_parse_only=False)
    if meaning == understood.meaning and is_known and is_generated:
        return text
    return grammar.sentence(meaning, understood.language)


def answer_to(model: InstructionNet, board: Board, question: str) -> str:
    """The answer to a question, in words; there is a solution if it says how many pushes one has.

    A question with demands is answered by the network's search. Raises as ``answer_all`` and
    ``for_network`` do.
    """
    asked = grammar.question(question)
    kind, answers = asked.meaning[0].kind, languages()[asked.language].answers
    text = for_network(model, board, question)
    if demands := asked.meaning[1:]:
        cells = Cells.of(board, named_boxes(board, demands))
        task = Task(cells, build_machine(cells, demands), text)
        [play] = obey_all(model, [task], most_evaluated=MOST_EVALUATED)
        said = answers["no_solution"] if play.moves is None else f"{play.num_pushes}"
    else:
        [said] = answer_all(model, [(board, text)])
    if kind in _NEVER_DRAWN:
        has_none = said in (answers["no_solution"], answers["impossible"])
        return answers["yes" if has_none == (kind is Kind.IS_LOST) else "no"]
    return said


def answer_all(model: InstructionNet, asked: Sequence[tuple[Board, str]]) -> list[str]:
    """The answers to questions, in words; ``TooLargeError`` where a floor is too large.

    Where the network answers with a push, it solves the level by its search, and the answer is the
    number of pushes. If that fails, the answer is the likeliest words.
    """
    words = tokenizer_of(model)
    found: list[str] = []
    for first in range(0, len(asked), _ROWS_AT_ONCE):
        group = asked[first : first + _ROWS_AT_ONCE]
        levels = [Cells.of(board, ()) for board, _ in group]
        prompt = to_device(
            prompt_of(
                [Encoder(cells.board).encode([Play.of(cells.board)])[0] for cells in levels],
                [words.encode(text) for _, text in group],
            ),
            model.push.weight.device,
        )
        with torch.inference_mode():
            output = model(prompt, prompt.words[:, :0])
            shows = output.push.flatten(1).logsumexp(1) > output.first.logsumexp(1)
            said = [words.decode(answer) for answer in model.answers(prompt)]
        rows = shows.nonzero()[:, 0].tolist()
        tasks = [Task(levels[row], build_machine(levels[row], ()), "") for row in rows]
        plays = obey_all(model, tasks, most_evaluated=MOST_EVALUATED)
        for row, play in zip(rows, plays, strict=True):
            if play.moves is not None:
                said[row] = f"{play.num_pushes}"
        found += said
    return found
