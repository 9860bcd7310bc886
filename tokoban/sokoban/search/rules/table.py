"""Every deadlock rule of the searches, with its condition of soundness and its source.

A rule that is *sound* calls a position deadlocked only if no moves solve it, so that an optimal
search and a proof of unsolvability may use it. Every rule is held to brute force on small boards
(``tests/sokoban/search/rules/test_deadlocks.py``). Dead squares, where a lone box reaches no goal,
are known before any search (``Ground.lower_bound``); every search leaves them out. They are the
"simple deadlocks" of the Sokoban wiki, with the zone of the player from Junghanns and Schaeffer,
"Sokoban: Enhancing general single-agent search methods using domain knowledge", Artificial
Intelligence 129 (2001), cited below as JS 2001.

*freeze*. Boxes that walls and each other hold in both axes never move again, and one of them is on
no goal. Sound: the set is the greatest fixed point, so each box of it is held by others of it; a
box also counts as held along an axis if both pushes deadlock it alone. Source: YASS (Brian
Damgaard) and the Sokoban wiki.

*matching*. The boxes cannot be assigned to different goals that each reaches alone, so the lower
bound is UNREACHABLE. Sound: every solution is such an assignment. Source: JS 2001.

*matching past frozen boxes*. The same with the boxes frozen on goals as walls. Sound: they never
move again. Source: JS 2001; frozen boxes as walls from Festival (Yaron Shoham).

*corral*. The boxes around a region that the player cannot enter, or around all such regions beside
one box, alone on the board, can neither all reach goals nor let one of them leave the regions and
the squares of those boxes. Sound: removing boxes never makes a board unsolvable, and so a box that
has left proves nothing. A search that reaches its limit proves nothing either; it is repeated, with
a higher limit, each time that the number of requests for it has doubled. Source: "corral deadlocks"
of the Sokoban wiki; several regions take in its closed diagonals; limits that grow are Festival's.

*PI-corral*. Every first push of a box around a corral leads into it and can be made now. If there
is no such push and the corral is unfinished, the position is deadlocked, which is sound for every
search. Else the search may try only those boxes (pruning of pushes, no deadlock): the first of
their pushes in a solution can be made before all others, with as many pushes but perhaps a longer
walk. So pruning is sound for the fewest pushes and for any solution, not for the fewest moves.
Source: Brian Damgaard's YASS; Sokoban wiki, "PI-corral pruning".

*pattern database*. Boxes and player of every deadlocked corral that was found, without the boxes
that the same search shows not to be needed. Sound as the corral was: a position with these boxes,
among others, and the player in the same area is deadlocked. Source: JS 2001 ("deadlock tables",
"pattern search").
"""
