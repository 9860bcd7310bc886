"""Positions that a search stores, and the workspace in which it lays one out."""
