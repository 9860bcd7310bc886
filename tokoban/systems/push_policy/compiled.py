"""The network in compiled loops for one CPU thread: single precision, and no padding is read.

Axes: B positions, T tokens (floor squares, padded), N blocks, A of them with attention, D width,
H hidden width, E head width, G rows at once, C classes; a weight is packed in panels of W outputs.
Recorded attentions are [R attentions, N heads, T, T].
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, no_type_check

import numpy as np
from jaxtyping import Bool, Float32, Int8, Int64

from tokoban.inference.compiled_math import entry, exp, inner, norm
from tokoban.inference.compiled_products import TILE, add_rows, affine, panels, product
from tokoban.sokoban.encoding.encoded import Encoded, frequencies, read_features, seen
from tokoban.sokoban.encoding.features import (
    CAN_PUSH,
    DIRECTIONS,
    IS_FLOOR,
    NEIGHBOURHOOD,
    NUM_FEATURES,
)
from tokoban.sokoban.sizes import MOST_SQUARES
from tokoban.systems.push_policy.config import HIDDEN_VALUE, PushPolicyConfig
from tokoban.systems.push_policy.results import NUM_CLASSES, NUM_RESULTS, Result

State = Mapping[str, np.ndarray]  # weights by their names

_NUM_NEIGHBOURS = len(NEIGHBOURHOOD)
_NO_LEAST = np.float32(-np.inf)  # of a map without a ReLU
_DEADLOCK = int(Result.DEADLOCK)
_PROJECTIONS = "query", "key", "value"
_STRIP = 64  # scores that the softmax reads at once: as many rows of W as that makes
_ROWS_AT_ONCE = 36  # whose neighbours' vectors stay in a core's cache; a multiple of a tile's rows


class PackedNet(NamedTuple):
    """The weights of a ``PushNet``; without attention the arrays of A have no rows."""

    is_read: Float32[np.ndarray, "17"]
    stem: Float32[np.ndarray, "panels 9*17 W"]
    places: Float32[np.ndarray, "1024 D/2"]  # what is added for a row, and for a column
    near_gain: Float32[np.ndarray, "N D"]
    first: Float32[np.ndarray, "N panels 9*D W"]
    second: Float32[np.ndarray, "N panels 9*H W"]
    has_attention: Bool[np.ndarray, " N"]
    attention_gain: Float32[np.ndarray, "A D"]
    queries_keys_values: Float32[np.ndarray, "A panels D W"]
    output: Float32[np.ndarray, "A panels D W"]
    last_gain: Float32[np.ndarray, " D"]
    heads: Float32[np.ndarray, "panels D W"]  # of the four pushes, then of what each leads to
    heads_bias: Float32[np.ndarray, " O"]
    value_hidden: Float32[np.ndarray, "panels 2*D W"]
    value_hidden_bias: Float32[np.ndarray, " V"]
    value: Float32[np.ndarray, "panels V W"]
    value_bias: Float32[np.ndarray, " C"]
    nothing: Float32[np.ndarray, " most"]  # the bias and the shift of what has none
    num_heads: int


class Judged(NamedTuple):
    """Probabilities: of each push, that it deadlocks, and of the classes of the pushes left."""

    policy: Float32[np.ndarray, "B T 4"]
    push_deadlocks: Float32[np.ndarray, "B T 4"]
    values: Float32[np.ndarray, "B C"]


class CompiledNet:
    """A trained network of numpy arrays; it judges positions without torch."""

    def __init__(self, state: State, config: PushPolicyConfig) -> None:
        """A copy of the weights, which are named as those of a ``PushNet``."""
        self.state = {name: np.array(tensor, np.float32) for name, tensor in state.items()}
        self.config = config
        self._net = _pack(self.state, config)

    def judge(self, boards: Encoded, view: int) -> Judged:
        """The network's answers under a symmetry, by the directions before it."""
        judged, _ = _judge_boards(self._net, seen(boards, view), DIRECTIONS[view], num_recorded=0)
        return judged

    def attention(self, boards: Encoded) -> Float32[np.ndarray, "A N F F"]:
        """The weights of every attention over the squares of a single position.

        ``ValueError`` for a network without attention.
        """
        num_recorded = int(self._net.has_attention.sum())
        if num_recorded == 0:
            raise ValueError("the network has no attention to record")
        _, recorded = _judge_boards(self._net, boards, DIRECTIONS[0], num_recorded=num_recorded)
        num_squares = int((boards.features[0, :, IS_FLOOR] != 0).sum())
        return recorded[:, :, :num_squares, :num_squares]


