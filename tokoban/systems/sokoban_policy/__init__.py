"""A transformer that plays Sokoban: goal and boards so far -> the next move and the moves left.

Read in this order: ``config``, ``episodes`` (what an example is), ``dataset`` (where examples come
from; ``handcrafted`` has the post's text format), ``model``, ``train``, ``stepper`` (the player on
the device), ``captured`` (all of its play as one CUDA graph), ``solve`` (level -> plan; ``memory``
says how many at a time) and ``evaluate`` (the table).
"""
