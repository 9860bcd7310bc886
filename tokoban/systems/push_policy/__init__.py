"""A transformer that reads any Sokoban board, proposes pushes and detects deadlocks.

It learns from the exact labels of ``tokoban label``. It reads one token per floor square and
answers a logit for each legal push, what each push leads to, and how many pushes are left.
"""
