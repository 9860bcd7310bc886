"""How many unseen Sokoban boards a player of `tokoban train ppo --env sokoban:SIDE` solves.

Beside it, random moves on the same boards, with as many steps. Each level counts once, and one that
the training had is left out: also turned, mirrored, or with the player elsewhere in the area that
it can walk to. A solution counts if the plain rules find the board solved by it.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from tokoban import pretrained
from tokoban.cli.output import check_destination, write_output
from tokoban.sokoban.board import Board
from tokoban.sokoban.canonical import canonical_form
from tokoban.sokoban.rules import play
from tokoban.sokoban.simulation.environment import MAX_STEPS
from tokoban.sokoban.simulation.level_pool import load_boards
from tokoban.sokoban.simulation.vector_environment import SokobanVectorEnv
from tokoban.systems.memory_ppo.acting import Games
from tokoban.systems.memory_ppo.environments import make_env, sokoban_levels
from tokoban.systems.memory_ppo.model import Player
from tokoban.systems.memory_ppo.tensor_env import TensorEnv
from tokoban.systems.memory_ppo.train import games_seed
from tokoban.training.metrics import wilson
from tokoban.training.run_directory import current_commit, hardware_name, read_record


class Played(NamedTuple):
    """Games from their beginning, with what was done until the board was solved, if it was."""

    boards: list[Board]
    solutions: list[list[int] | None]


def main(argv: Sequence[str] | None = None) -> int:
    """One line for the player, and one for random moves."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", metavar="RUN", help="a folder of tokoban train ppo")
    parser.add_argument("--games", type=int, default=512, help="with boards drawn (default: 512)")
    parser.add_argument("--seed", type=int, default=0, help="of the boards (default: 0)")
    parser.add_argument("--json", metavar="OUT", help="write the shares here too (-: to stdout)")
    chosen = parser.parse_args(argv)
    check_destination(chosen.json)
    player, config = pretrained.load(chosen.run, system="ppo")
    assert isinstance(player, Player)
    kind, _, side = config.env.partition(":")
    if kind != "sokoban":
        raise ValueError(f"{chosen.run} was trained in {config.env}; expected sokoban:SIDE")
    run_seed = read_record(Path(chosen.run))["run"]["seed"]
    known = known_levels(int(side), run_seed)
    rows = {}
    for name, by in {"player": player, "random moves": None}.items():
        games = played(config.env, chosen.games, by=by, seed=chosen.seed)
        is_solved = judged(games, known=known)
        share = wilson(sum(is_solved), len(is_solved))
        rows[name] = {"boards": len(is_solved), "solved": sum(is_solved)} | share._asdict()
        print(
            f"{name}: {sum(is_solved)} of {len(is_solved)} boards solved, "
            f"{sum(is_solved) / len(is_solved):.3f} ({share.low:.3f} to {share.high:.3f})"
        )
    if chosen.json is not None:
        about = {"commit": current_commit(), "hardware": hardware_name(torch.device("cpu"))}
        write_output(chosen.json, json.dumps(about | {"rows": rows}, indent=2) + "\n")
    return 0


def known_levels(side: int, run_seed: int) -> set[str]:
    """The canonical forms of all levels that a training with this seed draws from."""
    levels = sokoban_levels(side, games_seed(run_seed))
    return {canonical_form(board) for board in load_boards(levels)}


def played(name: str, num_games: int, *, by: Player | None, seed: int) -> Played:
    """An episode of each game, by the most likely moves of a player or by random ones."""
    task = make_env(name, num_games, seed=seed, device=torch.device("cpu"))
    assert isinstance(task, TensorEnv)
    environment = task.environment
    assert isinstance(environment, SokobanVectorEnv)
    games = Games(task)
    boards = [environment.board(game) for game in range(num_games)]
    if by is None:
        chance = torch.Generator().manual_seed(seed)
        num_actions = int(environment.single_action_space.n)
        actions = torch.randint(num_actions, (num_games, MAX_STEPS), generator=chance)
        steps = [task.step(each[:, None]) for each in actions.T]
        is_solved = torch.stack([step.is_terminated for step in steps], dim=1)
        is_last = is_solved | torch.stack([step.is_truncated for step in steps], dim=1)
    else:
        rollout = games.play(by, MAX_STEPS, generator=None)
        actions, is_solved, is_last = (
            rollout.actions[..., 0],
            rollout.is_terminated,
            rollout.is_last,
        )
    solutions: list[list[int] | None] = []
    for game, end in enumerate(is_last.int().argmax(1).tolist()):
        moves = actions[game, : end + 1].tolist()
        solutions.append(moves if is_solved[game, end] else None)
    return Played(boards, solutions)


def judged(games: Played, *, known: set[str]) -> list[bool]:
    """Whether each level was solved, of those whose canonical form is not ``known``, each once.

    ``ValueError`` for a solution that by the plain rules is none.
    """
    found: dict[str, bool] = {}
    for board, solution in zip(games.boards, games.solutions, strict=True):
        form = canonical_form(board)
        if form in known or form in found:
            continue
        if solution is not None and not play(board, solution)[-1].is_solved:
            raise ValueError(f"this is not solved by {solution}:\n{board}")
        found[form] = solution is not None
    return list(found.values())


if __name__ == "__main__":
    raise SystemExit(main())
