"""Plans by pulls: from all goals filled, boxes leave the board where some box starts.

A small FESS of its own, after Shoham and Schaeffer 2020: a box that can be pulled to a *sink*, a
square where a box starts, leaves the board; there is always room for it, which is what makes the
game easy (*relaxed*). Only if no box can leave is one pulled elsewhere. Read backwards, the path
fills the goals one by one and parks boxes in between. That boxes leave where boxes start, rather
than in a room chosen for it as in Festival, is from Kirov's sokoban-ai. Axes as in ``ground``, and
N positions.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Int16, Int32, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.fess.regions import Regions, empty_regions, find_regions
from tokoban.sokoban.search.flood import flood, flood_rest
from tokoban.sokoban.search.ground import NONE, UNREACHABLE, Ground
from tokoban.sokoban.search.steps import Steps

GONE = NONE  # where a box is that has left the board
MAX_BOXES = 255  # a level of more is not planned: its cells alone are half a million
_CAPACITY = 1 << 19
_MAX_REGIONS = 7  # so many or more are one and the same
_MOST_WORK = 60_000_000  # squares looked at: about a second
_WORK_A_STEP = 500_000

# Entries of `PullTree.progress`.
NUM_NODES, NUM_CELLS, NEXT_CELL, NEW_CELL, NUM_TURNS, BEST, FOUND, WORK, NUM_EXPANSIONS = range(9)
_GOING_ON, _ENDED = range(2)


class PullBoard(NamedTuple):
    """A level for pulls, and workspace."""

    neighbours: Int16[np.ndarray, "F+1 4"]
    goals: Int16[np.ndarray, " G"]
    is_goal: Bool[np.ndarray, "F+1"]
    is_start: Bool[np.ndarray, "F+1"]
    is_closed: Bool[np.ndarray, "F+1"]  # no box is ever pushed to this square
    distance: Int32[np.ndarray, "F+1"]  # pushes of a lone box to the next goal
    keys: UInt64[np.ndarray, "2 F"]
    is_blocked: Bool[np.ndarray, "F+1"]
    regions: Regions
    seen: Int64[np.ndarray, "4*F+4"]
    last_mark: Int64[np.ndarray, "1"]  # in ``seen``: each search for pulls has one of its own
    marks: Int64[np.ndarray, "F+1"]
    waiting: Int32[np.ndarray, "F+1"]
    ways: Int32[np.ndarray, "3 4*F"]  # squares of the box, the player's region there, pulls
    leaving: Int32[np.ndarray, "3 F"]  # boxes that can leave, their pulls, and 1 if done
    work: Int64[np.ndarray, "1"]  # squares looked at for ``fillings``


class PullTree(NamedTuple):
    """Positions, each one pull of its parent, and a heap of them for each cell.

    A cell is the number of boxes, of boxes on goals and of regions of free floor. Positions are
    told apart by their hash alone: nothing is proved here.
    """

    parent: Int32[np.ndarray, " N"]
    box: Int16[np.ndarray, " N"]  # where the pulled box was
    to: Int16[np.ndarray, " N"]  # where it is, or GONE
    player: Int16[np.ndarray, " N"]  # the least square of the player's region
    num_boxes: Int16[np.ndarray, " N"]
    num_on_goals: Int16[np.ndarray, " N"]
    num_off_starts: Int16[np.ndarray, " N"]
    num_regions: Int16[np.ndarray, " N"]  # of free floor
    weight: Int32[np.ndarray, " N"]
    distance: Int32[np.ndarray, " N"]  # the sum over the boxes
    boxes_key: UInt64[np.ndarray, " N"]
    slots: Int32[np.ndarray, " S"]
    below: Int32[np.ndarray, "2 N"]  # links of the heaps
    root: Int32[np.ndarray, " C"]  # of the heap of each cell
    cells: Int32[np.ndarray, " C"]  # those that have been met
    path: Int32[np.ndarray, " N"]  # workspace
    progress: Int64[np.ndarray, "9"]


def pull_board(ground: Ground, starts: Int16[np.ndarray, " G"]) -> PullBoard:
    """A level whose boxes start on ``starts``."""
    num_floor = len(ground.zone)
    is_start = np.zeros(num_floor + 1, np.bool_)
    is_start[starts] = True
    nearest = ground.lower_bound.reshape(num_floor, 4).min(axis=1)
    distance = np.where(nearest < UNREACHABLE, nearest, 0)
    is_closed = np.ones(num_floor + 1, np.bool_)
    open_squares(ground.neighbours, ground.zone, starts, is_closed)
    is_blocked = np.zeros(num_floor + 1, np.bool_)
    is_blocked[num_floor] = True
    return PullBoard(
        neighbours=ground.neighbours,
        goals=ground.goals,
        is_goal=ground.is_goal,
        is_start=is_start,
        is_closed=is_closed,
        distance=np.append(distance, 0).astype(np.int32),
        keys=ground.keys,
        is_blocked=is_blocked,
        regions=empty_regions(num_floor),
        seen=np.zeros(4 * num_floor + 4, np.int64),
        last_mark=np.zeros(1, np.int64),
        marks=np.zeros(num_floor + 1, np.int64),
        waiting=np.zeros(num_floor + 1, np.int32),
        ways=np.zeros((3, 4 * num_floor), np.int32),
        leaving=np.zeros((3, num_floor), np.int32),
        work=np.zeros(1, np.int64),
    )


@entry(makes_arrays=True)
@no_type_check
def open_squares(neighbours, zone, starts, is_closed):
    """Clears ``is_closed`` wherever a lone box can be pushed to from some start."""
    num_floor = len(neighbours) - 1
    seen = np.zeros(4 * num_floor, np.bool_)
    waiting = np.empty(4 * num_floor, np.int32)
    count = 0
    for start in starts:
        for direction in range(4):
            beside = neighbours[start, direction]
            if beside != num_floor and zone[start, beside] == direction:
                seen[np.int64(start) * 4 + direction] = True
                waiting[count] = np.int64(start) * 4 + direction
                count += 1
        is_closed[start] = False
    while count > 0:
        count -= 1
        box, side = waiting[count] // 4, waiting[count] % 4
        for direction in range(4):
            end, player = neighbours[box, direction], neighbours[box, direction ^ 2]
            if end == num_floor or player == num_floor or zone[box, player] != side:
                continue
            is_closed[end] = False
            place = np.int64(end) * 4 + zone[end, box]
            if not seen[place]:
                seen[place] = True
                waiting[count] = place
                count += 1


@inner
@no_type_check
def find_pulls(board, box, player):
    """Fills ``board.ways`` with what ``box`` can be pulled to, the nearest first; returns how many.

    The box must be lifted and ``board.regions`` found so; ``player`` is the least square of the
    player's region with the box in place. The first way is the box where it is.
    """
    neighbours, is_blocked, beside = board.neighbours, board.is_blocked, board.regions.beside
    squares, players, pulls = board.ways
    seen = board.seen
    board.last_mark[0] += 1
    mark = board.last_mark[0]
    squares[0], players[0], pulls[0] = box, player, 0
    for direction in range(4):
        if beside[box, direction] == player:
            seen[np.int64(box) * 4 + direction] = mark
    first, count = 0, 1
    while first < count:
        square, region = np.int64(squares[first]), players[first]
        for direction in range(4):
            if beside[square, direction] != region:
                continue
            end = np.int64(neighbours[square, direction])
            if is_blocked[neighbours[end, direction]] or seen[end * 4 + direction] == mark:
                continue
            region_after = beside[end, direction]
            for side in range(4):
                if beside[end, side] == region_after:
                    seen[end * 4 + side] = mark
            squares[count], players[count], pulls[count] = end, region_after, pulls[first] + 1
            count += 1
        first += 1
    return count


def empty_pull_tree(board: PullBoard) -> PullTree:
    """The board with all goals filled, once for each region of free floor."""
    num_cells = (len(board.goals) + 1) ** 2 * (_MAX_REGIONS + 1)
    tree = PullTree(
        parent=np.empty(_CAPACITY, np.int32),
        box=np.empty(_CAPACITY, np.int16),
        to=np.empty(_CAPACITY, np.int16),
        player=np.empty(_CAPACITY, np.int16),
        num_boxes=np.empty(_CAPACITY, np.int16),
        num_on_goals=np.empty(_CAPACITY, np.int16),
        num_off_starts=np.empty(_CAPACITY, np.int16),
        num_regions=np.empty(_CAPACITY, np.int16),
        weight=np.empty(_CAPACITY, np.int32),
        distance=np.empty(_CAPACITY, np.int32),
        boxes_key=np.empty(_CAPACITY, np.uint64),
        slots=np.full(2 * _CAPACITY, NONE, np.int32),
        below=np.empty((2, _CAPACITY), np.int32),
        root=np.full(num_cells, NONE, np.int32),
        cells=np.empty(num_cells, np.int32),
        path=np.empty(_CAPACITY, np.int32),
        progress=np.zeros(9, np.int64),
    )
    tree.progress[[NEW_CELL, BEST, FOUND]] = NONE
    add_roots(board, tree)
    return tree


@entry
@no_type_check
def add_roots(board, tree):
    """Enters all goals filled, with the player in each region; the largest weighs least."""
    neighbours, is_blocked, progress = board.neighbours, board.is_blocked, tree.progress
    num_floor = len(neighbours) - 1
    key = np.uint64(0)
    num_off_starts = 0
    for goal in board.goals:
        is_blocked[goal] = True
        key ^= board.keys[0, goal]
        num_off_starts += not board.is_start[goal]
    board.marks[:] = 0
    num_regions = flood_rest(neighbours, is_blocked, board.marks, 1, board.waiting)
    largest = num_largest = 0
    for region in range(2, 2 + num_regions):
        num_squares = 0
        for square in range(num_floor):
            num_squares += board.marks[square] == region
        if num_squares > num_largest:
            largest, num_largest = region, num_squares
    for region in range(2, 2 + num_regions):
        node = progress[NUM_NODES]
        progress[NUM_NODES] += 1
        for square in range(num_floor - 1, -1, -1):
            if board.marks[square] == region:
                tree.player[node] = square
        tree.parent[node] = NONE
        tree.box[node] = tree.to[node] = NONE
        tree.num_boxes[node] = tree.num_on_goals[node] = len(board.goals)
        tree.num_off_starts[node] = num_off_starts
        tree.num_regions[node] = num_regions
        tree.weight[node] = region != largest
        tree.distance[node] = 0
        tree.boxes_key[node] = key
        enter(board, tree, node)


@inner
@no_type_check
def enter(board, tree, node):
    """Makes a new position one of its cell, unless it is known."""
    mask = len(tree.slots) - 1
    player = tree.player[node]
    key = tree.boxes_key[node] ^ board.keys[1, player]
    slot = np.int64(key >> np.uint64(1)) & mask
    while tree.slots[slot] != NONE:
        known = tree.slots[slot]
        if tree.boxes_key[known] == tree.boxes_key[node] and tree.player[known] == player:
            return False
        slot = (slot + 1) & mask
    tree.slots[slot] = node
    progress = tree.progress
    if tree.num_off_starts[node] == 0 and progress[FOUND] == NONE:
        progress[FOUND] = node
    best = progress[BEST]
    if (
        best == NONE
        or tree.num_boxes[node] < tree.num_boxes[best]
        or (
            tree.num_boxes[node] == tree.num_boxes[best]
            and tree.distance[node] > tree.distance[best]
        )
    ):
        progress[BEST] = node
    cell = cell_of(board, tree, node)
    if tree.root[cell] == NONE:
        is_new = True
        for i in range(progress[NUM_CELLS]):
            is_new &= tree.cells[i] != cell
        if is_new:
            tree.cells[progress[NUM_CELLS]] = cell
            progress[NUM_CELLS] += 1
            progress[NEW_CELL] = cell
    tree.below[0, node] = tree.below[1, node] = NONE
    tree.root[cell] = meld(tree, tree.root[cell], node)
    return True


@inner
@no_type_check
def cell_of(board, tree, node):
    """The numbers of boxes, of boxes on goals and of regions of free floor, in one."""
    cell = np.int64(tree.num_boxes[node]) * (len(board.goals) + 1) + tree.num_on_goals[node]
    return cell * (_MAX_REGIONS + 1) + min(np.int64(tree.num_regions[node]), _MAX_REGIONS)


@inner
@no_type_check
def is_before(tree, one, other):
    """Least weight first, then the boxes farthest from the goals, then the older one."""
    if tree.weight[one] != tree.weight[other]:
        return tree.weight[one] < tree.weight[other]
    if tree.distance[one] != tree.distance[other]:
        return tree.distance[one] > tree.distance[other]
    return one < other


@inner
@no_type_check
def meld(tree, one, other):
    """The root of the heap of two heaps (skew heaps: Sleator and Tarjan 1986)."""
    one, other = np.int64(one), np.int64(other)
    if one == NONE:
        return other
    if other == NONE:
        return one
    if is_before(tree, other, one):
        one, other = other, one
    root = one
    while True:
        right = np.int64(tree.below[1, one])
        tree.below[1, one] = tree.below[0, one]
        if right == NONE:
            tree.below[0, one] = other
            return root
        if is_before(tree, other, right):
            right, other = other, right
        tree.below[0, one] = right
        one = right


@inner
@no_type_check
def take_next(board, tree):
    """The position whose turn it is, NONE if there is none.

    A new cell is next; then cells take turns, and every other turn is the best position's cell.
    """
    progress = tree.progress
    cell = progress[NEW_CELL]
    progress[NEW_CELL] = NONE
    progress[NUM_TURNS] += 1
    if cell == NONE and progress[NUM_TURNS] % 2 == 0:
        cell = cell_of(board, tree, progress[BEST])
        if tree.root[cell] == NONE:
            cell = np.int64(NONE)
    for _ in range(progress[NUM_CELLS]):
        if cell != NONE:
            break
        progress[NEXT_CELL] = (progress[NEXT_CELL] + 1) % progress[NUM_CELLS]
        if tree.root[tree.cells[progress[NEXT_CELL]]] != NONE:
            cell = np.int64(tree.cells[progress[NEXT_CELL]])
    if cell == NONE:
        return np.int64(NONE)
    node = np.int64(tree.root[cell])
    tree.root[cell] = meld(tree, tree.below[0, node], tree.below[1, node])
    return node


@inner
@no_type_check
def lay_out(board, tree, node):
    """Puts the boxes of a position on the board."""
    is_blocked = board.is_blocked
    is_blocked[: len(is_blocked) - 1] = False
    for goal in board.goals:
        is_blocked[goal] = True
    length = 0
    while tree.parent[node] != NONE:
        tree.path[length] = node
        length += 1
        node = tree.parent[node]
    for i in range(length - 1, -1, -1):
        is_blocked[tree.box[tree.path[i]]] = False
        if tree.to[tree.path[i]] != GONE:
            is_blocked[tree.to[tree.path[i]]] = True


@inner
@no_type_check
def add_child(board, tree, parent, box, to, player):
    """Writes a child after the last position, which ``enter`` has yet to file."""
    child = tree.progress[NUM_NODES]
    tree.progress[NUM_NODES] += 1
    tree.parent[child] = parent
    tree.box[child] = box
    tree.to[child] = to
    tree.player[child] = player
    tree.weight[child] = tree.weight[parent]
    is_here = to != GONE
    tree.num_boxes[child] = tree.num_boxes[parent] - (not is_here)
    tree.num_on_goals[child] = tree.num_on_goals[parent] - board.is_goal[box]
    tree.num_off_starts[child] = tree.num_off_starts[parent] - (not board.is_start[box])
    tree.distance[child] = tree.distance[parent] - board.distance[box]
    tree.boxes_key[child] = tree.boxes_key[parent] ^ board.keys[0, box]
    if is_here:
        tree.num_on_goals[child] += board.is_goal[to]
        tree.num_off_starts[child] += not board.is_start[to]
        tree.distance[child] += board.distance[to]
        tree.boxes_key[child] ^= board.keys[0, to]
    return child


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
    progress[NUM_EXPANSIONS] += 1
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

    What can leave still can when others have left, for the player has more room then.
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
    num_others = flood_rest(neighbours, is_blocked, board.marks, 1, board.waiting)
    tree.num_regions[node] = 1 + num_others
    enter(board, tree, node)


@entry
@no_type_check
def search_pulls(board, tree, most_work):
    """Goes on for about so much work; returns whether the search has ended, by whatever."""
    num_floor = len(board.neighbours) - 1
    progress = tree.progress
    stop_at = progress[WORK] + most_work
    while progress[WORK] < stop_at:
        num_new = (len(board.goals) + 1) * 4 * num_floor
        if progress[FOUND] != NONE or progress[NUM_NODES] + num_new > len(tree.parent):
            return _ENDED
        node = take_next(board, tree)
        if node == NONE:
            return _ENDED
        expand(board, tree, node)
    return _GOING_ON


def pulls_in_steps(board: PullBoard) -> Steps[list[tuple[int, int]] | None]:
    """The pulls of a plan, each the square of a box and where it comes to, or GONE.

    At their end every box that is left is where some box starts. None if no plan was found.
    """
    tree = empty_pull_tree(board)
    while tree.progress[WORK] < _MOST_WORK:
        if search_pulls(board, tree, _WORK_A_STEP) == _ENDED:
            break
        yield
    node = int(tree.progress[FOUND])
    if node == NONE:
        return None
    moves: list[tuple[int, int]] = []
    while tree.parent[node] != NONE:
        moves.append((int(tree.box[node]), int(tree.to[node])))
        node = int(tree.parent[node])
    yield
    return simplified(board, moves[::-1])


def simplified(board: PullBoard, moves: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same plan without the stops of boxes that can be left out, one after another."""
    i = 0
    while i < len(moves):
        box, stop = moves[i]
        onward = [j for j in range(i + 1, len(moves)) if moves[j][0] == stop]
        if stop != GONE and onward:
            j = onward[0]
            shorter = [*moves[:i], *moves[i + 1 : j], (box, moves[j][1]), *moves[j + 1 :]]
            if replay_pulls(board, np.array(shorter, np.int16).reshape(-1, 2)):
                moves, i = shorter, 0
                continue
        i += 1
    return moves


