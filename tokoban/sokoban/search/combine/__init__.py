"""Combined searches: portfolio, waypoints, anytime, optimiser, and the solver that chooses one."""
