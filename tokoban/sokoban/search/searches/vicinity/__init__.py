"""Shorter solutions near a given one, compiled; ``combine.optimiser`` is the entry.

Read in this order: ``push_paths`` (a solution, push by push), ``store`` (the positions met),
``search`` (the vicinity search), ``windows`` (the search along a solution, within limits).

The method is the "vicinity search" of YASO (Brian Damgaard's notes on the YASO optimizer, Sokoban
wiki) and of JSoko's optimizer (Matthias Meger): a shortest-path search restricted to positions that
differ in few boxes from those of the solution. Here those boxes may be anywhere, and positions
that cost more than the solution costs equally far are left out.
"""
