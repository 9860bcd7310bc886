"""The choices of one classifier: pictures, network and examples; presets are functions."""

from dataclasses import dataclass
from typing import Annotated, Literal

from tokoban.training.config import check_fields, check_limits, heads_divide_width
from tokoban.training.limits import (
    Between,
    Count,
    CountOrZero,
    NumLayers,
    Seed,
    ShareBelowOne,
    Width,
)

BOARDS = "boards"  # the embedded set, in the place of a path

STANDINGS = ("solved", "open", "lost")  # what a board may be

_LEAST_PATCHES = 16  # fewer are known to fail on small pictures

Fit = Literal["scale", "crop", "stretch"]
Pooling = Literal["class_token", "mean"]

_FASHION = (
    "T-shirt/top", "trouser", "pullover", "dress", "coat",
    "sandal", "shirt", "sneaker", "bag", "ankle boot",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class VitConfig:
    """The network's defaults are those of the shipped ``vit-boards``."""

    # The pictures
    data: str = BOARDS  # "boards", which are generated; or a folder, with the four IDX files of
    # MNIST and its relatives, or with a folder of pictures for each class. Above these there may be
    # two, "train" and "test"; else held_out_share of the pictures, sampled by data_seed, are the
    # test
    num_boards: Annotated[int, Between(1, 10**7)] = 30_000  # generated for training, those held out
    # among them
    num_test_boards: Annotated[int, Between(1, 10**7)] = 3000  # generated besides
    class_names: tuple[str, ...] = ()  # of the labels in IDX files; none: 0, 1, 2, ...
    picture_height: Annotated[int, Between(1, 4096)] = 32  # in pixels
    picture_width: Annotated[int, Between(1, 4096)] = 32  # in pixels
    channels: Literal[1, 3] = 3  # 1: grey; 3: red, green and blue
    num_classes: Annotated[int, Between(2, 2**16)] = 3  # in a folder of pictures, as many as it has
    # folders
    fit: Fit = "scale"  # what becomes of a picture of another size: scaled if its sides are in the
    # same proportion and refused if not; scaled and cut to its middle; or stretched
    held_out_share: Annotated[float, Between(above=0, below=1)] = 1 / 12  # of the training
    # pictures: to choose by, never trained on
    data_seed: Seed = 0  # of boards, of what is held out, of the order and of the augmentation

    # The network
    patch_side: Count = 4  # in pixels
    width: Width = 64  # of the vector that stands for a patch
    num_layers: NumLayers = 4  # each attention and a feed-forward net
    num_heads: Count = 2  # of each attention
    hidden_width: Annotated[int, Between(1, 2**18)] = 128  # of the feed-forward nets
    pooling: Pooling = "class_token"  # the last layer reads a token of its own that has attended to
    # all patches, or their mean

    least_head_width: Count = 32  # heads narrower than this, width / num_heads, are refused: they
    # are known to fail on small pictures

    # The examples
    batch_pictures: Width = 128  # of a step
    shift: CountOrZero = 0  # largest shift in pixels, in each direction; filled with black
    flips_horizontally: bool = False  # half of the pictures, left to right
    flips_vertically: bool = False  # half of the pictures, upside down
    label_smoothing: ShareBelowOne = 0.0  # share of the answer that is given to all classes alike

    def __post_init__(self) -> None:
        check_limits(self)
        side = self.patch_side
        check_fields(
            self,
            ("data", self.data != "", f"{BOARDS} or a folder"),
            ("picture_height", self.picture_height % side == 0, _multiple(side)),
            ("picture_width", self.picture_width % side == 0, _multiple(side)),
            heads_divide_width(self),
            (
                "shift",
                self.shift < min(self.picture_height, self.picture_width),
                "less than a side",
            ),
        )
        if self.num_patches > _MOST_PATCHES:
            raise ValueError(
                f"patches of {side} x {side} cut a picture of {self.picture_width} x "
                f"{self.picture_height} into {self.num_patches}; expected at most {_MOST_PATCHES}"
            )
        if self.num_patches < _LEAST_PATCHES:
            raise ValueError(
                f"patches of {side} x {side} leave {self.num_patches} of a picture of "
                f"{self.picture_width} x {self.picture_height}; expected at least "
                f"{_LEAST_PATCHES}, by a smaller patch_side"
            )
        head_width = self.width // self.num_heads
        if head_width < self.least_head_width:
            raise ValueError(
                f"{self.num_heads} heads leave each {head_width} of the width {self.width}; "
                f"expected at least {self.least_head_width}, by fewer heads (or lower "
                "least_head_width)"
            )
        if self.class_names and len(self.class_names) != self.num_classes:
            raise ValueError(
                f"there are {len(self.class_names)} class_names for {self.num_classes} classes"
            )
        if self.data == BOARDS:
            self._check_boards()

    def _check_boards(self) -> None:
        num_answers = len(STANDINGS)
        check_fields(
            self,
            ("num_classes", self.num_classes == num_answers, f"{num_answers} for boards"),
            ("channels", self.channels == 3, "3 for boards"),
            ("class_names", not self.class_names, "none for boards"),
            (
                "picture_height",
                self.picture_height == self.picture_width,
                "picture_width for boards",
            ),
            ("picture_height", self.picture_height >= 32, "at least 32 for boards"),
            ("picture_height", self.picture_height % 8 == 0, "a multiple of 8 for boards"),
        )
        num_bytes = (self.num_boards + self.num_test_boards) * 3 * self.picture_width**2
        if num_bytes > _MOST_BOARD_BYTES:
            raise ValueError(
                f"the pictures of so many boards have {num_bytes:,} bytes; expected at most "
                f"{_MOST_BOARD_BYTES:,}, by fewer (num_boards, num_test_boards) or smaller ones"
            )

    @property
    def num_patches(self) -> int:
        """The number of patches of a picture."""
        return (self.picture_height // self.patch_side) * (self.picture_width // self.patch_side)


_MOST_PATCHES = 4096  # attention has a weight for each pair of them
_MOST_BOARD_BYTES = 2**31


def _multiple(patch_side: int) -> str:
    return f"a multiple of patch_side, {patch_side}"


def boards() -> VitConfig:
    """Is a board solved, open or lost? Generated, labelled by the exact solver: two minutes."""
    return VitConfig(flips_horizontally=True, flips_vertically=True)


def fashion_mnist() -> VitConfig:
    """Fashion-MNIST from the folder that --data names: 16 large patches, for two cores."""
    return VitConfig(
        data="fashion-mnist",
        class_names=_FASHION,
        picture_height=28,
        picture_width=28,
        channels=1,
        num_classes=10,
        patch_side=7,
        width=96,
        num_heads=3,
        hidden_width=192,
        pooling="mean",
        shift=1,
        flips_horizontally=True,
        label_smoothing=0.1,
    )


def folder() -> VitConfig:
    """Pictures of your own: --data DIR, with a folder for each of --num-classes N classes."""
    return VitConfig(
        data="pictures",
        picture_height=64,
        picture_width=64,
        patch_side=8,
        fit="crop",
        width=128,
        num_heads=4,
        hidden_width=256,
        batch_pictures=64,
        shift=6,
        flips_horizontally=True,
        label_smoothing=0.1,
    )


def tiny() -> VitConfig:
    """Boards within seconds, badly: for tests."""
    return VitConfig(
        num_boards=150,
        num_test_boards=50,
        width=16,
        num_layers=2,
        num_heads=2,
        hidden_width=24,
        pooling="mean",
        least_head_width=8,
        batch_pictures=8,
    )
