"""What whole stacks promise: no peeking, no padding, norms and dropout in their places."""

import subprocess
import sys

import pytest
import torch
from torch import nn

from tests.transformer.draw import draw, padding
from tokoban.transformer import BlockOptions, Decoder, Encoder, EncoderDecoder, Rotary, masks

B, N, T, S, E, LAYERS = 5, 3, 7, 11, 2, 2
D = N * E


def test_under_a_causal_mask_the_future_has_no_influence_on_the_past() -> None:
    encoder, decoder = Encoder(LAYERS, D, N).double(), Decoder(LAYERS, D, N).double()
    inputs, memory, other = draw(B, T, D), draw(B, S, D, seed=1), draw(B, T, D, seed=2)
    other[:, :4] = inputs[:, :4]
    causal = masks.causal(T)
    for stack in (
        lambda x: encoder(x, may_attend=causal),
        lambda x: decoder(x, memory, may_attend=causal),
    ):
        assert torch.allclose(stack(inputs)[:, :4], stack(other)[:, :4], rtol=0, atol=1e-12)
        assert not torch.allclose(stack(inputs)[:, 4:], stack(other)[:, 4:], atol=1e-3)


def test_rotary_stacks_see_order() -> None:
    inputs, memory = draw(B, T, D), draw(B, S, D, seed=1)
    encoder = Encoder(LAYERS, D, N, options=BlockOptions(rotary=Rotary())).double()
    decoder = Decoder(LAYERS, D, N, options=BlockOptions(rotary=Rotary())).double()
    for stack in encoder, lambda x: decoder(x, memory):
        assert not torch.allclose(stack(inputs.flip(1)).flip(1), stack(inputs), atol=1e-3)


def test_padded_sources_are_hidden_from_both_halves() -> None:
    model = EncoderDecoder(Encoder(LAYERS, D, N), Decoder(LAYERS, D, N)).double()
    sources, targets = draw(B, S, D), draw(B, T, D, seed=1)
    lengths, causal = torch.tensor([11, 1, 5, 2, 7]), masks.causal(T)
    together = model(
        sources, targets, source_may_attend=padding(lengths, S), target_may_attend=causal
    )
    for row, length in enumerate(lengths.tolist()):
        alone = model(
            sources[row : row + 1, :length], targets[row : row + 1], target_may_attend=causal
        )
        assert torch.allclose(together[row], alone[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("stack_class", [Encoder, Decoder])
@pytest.mark.parametrize("pre_norm", [True, False])
def test_a_stack_without_biases_has_none_and_is_one_with_zero_biases(
    stack_class: type, pre_norm: bool
) -> None:
    bare = stack_class(LAYERS, D, N, options=BlockOptions(bias=False, pre_norm=pre_norm)).double()
    assert not any(name.endswith("bias") for name, _ in bare.named_parameters())
    whole = stack_class(LAYERS, D, N, options=BlockOptions(pre_norm=pre_norm)).double()
    missing = whole.load_state_dict(bare.state_dict(), strict=False).missing_keys
    for name in missing:
        nn.init.zeros_(whole.get_parameter(name))
    inputs = (draw(B, T, D),) * (1 if stack_class is Encoder else 2)
    assert missing and torch.allclose(bare(*inputs), whole(*inputs), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("stack_class", "num_sublayers"), [(Encoder, 2), (Decoder, 3)])
def test_dropout_falls_on_the_inputs_and_on_each_sublayers_output(
    stack_class: type, num_sublayers: int
) -> None:
    stack, dropped = stack_class(LAYERS, D, N, options=BlockOptions(dropout=0.25)), []
    for part in stack.modules():
        if isinstance(part, nn.Dropout):
            part.register_forward_hook(lambda part, _, __: dropped.append(part.p))
    inputs = torch.randn(B, T, D)
    stack(inputs) if stack_class is Encoder else stack(inputs, inputs)
    assert dropped == [0.25] * (1 + LAYERS * num_sublayers)


# In a process of its own, since the checks of shapes that tests switch on cannot be compiled.
COMPILE = """
import torch
from tokoban.transformer import BlockOptions, Decoder, Encoder, EncoderDecoder, Rotary, masks

model = EncoderDecoder(Encoder(2, 6, 3, options=BlockOptions(rotary=Rotary())), Decoder(2, 6, 3))
sources, targets, causal = torch.randn(5, 11, 6), torch.randn(5, 7, 6), masks.causal(7)
compiled = torch.compile(model, fullgraph=True, backend="eager")
torch.testing.assert_close(
    compiled(sources, targets, target_may_attend=causal),
    model(sources, targets, target_may_attend=causal),
)
"""


@pytest.mark.slow
def test_the_whole_model_is_one_graph_to_the_compiler() -> None:
    subprocess.run([sys.executable, "-c", COMPILE], check=True)
