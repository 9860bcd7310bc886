"""Compiled: the tree of a guided search, its queue, and the generation of positions.

A *node* is a sequence of pushes from the start. Nodes with equal boxes and player's zone have one
*position*, compared exactly, which is evaluated and whose pushes are generated once. A node is cut
if its position was expanded with at least its probability, or waits with that and no higher
priority: the policy depends on the position alone, so that every node below it is cheaper elsewhere
("state cuts", arXiv:1811.10928).

The queue takes the node of least *priority*, the natural log of its cost. With g pushes made
and one more, h pushes expected, pi the probability of the node and s that its position is solvable:

- LEVIN: g / pi, LevinTS (arXiv:1811.10928). It expands at most depth / probability nodes before any
  solution.
- PHS: (g + h) / pi * exp(PUSH_LOSS * h), as if each push to go had the probability
  exp(-PUSH_LOSS), and PHS_STAR: (g + h) / pi ** (1 + h / g), as if it had the mean of those made
  (arXiv:2103.11505). They expand no more nodes than the highest cost on the way to the solution.

All these are multiplied by 1 / s, which leaves the bounds: h >= 0 and s <= 1.
No node has a lower priority than its parent.

GREEDY is not a search but play: of each node it follows only the push with the highest probability
of being chosen and leading to no deadlock (pi * s), among those to positions that it has not
visited. It ends where there is none.

Axes: F floor squares, G boxes, W words of 64 squares, P positions, E pushes of positions, N nodes.
"""

import math
from functools import partial
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int16, Int32, Int64, UInt64

from tokoban.compiling import entry, inner
from tokoban.sokoban.search.level.ground import NONE
from tokoban.sokoban.search.outcome import Outcome
from tokoban.sokoban.search.searches.guided.classical import judge, may_push
from tokoban.sokoban.search.searches.guided.guide import MOST_DEADLOCKED
from tokoban.sokoban.search.state.pairing_heap import pairing_heap
from tokoban.sokoban.search.state.positions import Positions, add, are_equal, slot_of, write_moved
from tokoban.sokoban.search.state.single_pushes import single_pushes
from tokoban.sokoban.search.state.workspace import lay_out_area, least_of_area

LEVIN, PHS, PHS_STAR, GREEDY = range(4)

PUSH_LOSS = 0.4  # nats that each push to go is expected to add to -log pi
# The share of the uniform policy mixed into every other one: with 0, pushes could be left out and
# solvable levels refuted.
UNIFORM_SHARE = 1e-3

# Entries of `Tree.progress`.
NUM_NODES, NUM_EDGES, FIRST_OPEN, NUM_EVALUATED, NUM_EXPANDED, REACHED = range(6)


class Level(NamedTuple):
    """What stays the same throughout a search."""

    neighbours: Int16[np.ndarray, "F+1 4"]
    keys: UInt64[np.ndarray, "2 F"]
    goals: UInt64[np.ndarray, " W"]
    order: int


class Tree(NamedTuple):
    """Positions, their pushes, and the nodes."""

    positions: Positions  # the player on the least square of the zone
    first_edge: Int32[np.ndarray, " P"]  # NONE until its pushes are generated
    num_edges: Int32[np.ndarray, " P"]
    is_evaluated: Bool[np.ndarray, " P"]
    pushes_left: Float32[np.ndarray, " P"]  # as the guide expects
    log_solvable: Float32[np.ndarray, " P"]
    expanded_log_pi: Float64[np.ndarray, " P"]  # the highest of its expanded nodes
    open_log_pi: Float64[np.ndarray, " P"]  # of the node that was last put into the queue
    open_priority: Float64[np.ndarray, " P"]
    child: Int32[np.ndarray, " E"]
    edge_push: Int32[np.ndarray, " E"]  # square of the box * 4 + direction
    edge_log_pi: Float32[np.ndarray, " E"]
    edge_log_solvable: Float32[np.ndarray, " E"]
    position: Int32[np.ndarray, " N"]
    parent: Int32[np.ndarray, " N"]
    depth: Int32[np.ndarray, " N"]
    log_pi: Float64[np.ndarray, " N"]
    priority: Float64[np.ndarray, " N"]
    first_below: Int32[np.ndarray, " N"]  # the links of the queue
    next_beside: Int32[np.ndarray, " N"]
    progress: Int64[np.ndarray, "6"]


