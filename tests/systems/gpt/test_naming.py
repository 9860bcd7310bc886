"""Weights of a model that was built from minGPT's description alone say the same in ours."""

import math

import torch
from torch import Tensor, nn

from tests.systems.gpt.mingpt_names import from_mingpt


class Attention(nn.Module):
    bias: Tensor

    def __init__(self, width: int, num_heads: int, length: int) -> None:
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("bias", torch.ones(length, length).tril().view(1, 1, length, length))
        self.num_heads = num_heads

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        heads = (batch, length, self.num_heads, width // self.num_heads)
        q, k, v = (y.reshape(heads).permute(0, 2, 1, 3) for y in self.c_attn(x).split(width, dim=2))
        scores = torch.einsum("bntd,bnsd->bnts", q, k) / math.sqrt(heads[-1])
        scores = scores.masked_fill(self.bias[:, :, :length, :length] == 0, -math.inf)
        mixed = torch.einsum("bnts,bnsd->bntd", scores.softmax(dim=-1), v)
        return self.c_proj(mixed.permute(0, 2, 1, 3).reshape(batch, length, width))


class NewGELU(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        cubic = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1.0 + torch.tanh(cubic))


class Block(nn.Module):
    def __init__(self, width: int, num_heads: int, length: int, gelu: nn.Module) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, num_heads, length)
        self.mlp = nn.ModuleDict(
            {"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)}
        )
        self.gelu = gelu

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp["c_proj"](self.gelu(self.mlp["c_fc"](self.ln_2(x))))


class Transformer(nn.Module):
    def __init__(self, gelu: nn.Module) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(13, 15), nn.Embedding(11, 15)
        self.h = nn.Sequential(*(Block(15, 3, 11, gelu) for _ in range(2)))
        self.ln_f = nn.LayerNorm(15)


class MinGpt(nn.Module):
    """2 layers, 3 heads, width 15, 13 tokens, context 11; large weights, so that all matter."""

    def __init__(self, gelu: nn.Module) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.transformer = Transformer(gelu)
        self.lm_head = nn.Linear(15, 13, bias=False)
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=0.5)

    def forward(self, tokens: Tensor) -> Tensor:
        body = self.transformer
        x = body.wte(tokens) + body.wpe.weight[: tokens.shape[1]]
        return self.lm_head(body.ln_f(body.h(x)))


TOKENS = torch.arange(22).reshape(2, 11) % 13


def test_a_mingpt_says_the_same_under_our_names() -> None:
    theirs = MinGpt(NewGELU())
    ours = from_mingpt(theirs.state_dict(), num_heads=3)
    with torch.no_grad():
        assert torch.allclose(ours(TOKENS), theirs(TOKENS), atol=1e-4)


def test_a_nanogpt_without_biases_and_with_one_matrix_for_both_ends_does_too() -> None:
    theirs = MinGpt(nn.GELU())
    theirs.lm_head.weight = theirs.transformer.wte.weight
    for name, parameter in theirs.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)
    state = {
        name: tensor
        for name, tensor in theirs.state_dict().items()
        if not name.endswith("bias") or name.endswith(".attn.bias")
    }
    ours = from_mingpt(state, num_heads=3, activation="gelu")
    assert ours.head is None
    assert not any(name.endswith("bias") for name, _ in ours.named_parameters())
    with torch.no_grad():
        assert torch.allclose(ours(TOKENS), theirs(TOKENS), atol=1e-4)