def shapes(config: PushPolicyConfig) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes of a network's weights."""
    width, near = config.width, _NUM_NEIGHBOURS * config.width
    yield "position_scale", ()
    yield "stem.weight", (_NUM_NEIGHBOURS * NUM_FEATURES, width)
    for number in range(config.num_blocks):
        block = f"blocks.{number}"
        yield f"{block}.near.first.weight", (near, config.hidden_width)
        yield f"{block}.near.second.weight", (_NUM_NEIGHBOURS * config.hidden_width, width)
        yield f"{block}.near_residual.norm.weight", (width,)
        if config.attends(number):
            for name in (*_PROJECTIONS, "output"):
                yield f"{block}.attention.{name}.weight", (width, width)
            yield f"{block}.attention_residual.norm.weight", (width,)
    yield "last_norm.weight", (width,)
    for name, inputs, outputs in (
        ("push", width, 4),
        ("result", width, 4 * NUM_RESULTS),
        ("value.0", 2 * width, HIDDEN_VALUE),
        ("value.2", HIDDEN_VALUE, NUM_CLASSES),
    ):
        yield f"{name}.weight", (outputs, inputs)
        yield f"{name}.bias", (outputs,)


def _pack(state: State, config: PushPolicyConfig) -> PackedNet:
    def maps(*names: str) -> Float32[np.ndarray, "panels D W"]:
        """Maps of the same inputs as one; the weights are by output and input."""
        return panels(np.concatenate([state[f"{name}.weight"] for name in names]))

    def near(name: str) -> Float32[np.ndarray, "panels D W"]:
        """A map of neighbourhoods, whose weights are by input and output."""
        return panels(state[f"{name}.weight"].T)

    has_attention = [config.attends(number) for number in range(config.num_blocks)]
    blocks = [f"blocks.{number}" for number in range(config.num_blocks)]
    attending = [block for block, has in zip(blocks, has_attention, strict=True) if has]
    projections = [
        maps(*(f"{block}.attention.{name}" for name in _PROJECTIONS)) for block in attending
    ]
    width = config.width
    none = np.zeros((0, width), np.float32)
    angles = np.arange(MOST_SQUARES, dtype=np.float32)[:, None] * frequencies(width)
    places = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    outputs = [maps(f"{block}.attention.output") for block in attending]
    gains = [state[f"{block}.attention_residual.norm.weight"] for block in attending]
    return PackedNet(
        is_read=read_features(config.inputs).astype(np.float32),
        stem=near("stem"),
        places=state["position_scale"] * places,
        near_gain=np.stack([state[f"{block}.near_residual.norm.weight"] for block in blocks]),
        first=np.stack([near(f"{block}.near.first") for block in blocks]),
        second=np.stack([near(f"{block}.near.second") for block in blocks]),
        has_attention=np.array(has_attention),
        attention_gain=np.stack(gains) if gains else none,
        queries_keys_values=np.stack(projections) if projections else none[None, None],
        output=np.stack(outputs) if outputs else none[None, None],
        last_gain=state["last_norm.weight"],
        heads=maps("push", "result"),
        heads_bias=np.concatenate([state["push.bias"], state["result.bias"]]),
        value_hidden=maps("value.0"),
        value_hidden_bias=state["value.0.bias"],
        value=maps("value.2"),
        value_bias=state["value.2.bias"],
        nothing=np.zeros(3 * width, np.float32),
        num_heads=config.num_heads,
    )


