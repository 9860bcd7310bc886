"""Embedding and projection by torch: the definition that all engines share or agree with.

Axes: P prompts, T positions, S positions of sources, D width, R rows.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn import functional

from tokoban.inference.engine import Network, Prompts


def embed(
    network: Network, inputs: Int64[Tensor, "R T"] | Float[Tensor, "R T D"], positions: Tensor
) -> Float[Tensor, "R T D"]:
    """Vectors of the inputs with those of ``positions`` [T] or [R, T] added."""
    vectors = inputs
    if network.embedding is not None:
        vectors = functional.embedding(inputs, network.embedding)
        if network.embedding_scale != 1.0:
            vectors = vectors * network.embedding_scale
    return vectors if network.positions is None else vectors + network.positions[positions]


def padded(
    network: Network, prompts: Prompts, *, on_the_left: bool = False
) -> tuple[Tensor, Int64[Tensor, "P"]]:
    """The prompts [P, T] or [P, T, D], and the length of each; tensors stay on their device."""
    if isinstance(prompts, Tensor):
        return prompts, torch.full((len(prompts),), prompts.shape[1], device=prompts.device)
    require_tokens(network, prompts)
    lengths = [len(prompt) for prompt in prompts]
    fill = [[0] * (max(lengths) - length) for length in lengths]
    rows = [
        [*zeros, *prompt] if on_the_left else [*prompt, *zeros]
        for prompt, zeros in zip(prompts, fill, strict=True)
    ]
    device = network.device
    return torch.tensor(rows, device=device), torch.tensor(lengths, device=device)


def require_tokens(network: Network, prompts: Sequence[Sequence[int]]) -> None:
    """``ValueError`` unless every prompt has tokens, all of them of the embedding."""
    if network.embedding is None:
        raise ValueError("this network reads vectors; got tokens")
    num_tokens = len(network.embedding)
    for number, prompt in enumerate(prompts, start=1):
        if not prompt:
            raise ValueError(f"prompt {number} has no tokens")
        for token in (max(prompt), min(prompt)):
            if not 0 <= token < num_tokens:
                raise ValueError(f"token {token}; this network has {num_tokens}")


def read_sources(
    network: Network, prompts: Prompts
) -> tuple[Float[Tensor, "P S D"], Bool[Tensor, "P 1 1 S"]]:
    """The encoder's output for the prompts, and which of its positions are not padding."""
    assert network.encoder is not None
    sources, lengths = padded(network, prompts)
    network.require_length(sources.shape[1])
    places = torch.arange(sources.shape[1], device=sources.device)
    is_source = (places < lengths[:, None])[:, None, None]
    return network.encoder(embed(network, sources, places), may_attend=is_source), is_source


def project(network: Network, hidden: Float[Tensor, "R D"]) -> Tensor:
    """The outputs: logits, or the vectors themselves."""
    return hidden if network.projection is None else network.projection(hidden)
