"""Priority queues of the open positions of a search."""
