"""The stored positions of a search, their heaps, and the workspace in which one is laid out."""
