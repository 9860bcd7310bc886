"""Every deadlock rule of the searches, with its condition of soundness and its source.

A rule that is *sound* calls a position deadlocked only if no moves solve it, so that an optimal
search and a proof of unsolvability may use it. Every rule is held to brute force on small boards
(``tests/sokoban/search/test_deadlocks.py``). The reference rules, slow and plain, are in
``tokoban.sokoban.deadlocks``; the checker of certificates has its own.

- *Dead squares* (``Ground.lower_bound``, ``Ground.is_dead``): a lone box in its place reaches no
  goal. Sound: other boxes never help it. "Simple deadlocks" of the Sokoban wiki; the zone of the
  player beside the box is from Junghanns and Schaeffer 2001.
- *Freeze* (``mark_frozen``): boxes that walls and each other hold in both axes never move again,
  and one of them is on no goal. Sound: the set is the greatest fixed point, so each box of it is
  held by others of it; a box also counts as held along an axis if both pushes deadlock it alone.
  "Freeze deadlocks" of YASS (Brian Damgaard) and the Sokoban wiki.
- *Bipartite* (``bounds``): the boxes cannot be assigned to different goals that each reaches
  alone, so the matching lower bound is UNREACHABLE; ``is_deadlocked_by_freeze`` asks the same with
  frozen boxes as walls. Sound: every solution is such an assignment. Junghanns and Schaeffer 2001.
- *Corral* (``corral_search.is_deadlocked_corral``): the boxes around a region that the player
  cannot enter, alone on the board, can neither all come to goals nor let one of them leave. Sound:
  removing boxes never makes a board unsolvable. A search that reaches its limit proves nothing.
  "Corral deadlocks" of the Sokoban wiki.
- *PI-corral* (``corrals.find_pi_corral``): every first push of a box around a corral leads into it
  and can be made now. If there is no such push and the corral is unfinished, the position is
  deadlocked, which is sound for every search. Else the search may try *only* those boxes (pruning
  of pushes, no deadlock): the first of their pushes in a solution can be made before all others,
  with as many pushes but perhaps a longer walk. So pruning is sound for the fewest pushes and for
  any solution, not for the fewest moves. Brian Damgaard's YASS; Sokoban wiki, "PI-corral pruning".
- *Deadlock pattern database* (``patterns``): boxes and player of every deadlocked corral that was
  found. Sound as the corral was: a position with these boxes, among others, and the player in the
  same area is deadlocked. Junghanns and Schaeffer 2001 ("deadlock tables", "pattern search").

On words of 8x8 squares (``bitboard.terrain``) the freeze rule tests all boxes at once by shifts of
words, which is why it is written again there; ``test_batch`` holds it to the reference.
"""

from typing import no_type_check

from tokoban.compiling import inner


@inner
@no_type_check
def is_held(ground, is_frozen, box):
    """Whether a box can move in neither axis, where ``is_frozen`` marks walls and frozen boxes."""
    around = ground.neighbours[box]
    for axis in range(2):
        if not (
            ground.is_immovable[axis, box] or is_frozen[around[axis]] or is_frozen[around[axis + 2]]
        ):
            return False
    return True


@inner
@no_type_check
def mark_frozen(ground, boxes, is_blocked, is_frozen):
    """Marks walls and the boxes that can never move again; returns how many boxes these are.

    A box that can move only where it is deadlocked counts as one that cannot move. The number is -1
    if one of them is on no goal: then the position is deadlocked.
    """
    for square in range(len(is_frozen)):
        is_frozen[square] = is_blocked[square]
    return keep_frozen(ground, boxes, is_frozen)


@inner
@no_type_check
def keep_frozen(ground, boxes, is_frozen):
    """Of the ``boxes`` that ``is_frozen`` marks keeps those that hold each other.

    Returns how many are left, or -1 if one of them is on no goal.
    """
    has_changed = True
    while has_changed:
        has_changed = False
        for box in boxes:
            if is_frozen[box] and not is_held(ground, is_frozen, box):
                is_frozen[box] = False
                has_changed = True
    num_frozen = 0
    for box in boxes:
        if is_frozen[box]:
            if not ground.is_goal[box]:
                return -1
            num_frozen += 1
    return num_frozen
