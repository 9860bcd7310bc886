"""Why a position is lost: the boxes to blame, and a certificate that a plain checker can verify.

Read in this order: ``certificate`` (what is claimed), ``checker`` (why to believe it), ``world``
(a board in numbers), ``standing`` (what is seen without search), ``search`` (compiled) and
``subsets`` (do some of the boxes lose?), ``blame`` (which of them), ``explainer`` (all of it in
turn), ``games`` (since when), ``notation`` (JSON). The checker shares no code with the rest but
``certificate`` and the rules.
"""
