"""The core: a transformer that knows tensors, and nothing else (Vaswani et al. 2017).

::

    EncoderDecoder
    ├── Encoder ── L x EncoderBlock ┬── MultiHeadAttention (self) ── Rotary, optional
    │                               └── FeedForward
    └── Decoder ── L x DecoderBlock ┬── MultiHeadAttention (self) ── Rotary, optional
                                    ├── MultiHeadAttention (cross)
                                    └── FeedForward

    options of all blocks:   BlockOptions
    arguments of a pass:     masks.*; KVCache or, one position at a time with fixed shapes, its
                             CachedStep
    around a pass:           record_attention (weights); evaluating (no dropout)
    added to the inputs:     sinusoidal · LearnedPositions · GridPositions
    beside the stacks:       attend_locally (attention within a Window, at linear cost);
                             neighbourhood.* (blocks that read a board's squares and neighbours)
"""

from tokoban.transformer import masks
from tokoban.transformer.attention import MultiHeadAttention
from tokoban.transformer.blocks import BlockOptions, DecoderBlock, EncoderBlock, FeedForward
from tokoban.transformer.dot_product import attend, attention_weights
from tokoban.transformer.evaluating import evaluating
from tokoban.transformer.kv_cache import CachedStep, KVCache
from tokoban.transformer.local_attention import Window, attend_locally
from tokoban.transformer.positions import GridPositions, LearnedPositions, Rotary, sinusoidal
from tokoban.transformer.recording import AttentionRecord, record_attention
from tokoban.transformer.stacks import Decoder, Encoder, EncoderDecoder, empty_cache_for

__all__ = [
    "AttentionRecord",
    "BlockOptions",
    "CachedStep",
    "Decoder",
    "DecoderBlock",
    "Encoder",
    "EncoderBlock",
    "EncoderDecoder",
    "FeedForward",
    "GridPositions",
    "KVCache",
    "LearnedPositions",
    "MultiHeadAttention",
    "Rotary",
    "Window",
    "attend",
    "attend_locally",
    "attention_weights",
    "empty_cache_for",
    "evaluating",
    "masks",
    "record_attention",
    "sinusoidal",
]
