"""Exact labels of states by the million: ``tokoban label``, and the files that it writes.

Read in this order: ``drawn`` (states of a level, each once), ``play`` (which states), ``driver``
(level after level, compiled), ``shards`` (the files), ``sources`` (the levels), ``splits`` (which
of them are kept apart), ``job`` (all that is asked for), ``folder`` (what is there, and the rest of
the work). ``docs/labels.md`` says what the files hold.
"""
