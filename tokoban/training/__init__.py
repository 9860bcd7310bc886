"""One training loop for every system; it knows no model and no game, and draws nothing.

Read in this order: ``system`` (the interface), ``spec`` (how a system is registered), ``simple`` (a
system from three functions), ``run_config`` (settings), ``loop``, ``state``, ``run_directory`` and
``checkpoint`` (files). Nothing heavy is imported here.
"""
