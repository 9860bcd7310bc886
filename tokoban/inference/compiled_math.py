"""Functions of compiled loops for one CPU thread, in single precision.

Axes: R rows, S positions to attend to, D width.
"""

import math
from functools import partial
from typing import no_type_check

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tokoban import compiling

# Sums in any order, so that many terms are added at once. There are infinities, but no NaN.
_LIBERTIES = frozenset({"reassoc", "contract", "nsz", "arcp", "nnan"})

inner = partial(compiling.inner, liberties=_LIBERTIES)
entry = partial(compiling.entry, liberties=_LIBERTIES)


@intrinsic
def _with_bits(typing_context, bits):
    """The number that these bits are."""

    def emit(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), emit


@inner
@no_type_check
def exp(x):
    """e^x of what is not above 0, to 4e-6 of its value, in steps made many at once.

    e^x = 2^n e^f with an integer n and |f| < 0.35: 2^n by its bits, e^f by seven terms.
    """
    binary = max(x * np.float32(1.442695040888963), np.float32(-126))
    n = np.floor(binary + np.float32(0.5))
    f = (binary - n) * np.float32(0.6931471805599453)
    term = np.float32(1 / 120) + f * np.float32(1 / 720)
    term = np.float32(1 / 24) + f * term
    term = np.float32(1 / 6) + f * term
    term = np.float32(1 / 2) + f * term
    term = np.float32(1) + f * term
    return (np.float32(1) + f * term) * _with_bits((np.int32(n) + np.int32(127)) << np.int32(23))


@inner
@no_type_check
def log_sum_exp(x):
    """log(sum(exp(x)))."""
    greatest = np.float32(-np.inf)
    for i in range(len(x)):
        greatest = max(greatest, x[i])
    total = np.float32(0)
    for i in range(len(x)):
        total += exp(x[i] - greatest)
    return greatest + math.log(total)


@inner
@no_type_check
def norm(out, x, gain, shift):
    """The layer norm of each row of x, which ``out`` may be."""
    width = np.float32(x.shape[1])
    for row in range(len(x)):
        mean, variance = np.float32(0), np.float32(0)
        for i in range(x.shape[1]):
            mean += x[row, i]
        mean /= width
        for i in range(x.shape[1]):
            variance += (x[row, i] - mean) * (x[row, i] - mean)
        scale = np.float32(1) / np.sqrt(variance / width + np.float32(1e-5))
        for i in range(x.shape[1]):
            out[row, i] = (x[row, i] - mean) * scale * gain[i] + shift[i]


@inner
@no_type_check
def attend(mixed, query, cache, places, num_heads, weights):
    """Attention of each head of a query [D] to the positions at ``places`` [S] of the cache.

    A row of ``cache`` is a key and then a value. ``weights`` is workspace of S + 3. Four positions
    are read at once, since they meet the same query; where fewer are left, the last one is
    repeated with a weight of 0.
    """
    width, num_places = len(mixed), len(places)
    head_width, last = width // num_heads, num_places - 1
    scale = np.float32(1) / np.sqrt(np.float32(head_width))
    for head in range(num_heads):
        start, end = head * head_width, (head + 1) * head_width
        own_query, own_mixed = query[start:end], mixed[start:end]
        for s in range(0, num_places, 4):
            key0 = cache[places[s], start:end]
            key1 = cache[places[min(s + 1, last)], start:end]
            key2 = cache[places[min(s + 2, last)], start:end]
            key3 = cache[places[min(s + 3, last)], start:end]
            first = second = third = fourth = np.float32(0)
            for i in range(head_width):
                first += own_query[i] * key0[i]
                second += own_query[i] * key1[i]
                third += own_query[i] * key2[i]
                fourth += own_query[i] * key3[i]
            weights[s], weights[s + 1] = first * scale, second * scale
            weights[s + 2], weights[s + 3] = third * scale, fourth * scale
        greatest, total = weights[0], np.float32(0)
        for s in range(1, num_places):
            greatest = max(greatest, weights[s])
        for s in range(num_places):
            weights[s] = exp(weights[s] - greatest)
            total += weights[s]
        for s in range(num_places, num_places + 3):
            weights[s] = np.float32(0)
        for i in range(head_width):
            own_mixed[i] = np.float32(0)
        for s in range(0, num_places, 4):
            value0 = cache[places[s], width + start : width + end]
            value1 = cache[places[min(s + 1, last)], width + start : width + end]
            value2 = cache[places[min(s + 2, last)], width + start : width + end]
            value3 = cache[places[min(s + 3, last)], width + start : width + end]
            first, second = weights[s] / total, weights[s + 1] / total
            third, fourth = weights[s + 2] / total, weights[s + 3] / total
            for i in range(head_width):
                own_mixed[i] += (first * value0[i] + second * value1[i]) + (
                    third * value2[i] + fourth * value3[i]
                )