def _judge_boards(
    net: PackedNet, boards: Encoded, directions: Int8[np.ndarray, "4"], *, num_recorded: int
) -> tuple[Judged, Float32[np.ndarray, "R N T T"]]:
    """Judges positions under the symmetry that turns direction d into ``directions[d]``.

    The answers are by the directions before the symmetry; the attention weights are those of the
    last position.
    """
    count, num_tokens = boards.features.shape[:2]
    width = len(net.last_gain)
    head_width = width // net.num_heads
    judged = Judged(
        np.zeros((count, num_tokens, 4), np.float32),
        np.zeros((count, num_tokens, 4), np.float32),
        np.empty((count, NUM_CLASSES), np.float32),
    )
    work = _Work(
        x=np.empty((count, num_tokens, width), np.float32),
        normed=np.empty((num_tokens, width), np.float32),
        gathered_features=np.empty((_ROWS_AT_ONCE, net.stem.shape[1]), np.float32),
        sources=np.empty(num_tokens, np.int64),
        targets=np.empty(num_tokens, np.int64),
        hidden=np.empty((num_tokens, net.first.shape[1] * TILE[1]), np.float32),
        change=np.empty((num_tokens, net.second.shape[1] * TILE[1]), np.float32),
        queries_keys_values=np.empty((num_tokens, 3 * width), np.float32),
        queries=np.empty((head_width, TILE[1]), np.float32),
        keys=np.empty((num_tokens, head_width), np.float32),
        values=np.empty((head_width, num_tokens), np.float32),
        scores=np.empty((num_tokens + TILE[0], TILE[1]), np.float32),
        mixed=np.empty((head_width + TILE[0], TILE[1]), np.float32),
        greatest=np.empty(_STRIP, np.float32),
        totals=np.empty(_STRIP, np.float32),
        recorded=np.zeros((num_recorded, net.num_heads, num_tokens, num_tokens), np.float32),
        heads=np.empty((num_tokens, len(net.heads_bias)), np.float32),
        pooled=np.empty((1, 2 * width), np.float32),
        value_hidden=np.empty((1, len(net.value_hidden_bias)), np.float32),
        tile=np.empty(TILE, np.float32),
    )
    arrays = map(np.ascontiguousarray, boards)
    _judge(net, *arrays, directions.astype(np.int64), work, judged)
    return judged, work.recorded


class _Work(NamedTuple):
    """Workspace: the vectors of all positions, and what is computed of one after the other."""

    x: Float32[np.ndarray, "B T D"]
    normed: Float32[np.ndarray, "T D"]
    gathered_features: Float32[np.ndarray, "G 9*17"]
    sources: Int64[np.ndarray, " T"]  # squares that have a neighbour in one direction: that one,
    targets: Int64[np.ndarray, " T"]  # and they themselves
    hidden: Float32[np.ndarray, "T whole_H"]  # of whole panels
    change: Float32[np.ndarray, "T whole_D"]
    queries_keys_values: Float32[np.ndarray, "T 3*D"]
    queries: Float32[np.ndarray, "E W"]  # of one head and W squares
    keys: Float32[np.ndarray, "T E"]
    values: Float32[np.ndarray, "E T"]
    scores: Float32[np.ndarray, "more_than_T W"]
    mixed: Float32[np.ndarray, "more_than_E W"]
    greatest: Float32[np.ndarray, "64"]  # score of each query, in each place of a strip
    totals: Float32[np.ndarray, "64"]  # the sum of their exponentials, in the first W places
    recorded: Float32[np.ndarray, "R N T T"]  # the weights of every attention, if R is not 0
    heads: Float32[np.ndarray, "T O"]
    pooled: Float32[np.ndarray, "1 2*D"]
    value_hidden: Float32[np.ndarray, "1 V"]
    tile: Float32[np.ndarray, "height W"]


@entry
@no_type_check
def _judge(net, features, neighbours, coordinates, directions, work, judged):
    """One block of all positions after the other, so that its weights stay in the cache."""
    for position in range(len(features)):
        count = _num_squares(features[position])
        _embed(
            net, features[position, :count], neighbours[position, :count],
            coordinates[position, :count], work, work.x[position, :count],
        )  # fmt: skip
    number = 0  # of the block's attention
    for block in range(len(net.first)):
        for position in range(len(features)):
            count = _num_squares(features[position])
            x = work.x[position, :count]
            _read_neighbours(net, block, neighbours[position, :count], work, x)
            if net.has_attention[block]:
                _attend_to_all(net, number, work, x, work.recorded[number : number + 1])
        if net.has_attention[block]:
            number += 1
    for position in range(len(features)):
        count = _num_squares(features[position])
        x = work.x[position, :count]
        norm(x, x, net.last_gain, net.nothing)
        _judge_pushes(net, features[position], directions, work, x, judged, position)
        _judge_value(net, work, x, judged.values[position : position + 1])


