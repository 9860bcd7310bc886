"""Which pictures are unlike the training pictures of a shipped vision transformer; fits that, too.

The mean and the covariance of the features, and the limit of the distance, are those of pictures
that no test has, drawn or read as the training's; --fit writes them. Printed is the share that is
called unlike: of such pictures, of each folder of --others (an IDX set, scaled to the size that the
network reads), of uniform noise and of single colours.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from tokoban import pretrained
from tokoban.pretrained.confidence import LIKENESS, likeness_of
from tokoban.systems.vit.config import VitConfig
from tokoban.systems.vit.idx import read_idx
from tokoban.systems.vit.likeness import Likeness, features_of
from tokoban.systems.vit.model import VisionTransformer
from tokoban.systems.vit.sources import load
from tokoban.training.checkpoint import save_weights

_SHARE_BELOW = 0.999  # of pictures like those of the training that are below the limit
_RIDGE = 1e-3  # of the mean variance: directions in which nothing varies have none
_NUM_OTHERS = 1000  # pictures of each kind that is not the training's


def fit(features: Tensor, held_out: Tensor) -> Likeness:
    """The likeness to some pictures; others, which are like them, set the limit."""
    covariance = torch.cov(features.T)
    ridge = _RIDGE * covariance.diagonal().mean() * torch.eye(len(covariance))
    found = Likeness(features.mean(0), torch.linalg.inv(covariance + ridge), torch.tensor(0.0))
    return replace(found, limit=found.distances(held_out).quantile(_SHARE_BELOW))


def idx_pictures(folder: Path, config: VitConfig) -> Tensor:
    """Test pictures of an IDX set as `tokoban classify` would scale them."""
    (path,) = folder.glob("t10k-images*idx3-ubyte*")
    size = config.picture_width, config.picture_height
    mode = "L" if config.channels == 1 else "RGB"
    pixels = [
        np.asarray(Image.fromarray(image).convert(mode).resize(size, Image.Resampling.BICUBIC))
        for image in read_idx(path, num_axes=3)[:_NUM_OTHERS]
    ]
    return torch.from_numpy(np.stack(pixels)).view(len(pixels), *size[::-1], -1).movedim(3, 1)


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a line for each kind of pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weights", default="vit-boards", metavar="NAME", help="shipped ones")
    parser.add_argument("--fit", action="store_true", help="fit, and write the parameters")
    parser.add_argument("--boards", type=int, default=4000, metavar="N", help="drawn for this")
    parser.add_argument("--seed", type=int, default=77, help="of the pictures drawn for this")
    parser.add_argument("--others", type=Path, nargs="*", default=[], metavar="FOLDER")
    options = parser.parse_args(argv)
    model, config = pretrained.load(options.weights, system="vit")
    assert isinstance(model, VisionTransformer)
    drawn = replace(config, data_seed=options.seed, num_boards=options.boards, num_test_boards=1)
    own = features_of(model, load(drawn, part="train").pixels)
    train, held_out, test = own.split([len(own) // 2, len(own) // 4, len(own) - 3 * len(own) // 4])
    if options.fit:
        LIKENESS.mkdir(exist_ok=True)
        path = LIKENESS / f"{options.weights}.safetensors"
        save_weights(path, vars(fit(train, held_out)), {"weights": options.weights})
    likeness = likeness_of(options.weights)
    if likeness is None:
        parser.error(f"{options.weights}: nothing is fitted yet; see --fit")
    generator = torch.Generator().manual_seed(options.seed)
    shape = _NUM_OTHERS, config.channels, config.picture_height, config.picture_width
    noise = torch.randint(0, 256, shape, generator=generator, dtype=torch.uint8)
    kinds = {"as the training's": test}
    kinds |= {str(each): features_of(model, idx_pictures(each, config)) for each in options.others}
    kinds["noise"] = features_of(model, noise)
    kinds["single colours"] = features_of(model, noise[:, :, :1, :1].expand(shape))
    for name, features in kinds.items():
        share = 1 - float(likeness.are_like(features).double().mean())
        print(f"{name}: {share:.2%} of {len(features):,} pictures are called unlike the training's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
