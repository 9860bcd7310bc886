"""The packing plan: the order in which squares are filled, and the squares that this cuts off.

`planning` makes the `plan` of a level from `pulls` (a search on a `pull_board`, whose positions are
in `pull_tree`) and `fillings` of groups of squares.
"""
