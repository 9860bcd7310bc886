"""Measures of the distance to a solution: heuristics that guide a search, and lower bounds."""
