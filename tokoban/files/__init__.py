"""File helpers for every folder above: locks, atomic writes, and checks of file name endings."""
