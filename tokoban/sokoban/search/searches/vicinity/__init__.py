"""Shorter solutions near a given one, compiled; ``combine.optimiser`` is the entry.

Read in this order: ``push_paths`` (a solution, push by push), ``store`` (the positions met),
``search`` (the vicinity search), ``windows`` (all along a solution, within the limits).

The method is the "vicinity search" of YASO (Brian Damgaard's notes on the YASO optimizer, Sokoban
wiki) and of JSoko's optimizer (Matthias Meger): a shortest-path search restricted to positions that
differ in few boxes from those of the solution. Here they may differ in where these boxes are at
all, and what comes later than the solution gets equally far is left out.
"""
