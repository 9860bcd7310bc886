"""Searches over pushes that a guide advises; no classical heuristic is needed."""
