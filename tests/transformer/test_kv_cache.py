"""The laws of the cache: cached equals uncached, reordered equals recomputed."""

import pytest
import torch

from tests.transformer.draw import draw, padding
from tokoban.transformer import (
    BlockOptions,
    CachedStep,
    Decoder,
    Encoder,
    KVCache,
    Rotary,
    empty_cache_for,
    masks,
)

B, N, T, S, E, LAYERS = 5, 3, 7, 11, 2, 2
D = N * E

CASES = pytest.mark.parametrize("kind", ["encoder", "decoder"])
NORM_ORDERS = pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
POSITIONS = pytest.mark.parametrize("rotary", [None, Rotary()], ids=["bare", "rotary"])


def empty_cache(capacity: int | None = None) -> KVCache:
    return KVCache(LAYERS, B, N, T, E, dtype=torch.float64, initial_capacity=capacity)


def causal_stack(kind, *, pre_norm=True, rotary=None):
    """A function (inputs, memory, cache); the encoder has no use for the memory."""
    build = {"encoder": Encoder, "decoder": Decoder}[kind]
    options = BlockOptions(pre_norm=pre_norm, rotary=rotary)
    stack = build(LAYERS, D, N, options=options).double().requires_grad_(False)

    def run(inputs, memory, cache=None):
        length, past = inputs.shape[1], 0 if cache is None else cache.length
        if isinstance(cache, CachedStep):
            may_attend = masks.causal(T)[past]
        else:
            may_attend = masks.causal(length, num_keys=past + length)
        arguments = (inputs,) if kind == "encoder" else (inputs, memory)
        return stack(*arguments, may_attend=may_attend, cache=cache)

    return run


@CASES
@NORM_ORDERS
@POSITIONS
@pytest.mark.parametrize("chunk", [1, 2, 3])
@pytest.mark.parametrize("capacity", [None, 1, 2], ids=["full", "1", "2"])
def test_cached_equals_uncached(
    kind: str, pre_norm: bool, rotary: Rotary | None, chunk: int, capacity: int | None
) -> None:
    run = causal_stack(kind, pre_norm=pre_norm, rotary=rotary)
    inputs, memory, cache = draw(B, T, D), draw(B, S, D, seed=1), empty_cache(capacity)
    pieces = [run(piece, memory, cache) for piece in inputs.split(chunk, dim=1)]
    assert cache.length == T
    assert torch.allclose(torch.cat(pieces, dim=1), run(inputs, memory), rtol=0, atol=1e-12)


@CASES
@NORM_ORDERS
@POSITIONS
def test_steps_of_the_cache_equal_uncached(
    kind: str, pre_norm: bool, rotary: Rotary | None
) -> None:
    """Whether the positions before were fed in a chunk or in steps."""
    run = causal_stack(kind, pre_norm=pre_norm, rotary=rotary)
    inputs, memory, cache = draw(B, T, D), draw(B, S, D, seed=1), empty_cache()
    pieces = [run(inputs[:, :2], memory, cache)]
    for t in range(2, T):
        assert cache.length == t
        pieces.append(run(inputs[:, t : t + 1], memory, cache.take_step()))
    assert torch.allclose(torch.cat(pieces, dim=1), run(inputs, memory), rtol=0, atol=1e-12)


@CASES
@POSITIONS
@pytest.mark.parametrize(
    "moves",
    [[[4, 0, 0, 3, 1], [1, 1, 4, 0, 2], [4, 0, 0, 3, 1]], [[4, 0, 0], [2, 1]]],
    ids=["as many rows", "fewer rows"],
)
def test_reordering_equals_recomputing_on_reordered_inputs(
    kind: str, rotary: Rotary | None, moves: list[list[int]]
) -> None:
    run = causal_stack(kind, rotary=rotary)
    inputs, memory, cache = draw(B, T, D), draw(B, S, D, seed=1), empty_cache()
    history = inputs[:, :3]
    run(history, memory, cache)
    for t, parents in enumerate(moves, start=3):
        cache.reorder(torch.tensor(parents))
        newest = inputs[: len(parents), t : t + 1]
        history, memory = torch.cat([history[parents], newest], dim=1), memory[parents]
        step = run(newest, memory, cache.take_step() if t == 4 else cache)
        assert torch.allclose(step, run(history, memory)[:, -1:], rtol=0, atol=1e-12)


