"""Attention: the definition, the fused module that equals it, and what masks promise."""

import math
from collections.abc import Callable
from inspect import unwrap

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from tests.transformer.draw import draw, padding
from tokoban.transformer import FeedForward, MultiHeadAttention, attend, masks
from tokoban.transformer.dot_product import DotProductAttention, attention_weights

B, N, T, S, E = 5, 3, 7, 11, 13
D = N * E

MASKS = {
    "none": None,
    "for all alike": torch.rand(T, S, generator=torch.manual_seed(1)) < 0.5,
    "for each row": torch.rand(B, 1, T, S, generator=torch.manual_seed(2)) < 0.5,
    "for each head": torch.rand(B, N, T, S, generator=torch.manual_seed(3)) < 0.5,
    "padding": padding(torch.tensor([11, 1, 5, 2, 7]), S),
}


def test_a_query_mixes_values_by_the_exponentials_of_its_scores() -> None:
    # Two heads of width 4: scores are q k / 2, so ln 3 against 0, and the weights 3/4 and 1/4.
    q, k, v = torch.zeros(1, 2, 1, 4), torch.zeros(1, 2, 2, 4), torch.zeros(1, 2, 2, 4)
    q[..., 0] = 2 * math.log(3)
    k[:, :, 0, 0] = 1
    v[0, 0, :, 0] = torch.tensor([8.0, 4.0])
    v[0, 1, :, 0] = torch.tensor([0.0, 40.0])
    assert torch.allclose(attend(q, k, v)[0, :, 0, 0], torch.tensor([7.0, 10.0]))


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5)], ids=str
)
def test_plain_attention_equals_the_fused_kernel(
    name: str, dtype: torch.dtype, tolerance: float
) -> None:
    q, k, v = (draw(B, N, n, E, seed=n).to(dtype) for n in (T, S, S))
    v = v.flip(2)
    fused = scaled_dot_product_attention(q, k, v, attn_mask=MASKS[name])
    assert (attend(q, k, v, MASKS[name]) - fused).abs().max() < tolerance


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("num_queries", [1, 3, T])
@pytest.mark.parametrize("is_compiling", [True, False])
def test_every_kernel_is_plain_attention(
    name: str, num_queries: int, is_compiling: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: is_compiling)
    q, k, v = (draw(B, N, n, E, seed=n) for n in (num_queries, S, S))
    mask = MASKS[name]
    if mask is not None and mask.shape[-2] > 1:
        mask = mask[..., :num_queries, :].clone()
        mask[..., 0, :] = False  # nothing may be attended to
    found = DotProductAttention()(q, k, v.flip(2), mask)
    assert torch.allclose(found, attend(q, k, v.flip(2), mask), rtol=0, atol=1e-12)