@inner
@no_type_check
def _num_squares(features):
    """How many of the tokens are squares; the padding comes behind them."""
    count = 0
    while count < len(features) and features[count, IS_FLOOR] != 0:
        count += 1
    return count


@inner
@no_type_check
def _embed(net, features, neighbours, coordinates, work, x):
    """The vectors of the squares before the first block."""
    depth, count = features.shape[1], len(x)
    for start in range(0, count, _ROWS_AT_ONCE):
        end = min(start + _ROWS_AT_ONCE, count)
        gathered = work.gathered_features[: end - start]
        for row in range(start, end):
            for neighbour in range(_NUM_NEIGHBOURS):
                square = neighbours[row, neighbour]
                into = gathered[row - start, neighbour * depth : (neighbour + 1) * depth]
                for i in range(depth):
                    is_on = square < count and features[square, i] != 0
                    into[i] = net.is_read[i] if is_on else np.float32(0)
        affine(x[start:end], net.stem, net.nothing, gathered, _NO_LEAST, work.tile)
    half = net.places.shape[1]
    for row in range(count):
        for i in range(half):
            x[row, i] += net.places[coordinates[row, 0], i]
            x[row, half + i] += net.places[coordinates[row, 1], i]


@inner
@no_type_check
def _map_neighbours(out, weights, rows, neighbours, work, least):
    """A map of each square's neighbours; walls are zeros, and cost nothing."""
    depth, (height, lanes) = weights.shape[1] // _NUM_NEIGHBOURS, TILE
    out[:] = np.float32(0)
    for neighbour in range(_NUM_NEIGHBOURS):
        count = 0
        for row in range(len(rows)):
            square = neighbours[row, neighbour]
            if square < len(rows):
                work.sources[count], work.targets[count] = square, row
                count += 1
        for panel in range(len(weights)):
            own = weights[panel, neighbour * depth : (neighbour + 1) * depth]
            for start in range(0, count, height):
                add_rows(
                    out, work.targets, rows, work.sources, count, start, own, panel * lanes
                )  # fmt: skip
    for row in range(len(rows)):
        for i in range(out.shape[1]):
            out[row, i] = max(out[row, i], least)


@inner
@no_type_check
def _add(x, change):
    for row in range(len(x)):
        for i in range(x.shape[1]):
            x[row, i] += change[row, i]


@inner
@no_type_check
def _read_neighbours(net, block, neighbours, work, x):
    """``NeighbourhoodNet`` with its residual connection."""
    count, none = len(x), net.nothing
    normed, change, hidden = work.normed[:count], work.change[:count], work.hidden[:count]
    norm(normed, x, net.near_gain[block], none)
    first, second = net.first[block], net.second[block]
    _map_neighbours(hidden, first, normed, neighbours, work, np.float32(0))
    _map_neighbours(change, second, hidden, neighbours, work, _NO_LEAST)
    _add(x, change)


@inner
@no_type_check
def _attend_to_all(net, number, work, x, recorded):
    """The attention of each square to all, with its residual connection.

    ``recorded`` has room for its weights, or no rows.

    The queries of W squares at a time are the columns of a panel. The keys times this panel are
    their scores, and the transposed values times the softmax of these what they attend to.
    """
    count, none = len(x), net.nothing
    normed, change = work.normed[:count], work.change[:count]
    projected = work.queries_keys_values[:count]
    norm(normed, x, net.attention_gain[number], none)
    affine(projected, net.queries_keys_values[number], none, normed, _NO_LEAST, work.tile)
    width, lanes = x.shape[1], TILE[1]
    head_width = width // net.num_heads
    scale = np.float32(1) / np.sqrt(np.float32(head_width))
    queries, keys, values = work.queries, work.keys[:count], work.values
    strip_rows = _STRIP // lanes
    num_rows = (count + strip_rows - 1) // strip_rows * strip_rows
    for head in range(net.num_heads):
        first = head * head_width
        for row in range(count):
            for i in range(head_width):
                keys[row, i] = projected[row, width + first + i]
                values[i, row] = projected[row, 2 * width + first + i]
        for start in range(0, count, lanes):
            num_queries = min(lanes, count - start)
            for i in range(head_width):
                for lane in range(num_queries):
                    queries[i, lane] = projected[start + lane, first + i] * scale
                for lane in range(num_queries, lanes):
                    queries[i, lane] = np.float32(0)
            product(work.scores, queries, keys)
            for row in range(count, num_rows):
                for lane in range(lanes):
                    work.scores[row, lane] = np.float32(-np.inf)
            _softmax_of_columns(work.scores[:num_rows], work.greatest, work.totals)
            scores = work.scores[:count]
            product(work.mixed, scores, values)
            for lane in range(num_queries):
                share = np.float32(1) / work.totals[lane]
                for i in range(head_width):
                    normed[start + lane, first + i] = work.mixed[i, lane] * share
                for own in range(len(recorded)):
                    for square in range(count):
                        recorded[own, head, start + lane, square] = scores[square, lane] * share
    affine(change, net.output[number], none, normed, _NO_LEAST, work.tile)
    _add(x, change)


