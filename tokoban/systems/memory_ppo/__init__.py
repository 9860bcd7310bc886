"""PPO with a memory: a transformer over the steps of an episode, and three other memories.

Read in this order: ``ppo`` (the algorithm), ``model`` and ``memories`` (the player), ``acting``
(rollouts), ``rules_env`` with ``repeat_previous``, ``t_maze``, ``flip_flop`` and ``collection``
(tasks of our own), ``tensor_env`` (any Gymnasium environment), ``environments`` (by name),
``train``, ``evaluate``, ``spec`` and ``play`` (one episode drawn).
"""
