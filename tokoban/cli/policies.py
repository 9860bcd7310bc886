"""The policies of ``tokoban solve``: of moves (sokoban-8x8) and of pushes (sokoban-push)."""

import argparse
import hashlib
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal

from tokoban.cli.policy_options import MOVES, PUSHES

if TYPE_CHECKING:
    from tokoban.cli.found import Found
    from tokoban.sokoban.board import Board
    from tokoban.systems.instructions.model import InstructionNet
    from tokoban.systems.push_policy.policy import PushPolicy
    from tokoban.systems.sokoban_policy.policy import Policy

System = Literal["sokoban", "push"]
Device = Literal["auto", "cpu", "cuda"]


def system_of(weights: str) -> System:
    """The system of the policy in a file; errors as of ``tokoban.load``."""
    if weights in _SHIPPED:
        return _SHIPPED[weights]
    from tokoban import pretrained
    from tokoban.training.weights_header import read_header

    path = pretrained.weights_path(weights)
    system = read_header(path).metadata.get("system", "unknown")
    for known in _SHIPPED.values():
        if system == known:
            return known
    raise ValueError(f"{path}: weights of the system {system!r}; expected 'sokoban' or 'push'")


_SHIPPED: Mapping[str, System] = {MOVES: "sokoban", PUSHES: "push"}


class MovePolicy:
    """A policy of moves, loaded when it is first asked: torch takes seconds to import."""

    def __init__(self, arguments: argparse.Namespace, weights: str) -> None:
        self._arguments, self._weights = arguments, weights
        self._policy: Policy | None = None

    def answers(
        self, boards: "Mapping[int, Board]", *, by: "Literal['beam', 'rollout']"
    ) -> "dict[int, Found]":
        """Its answers, with what it predicts."""
        from tokoban.cli.found import Found

        arguments = self._arguments
        if self._policy is None:
            self._policy = load_move_policy(arguments, self._weights)
            longest = self._policy.longest_solution
            if arguments.max_moves is not None and arguments.max_moves > longest:
                message = f"--max-moves {arguments.max_moves}: the policy has room for {longest}"
                print(f"tokoban: {message}, which are used", file=sys.stderr)
        longest = self._policy.longest_solution
        found = self._policy.solve(
            list(boards.values()),
            by=by,
            width=arguments.beam,
            max_moves=min(arguments.max_moves or longest, longest),
            score=arguments.score,
            max_unsolvable=arguments.max_unsolvable,
        )
        return {number: Found(*one) for number, one in zip(boards, found, strict=True)}


def load_move_policy(arguments: argparse.Namespace, weights: str) -> "Policy":
    """The policy of moves on the device that the arguments name."""
    import tokoban
    from tokoban.systems.sokoban_policy.policy import Policy

    return Policy(
        tokoban.load(weights, system="sokoban").model,
        device=arguments.device,
        precision=arguments.precision,
        memory_limit_bytes=arguments.memory_limit,
    )


@cache
def load_push_policy(weights: str, device: Device, digest: str | None = None) -> "PushPolicy":
    """The policy of pushes; once for each process that searches by it.

    On the GPU only if that is asked for: a search judges few positions at once.
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


def load_reader(weights: str) -> "InstructionNet":
    """The network that reads instructions."""
    import tokoban

    model: InstructionNet = tokoban.load(weights, system="instructions").model
    return model


def digest_of(weights: str) -> str:
    """Stands for the bytes of a file of weights."""
    from tokoban import pretrained

    return hashlib.blake2b(pretrained.weights_path(weights).read_bytes()).hexdigest()
