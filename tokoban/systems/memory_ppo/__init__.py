"""PPO with a memory: a transformer over the steps of an episode, and the usual memories beside it.

Read in this order: ``ppo`` (the algorithm), ``model`` and ``memories`` (who plays), ``acting``
(step by step), ``tasks`` with ``repeat_previous``, ``t_maze``, ``count_recall``, ``parity``, ``collection``
and ``gymnasium_task`` (what is played), ``environments`` (by name), ``train``, ``evaluate`` and
``play`` (an episode to look at).
"""
