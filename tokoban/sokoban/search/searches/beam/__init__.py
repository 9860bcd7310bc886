"""Beam searches by moves of one box, of pushes and of pulls, in the same `rounds`."""
