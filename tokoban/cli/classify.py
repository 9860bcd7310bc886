"""``tokoban classify IMAGE...``: what a vision transformer takes pictures for, and why."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokoban.cli import in_one_line, options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, write_output
from tokoban.cli.parser import whole
from tokoban.cli.report import write_object
from tokoban.sokoban.formats import printable
from tokoban.sokoban.wording import counted
from tokoban.training.device import find_device

if TYPE_CHECKING:
    import torch

    from tokoban.systems.vit.config import VitConfig
    from tokoban.systems.vit.model import VisionTransformer
    from tokoban.systems.vit.pictures import SizedPicture
    from tokoban.systems.vit.rollout import Attribution

SUMMARY = "classify pictures with a vision transformer; the shipped one judges Sokoban boards"
UNDECIDED = ""

_ATTENTION = {"attention": (".html", ".png")}
_FITTED = {"scale": "scaled to", "crop": "cut and scaled to", "stretch": "stretched to"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the pictures, the weights, and what is printed and written of them."""
    parser.add_argument(
        "images",
        nargs="+",
        metavar="IMAGE",
        help="picture files. The weights read one size (vit-boards: 32 x 32); another size is "
        "fitted as in training, with a message, or refused. If some files are damaged, the others "
        "are still classified",
    )
    options.add(
        parser,
        "--weights",
        "vit-boards tells solved, open (solvable) and lost (deadlocked) boards of 8 x 8 squares "
        "apart, drawn as by `tokoban convert LEVELS OUT.png`; it does not know other pictures, "
        "which a message names",
        default="vit-boards",
    )
    parser.add_argument(
        "--top",
        type=whole(1),
        default=3,
        metavar="N",
        help="number of classes printed for each picture (default: 3)",
    )
    parser.add_argument(
        "--attention",
        metavar="OUT",
        help="write which patches the class depends on, by attention rollout, beside each picture "
        "(.png), or all attention weights as an interactive page (.html)",
    )
    options.add(parser, "--json", "classes with their probabilities")
    options.add(parser, "--device")


def run(arguments: argparse.Namespace) -> int:
    """Classifies all pictures that can be read; answers 2 if some cannot, each in a sentence."""
    inputs = ["images", "weights"]
    check_outputs(arguments, "attention", "json", inputs=inputs, required=_ATTENTION)

    import torch

    from tokoban import pretrained
    from tokoban.pretrained.confidence import likeness_of
    from tokoban.systems.vit.likeness import features_of
    from tokoban.systems.vit.model import VisionTransformer
    from tokoban.systems.vit.rollout import attribute
    from tokoban.systems.vit.sources import read_sized

    model, config = pretrained.load(arguments.weights, system="vit")
    assert isinstance(model, VisionTransformer)
    names: list[str] = []
    read: list[SizedPicture] = []
    for image in arguments.images:
        try:
            read.append(read_sized(Path(image), config))
            names.append(image)
        except (ValueError, OSError) as error:
            print(f"tokoban: {in_one_line(error)}", file=sys.stderr)
    if not read:
        return ExitCode.INVALID_INPUT
    _report_fitted(read, config)
    pictures = torch.stack([picture.pixels for picture in read])
    device = find_device(arguments.device)
    attribution = attribute(model.to(device), pictures.to(device))
    found = _described(names, attribution, model.class_names, top=arguments.top)
    likeness = likeness_of(arguments.weights)
    are_like: list[bool | None] = [None] * len(names)
    if likeness is not None:
        # A smaller picture lacks what the network looks for.
        is_whole = torch.tensor([each.original_width >= config.picture_width for each in read])
        is_like = likeness.are_like(features_of(model, pictures.to(device))).cpu()
        are_like = (is_like & is_whole).tolist()
    for picture, said in zip(found, are_like, strict=True):
        picture["is_like_training"] = said
        if said is False:
            which = f"tokoban: {printable(picture['picture'])} is unlike the training pictures of"
            print(f"{which} {arguments.weights}; its class means nothing", file=sys.stderr)
    if arguments.json != "-":
        _print_classes(found)
    if arguments.attention is not None:
        _draw(arguments, found, model, pictures, attribution)
    if arguments.json is not None:
        described = {"weights": arguments.weights, "pictures": found}
        write_object(arguments.json, described)
    return ExitCode.DONE if names == arguments.images else ExitCode.INVALID_INPUT


def _report_fitted(pictures: "list[SizedPicture]", config: "VitConfig") -> None:
    """Reports the number of pictures of another size than the network reads, and the fit."""
    size = config.picture_width, config.picture_height
    num_fitted = sum((each.original_width, each.original_height) != size for each in pictures)
    if num_fitted:
        fitted = f"{counted(num_fitted, 'picture')} {_FITTED[config.fit]} {size[0]} x {size[1]}"
        print(f"tokoban: {fitted}, which these weights read", file=sys.stderr)


def _described(
    images: Sequence[str], attribution: "Attribution", names: tuple[str, ...], *, top: int
) -> list[dict[str, Any]]:
    """The likeliest classes of each picture, the likeliest first."""
    chances, classes = attribution.logits.softmax(1).topk(min(top, len(names)))
    return [
        {
            "picture": image,
            "classes": [
                {"name": names[number], "probability": round(chance, 6)}
                for number, chance in zip(numbers, shares, strict=True)
            ],
        }
        for image, numbers, shares in zip(images, classes.tolist(), chances.tolist(), strict=True)
    ]


def _print_classes(found: list[dict[str, Any]]) -> None:
    for picture in found:
        parts = [
            f"{printable(each['name'])} {each['probability']:.1%}" for each in picture["classes"]
        ]
        print(f"{printable(picture['picture'])}: {', '.join(parts)}")


def _draw(
    arguments: argparse.Namespace,
    found: Sequence[dict[str, Any]],
    model: "VisionTransformer",
    pictures: "torch.Tensor",
    attribution: "Attribution",
) -> None:
    """The rollout as PNG, or the page of all weights."""
    if arguments.attention.lower().endswith(".html"):
        from tokoban import systems
        from tokoban.viewing.attention_page import write_attention_page

        names = [each["picture"] for each in found]
        view = systems.load("vit").attention(model, pictures, attribution.weights, names=names)
        title = f"Attention of {arguments.weights}"
        write_attention_page(arguments.attention, view, title=title)
        return
    import numpy as np

    from tokoban.sokoban.png import encode_png
    from tokoban.systems.vit.rollout import overlay
    from tokoban.viewing.films import captioned

    rows = []
    for picture, shares, each in zip(pictures, attribution.shares, found, strict=True):
        likeliest = each["classes"][0]
        caption = f"{printable(likeliest['name'])} {likeliest['probability']:.1%}"
        caption += f"; orange: share by rollout, at most {shares.max():.1%}"
        rows.append(captioned(overlay(picture, shares), caption))
    write_output(arguments.attention, encode_png(np.concatenate(rows)))
