"""Any solution, fast, of levels of any size: from the start by pushes, from the end by pulls.

Others call `solver` alone. Reading order: `tables` (a level in numbers), `sides` (the positions of
both directions), `moves` (the successors), `features` and `packing` (what guides the search),
`search` (the loop), `paths` (the solution). Deadlocks: `tokoban.sokoban.search.pruning`.
"""
