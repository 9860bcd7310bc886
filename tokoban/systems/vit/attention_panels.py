"""The attention of a classifier in pictures, for the attention page.

Axes: L layers, B pictures, N heads, T tokens (the class token first, if there is one), C channels,
H rows and W columns of pixels.
"""

from collections.abc import Sequence

from jaxtyping import Float, UInt8
from torch import Tensor

from tokoban.systems.vit.model import VisionTransformer
from tokoban.viewing.attention_page import AttentionPanel, TokenGrid


def attention_panels(
    model: VisionTransformer,
    pictures: UInt8[Tensor, "B C H W"],
    weights: Float[Tensor, "L B N T T"],
    *,
    names: Sequence[str],
) -> list[AttentionPanel]:
    """A panel for each picture, with its patches as a grid over it."""
    panels = []
    for number, (name, picture) in enumerate(zip(names, pictures, strict=True)):
        tokens = TokenGrid(
            *model.grid_size, picture=picture / 255, has_class_token=model.class_token is not None
        )
        panels.append(AttentionPanel(name, weights[:, number], tokens, tokens))
    return panels
