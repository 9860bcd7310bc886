"""Deciding as a language of tokens: trajectories imitated, conditioned on returns, and planned.

Read in this order: ``layout`` (the tokens of a transition), ``environments`` (what is played) with
``graphs``, ``levels`` (Sokoban) and ``worlds`` (by name), ``rollouts`` (how it is played),
``policies`` and ``collect`` (data of one's own), ``trajectories`` (and their files; ``minari_data``
others'), ``discretise``, ``dataset``, ``model``, ``train``, ``reading`` (with a cache and without),
``imitate`` and ``plan`` (the ways of acting; ``stepper`` is the plan's inner world), ``acting``
(and what is asked for), ``evaluate`` and ``attention_rows``.
"""
