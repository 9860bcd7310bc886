"""Fast execution of the core's stacks; knows embeddings and caches, not sentences or boards."""
