"""Which of the open positions of a search is next."""
