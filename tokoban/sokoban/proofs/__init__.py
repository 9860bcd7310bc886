"""Why a position is deadlocked: the boxes, and a certificate that a simple checker verifies.

Read in this order: ``certificate`` (the claim), ``checker`` (why to believe it), ``numbered_board``
(a board on its ``Ground``), ``static`` (deadlocks that need no search), ``search`` (compiled) and
``subsets`` (are some of the boxes deadlocked?), ``deadlock_sets`` (which ones), ``explainer`` (the
entry), ``notation`` (JSON). The checker shares only ``certificate``, boards and ``lurd`` with
the rest.
"""
