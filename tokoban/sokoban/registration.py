"""Imported to tell Gymnasium of ``tokoban/Sokoban-v0``: strings alone, so that it costs nothing.

Gymnasium 1.0 gave up finding the environments of installed packages by itself; what it has
instead is this import, or ``gymnasium.make("tokoban.sokoban.registration:tokoban/Sokoban-v0")``.
"""

import gymnasium

gymnasium.register(
    id="tokoban/Sokoban-v0",
    entry_point="tokoban.sokoban.environment:SokobanEnv",
    vector_entry_point="tokoban.sokoban.vector_environment:SokobanVectorEnv",
)
