"""The world: boards, rules, level files, A*; no network is known, and nothing imported here.

Read in this order: ``board`` (the frozen value), ``rules`` (the truth, in thirty lines),
``tensor_boards`` (the same on boolean planes), ``bitboards`` (one int64 a plane; ``wide_bitboards``
several, ``simulators`` either) with ``interior``, ``areas`` and ``bits`` below them, ``games``
(whole ones in one compiled call), ``symmetry``, ``formats`` (all level files; ``formats.packed``
whole collections as words), ``canonical`` (which levels are the same), ``figures`` (of a solution),
``deadlocks``, ``solver`` (the entry; ``solving`` searches), ``large_solver`` (some solution of a
player's level), ``distances`` (exact tables of one-box levels), ``labelling`` (exact labels by the
million, in files), ``generator`` (levels as the post draws them), ``puzzles`` (levels that are
hard, proved), ``rating`` (how hard any level is), ``render``, ``environment`` and
``vector_environment`` (Gymnasium's, by the name that ``registration`` gives; their levels come from
``level_pool``).
"""