class Asked(NamedTuple):
    """A node and its position, which the guide is to judge, as arrays of one row."""

    node: Int32[np.ndarray, "1"]
    boxes: Bool[np.ndarray, "1 F"]
    zone: Bool[np.ndarray, "1 F"]


@inner
@no_type_check
def _comes_before(tree, node, other):
    """Whether a node is taken before another: the lower priority, then the newer."""
    first, second = tree.priority[node], tree.priority[other]
    return first < second or (first == second and node > other)


_meld, _without_root = pairing_heap(_comes_before)


@inner
@no_type_check
def _enter(tree, node):
    """Puts a node into the queue."""
    tree.first_below[node] = tree.next_beside[node] = NONE
    tree.progress[FIRST_OPEN] = _meld(tree, tree.progress[FIRST_OPEN], node)


@inner
@no_type_check
def _priority(level, tree, parent, edge, log_pi):
    """The priority of the node after a push, by what is known of its position or its parent's."""
    position, child = tree.position[parent], tree.child[edge]
    made = tree.depth[parent] + 2.0  # the pushes and one more
    left = max(tree.pushes_left[position] - 1, 0.0)
    log_solvable = min(tree.log_solvable[position], tree.edge_log_solvable[edge])
    if tree.is_evaluated[child]:
        left = tree.pushes_left[child]
        log_solvable = min(tree.log_solvable[position], tree.log_solvable[child])
    if level.order == LEVIN:
        cost = math.log(made) - log_pi
    elif level.order == PHS:
        cost = math.log(made + left) - log_pi + PUSH_LOSS * left
    else:
        cost = math.log(made + left) - log_pi * (1.0 + left / made)
    return max(cost - log_solvable, tree.priority[parent])


@inner
@no_type_check
def _add_node(tree, parent, edge, log_pi, priority):
    """Stores a node without putting it into the queue."""
    node = tree.progress[NUM_NODES]
    tree.progress[NUM_NODES] += 1
    tree.position[node] = tree.child[edge]
    tree.parent[node] = parent
    tree.depth[node] = tree.depth[parent] + 1
    tree.log_pi[node] = log_pi
    tree.priority[node] = priority
    return node


@inner
@no_type_check
def _follow_likeliest(level, tree, node):
    """Puts one node into the queue: after the likeliest push that leads to no deadlock, and to a
    position that play has not visited."""
    first, best, best_log_pi = tree.first_edge[tree.position[node]], NONE, -np.inf
    for edge in range(first, first + tree.num_edges[tree.position[node]]):
        log_pi = tree.edge_log_pi[edge] + np.float64(tree.edge_log_solvable[edge])
        if log_pi > best_log_pi and tree.expanded_log_pi[tree.child[edge]] == -np.inf:
            best, best_log_pi = edge, log_pi
    if best == NONE:
        return
    child = tree.child[best]
    log_pi = tree.log_pi[node] + tree.edge_log_pi[best]
    later = _add_node(tree, node, best, log_pi, 0.0)
    if are_equal(tree.positions.boxes[child], level.goals):
        tree.progress[REACHED] = later
    else:
        _enter(tree, later)


