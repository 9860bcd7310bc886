"""Any solution of a level of any size by FESS, from the start by pushes (Shoham, Schaeffer 2020).

Reading order: `tables` (a level in numbers), `tree` (positions, children and cells), `search` (the
loop), `moves` (the children of a position), `scores` and `advisors` (what guides the search),
`heaps` (which child is next), `solver` (the entry). The heuristics are in `measures`: `packing`
(the order in which squares are filled) and `hotspots` (boxes in the way).
"""
