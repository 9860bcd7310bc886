"""``best_successors`` as one loop over all successors, for a CPU in single precision."""

from typing import no_type_check

import numpy as np

from tokoban.compiling import entry

_STRETCH = 64  # actions, whose greatest is found many at once


# Maxima in any order; a dead beam's row, which may have NaN, is not read.
@entry(liberties=frozenset({"reassoc", "nsz", "nnan"}))
@no_type_check
def find(scores, log_probs, best, places):
    """Fills best and places [R, C] from scores [R, K] and log_probs [R K, A]."""
    num_searches, width = scores.shape
    num_actions, num_best = log_probs.shape[1], best.shape[1]
    for search in range(num_searches):
        own, own_places = best[search], places[search]
        own[:] = -np.inf
        own_places[:] = 0
        for beam in range(width):
            score = scores[search, beam]
            if score == -np.inf:
                continue
            row = log_probs[search * width + beam]
            for start in range(0, num_actions, _STRETCH):
                stretch = row[start : start + _STRETCH]
                greatest = np.float32(-np.inf)
                for i in range(len(stretch)):
                    greatest = max(greatest, stretch[i])
                if score + greatest <= own[-1]:
                    continue
                for i in range(len(stretch)):
                    total = score + stretch[i]
                    if total <= own[-1]:
                        continue
                    place = num_best - 1
                    while place > 0 and total > own[place - 1]:
                        own[place], own_places[place] = own[place - 1], own_places[place - 1]
                        place -= 1
                    own[place], own_places[place] = total, beam * num_actions + start + i
