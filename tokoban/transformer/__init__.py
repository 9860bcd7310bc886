"""The core: a transformer that knows tensors, and nothing else.

::

    EncoderDecoder
    ├── Encoder ── L x EncoderBlock ┬── MultiHeadAttention (self) ── Rotary, where wanted
    │                               └── FeedForward
    └── Decoder ── L x DecoderBlock ┬── MultiHeadAttention (self) ── Rotary, where wanted
                                    ├── MultiHeadAttention (to the encoder's output)
                                    └── FeedForward

    handed in from outside:  masks.* (who may attend) or, at a cost that is linear, a Window;
                             KVCache (what is computed already) or, one position at a time with
                             fixed shapes, its CachedStep
    to look on:              captured_attention; without dropout: evaluating
    added to the inputs:     sinusoidal · LearnedPositions · GridPositions
"""

from tokoban.transformer import masks
from tokoban.transformer.attention import MultiHeadAttention, attend, attention_weights
from tokoban.transformer.blocks import DecoderBlock, EncoderBlock, FeedForward
from tokoban.transformer.capture import CapturedWeights, captured_attention
from tokoban.transformer.evaluating import evaluating
from tokoban.transformer.kv_cache import CachedStep, KVCache
from tokoban.transformer.local_attention import Window, attend_locally
from tokoban.transformer.positions import GridPositions, LearnedPositions, Rotary, sinusoidal
from tokoban.transformer.stacks import Decoder, Encoder, EncoderDecoder, empty_cache_for

__all__ = [
    "CachedStep",
    "CapturedWeights",
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
    "captured_attention",
    "empty_cache_for",
    "evaluating",
    "masks",
    "sinusoidal",
]
