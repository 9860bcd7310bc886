"""The vision transformer of Dosovitskiy et al. 2021 (arXiv:2010.11929), pre-norm.

Axes: B batch, C channels, H rows and W columns of pixels, T patches and the class token if there is
one (it comes first), P the numbers of one patch (C * side * side, by channel, row and column), D
width, A classes.
"""

import json

import torch
from jaxtyping import Float, Shaped, UInt8
from torch import Tensor, nn
from torch.nn import functional

from tokoban.systems.vit.config import Pooling
from tokoban.transformer import BlockOptions, Encoder, GridPositions

_MOST_NAME_BYTES = 2**20  # of the names of all classes; what is longer is cut, and unreadable

# Initial standard deviations. Positions are learned sooner at about the scale of the patches.
_POSITION_SCALE, _CLASS_SCALE = 0.2, 0.02


class VisionTransformer(nn.Module):
    """Pictures -> the logits of their classes.

    The mean and deviation of the training pictures, which normalise the inputs, and the names of
    the classes are saved with the weights.
    """

    mean: Float[Tensor, "C 1 1"]
    deviation: Float[Tensor, "C 1 1"]

    def __init__(
        self,
        *,
        picture_size: tuple[int, int],
        channels: int,
        num_classes: int,
        patch_side: int,
        width: int,
        num_layers: int,
        num_heads: int,
        hidden_width: int,
        pooling: Pooling,
    ) -> None:
        """``picture_size`` is height and width in pixels, both divisible by ``patch_side``."""
        super().__init__()
        self.picture_size, self.patch_side = picture_size, patch_side
        height, columns = (side // patch_side for side in picture_size)
        self.grid_size = height, columns
        self.class_names = tuple(map(str, range(num_classes)))
        self.register_buffer("mean", torch.full((channels, 1, 1), 127.5))
        self.register_buffer("deviation", torch.full((channels, 1, 1), 127.5))
        self.patch = nn.Linear(channels * patch_side**2, width)
        self.places = GridPositions(height, columns, width)
        for table in self.places.parameters():
            nn.init.normal_(table, std=_POSITION_SCALE)
        self.class_token: nn.Parameter | None = None
        if pooling == "class_token":
            self.class_token = nn.Parameter(torch.randn(width) * _CLASS_SCALE)
        options = BlockOptions(hidden_width=hidden_width, activation=functional.gelu)
        self.encoder = Encoder(num_layers, width, num_heads, options=options)
        self.head = nn.Linear(width, num_classes)

    def forward(self, pictures: UInt8[Tensor, "B C H W"]) -> Float[Tensor, "B A"]:
        """Logits; a picture's do not depend on the others in the batch."""
        return self.classify(self.tokens(pictures))

    def tokens(self, pictures: UInt8[Tensor, "B C H W"]) -> Float[Tensor, "B T D"]:
        """The sum of patch and position embedding for each patch; the class token first."""
        expected = len(self.mean), *self.picture_size
        if pictures.shape[1:] != expected:
            found = tuple(pictures.shape[1:])
            raise ValueError(f"expected pictures of the shape {expected}, got {found}")
        scaled = (pictures - self.mean) / self.deviation
        x = self.patch(to_patches(scaled, side=self.patch_side)) + self.position_vectors()
        if self.class_token is None:
            return x
        return torch.cat([self.class_token.expand(len(x), 1, -1).to(x.dtype), x], dim=1)

    def position_vectors(self) -> Float[Tensor, "T D"]:
        """The vector of each patch's position, in reading order."""
        return self.places(*self.grid_size).flatten(0, 1)

    def classify(self, tokens: Float[Tensor, "B T D"]) -> Float[Tensor, "B A"]:
        """Logits from tokens, whatever the order of the patches."""
        return self.head(self.pooled(tokens))

    def pooled(self, tokens: Float[Tensor, "B T D"]) -> Float[Tensor, "B D"]:
        """What the logits are computed from."""
        hidden = self.encoder(tokens)
        return hidden.mean(1) if self.class_token is None else hidden[:, 0]

    def get_extra_state(self) -> UInt8[Tensor, "bytes"]:
        """The names of the classes as JSON, so that they are saved with the weights."""
        return torch.frombuffer(bytearray(json.dumps(self.class_names).encode()), dtype=torch.uint8)

    def set_extra_state(self, state: UInt8[Tensor, "bytes"]) -> None:
        """The inverse of ``get_extra_state``; ``ValueError`` if the bytes are something else."""
        try:
            names = json.loads(state[:_MOST_NAME_BYTES].cpu().numpy().tobytes())
        except (ValueError, RecursionError):
            names = None
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError("the weights hold no readable names of classes")
        if len(names) != self.head.out_features:
            raise ValueError(f"there are {len(names)} names for {self.head.out_features} classes")
        self.class_names = tuple(names)


def to_patches(pictures: Shaped[Tensor, "B C H W"], *, side: int) -> Shaped[Tensor, "B T P"]:
    """The patches of ``side`` x ``side`` pixels in reading order."""
    # [B, C, rows, side, columns, side]
    cells = pictures.unflatten(3, (-1, side)).unflatten(2, (-1, side))
    return cells.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
