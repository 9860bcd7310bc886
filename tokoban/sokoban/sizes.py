"""The largest numbers of squares, of levels and of threads, and the seeds."""

SIDE = 8  # rows and columns of the cells that one 64-bit word has
MAX_SIDE = 64  # of a level that is made, walls included
MAX_LEVELS = 1_000_000  # that are made at once
MOST_SQUARES = 1024  # of a level that the push network reads
MAX_THREADS = 1024


def check_num_levels(num_levels: int) -> None:
    """Raises ``ValueError`` unless there are 1 to ``MAX_LEVELS``."""
    if not 1 <= num_levels <= MAX_LEVELS:
        raise ValueError(f"the number of levels is {num_levels}; expected 1 to {MAX_LEVELS}")


def check_seed(seed: int) -> None:
    """Raises ``ValueError`` unless it has 63 bits, as generators of random numbers take it."""
    if not 0 <= seed < 2**63:
        raise ValueError(f"the seed is {seed}; expected 0 to 2^63 - 1")
