"""Any solution, fast, of levels of any size: from the start by pushes, from the end by pulls.

`solver.solve_any` is all that others need. Reading order: `tables` (a level in numbers),
`positions` (what was met), `moves` (what comes next), `features` (what looks best), `search` (the
loop). What is lost: `freezes`, `corrals`, `lost_patterns`.
"""
