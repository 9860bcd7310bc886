"""The deadlock rules: `deadlocks` lists them, `pruning` applies them."""
