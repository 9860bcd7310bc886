"""The stored positions of a search, and the workspace in which one of them is laid out."""
