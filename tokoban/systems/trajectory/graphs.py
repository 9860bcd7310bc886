"""Walks on a graph to one of its nodes: the smallest task whose answer is known from every start.

Axes: B walks, n nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from jaxtyping import Bool, Int64
from torch import Tensor

from tokoban.systems.trajectory.environments import World

NUM_NODES = 20
NUM_EDGES = 30
MAX_STEPS = 10
LATE = -10.0  # besides the last step, for who has not come home when the time is up


@dataclass(frozen=True, eq=False)
class Graph:
    """A connected graph, and the node at which every walk ends."""

    name: str
    is_edge: Bool[Tensor, "n n"]
    home: int

    @property
    def distances(self) -> Int64[Tensor, "n"]:
        """The fewest steps from each node home."""
        return distances(self.is_edge, self.home)

    def starts(self, seeds: Sequence[int]) -> Int64[Tensor, "B"]:
        """The start of seed s: the s-th node besides home, counted round."""
        nodes = torch.arange(len(self.is_edge), device=self.is_edge.device)
        others = nodes[nodes != self.home]
        return others[torch.tensor(list(seeds), device=others.device) % len(others)]


def seeded_graph(seed: int) -> Graph:
    """The graph and the home that ``seed`` draws, called ``graph:SEED``."""
    generator = torch.Generator().manual_seed(seed)
    is_edge = draw_graph(NUM_NODES, NUM_EDGES, generator=generator)
    home = int(torch.randint(NUM_NODES, (), generator=generator))
    return Graph(f"graph:{seed}", is_edge, home)


class GraphEnv(VectorEnv[Tensor, Tensor, Tensor]):
    """Walks on a graph, on tensors on its device: a step to a neighbour costs 1, home ends a walk.

    All begin and are reset together; one that is over stands still. ``info`` has the "action_mask"
    of the neighbours.
    """

    def __init__(self, graph: Graph, num_envs: int) -> None:
        self.graph, self.num_envs = graph, num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.DISABLED, "has_action_mask": True}
        nodes = spaces.Discrete(len(graph.is_edge))
        self.single_observation_space = self.single_action_space = nodes
        self.observation_space = self.action_space = batch_space(nodes, num_envs)
        self._nodes = graph.starts(range(num_envs))
        self._is_over = torch.zeros_like(self._nodes, dtype=torch.bool)
        self._num_steps = 0

    def reset(
        self,
        *,
        seed: Sequence[int] | int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Int64[Tensor, "B"], dict[str, Any]]:
        """Begins every walk: by a seed each, or by the one for the first and those that follow."""
        first = seed if isinstance(seed, int) else 0
        seeds = seed if isinstance(seed, Sequence) else range(first, first + self.num_envs)
        self._nodes, self._num_steps = self.graph.starts(seeds), 0
        self._is_over = torch.zeros_like(self._nodes, dtype=torch.bool)
        return self._nodes, self._info()

    def step(
        self, actions: Int64[Tensor, "B"]
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, dict[str, Any]]:
        """Goes to the nodes that are named; ``ValueError`` where one is no neighbour."""
        is_moving = ~self._is_over
        if not (self.graph.is_edge[self._nodes, actions] | self._is_over).all():
            raise ValueError(f"{self.graph.name}: an action names a node that is no neighbour")
        self._num_steps += 1
        self._nodes = torch.where(is_moving, actions, self._nodes)
        is_home = is_moving & (self._nodes == self.graph.home)
        is_late = is_moving & ~is_home & (self._num_steps == MAX_STEPS)
        self._is_over = self._is_over | is_home | is_late
        rewards = -is_moving.float() + LATE * is_late
        return self._nodes, rewards, is_home, is_late, self._info()

    def render(self) -> None:
        """Graphs are not drawn."""

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.graph.is_edge[self._nodes]}


def graph_of(world: World) -> Graph | None:
    """The graph that the world's walks are on; None for another environment."""
    environment = world.environment
    return environment.graph if isinstance(environment, GraphEnv) else None


def draw_graph(
    num_nodes: int, num_edges: int, *, generator: torch.Generator
) -> Bool[Tensor, "n n"]:
    """A connected graph: a random tree, and then edges at random until there are enough."""
    most = num_nodes * (num_nodes - 1) // 2
    if not num_nodes - 1 <= num_edges <= most:
        raise ValueError(
            f"a graph of {num_nodes} nodes has from {num_nodes - 1} to {most} edges, "
            f"got {num_edges}"
        )
    is_edge = torch.zeros(num_nodes, num_nodes, dtype=torch.bool)
    order = torch.randperm(num_nodes, generator=generator)
    for place in range(1, num_nodes):
        earlier = order[int(torch.randint(place, (), generator=generator))]
        is_edge[order[place], earlier] = is_edge[earlier, order[place]] = True
    rows, columns = torch.triu_indices(num_nodes, num_nodes, offset=1)
    is_free = ~is_edge[rows, columns]
    rows, columns = rows[is_free], columns[is_free]
    added = torch.randperm(len(rows), generator=generator)[: num_edges - num_nodes + 1]
    is_edge[rows[added], columns[added]] = is_edge[columns[added], rows[added]] = True
    return is_edge


def distances(is_edge: Bool[Tensor, "n n"], home: int) -> Int64[Tensor, "n"]:
    """The fewest steps from each node home; as many as there are nodes where there is no way."""
    found = torch.full((len(is_edge),), len(is_edge), device=is_edge.device)
    found[home] = 0
    for _ in range(len(is_edge)):
        through = torch.where(is_edge, found[None, :], len(is_edge)).amin(1) + 1
        found = torch.minimum(found, through)
    return found