@entry
@no_type_check
def replay_pulls(board, moves):
    """Whether the pulls can be made from all goals filled, the player in some region to begin."""
    is_blocked = board.is_blocked
    num_floor = len(board.neighbours) - 1
    for root in range(num_floor):
        is_blocked[:num_floor] = False
        for goal in board.goals:
            is_blocked[goal] = True
        if is_blocked[root]:
            continue
        board.marks[:] = 0
        player = flood(board.neighbours, is_blocked, root, board.marks, 1, board.waiting)
        if player != root:  # a region is tried from its least square
            continue
        num_made = 0
        for i in range(len(moves)):
            player = player_after(board, player, np.int64(moves[i, 0]), np.int64(moves[i, 1]))
            if player == NONE:
                break
            num_made += 1
        if num_made == len(moves):
            return True
    return False


@inner
@no_type_check
def player_after(board, player, box, to):
    """Makes the pulls of one box; returns where the player is then, NONE if that is impossible."""
    if not board.is_blocked[box]:
        return np.int64(NONE)
    board.is_blocked[box] = False
    find_regions(board.neighbours, board.is_blocked, board.regions)
    count = find_pulls(board, box, player)
    for i in range(1, count):
        if to == GONE and board.is_start[board.ways[0, i]]:
            return np.int64(board.regions.root[player])
        if to == board.ways[0, i]:
            board.is_blocked[to] = True
            return np.int64(board.ways[1, i])
    return np.int64(NONE)
