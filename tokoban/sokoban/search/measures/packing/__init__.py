"""The packing plan: in which order squares are filled, and what that cuts off.

`planning` makes the `plan` of a level from `pulls` (a search on a `pull_board`, whose positions are
in `pull_tree`) and `fillings` of groups of squares.
"""
