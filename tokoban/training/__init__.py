"""The loop: one for every system; it knows no model and no game. Nothing heavy is imported here.

Read in this order: ``system`` (the seam), ``run_config`` (what can be set), ``loop`` (the loop),
``state`` (what a run is made of), ``run_directory`` and ``checkpoint`` (what lies on the disk).
"""
