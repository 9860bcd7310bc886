"""Registers ``tokoban/Sokoban-v0`` with Gymnasium when imported; loads nothing else.

Gymnasium 1.0 no longer finds the environments of installed packages by itself. Import this module,
or write ``gymnasium.make("tokoban.sokoban.simulation.registration:tokoban/Sokoban-v0")``.
"""

import gymnasium

gymnasium.register(
    id="tokoban/Sokoban-v0",
    entry_point="tokoban.sokoban.simulation.environment:SokobanEnv",
    vector_entry_point="tokoban.sokoban.simulation.vector_environment:SokobanVectorEnv",
)
