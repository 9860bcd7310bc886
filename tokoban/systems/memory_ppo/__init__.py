"""PPO with a memory: a transformer over the steps of an episode, and the usual memories beside it.

Read in this order: ``ppo`` (the algorithm), ``model`` and ``memories`` (who plays), ``acting``
(step by step), ``tasks`` with ``repeat_previous``, ``count_recall``, ``t_maze``, ``parity``,
``flip_flop`` and ``collection`` (what is played), ``gymnasium_task`` (what others have written),
``environments`` (by name), ``train``, ``evaluate`` and ``play`` (an episode to look at).
"""
