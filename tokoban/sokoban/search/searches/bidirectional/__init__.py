"""Any solution, fast, of levels of any size: from the start by pushes, from the end by pulls.

Others call `solver` alone. Reading order: `tables` (a level in numbers), `sides` (the positions of
both directions), `moves` (the successors), `features` and `measures.packing.order` (guides),
`search` (the loop), `paths` (the solution). Deadlocks: `tokoban.sokoban.search.rules.pruning`.
"""
