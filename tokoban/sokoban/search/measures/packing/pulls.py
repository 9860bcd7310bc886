"""Plans by pulls: from all goals filled, boxes leave the board where some box starts.

A small FESS of its own, after Shoham and Schaeffer 2020: a box that can be pulled to such a square
leaves the board; there is always room for it, which is what makes the game easy (*relaxed*). Only
if no box can leave is one pulled elsewhere. Read backwards, the path fills the goals one by one and
parks boxes in between. That boxes leave wherever some box starts is from Kirov's sokoban-ai.
"""

from typing import no_type_check

import numpy as np

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.flood import flood, flood_rest
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.level.regions import find_regions
from tokoban.sokoban.search.measures.packing.pull_board import PullBoard, find_pulls
from tokoban.sokoban.search.measures.packing.pull_tree import (
    FOUND,
    GONE,
    NUM_NODES,
    WORK,
    add_child,
    empty_pull_tree,
    enter,
    lay_out,
    take_next,
)
from tokoban.sokoban.search.steps import Steps

MAX_BOXES = 255  # levels with more are not planned: their cells alone are half a million
_MOST_WORK = 60_000_000  # squares looked at: about a second
_WORK_A_STEP = 500_000


@inner
@no_type_check
def expand(board, tree, node):
    """Enters what one box after another can be pulled to; if boxes can leave, they alone do."""
    neighbours, is_blocked, regions = board.neighbours, board.is_blocked, board.regions
    num_floor = len(neighbours) - 1
    progress = tree.progress
    lay_out(board, tree, node)
    player = tree.player[node]
    first_child = progress[NUM_NODES]
    num_leaving = 0
    advised = farthest = NONE
    for box in range(num_floor):
        if not is_blocked[box]:
            continue
        is_blocked[box] = False
        find_regions(neighbours, is_blocked, regions)
        count = find_pulls(board, box, player)
        progress[WORK] += num_floor + count
        num_regions = regions.num_regions[box]
        for i in range(1, count):
            to = board.ways[0, i]
            if board.is_start[to]:
                board.leaving[0, num_leaving] = box
                board.leaving[1, num_leaving] = board.ways[2, i]
                num_leaving += 1
                break
            if num_leaving > 0 or board.is_closed[to] or to == box:
                continue
            child = add_child(board, tree, node, box, to, board.ways[1, i])
            tree.num_regions[child] = regions.num_regions[to]
            is_advisable = board.is_goal[box] and regions.num_regions[to] <= num_regions
            if is_advisable and board.distance[to] > farthest:
                advised, farthest = child, np.int64(board.distance[to])
        is_blocked[box] = True
    if num_leaving > 0:
        progress[NUM_NODES] = first_child
        remove_all(board, tree, node, num_leaving)
        return
    for child in range(first_child, progress[NUM_NODES]):
        tree.weight[child] += child != advised
        enter(board, tree, child)


@inner
@no_type_check
def remove_all(board, tree, node, num_leaving):
    """Takes the boxes of ``board.leaving`` off the board one after another, the nearest first.

    Boxes that can leave still can once others have left, for the player has more room then.
    """
    pulls = board.leaving[1]
    start = np.int64(tree.player[node])
    for _ in range(num_leaving):
        nearest = 0
        for i in range(1, num_leaving):
            if pulls[i] < pulls[nearest]:
                nearest = i
        pulls[nearest] = 1 << 30
        box = board.leaving[0, nearest]
        board.is_blocked[box] = False
        node = add_child(board, tree, node, box, GONE, NONE)
    board.marks[:] = 0
    neighbours, is_blocked = board.neighbours, board.is_blocked
    tree.player[node] = flood(neighbours, is_blocked, start, board.marks, 1, board.waiting)
    num_others = flood_rest(neighbours, is_blocked, board.marks, board.waiting)
    tree.num_regions[node] = 1 + num_others
    enter(board, tree, node)


@entry
@no_type_check
def search_pulls(board, tree):
    """Does a step of the work; returns whether the search has ended, for any reason."""
    num_floor = len(board.neighbours) - 1
    progress = tree.progress
    stop_at = progress[WORK] + _WORK_A_STEP
    while progress[WORK] < stop_at:
        num_new = (len(board.goals) + 1) * 4 * num_floor
        if progress[FOUND] != NONE or progress[NUM_NODES] + num_new > len(tree.parent):
            return True
        node = take_next(board, tree)
        if node == NONE:
            return True
        expand(board, tree, node)
    return False


def pulls_in_steps(board: PullBoard) -> Steps[list[tuple[int, int]] | None]:
    """The pulls of a plan: the square of a box and where it comes to, or GONE.

    At their end every box that is left is where some box starts. None if no plan was found.
    """
    tree = empty_pull_tree(board)
    while tree.progress[WORK] < _MOST_WORK:
        if search_pulls(board, tree):
            break
        yield
    node = int(tree.progress[FOUND])
    if node == NONE:
        return None
    moves: list[tuple[int, int]] = []
    while tree.parent[node] != NONE:
        moves.append((int(tree.box[node]), int(tree.to[node])))
        node = int(tree.parent[node])
    return moves[::-1]
