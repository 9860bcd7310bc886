"""From the tree of FESS back to the moves of the player."""

from tokoban.sokoban.board import Direction
from tokoban.sokoban.search.level.ground import Ground
from tokoban.sokoban.search.level.one_box import Step, directions_of_steps
from tokoban.sokoban.search.searches.fess.tree import Tree
from tokoban.sokoban.search.state.positions import unpacked_bits


def path_to(tree: Tree, child: int) -> list[int]:
    """The children on the way to one, from the first move to itself."""
    path = []
    while child != 0:
        path.append(child)
        child = int(tree.came_by[tree.parent[tree.run[child]]])
    return path[::-1]


def steps_to(tree: Tree, child: int) -> list[Step]:
    """The moves on the way to a child."""
    return [
        Step(int(tree.box[i]), int(tree.to[i]), int(tree.child_player[i]))
        for i in path_to(tree, child)
    ]


def find_directions(ground: Ground, tree: Tree, child: int, player: int) -> tuple[Direction, ...]:
    """All moves from the start, with the player on square ``player``, to a child."""
    is_box = unpacked_bits(tree.boxes[0], len(ground.zone))
    return directions_of_steps(ground, is_box, player, steps_to(tree, child))
