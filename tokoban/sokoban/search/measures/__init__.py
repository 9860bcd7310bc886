"""What tells how far a position is from solved: numbers that guide a search, and lower bounds."""
