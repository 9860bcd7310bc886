"""Local attention is the masked full one, at every size, in its results and in its gradients."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from tests.transformer.draw import draw
from tokoban.transformer import Window, attend, attend_locally

B, N, E, VALUE_WIDTH = 3, 2, 5, 7
LENGTHS = (1, 2, 63, 64, 65, 131, 257)
HALF_WIDTHS = (0, 1, 3, 64, 97, 256, 1000)


def drawn_qkv(num_targets: int, num_sources: int) -> tuple[Tensor, Tensor, Tensor]:
    q = draw(B, N, num_targets, E).requires_grad_()
    k = draw(B, N, num_sources, E, seed=1).requires_grad_()
    v = draw(B, N, num_sources, VALUE_WIDTH, seed=2).requires_grad_()
    return q, k, v


def assert_equal_to_masked(qkv: tuple[Tensor, Tensor, Tensor], window: Window) -> None:
    """Outputs, and the gradients of a random weighing of them."""
    mask = window.mask(qkv[0].shape[2], qkv[1].shape[2])
    near, full = attend_locally(*qkv, window=window), attend(*qkv, mask)
    torch.testing.assert_close(near, full, rtol=0, atol=1e-12)
    weighing = draw(*full.shape, seed=3)
    found, expected = (torch.autograd.grad((mixed * weighing).sum(), qkv) for mixed in (near, full))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("is_causal", [True, False], ids=["causal", "both sides"])
@pytest.mark.parametrize("half_width", HALF_WIDTHS)
@pytest.mark.parametrize("length", LENGTHS)
def test_local_attention_is_full_attention_under_its_mask(
    length: int, half_width: int, is_causal: bool
) -> None:
    assert_equal_to_masked(drawn_qkv(length, length), Window(half_width, is_causal))


@pytest.mark.parametrize("is_causal", [True, False], ids=["causal", "both sides"])
@pytest.mark.parametrize(("num_targets", "num_sources"), [(1, 300), (5, 300), (150, 301), (2, 3)])
def test_fewer_targets_are_the_last_positions(
    num_targets: int, num_sources: int, is_causal: bool
) -> None:
    for half_width in (0, 2, 70, 400):
        assert_equal_to_masked(drawn_qkv(num_targets, num_sources), Window(half_width, is_causal))


class _LargestTensor(TorchDispatchMode):
    """The number of elements of the largest tensor that any operation has made."""

    num_elements = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        for tensor in made if isinstance(made, tuple | list) else [made]:
            if isinstance(tensor, Tensor):
                self.num_elements = max(self.num_elements, tensor.numel())
        return made


def largest_tensor(call: Callable[[], object]) -> int:
    with _LargestTensor() as seen:
        call()
    return seen.num_elements


@pytest.mark.parametrize("is_causal", [True, False])
def test_nothing_grows_faster_than_the_length(is_causal: bool) -> None:
    def largest(length: int) -> int:
        qkv = drawn_qkv(length, length)

        def both_ways() -> None:
            mixed = attend_locally(*qkv, window=Window(16, is_causal))
            torch.autograd.grad(mixed.sum(), qkv)

        return largest_tensor(both_ways)

    # Both are whole numbers of chunks, so that nothing is rounded up.
    assert largest(1024) == 4 * largest(256)


def test_one_target_after_a_cache_costs_what_it_reaches() -> None:
    qkv = drawn_qkv(1, 200)
    largest = largest_tensor(lambda: attend_locally(*qkv, window=Window(16, is_causal=True)))
    assert largest == B * N * (16 + 1) * VALUE_WIDTH


def test_a_window_that_reaches_less_than_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="a window of half width -1; expected 0, 1, 2"):
        Window(-1)
    with pytest.raises(ValueError, match=r"a window of half width 1\.5; expected 0, 1, 2"):
        Window(1.5)  # type: ignore[arg-type]


def test_fewer_keys_than_queries_are_refused() -> None:
    with pytest.raises(ValueError, match=r"at least as many keys as queries \(5\), got 3"):
        attend_locally(*drawn_qkv(5, 3), window=Window(1))
