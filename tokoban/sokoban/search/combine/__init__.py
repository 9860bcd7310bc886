"""Searches put together: portfolio, pairs, anytime, optimiser, and the solver that chooses one."""
