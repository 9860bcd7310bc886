"""The world: boards, rules, level files, A*; no network is known, and nothing imported here.

Read in this order: ``board`` (the frozen value), ``rules`` (the truth, in thirty lines),
``tensor_boards`` (the same on boolean planes) and ``bitboards`` (one int64 a plane), ``symmetry``,
``formats`` (XSB, Boxoban, LURD), ``deadlocks``, ``solver`` (the entry; ``solving`` searches),
``distances`` (exact tables of one-box levels), ``generator``, ``render``.
"""
