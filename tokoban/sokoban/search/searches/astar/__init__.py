"""A* over pushes: `search` is the compiled loop, `solver` the entry."""
