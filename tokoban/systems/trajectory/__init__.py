"""Decisions by sequence modelling: behaviour cloning, conditioning on returns or goals, planning.

Read in this order: ``layout`` (the tokens of a transition), ``environments`` with ``graphs``,
``levels`` (Sokoban) and ``worlds`` (by name), ``rollouts``, ``policies`` and ``collect`` (own
data), ``trajectories`` (and their files), ``discretise``, ``dataset``, ``model``, ``train``,
``reading`` (with a cache and without), ``imitate`` and ``plan`` (ways of acting; ``stepper`` is the
planner's model of the world), ``acting`` (modes, requested returns and goals), ``evaluate``,
``spec`` and ``attention``.
"""
