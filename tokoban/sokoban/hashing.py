"""What the hash functions of words of 64 bits have in common."""

import numpy as np

# An odd number near 2**64 divided by the golden ratio: multiplying a word by it spreads a change of
# any bit over all higher ones (Knuth, The Art of Computer Programming, volume 3, section 6.4).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
