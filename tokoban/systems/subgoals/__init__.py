"""A higher policy that steers a lower one: a transformer chooses a box and a square for it.

The lower policy is an argument. It sees one box and one goal, the other boxes being walls.
"""
