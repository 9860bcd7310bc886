"""Puzzles by seed: rooms carved, boxes pulled back from their goals, optima proved and measured.

Read in this order: ``rooms``, ``goals``, ``pulls`` (starts far from the goals), ``puzzle`` (one
draw from room to proof), ``wanted`` (how hard), ``generate`` (many, each another).
"""
