"""Products of matrices in compiled loops; the innermost is written in the compiler's own words.

From Python code no compiler keeps the sums of a tile in registers. Written so, products of many
rows are as quick as oneDNN's, and those of a small model, too short for a call, twice as quick.

Axes: R rows, D width of the inputs, O width of the outputs, P panels of W outputs each.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import Float32
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tokoban.compiling.host import has_instructions
from tokoban.inference.compiled_math import inner

# A tile of rows by outputs is summed in registers alone: 24 of AVX-512's 32, 12 of AVX2's 16.
TILE = 6, 64 if has_instructions("avx512f") else 16
_WORD, _LANES = ir.IntType(64), ir.VectorType(ir.FloatType(), TILE[1])
_FUSED = ["contract"]  # a product and its sum are one instruction


def panels(weight: Float32[np.ndarray, "O D"]) -> Float32[np.ndarray, "P D W"]:
    """The weights as ``affine`` reads them, one after the other; zeros behind the last output."""
    num_outputs, width = weight.shape
    whole = np.zeros((-(-num_outputs // TILE[1]) * TILE[1], width), np.float32)
    whole[:num_outputs] = weight
    return np.ascontiguousarray(whole.reshape(-1, TILE[1], width).swapaxes(1, 2))


def _summing(num_rows):
    """``sums``[i] = x[row + i] @ panel for as many rows at once; behind the last row it again."""

    def typed(typing_context, sums, panel, x, row):
        def emit(context, builder, signature, arguments):
            sums, panel, x = _arrays(context, builder, signature, arguments, 0, 1, 2)
            num_x, depth = (builder.extract_value(x.shape, axis) for axis in range(2))
            rows = []
            for place in _places(builder, arguments[3], num_rows, num_x):
                rows.append(builder.gep(x.data, [builder.mul(place, depth)]))
            zeros = [ir.Constant(_LANES, [0.0] * TILE[1])] * num_rows
            for number, total in enumerate(_totals(builder, rows, panel, zeros)):
                place = builder.gep(sums.data, [ir.Constant(_WORD, number * TILE[1])])
                builder.store(total, builder.bitcast(place, _LANES.as_pointer()), align=4)
            return context.get_dummy_value()

        return types.void(sums, panel, x, types.int64), emit

    return intrinsic(typed)


@intrinsic
def add_rows(typing_context, out, targets, x, sources, count, start, panel, first):
    """out[targets[i], first:] += x[sources[i]] @ panel for a tile's rows from i = ``start`` on.

    ``count`` rows are there in all. A row of x may be longer than the panel is deep, and one of out
    has room for the panel's width.
    """

    def emit(context, builder, signature, arguments):
        out, targets, x, sources, panel = _arrays(
            context, builder, signature, arguments, 0, 1, 2, 3, 6
        )
        strides = [builder.extract_value(array.shape, 1) for array in (x, out)]
        rows, sums = [], []
        for place in _places(builder, arguments[5], TILE[0], arguments[4]):
            source, target = (
                builder.mul(builder.load(builder.gep(numbers.data, [place])), stride)
                for numbers, stride in zip((sources, targets), strides, strict=True)
            )
            rows.append(builder.gep(x.data, [source]))
            into = builder.gep(out.data, [builder.add(target, arguments[7])])
            sums.append(builder.bitcast(into, _LANES.as_pointer()))
        # Behind the last row it again: all are read before any is written.
        before = [builder.load(sum_so_far, align=4) for sum_so_far in sums]
        for total, into in zip(_totals(builder, rows, panel, before), sums, strict=True):
            builder.store(total, into, align=4)
        return context.get_dummy_value()

    number = types.int64
    return types.void(out, targets, x, sources, number, number, panel, number), emit


def _arrays(context, builder, signature, arguments, *numbers):
    """The arguments of these numbers as arrays."""
    return [
        context.make_array(signature.args[number])(context, builder, arguments[number])
        for number in numbers
    ]


def _places(builder, first, num_rows, count):
    """So many numbers from the first on; behind the last of ``count`` it again."""
    last = builder.sub(count, ir.Constant(_WORD, 1))
    for number in range(num_rows):
        place = builder.add(first, ir.Constant(_WORD, number))
        yield builder.select(builder.icmp_signed("<", place, last), place, last)


def _totals(builder, rows, panel, before):
    """The sums before plus the products of rows and a panel, all kept in registers."""
    step = ir.Constant(_WORD, TILE[1])
    depth = builder.extract_value(panel.shape, 0)
    entered = builder.block
    loop, after = (builder.append_basic_block(name) for name in ("loop", "after"))
    builder.branch(loop)

    builder.position_at_end(loop)
    k = builder.phi(_WORD)
    totals = [builder.phi(_LANES) for _ in rows]
    weights = builder.gep(panel.data, [builder.mul(k, step)])
    weights = builder.load(builder.bitcast(weights, _LANES.as_pointer()), align=4)
    added = []
    for pointer, total in zip(rows, totals, strict=True):
        value = builder.load(builder.gep(pointer, [k]))
        product = builder.fmul(_repeated(builder, value, _LANES), weights, flags=_FUSED)
        added.append(builder.fadd(total, product, flags=_FUSED))
    following = builder.add(k, ir.Constant(_WORD, 1))
    builder.cbranch(builder.icmp_signed("<", following, depth), loop, after)
    k.add_incoming(ir.Constant(_WORD, 0), entered)
    k.add_incoming(following, loop)
    for total, start, sum_so_far in zip(totals, before, added, strict=True):
        total.add_incoming(start, entered)
        total.add_incoming(sum_so_far, loop)
    builder.position_at_end(after)
    return added


def _repeated(builder, value, lanes):
    """A vector of one number alone."""
    number = ir.IntType(32)
    single = builder.insert_element(ir.Constant(lanes, ir.Undefined), value, ir.Constant(number, 0))
    nowhere = ir.Constant(ir.VectorType(number, lanes.count), [0] * lanes.count)
    return builder.shuffle_vector(single, ir.Constant(lanes, ir.Undefined), nowhere)


_sum_1, _sum_2, _sum_4, _sum_6 = (_summing(num_rows) for num_rows in (1, 2, 4, TILE[0]))


@inner
@no_type_check
def affine(out, weights, bias, x, least, tile):
    """out [R, O] = x [R, D] @ weight.T + bias, or ``least`` where it is less.

    ``weights`` are ``panels``; ``tile`` is workspace.
    """
    height, width = TILE  # and not of tile, whose shape no compiler knows
    for panel in range(len(weights)):
        first, last = panel * width, (panel + 1) * width
        own = bias[first:last]
        for row in range(0, len(x), height):
            count = min(height, len(x) - row)
            if count > 4:
                _sum_6(tile, weights[panel], x, row)
            elif count > 2:  # a beam of four, say
                _sum_4(tile, weights[panel], x, row)
            elif count == 2:
                _sum_2(tile, weights[panel], x, row)
            else:
                _sum_1(tile, weights[panel], x, row)
            for i in range(count):
                into = out[row + i, first:last]
                for j in range(len(into)):
                    into[j] = max(tile[i, j] + own[j], least)


@inner
@no_type_check
def product(out, panel, x):
    """out [R, W] = x [R, D] @ panel [D, W]; ``out`` has room for a tile's rows behind the last."""
    for row in range(0, len(x), TILE[0]):
        _sum_6(out[row : row + TILE[0]], panel, x, row)
