"""Walks on a graph to one of its nodes: the smallest task whose answer is known from every start.

Axes: B walks, n nodes, P pairs of a start and a goal.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from tokoban.systems.trajectory.environments import Spec, Step

NUM_NODES = 20
NUM_EDGES = 30
MAX_STEPS = 10
LATE = -10.0  # besides the last step, for who has not come home when the time is up


class GraphWorld:
    """A connected graph that ``seed`` draws; a step to a neighbour costs 1, home ends the walk.

    The start of seed s is the s-th node besides home, counted round. All on one device.
    """

    def __init__(
        self,
        seed: int,
        *,
        num_nodes: int = NUM_NODES,
        num_edges: int = NUM_EDGES,
        device: torch.device | str = "cpu",
    ) -> None:
        self.spec = Spec(
            f"graph:{seed}", (num_nodes,), (num_nodes,), (), (0.0,), (num_nodes - 1.0,)
        )
        generator = torch.Generator().manual_seed(seed)
        self.is_edge = draw_graph(num_nodes, num_edges, generator=generator).to(device)
        self.home = int(torch.randint(num_nodes, (), generator=generator))
        self.distances = distances(self.is_edge, self.home)
        self._nodes = torch.empty(0, dtype=torch.int64, device=device)
        self._is_over = torch.empty(0, dtype=torch.bool, device=device)
        self._num_steps = 0

    def reset(self, seeds: Sequence[int]) -> Float[Tensor, "B 1"]:
        """As ``World`` says."""
        starts = (
            torch.arange(len(self.is_edge), device=self.is_edge.device) != self.home
        ).nonzero()
        places = torch.tensor(list(seeds), device=starts.device) % len(starts)
        self._nodes, self._num_steps = starts[places, 0], 0
        self._is_over = torch.zeros_like(self._nodes, dtype=torch.bool)
        return self._nodes[:, None].float()

    def contexts(self) -> Float[Tensor, "B 0"]:
        """Nothing: the graph is always the same."""
        return torch.zeros(len(self._nodes), 0, device=self._nodes.device)

    def is_legal(self) -> Bool[Tensor, "B n"]:
        """The neighbours."""
        return self.is_edge[self._nodes]

    def step(self, actions: Float[Tensor, "B 1"]) -> Step:
        """Goes to the nodes that are named; ``ValueError`` where one is no neighbour."""
        chosen = actions[:, 0].long()
        is_moving = ~self._is_over
        if not (self.is_edge[self._nodes, chosen] | self._is_over).all():
            raise ValueError(f"{self.spec.env}: an action names a node that is no neighbour")
        self._num_steps += 1
        self._nodes = torch.where(is_moving, chosen, self._nodes)
        is_home = is_moving & (self._nodes == self.home)
        is_late = is_moving & ~is_home & (self._num_steps == MAX_STEPS)
        self._is_over = self._is_over | is_home | is_late
        rewards = -is_moving.float() + LATE * is_late
        return Step(self._nodes[:, None].float(), rewards, is_home, is_late)

    def picture(self) -> None:
        """Graphs are not drawn."""


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


def tabular_distances(
    nodes: Int64[Tensor, "N"], chosen: Int64[Tensor, "N"], *, num_nodes: int, home: int
) -> Int64[Tensor, "n"]:
    """What a table learns of walks: the distances over those steps that were seen."""
    seen = torch.zeros(num_nodes, num_nodes, dtype=torch.bool, device=nodes.device)
    seen[nodes, chosen] = True
    return distances(seen, home)


def pairs(
    world: GraphWorld,
) -> tuple[Int64[Tensor, "P"], Int64[Tensor, "P"], Int64[Tensor, "P"]]:
    """Seeds of starts, nodes to go to, and the fewest steps: of every pair that can be walked.

    A walk ends at home, so no way leads through it.
    """
    nodes = world.reset(range(len(world.is_edge) - 1))[:, 0].long()
    steps = []
    for goal in range(len(world.is_edge)):
        is_edge = world.is_edge.clone()
        if goal != world.home:
            is_edge[world.home] = is_edge[:, world.home] = False
        steps.append(distances(is_edge, goal)[nodes])
    found = torch.stack(steps)  # [goals, starts]
    goals, seeds = ((found > 0) & (found <= MAX_STEPS)).nonzero().unbind(1)
    return seeds, goals, found[goals, seeds]
