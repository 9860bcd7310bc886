"""The policies of ``tokoban solve``: of moves, of pushes, and the one that reads sentences."""

import argparse
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

if TYPE_CHECKING:
    from tokoban.api.learning import Pretrained
    from tokoban.cli.found import Found
    from tokoban.sokoban.board import Board
    from tokoban.systems.push_policy.policy import PushPolicy
    from tokoban.systems.sokoban_policy.policy import Policy

System = Literal["sokoban", "push"]
Device = Literal["auto", "cpu", "cuda"]

# The shipped policies: of moves for one box, which beam search plays, of pushes for any boxes, and
# the one that reads an instruction.
MOVES, PUSHES, READER = "sokoban-8x8", "sokoban-push", "sokoban-instructions"
# Levels that a Sokoban policy plays together: it is quickest with many, and Ctrl-C loses one such
# batch.
_BATCH_LEVELS = 32


def system_of(weights: str) -> System:
    """The system of the policy in a file; errors as of ``tokoban.load``."""
    from tokoban import pretrained

    system = pretrained.system_of(weights)
    if system not in get_args(System):
        path = pretrained.weights_path(weights)
        raise ValueError(f"{path}: weights of the system {system!r}; expected 'sokoban' or 'push'")
    return cast(System, system)


def play_moves(
    boards: "Mapping[int, Board]",
    arguments: argparse.Namespace,
    weights: str,
    *,
    by: "Literal['beam', 'rollout']",
) -> "Iterator[tuple[int, Found]]":
    """The answers of a Sokoban policy, with what it predicts; they come in batches."""
    from tokoban.cli.found import Found

    policy = load_move_policy(arguments, weights)
    numbers = list(boards)
    for start in range(0, len(numbers), _BATCH_LEVELS):
        batch = numbers[start : start + _BATCH_LEVELS]
        found = policy.solve([boards[number] for number in batch], by=by, width=arguments.beam)
        yield from ((number, Found(*one)) for number, one in zip(batch, found, strict=True))


def load_move_policy(arguments: argparse.Namespace, weights: str) -> "Policy":
    """The Sokoban policy on the device that the arguments name."""
    import tokoban
    from tokoban.systems.sokoban_policy.policy import Policy

    return Policy(
        tokoban.load(weights, system="sokoban").model,
        device=arguments.device,
        memory_limit_bytes=arguments.memory_limit,
    )


@cache
def load_push_policy(weights: str, device: Device, digest: str | None = None) -> "PushPolicy":
    """The push policy; once for each process that searches by it.

    On the GPU only if that is asked for: a search judges one position at a time.
    ``ValueError`` where the file has another ``digest`` than that of ``digest_of``.
    """
    import tokoban
    from tokoban import pretrained
    from tokoban.systems.push_policy.policy import PushPolicy

    if digest not in (None, digest_of(weights)):
        raise ValueError(f"the weights {weights} of a worker are not those of the others")
    if device != "cuda":
        return PushPolicy(tokoban.load(weights, system="push").model)
    from tokoban.training.device import find_device

    return PushPolicy(pretrained.load(weights, system="push")[0].to(find_device(device)))


def digest_of(weights: str) -> str:
    """Stands for the bytes of a file of weights."""
    from tokoban import pretrained

    return hashlib.blake2b(pretrained.weights_path(weights).read_bytes()).hexdigest()


def write_reader_attention(
    policy: "Pretrained", board: "Board", text: str, destination: str
) -> None:
    """Writes the attention of the network that reads an instruction or a question."""
    from tokoban import systems
    from tokoban.viewing.plots import write_attention

    view = systems.load(policy.system).attention(policy.model, board, text)
    write_attention(Path(destination), view, title=f"What the network reads: {text}")