@pytest.mark.parametrize("stack_class", [Encoder, Decoder])
def test_a_stacks_own_empty_cache_has_its_sizes_and_its_type(stack_class: type) -> None:
    cache = empty_cache_for(stack_class(LAYERS, D, N).double(), B, T)
    for layer in range(LAYERS):
        k, v = cache.append(layer, draw(B, N, T, E), draw(B, N, T, E))
        assert k.dtype == v.dtype == torch.float64
    with pytest.raises(ValueError, match="the cache holds 7 positions"):
        cache.append(0, draw(B, N, 1, E), draw(B, N, 1, E))
    with pytest.raises(IndexError):
        cache.append(LAYERS, draw(B, N, 1, E), draw(B, N, 1, E))


@pytest.mark.parametrize("shape", [(1, 3, 1, 2), (5, 1, 1, 2), (5, 3, 1, 1)], ids=str)
def test_keys_that_would_be_spread_over_rows_heads_or_width_are_refused(
    shape: tuple[int, ...],
) -> None:
    with pytest.raises(ValueError, match=r"keys of shape \[5, 3, T, 2\], got \["):
        empty_cache().append(0, torch.zeros(shape), torch.zeros(shape))


def test_gradients_through_a_cache_are_refused() -> None:
    trained = draw(B, N, 1, E).requires_grad_()
    for k, v in (trained, trained.detach()), (trained.detach(), trained):
        for place in empty_cache(), empty_cache().take_step():
            with pytest.raises(ValueError, match=r"for inference.*torch\.no_grad"):
                place.append(0, k, v)


def test_rows_that_share_a_memory_take_it_along() -> None:
    """Two memories serve three rows each; then one of them is dropped, with its rows."""
    torch.manual_seed(4)
    decoder = Decoder(LAYERS, D, N).double().requires_grad_(False)
    inputs, memory = draw(6, 5, D), draw(2, S, D, seed=1)
    may_attend = padding(torch.tensor([11, 4]), S)
    cache = KVCache(LAYERS, 6, N, 5, E, dtype=torch.float64)

    def expected(inputs, rows):
        return decoder(
            inputs,
            memory[rows],
            may_attend=masks.causal(inputs.shape[1]),
            memory_may_attend=may_attend[rows],
        )

    both = torch.tensor([0, 0, 0, 1, 1, 1])
    first = decoder(
        inputs[:, :2], memory, may_attend=masks.causal(2), memory_may_attend=may_attend, cache=cache
    )
    assert torch.allclose(first, expected(inputs[:, :2], both), rtol=0, atol=1e-12)
    for t, parents, rows in (
        (2, torch.tensor([2, 0, 0, 4, 4, 5]), both),
        (3, torch.tensor([5, 3, 4]), torch.tensor([1, 1, 1])),
        (4, torch.tensor([1, 1, 2]), torch.tensor([1, 1, 1])),
    ):
        cache.reorder(parents)
        inputs = inputs[parents]
        step = decoder(
            inputs[:, t : t + 1], memory, memory_may_attend=may_attend[rows[::3]], cache=cache
        )
        whole = expected(inputs[:, : t + 1], rows)
        assert torch.allclose(step, whole[:, -1:], rtol=0, atol=1e-12)


def test_rows_that_become_more_or_fewer_go_on_as_copies() -> None:
    run = causal_stack("encoder", rotary=Rotary())
    inputs, cache = draw(B, 4, D), empty_cache()
    run(inputs, None, cache)
    for t, rows in ((4, [3, 0, 0, 4, 3, 1, 3]), (5, [6, 2, 0]), (6, [2, 1, 0, 2, 2, 1])):
        cache.reorder(torch.tensor(rows))
        later = draw(len(rows), 1, D, seed=t)
        inputs = torch.cat([inputs[rows], later], dim=1)
        assert torch.allclose(
            run(later, None, cache), run(inputs, None)[:, -1:], rtol=0, atol=1e-12
        )


def test_a_reordering_names_parents_and_no_more_than_rows_beside_a_memory() -> None:
    cache = empty_cache()
    with pytest.raises(ValueError, match=r"^expected 1 or more parents, got 0$"):
        cache.reorder(torch.zeros(0, dtype=torch.int64))
    cache.put_memory(0, draw(B, N, S, E), draw(B, N, S, E))
    with pytest.raises(ValueError, match=r"^expected 1 to 5 parents, got 6$"):
        cache.reorder(torch.zeros(6, dtype=torch.int64))


def test_a_cached_step_wants_a_mask() -> None:
    encoder = Encoder(1, D, N).eval()
    step = empty_cache_for(encoder, B, T).take_step()
    with torch.no_grad(), pytest.raises(ValueError, match="needs a mask, to hide"):
        encoder(torch.randn(B, 1, D), cache=step)


def test_a_step_beyond_the_last_position_is_refused() -> None:
    cache = empty_cache()
    for _ in range(T):
        cache.take_step()
    with pytest.raises(ValueError, match="the cache holds 7 positions, asked to hold one more"):
        cache.take_step()
