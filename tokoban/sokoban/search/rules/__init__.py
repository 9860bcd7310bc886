"""The deadlock rules: `table` lists them, `pruning` applies them."""
