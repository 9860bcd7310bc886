"""Policy-guided searches over pushes; they need no classical heuristic."""
