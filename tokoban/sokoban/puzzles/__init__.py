"""Puzzles by seed: rooms carved, boxes pulled back from their goals, optima proved, figures.

Read in this order: ``rooms`` (with goals), ``state_space`` and ``reverse_search`` (compiled),
``starts`` (far from the goals), ``choices`` (how many pushes lose), ``difficulty``, ``puzzle`` (one
attempt, from the room to the proof), ``generate`` (many), ``rating`` (any level),
``random_levels`` (the article's levels, which are no puzzles).
"""
