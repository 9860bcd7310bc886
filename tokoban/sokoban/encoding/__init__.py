"""Positions of any levels as arrays that networks read: one token for each floor square."""
