"""Exact labels of many states (``tokoban label``), and the format of their files.

Read in this order: ``samples`` (the states sampled of a level), ``play`` (which states), ``driver``
(level after level, compiled), ``shards`` (the files), ``sources`` (the levels), ``splits`` (which
levels are held out), ``job`` (the plan of a folder), ``items`` (its parts, for ``sokoban.work``),
``folder`` (the finished part, and the rest of the work). ``docs/labels.md`` describes the files.
"""
