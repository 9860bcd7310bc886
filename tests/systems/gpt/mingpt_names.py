"""Reads weights that have the names of minGPT and nanoGPT.

minGPT's ``GPT`` keeps query, key and value of a layer in one matrix, one below the other; its
feed-forward net is GELU by tanh; its output matrix is one of its own. nanoGPT's names are the same;
its GELU is exact, its output matrix is the embedding, and its biases may be absent.

========================================  ==========================================================
theirs                                    ours
========================================  ==========================================================
transformer.wte.weight                    embedding.weight
transformer.wpe.weight                    positions.table
transformer.h.I.ln_1.*                    body.blocks.I.attention_residual.norm.*
transformer.h.I.attn.c_attn.*             body.blocks.I.attention.query.*, .key.*, .value.*
transformer.h.I.attn.c_proj.*             body.blocks.I.attention.output.*
transformer.h.I.attn.bias                 (a mask, passed over)
transformer.h.I.ln_2.*                    body.blocks.I.feed_forward_residual.norm.*
transformer.h.I.mlp.c_fc.*                body.blocks.I.feed_forward.expand.*
transformer.h.I.mlp.c_proj.*              body.blocks.I.feed_forward.contract.*
transformer.ln_f.*                        body.last_norm.*
lm_head.weight                            head.weight (left out where it is the embedding)
========================================  ==========================================================

A compiled model's names begin with ``_orig_mod.`` besides, which is left out.
"""

import re
from collections.abc import Mapping

import torch
from torch import Tensor

from tokoban.systems.gpt.config import ActivationName
from tokoban.systems.gpt.model import Gpt

_ENDS = {
    "transformer.wte.weight": "embedding.weight",
    "transformer.wpe.weight": "positions.table",
    "transformer.ln_f.weight": "body.last_norm.weight",
    "transformer.ln_f.bias": "body.last_norm.bias",
    "lm_head.weight": "head.weight",
}
_PARTS = {
    "ln_1": "attention_residual.norm",
    "attn.c_proj": "attention.output",
    "ln_2": "feed_forward_residual.norm",
    "mlp.c_fc": "feed_forward.expand",
    "mlp.c_proj": "feed_forward.contract",
}
_COMPILED = "_orig_mod."
_IN_BLOCK = re.compile(r"transformer\.h\.(\d+)\.(.+)\.(weight|bias)")


def from_mingpt_names(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same weights under our names; ``ValueError`` for a name that is in neither of them."""
    renamed: dict[str, Tensor] = {}
    for full_name, tensor in state.items():
        name = full_name.removeprefix(_COMPILED)
        in_block = _IN_BLOCK.fullmatch(name)
        if name in _ENDS:
            renamed[_ENDS[name]] = tensor
        elif in_block is None:
            raise ValueError(f"{name!r} is no name of a weight in minGPT")
        elif in_block[2] == "attn.c_attn":
            for part, third in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                renamed[f"body.blocks.{in_block[1]}.attention.{part}.{in_block[3]}"] = third
        elif in_block[2] in _PARTS:
            part = _PARTS[in_block[2]]
            renamed[f"body.blocks.{in_block[1]}.{part}.{in_block[3]}"] = tensor
        elif in_block[2] != "attn":  # attn.bias is the causal mask
            raise ValueError(f"{name!r} is no name of a weight in minGPT")
    head = renamed.get("head.weight")
    if head is not None and torch.equal(head, renamed.get("embedding.weight", head[:0])):
        del renamed["head.weight"]
    return renamed


def from_mingpt(
    state: Mapping[str, Tensor], *, num_heads: int, activation: ActivationName = "gelu_tanh"
) -> Gpt:
    """The model that ``state`` is of, in eval mode and without dropout or a tokenizer.

    Its sizes are read from the weights; the number of heads and the activation leave no trace in
    them (minGPT: ``gelu_tanh``, nanoGPT: ``gelu``). ``ValueError`` where weights are missing.
    """
    renamed = from_mingpt_names(state)
    for name in ("embedding.weight", "positions.table", "body.last_norm.weight"):
        if name not in renamed:
            raise ValueError(f"no {name} among these weights")
    blocks = {name.split(".")[2] for name in renamed if name.startswith("body.blocks.")}
    vocabulary_size, width = renamed["embedding.weight"].shape
    model = Gpt(
        vocabulary_size=vocabulary_size,
        num_layers=len(blocks),
        num_heads=num_heads,
        width=width,
        context_length=len(renamed["positions.table"]),
        positions="learned",
        activation=activation,
        dropout=0.0,
        has_biases="body.last_norm.bias" in renamed,
        is_tied="head.weight" not in renamed,
    )
    missing = model.load_state_dict(renamed, strict=False)
    absent = [name for name in missing.missing_keys if not name.endswith("_extra_state")]
    if absent or missing.unexpected_keys:
        names = ", ".join([*absent, *missing.unexpected_keys])
        raise ValueError(f"weights that are missing or too many: {names}")
    return model.eval()
