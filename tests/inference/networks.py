"""Networks of drawn weights in every form that an engine can execute."""

from collections.abc import Callable
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from tokoban.inference.engine import Network, tied_projection
from tokoban.transformer import BlockOptions, Decoder, Encoder, Rotary, masks, sinusoidal

# Widths that fill no panel and no tile; primes where they may be.
V, D, N, H, L, T = 89, 28, 7, 71, 3, 41
START = 1


def jiggled(module: nn.Module) -> nn.Module:
    """Gains, shifts and biases are no ones and zeros."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if "norm" in name or "bias" in name:
                parameter.add_(torch.randn_like(parameter) / 3)
    return module.eval().requires_grad_(False)


def encoder(**options) -> Encoder:
    block_options = BlockOptions(hidden_width=H, dropout=0.5, **options)
    found = jiggled(Encoder(L, D, N, options=block_options))
    assert isinstance(found, Encoder)
    return found


def decoder_only(*, is_rotary: bool = False, is_tied: bool = True, **options) -> Network:
    """A GPT."""
    torch.manual_seed(3)
    embedding = torch.randn(V, D)
    head = nn.Linear(D, V).requires_grad_(False)
    return Network(
        stack=encoder(rotary=Rotary() if is_rotary else None, **options),
        max_length=T,
        embedding=embedding,
        positions=None if is_rotary else torch.randn(T, D),
        projection=tied_projection(embedding) if is_tied else head,
    )


def encoder_decoder(*, pre_norm: bool) -> Network:
    """A translator."""
    torch.manual_seed(5)
    embedding = torch.randn(V, D)
    options = BlockOptions(hidden_width=H, dropout=0.5, pre_norm=pre_norm)
    decoder = jiggled(Decoder(L, D, N, options=options))
    assert isinstance(decoder, Decoder)
    return Network(
        stack=decoder,
        encoder=encoder(pre_norm=pre_norm),
        max_length=T,
        embedding=embedding,
        embedding_scale=D**0.5,
        positions=sinusoidal(T, D),
        projection=tied_projection(embedding),
        start=START,
    )


def over_vectors(*, has_history: bool) -> Network:
    """A stack alone; a position attends to all before it, or to the first one and itself."""
    torch.manual_seed(7)
    may_attend = masks.causal(T)
    if not has_history:
        may_attend &= masks.goal_and_current(T)
    return Network(stack=encoder(), max_length=T, positions=sinusoidal(T, D), may_attend=may_attend)


def squared_relu(x: torch.Tensor) -> torch.Tensor:
    return functional.relu(x).square()


gelu_tanh = partial(functional.gelu, approximate="tanh")

TOKENS: dict[str, Callable[[], Network]] = {
    "learned positions": decoder_only,
    "rotary, GELU": partial(decoder_only, is_rotary=True, activation=functional.gelu),
    "post-norm, tanh GELU": partial(decoder_only, pre_norm=False, activation=gelu_tanh),
    "rotary, squared ReLU, no biases, a head of its own": partial(
        decoder_only, is_rotary=True, is_tied=False, activation=squared_relu, bias=False
    ),
    "encoder-decoder, pre-norm": partial(encoder_decoder, pre_norm=True),
    "encoder-decoder, post-norm": partial(encoder_decoder, pre_norm=False),
}
VECTORS: dict[str, Callable[[], Network]] = {
    "vectors": partial(over_vectors, has_history=True),
    "vectors without history": partial(over_vectors, has_history=False),
}
