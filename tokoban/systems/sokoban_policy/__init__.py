"""A transformer that plays Sokoban: goal and boards so far -> the next move and the moves left.

Read in this order: ``config``, ``episodes`` (what an example is), ``dataset`` (where examples come
from; ``handcrafted`` has the post's hand-made ones), ``model``, ``train``, ``engine`` (fast
execution of the transformer), ``stepper`` (games side by side on the device), ``cuda_graphs``
(whole rollouts as one CUDA graph), ``solve`` (level -> solution; ``memory`` says how many at a
time) and ``evaluate`` (the table).
"""