@inner
@no_type_check
def _expand(level, tree, node):
    """Puts the nodes after the pushes of an evaluated position into the queue, except those cut."""
    position = tree.position[node]
    if tree.expanded_log_pi[position] >= tree.log_pi[node]:
        return
    tree.expanded_log_pi[position] = tree.log_pi[node]
    tree.progress[NUM_EXPANDED] += 1
    if level.order == GREEDY:
        _follow_likeliest(level, tree, node)
        return
    first = tree.first_edge[position]
    for edge in range(first, first + tree.num_edges[position]):
        child = tree.child[edge]
        log_pi = tree.log_pi[node] + tree.edge_log_pi[edge]
        if tree.expanded_log_pi[child] >= log_pi:
            continue
        priority = _priority(level, tree, node, edge, log_pi)
        if tree.open_log_pi[child] >= log_pi and tree.open_priority[child] <= priority:
            continue
        tree.open_log_pi[child], tree.open_priority[child] = log_pi, priority
        _enter(tree, _add_node(tree, node, edge, log_pi, priority))


@inner
@no_type_check
def _number_of(level, tree, boxes_key, words, player):
    """The position with these boxes and the player's zone of this least square; new ones are
    stored."""
    positions = tree.positions
    slot = slot_of(positions, words, boxes_key, player, level.keys[1, player])
    if positions.slots[slot] != NONE:
        return np.int64(positions.slots[slot])
    position = add(positions, slot, words, boxes_key, player, NONE)
    tree.first_edge[position] = NONE
    tree.num_edges[position] = 0
    tree.is_evaluated[position] = False
    tree.expanded_log_pi[position] = tree.open_log_pi[position] = -np.inf
    tree.open_priority[position] = np.inf
    return position


@inner
@no_type_check
def lay_out(level, tree, scratch, position):
    """Puts the boxes of a position into the scratch, and ``area`` 1 where the player can walk."""
    words, player = tree.positions.boxes[position], tree.positions.player[position]
    lay_out_area(level.neighbours, words, player, scratch)


@partial(inner, is_inlined=True)
@no_type_check
def _add_edge(state, row, box, direction, end):
    """Adds a push, unless the rules forbid it."""
    tree, scratch, classical, position = state
    if may_push(classical, tree.positions, scratch, position, row, box, end):
        tree.edge_push[tree.progress[NUM_EDGES]] = box * 4 + direction
        tree.progress[NUM_EDGES] += 1
    return True


_add_each = single_pushes(_add_edge)


@inner
@no_type_check
def _list_pushes(level, tree, scratch, classical, position):
    """Adds the pushes of a position that is laid out, without those that the rules forbid."""
    tree.first_edge[position] = tree.progress[NUM_EDGES]
    if judge(classical, tree.positions, scratch, position):
        state = (tree, scratch, classical, position)
        _add_each(state, level.neighbours, scratch.boxes, scratch.is_blocked, scratch.area, 1)
        tree.num_edges[position] = tree.progress[NUM_EDGES] - tree.first_edge[position]


