"""The attention of a classifier in pictures, for the attention page.

Axes: L layers, B pictures, N heads, T tokens (the class token first, if there is one), C channels,
H rows and W columns of pixels.
"""

from collections.abc import Sequence

from jaxtyping import Float, UInt8
from torch import Tensor

from tokoban.systems.vit.model import VisionTransformer
from tokoban.viewing.attention_page import AttentionPanel, AttentionView, TokenGrid

_GUIDE = (
    "Look for heads in which a patch attends to others of the same object; the class token, if "
    "there is one before the grid, gathers what the class is chosen by."
)


def attention(
    model: VisionTransformer,
    pictures: UInt8[Tensor, "B C H W"],
    weights: Float[Tensor, "L B N T T"],
    *,
    names: Sequence[str],
) -> AttentionView:
    """A panel for each picture, with its patches as a grid over it."""
    panels = []
    for number, (name, picture) in enumerate(zip(names, pictures, strict=True)):
        tokens = TokenGrid(
            *model.grid_size, picture=picture / 255, has_class_token=model.class_token is not None
        )
        panels.append(AttentionPanel(name, weights[:, number], tokens, tokens))
    return AttentionView(panels, _GUIDE)
