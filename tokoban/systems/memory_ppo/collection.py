"""A collection task: a robot that sees only what is near gathers what lies about in a room.

The task named in the article "Transformer: Self-Attention".

Axes: B games, H rows, W columns.
"""

import torch
from gymnasium.spaces import MultiDiscrete
from jaxtyping import Float, Int64
from torch import Tensor

_OFFSETS = ((-1, 0), (1, 0), (0, -1), (0, 1))  # up, down, left, right
_SIGHT = 1  # cells on each side
_FLOOR, _WALL, _THING = range(3)


class Collection:
    """A square room with as many things as its side; all of them gathered make the return 1.

    The robot sees the cells around its own, and neither where it is nor where it was: what it has
    searched already it must remember. There are as many steps as cells, so that the whole room can
    be searched by rows.
    """

    is_judged_at_once = False

    def __init__(self, side: int) -> None:
        if side < 3:
            raise ValueError(f"collection needs a room of side 3 or more, got {side}")
        self.side = side
        num_seen = (2 * _SIGHT + 1) ** 2
        self.observation_space = MultiDiscrete([3] * num_seen)
        self.action_space = MultiDiscrete([len(_OFFSETS)])
        self.episode_steps = side * side

    def start(self, num_games: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Things and robot each in a cell of its own."""
        device, side = generator.device, self.side
        keys = torch.rand(num_games, side * side, generator=generator, device=device)
        order = keys.argsort(dim=1)
        room = torch.full((num_games, side + 2, side + 2), _WALL, device=device)
        inside = torch.full((num_games, side * side), _FLOOR, device=device)
        inside.scatter_(1, order[:, :side], _THING)
        room[:, 1:-1, 1:-1] = inside.unflatten(1, (side, side))
        robot = order[:, side]
        return {"room": room, "row": robot // side + 1, "column": robot % side + 1}

    def observe(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "B 9"]:
        """The robot's own cell and those around it, row by row."""
        near = torch.arange(-_SIGHT, _SIGHT + 1, device=state["row"].device)
        rows = state["row"][:, None, None] + near[:, None]
        columns = state["column"][:, None, None] + near
        games = torch.arange(len(rows), device=near.device)[:, None, None]
        return state["room"][games, rows, columns].flatten(1)

    def play(
        self, state: dict[str, Tensor], actions: Int64[Tensor, "B 1"], step: int
    ) -> tuple[dict[str, Tensor], Float[Tensor, "B"]]:
        """Walks, where there is no wall, and takes what lies there."""
        room = state["room"]
        moves = torch.tensor(_OFFSETS, device=room.device)[actions[:, 0]]
        row = (state["row"] + moves[:, 0]).clamp(1, self.side)
        column = (state["column"] + moves[:, 1]).clamp(1, self.side)
        games = torch.arange(len(row), device=room.device)
        rewards = (room[games, row, column] == _THING).float() / self.side
        room = room.clone()
        room[games, row, column] = _FLOOR
        return {"room": room, "row": row, "column": column}, rewards

    def draw(self, state: dict[str, Tensor], step: int) -> Int64[Tensor, "H W"]:
        """The first game's room."""
        picture = state["room"][0].cpu().clone()
        picture[state["row"][0], state["column"][0]] = 3
        return picture