@inner
@no_type_check
def _judge_pushes(net, features, directions, work, x, judged, position):
    """The softmax over the legal pushes, and over what each leads to."""
    heads = work.heads[: len(x)]
    affine(heads, net.heads, net.heads_bias, x, _NO_LEAST, work.tile)
    policy, deadlocks = judged.policy[position], judged.push_deadlocks[position]
    greatest = np.float32(-np.inf)
    for row in range(len(x)):
        for direction in directions:
            if features[row, CAN_PUSH + direction] != 0:
                greatest = max(greatest, heads[row, direction])
    total = np.float32(0)
    for row in range(len(x)):
        for direction in range(4):
            seen = directions[direction]
            if features[row, CAN_PUSH + seen] != 0:
                policy[row, direction] = exp(heads[row, seen] - greatest)
                total += policy[row, direction]
            results = heads[row, 4 + seen * NUM_RESULTS : 4 + (seen + 1) * NUM_RESULTS]
            _softmax(results)
            deadlocks[row, direction] = results[_DEADLOCK]
    if total > 0:
        for row in range(len(x)):
            for direction in range(4):
                policy[row, direction] /= total


@inner
@no_type_check
def _judge_value(net, work, x, values):
    """The softmax over the classes of pushes left, of the mean and the greatest of each number."""
    pooled, width = work.pooled, x.shape[1]
    for i in range(width):
        pooled[0, i], pooled[0, width + i] = np.float32(0), np.float32(-np.inf)
    for row in range(len(x)):
        for i in range(width):
            pooled[0, i] += x[row, i]
            pooled[0, width + i] = max(pooled[0, width + i], x[row, i])
    for i in range(width):
        pooled[0, i] /= np.float32(len(x))
    affine(
        work.value_hidden, net.value_hidden, net.value_hidden_bias, pooled, np.float32(0), work.tile
    )
    affine(values, net.value, net.value_bias, work.value_hidden, _NO_LEAST, work.tile)
    _softmax(values[0])


@inner
@no_type_check
def _softmax(x):
    greatest, total = x[0], np.float32(0)
    for i in range(1, len(x)):
        greatest = max(greatest, x[i])
    for i in range(len(x)):
        x[i] = exp(x[i] - greatest)
        total += x[i]
    for i in range(len(x)):
        x[i] /= total


@inner
@no_type_check
def _softmax_of_columns(scores, greatest, totals):
    """The softmax of each column, not yet divided by ``totals``; the scores are whole strips.

    Loops run over a strip, whose length the compiler does not know: a short loop of known length
    is unrolled into scalar code, which takes eight times as long.
    """
    lanes, length, flat = TILE[1], len(totals), scores.reshape(-1)
    for i in range(length):
        greatest[i], totals[i] = flat[i], np.float32(0)
    for start in range(length, len(flat), length):
        strip = flat[start : start + length]
        for i in range(length):
            greatest[i] = max(greatest[i], strip[i])
    for i in range(lanes, length):
        greatest[i % lanes] = max(greatest[i % lanes], greatest[i])
    for i in range(lanes, length):
        greatest[i] = greatest[i % lanes]
    for start in range(0, len(flat), length):
        strip = flat[start : start + length]
        for i in range(length):
            strip[i] = exp(strip[i] - greatest[i])
            totals[i] += strip[i]
    for i in range(lanes, length):
        totals[i % lanes] += totals[i]