def test_compiled_attention_of_one_query_scores_in_single_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The products are 256 and 257, which bfloat16 cannot tell apart."""
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    q, everything = torch.tensor([[[[8.0, 8.0]]]]), torch.ones(1, 2, dtype=torch.bool)
    k, v = torch.tensor([[[[16.0, 16.0], [16.0, 16.125]]]]), torch.tensor([[[[0.0, 0], [1, 1]]]])
    mixed = DotProductAttention()(q.bfloat16(), k.bfloat16(), v.bfloat16(), everything)
    second = 1 / (1 + math.exp(-1 / math.sqrt(2)))
    assert mixed.flatten().tolist() == pytest.approx([second, second], abs=0.005)


@pytest.mark.parametrize("attention", [attend, DotProductAttention()], ids=["plain", "kernel"])
def test_a_query_that_may_attend_to_nothing_gets_zeros_and_finite_gradients(
    attention: Callable[..., torch.Tensor],
) -> None:
    q, k, v = (draw(B, N, n, E, seed=n).requires_grad_() for n in (T, S, S))
    may_attend = torch.ones(T, S, dtype=torch.bool)
    may_attend[2] = False
    mixed = attention(q, k, v, may_attend)
    assert (mixed[:, :, 2] == 0).all()
    assert (mixed[:, :, 3] != 0).all()
    for gradient in torch.autograd.grad(mixed.sum(), (q, k, v)):
        assert gradient.isfinite().all()


@pytest.mark.parametrize(
    "sublayer", [MultiHeadAttention(D, N, dropout=0.5), FeedForward(D, 11, dropout=0.5)]
)
def test_dropout_zeroes_half_of_the_output_and_doubles_the_rest_while_training(
    sublayer: torch.nn.Module,
) -> None:
    queries = torch.randn(B, T, D)
    whole = sublayer.eval()(queries)
    torch.manual_seed(0)
    dropped = sublayer.train()(queries)
    assert torch.equal(dropped, torch.where(dropped == 0, 0.0, 2 * whole))
    assert 0.4 < (dropped == 0).double().mean() < 0.6


def test_a_mask_of_numbers_is_refused() -> None:
    """Torch would add it to the scores: the future would be seen."""
    queries, ones = torch.randn(1, 2, 3, 4), torch.tril(torch.ones(3, 3))
    module, kernel = DotProductAttention(), unwrap(DotProductAttention.forward)
    for mask in (ones, ones.long()):  # past the tests' own check of annotations
        with pytest.raises(ValueError, match=r"may_attend is of torch\.\w+; expected torch.bool"):
            kernel(module, queries, queries, queries, mask)
        with pytest.raises(ValueError, match=r"may_attend is of torch\.\w+; expected torch.bool"):
            unwrap(attention_weights)(queries, queries, mask)


def test_queries_of_another_shape_are_refused() -> None:
    attention = MultiHeadAttention(4, 2)
    forward = unwrap(MultiHeadAttention.forward)
    for shape in ((3, 4), (2, 3, 5)):
        with pytest.raises(ValueError, match=r"queries have the shape .*; expected \[B, T, 4\]"):
            forward(attention, torch.randn(shape))


def test_a_memory_of_another_width_and_masks_of_another_shape_are_refused() -> None:
    attention, queries = MultiHeadAttention(4, 2), torch.randn(2, 3, 4)
    forward = unwrap(MultiHeadAttention.forward)
    with pytest.raises(ValueError, match=r"memory has the shape .*; expected \[M, S, 4\]"):
        forward(attention, queries, torch.randn(2, 5, 6))
    module, kernel = DotProductAttention(), unwrap(DotProductAttention.forward)
    q, k = torch.randn(2, 1, 3, 4), torch.randn(2, 1, 5, 4)
    for shape in ((3, 3), (5, 3), (2, 1, 2, 5), (3, 4), (4,), (3, 1, 3, 5), (1, 2, 1, 3, 5)):
        mask = torch.ones(shape, dtype=torch.bool)
        with pytest.raises(ValueError, match=r"may_attend has the shape .*\[2, 1, 3, 5\]"):
            kernel(module, q, k, k, mask)
        with pytest.raises(ValueError, match=r"may_attend has the shape .*\[2, 1, 3, 5\]"):
            unwrap(attention_weights)(q, k, mask)


def test_vectors_that_do_not_fit_each_other_are_refused() -> None:
    q, k = torch.randn(2, 3, 5, 11), torch.randn(2, 3, 7, 11)
    for shape in ((2, 3, 7, 4), (1, 3, 7, 11), (3, 7, 11), (11,)):
        with pytest.raises(ValueError, match=r"and k .*; expected \[B, N, T, E\] and \[B, N, S"):
            unwrap(attention_weights)(q, torch.randn(shape))
    for of_v in ((2, 3, 5, 11), (2, 1, 7, 11), (7, 11)):
        with pytest.raises(
            ValueError, match=r"v has the shape .*; expected \[2, 3, 7\] and a width"
        ):
            unwrap(attend)(q, k, torch.randn(of_v))


def test_a_width_that_the_heads_cannot_share_is_refused() -> None:
    with pytest.raises(ValueError, match="width 4 is not divisible by num_heads 0"):
        MultiHeadAttention(4, 0)
    with pytest.raises(ValueError, match="width 39 is not divisible by num_heads 7"):
        MultiHeadAttention(D, 7)


def test_without_biases_and_output_a_module_has_three_matrices_and_concatenates_the_heads() -> None:
    attention = MultiHeadAttention(D, N, bias=False, has_output=False).double()
    assert [name for name, _ in attention.named_parameters()] == [
        "query.weight",
        "key.weight",
        "value.weight",
    ]
    whole = MultiHeadAttention(D, N).double()
    whole.load_state_dict(attention.state_dict(), strict=False)
    for part in whole.query, whole.key, whole.value, whole.output:
        torch.nn.init.zeros_(part.bias)
    torch.nn.init.eye_(whole.output.weight)
    queries = draw(B, T, D)
    assert torch.allclose(attention(queries), whole(queries), rtol=0, atol=1e-12)


def test_a_mask_that_could_mean_rows_or_heads_is_refused() -> None:
    attention, queries = MultiHeadAttention(D, N), torch.randn(N, T, D)
    with pytest.raises(ValueError, match=r"two axes .* or four .*, got the shape \[3, 7, 7\]"):
        attention(queries, may_attend=torch.ones(N, T, T, dtype=torch.bool))


def test_a_memory_of_fewer_rows_serves_as_many_neighbours_each() -> None:
    attention = MultiHeadAttention(D, N).double()
    queries, memory = draw(6, T, D), draw(2, S, D, seed=1)
    may_attend = padding(torch.tensor([11, 4]), S)
    shared = attention(queries, memory, may_attend=may_attend)
    repeated = attention(
        queries,
        memory.repeat_interleave(3, dim=0),
        may_attend=may_attend.repeat_interleave(3, dim=0),
    )
    assert torch.allclose(shared, repeated, rtol=0, atol=1e-12)


def test_a_memory_that_cannot_serve_all_rows_alike_is_refused() -> None:
    with pytest.raises(ValueError, match="a memory of 2 rows cannot serve 5 rows alike"):
        MultiHeadAttention(D, N).double()(draw(5, T, D), draw(2, S, D))


def test_the_cpus_bf16_gradient_is_that_of_fp32_attention() -> None:
    """Only rounded: the kernel for it is another, which is why it is worth a test."""
    attention = MultiHeadAttention(D, N)
    inputs = draw(B, T, D).float()
    gradients = []
    for is_half in (False, True):
        attention.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=is_half):
            attention(inputs, may_attend=masks.causal(T)).float().square().sum().backward()
        gradients.append(
            torch.cat([p.grad.flatten() for p in attention.parameters() if p.grad is not None])
        )
    exact, rounded = gradients
    assert (exact - rounded).norm() < 0.02 * exact.norm()
