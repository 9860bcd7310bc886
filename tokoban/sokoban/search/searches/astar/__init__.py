"""A* over pushes: `search` is the compiled loop, `solver` what others call."""