@inner
@no_type_check
def _generate(level, tree, scratch, position):
    """Finds the position after each push; returns a push that solves the level, or NONE."""
    neighbours, keys, is_blocked = level.neighbours, level.keys, scratch.is_blocked
    solving = NONE
    first = tree.first_edge[position]
    for edge in range(first, first + tree.num_edges[position]):
        box = np.int64(tree.edge_push[edge] // 4)
        end = np.int64(neighbours[box, tree.edge_push[edge] % 4])
        write_moved(tree.positions.boxes[position], box, end, scratch.words)
        is_blocked[box], is_blocked[end] = False, True
        player = least_of_area(neighbours, scratch, box)
        is_blocked[end], is_blocked[box] = False, True
        key = tree.positions.boxes_key[position] ^ keys[0, box] ^ keys[0, end]
        tree.child[edge] = _number_of(level, tree, key, scratch.words, player)
        if are_equal(scratch.words, level.goals):
            solving = edge
    return solving


@entry
@no_type_check
def take(level, tree, scratch, classical, asked, max_expansions):
    """Expands the first nodes of the queue until one has a position that was not evaluated.

    The pushes of that position are generated, and it is written to ``asked``; without pushes it is
    expanded unasked. Returns NONE if a judgement is needed, else the outcome. A search ends once a
    push that solves the level is found, play once that push is made.
    """
    progress = tree.progress
    while True:
        if progress[REACHED] != NONE:
            return Outcome.SOLVED
        if progress[FIRST_OPEN] == NONE:
            return Outcome.EXHAUSTED
        if progress[NUM_EXPANDED] >= max_expansions:
            return Outcome.BUDGET_SPENT
        if not _has_room(tree, 4 * len(scratch.boxes)):
            return Outcome.STORE_FULL
        node = progress[FIRST_OPEN]
        progress[FIRST_OPEN] = _without_root(tree, node)
        position = tree.position[node]
        if tree.expanded_log_pi[position] >= tree.log_pi[node]:
            continue
        if tree.is_evaluated[position]:
            _expand(level, tree, node)
            continue
        lay_out(level, tree, scratch, position)
        for square in range(len(scratch.area) - 1):
            asked.boxes[0, square] = scratch.is_blocked[square]
            asked.zone[0, square] = scratch.area[square] == 1
        _list_pushes(level, tree, scratch, classical, position)
        edge = _generate(level, tree, scratch, position)
        if edge != NONE and level.order < GREEDY:
            progress[NUM_EXPANDED] += 1
            progress[REACHED] = _add_node(tree, node, edge, 0.0, 0.0)
            return Outcome.SOLVED
        if tree.num_edges[position] == 0:
            # The guide need not judge it: no solution goes through this position.
            tree.is_evaluated[position] = True
            tree.log_solvable[position] = math.log(1.0 - MOST_DEADLOCKED)
            _expand(level, tree, node)
            continue
        asked.node[0] = node
        return NONE


@inner
@no_type_check
def _has_room(tree, count):
    """Whether so many positions, pushes and nodes can be added."""
    capacity, progress = len(tree.parent), tree.progress
    most = max(tree.positions.num_known[0], progress[NUM_EDGES], progress[NUM_NODES])
    return most + count < capacity


@entry
@no_type_check
def expand_asked(level, tree, asked, log_policy, pushes_left, deadlocked, push_deadlocks):
    """Stores the guide's judgement of the position (arrays of one row) and expands its node."""
    position = tree.position[asked.node[0]]
    tree.is_evaluated[position] = True
    tree.pushes_left[position] = max(pushes_left[0], 0.0)
    tree.log_solvable[position] = math.log(1.0 - min(deadlocked[0], MOST_DEADLOCKED))
    first, count = tree.first_edge[position], tree.num_edges[position]
    total = 0.0
    for edge in range(first, first + count):
        box, direction = tree.edge_push[edge] // 4, tree.edge_push[edge] % 4
        total += math.exp(log_policy[0, box, direction])
    for edge in range(first, first + count):
        box, direction = tree.edge_push[edge] // 4, tree.edge_push[edge] % 4
        share = 1.0 / count
        if total > 0.0:
            probability = math.exp(log_policy[0, box, direction]) / total
            share = (1.0 - UNIFORM_SHARE) * probability + UNIFORM_SHARE * share
        tree.edge_log_pi[edge] = math.log(share)
        is_lost = min(push_deadlocks[0, box, direction], MOST_DEADLOCKED)
        tree.edge_log_solvable[edge] = math.log(1.0 - is_lost)
    tree.progress[NUM_EVALUATED] += 1
    _expand(level, tree, asked.node[0])


@entry
@no_type_check
def begin(level, tree, boxes_key, words, player):
    """Puts the start into the queue; ``player`` is the least square of its zone."""
    tree.progress[:] = 0
    tree.progress[REACHED] = tree.progress[FIRST_OPEN] = NONE
    tree.progress[NUM_NODES] = 1
    tree.position[0] = _number_of(level, tree, boxes_key, words, player)
    tree.parent[0] = NONE
    tree.depth[0] = 0
    tree.log_pi[0] = 0.0
    tree.priority[0] = 0.0
    _enter(tree, 0)
