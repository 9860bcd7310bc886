"""A GPT of sentences: bits per byte of those held out, and how many it writes by heart.

The text and its split are those that the weights were trained with. Beside the GPT stand gzip, xz
(each on the held-out text alone, and as the bytes that it adds to the packed training text) and an
interpolated Kneser-Ney model of five bytes with three discounts for each length (Chen and Goodman
1999, doi:10.1006/csla.1999.0128), read from the same training text. The GPT reads each sentence
alone, after a line break; its text is normalised (NFKC), and so it is for all.

``--continue OUT`` writes a continuation of each line of beginnings.txt, sampled as by
``generate-text``, and says which sentences the training text has word for word.
"""

import argparse
import gzip
import lzma
import math
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int64, UInt8
from torch.nn import functional

from benchmarks import harness
from tokoban import pretrained
from tokoban.cli.output import write_output
from tokoban.cli.report import write_object
from tokoban.decoding import Sampling
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.corpus import parts_of
from tokoban.systems.gpt.dataset import all_windows
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.texts import NO_PROMPT, generate_texts, tokenizer_of

_BEGINNINGS = Path(__file__).with_name("beginnings.txt")
_Codes = Int64[np.ndarray, "_"]


def _grams(text: UInt8[np.ndarray, "_"], length: int, *, first: int) -> _Codes:
    """The ``length`` bytes that end at each place from ``first`` on, as one number."""
    codes = np.zeros(len(text) - first, dtype=np.int64)
    for back in range(length - 1, -1, -1):
        codes = codes << 8 | text[first - back : len(text) - back]
    return codes


def _counts_of(keys: _Codes, values: Int64[np.ndarray, "_"], wanted: _Codes) -> _Codes:
    """The value of each wanted key of sorted ``keys``; 0 where there is none."""
    places = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.where(keys[places] == wanted, values[places], 0)


def kneser_ney(train: bytes, text: bytes, *, length: int = 5) -> Float[np.ndarray, "_"]:
    """The probability of each byte of ``text`` from the ``length`` - 1 before it."""
    known = np.frombuffer(train, np.uint8)
    asked = np.concatenate([known[-length + 1 :], np.frombuffer(text, np.uint8)])
    keys, counts = np.unique(_grams(known, length, first=length - 1), return_counts=True)
    levels = [(keys, counts)]
    for shorter in range(length - 1, 0, -1):  # counted by the different bytes in front of them
        keys, counts = np.unique(keys & ((1 << 8 * shorter) - 1), return_counts=True)
        levels.append((keys, counts))
    chance = np.full(len(text), 1 / 256)
    for order, (keys, counts) in enumerate(reversed(levels), start=1):
        frequency = [int((counts == n).sum()) for n in (1, 2, 3, 4)]
        share = frequency[0] / max(frequency[0] + 2 * frequency[1], 1)
        discounts = np.array([0.0] + [
            min(max(n - (n + 1) * share * frequency[n] / max(frequency[n - 1], 1), 0.0), n)
            for n in (1, 2, 3)
        ])  # fmt: skip
        contexts, firsts = np.unique(keys >> 8, return_index=True)
        totals = np.add.reduceat(counts, firsts)
        freed = np.add.reduceat(discounts[counts.clip(max=3)], firsts) / totals
        wanted = _grams(asked, order, first=length - 1)
        places = np.searchsorted(contexts, wanted >> 8).clip(max=len(contexts) - 1)
        is_known = contexts[places] == wanted >> 8
        found = _counts_of(keys, counts, wanted)
        own = (found - discounts[found.clip(max=3)]) / totals[places]
        chance = np.where(is_known, own + freed[places] * chance, chance)
    return chance


def gpt_bits(model: Gpt, lines: Sequence[str]) -> float:
    """The bits of each line and its end, after a line break alone."""
    tokenizer, nats = tokenizer_of(model), 0.0
    for tokens in tokenizer.encode_many([f"{NO_PROMPT}{line}\n" for line in lines]):
        for batch in all_windows(torch.tensor(tokens), model.context_length, batch_size=64):
            with torch.inference_mode():
                logits = model(batch.tokens).flatten(0, 1)
            nats += functional.cross_entropy(
                logits, batch.targets.flatten(), reduction="sum"
            ).item()
    return nats / math.log(2)


def bits_per_byte(model: Gpt, train: str, held_out: str) -> dict[str, float]:
    """Of the GPT and of all that stands beside it."""
    lines = held_out.splitlines()
    known, text = (unicodedata.normalize("NFKC", part).encode() for part in (train, held_out))
    packers: dict[str, Callable[[bytes], bytes]] = {
        "gzip": lambda data: gzip.compress(data, 9),
        "xz": lambda data: lzma.compress(data, preset=9 | lzma.PRESET_EXTREME),
    }
    bits = {"gpt": gpt_bits(model, lines)}
    bits["kneser_ney"] = float(-np.log2(kneser_ney(known, text)).sum())
    for name, pack in packers.items():
        bits[name] = 8.0 * len(pack(text))
        bits[f"{name}_after_training_text"] = 8.0 * (len(pack(known + text)) - len(pack(known)))
    return {name: number / len(text) for name, number in bits.items()}


def continuations(model: Gpt, known: set[str], *, seed: int, temperature: float) -> list[str]:
    """``beginning|continuation`` of each beginning, with a star in front of what training has."""
    beginnings = _BEGINNINGS.read_text(encoding="utf-8").splitlines()
    found = generate_texts(
        model,
        beginnings,
        max_tokens=60,
        sampling=Sampling(seed=seed, temperature=temperature),
        stops=["\n"],
    )
    lines = []
    for beginning, (text,) in zip(beginnings, found, strict=True):
        star = "*" if beginning + text.text in known else " "
        lines.append(f"{star} {beginning}|{text.text}")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weights", default="gpt-everyday")
    parser.add_argument("--text", nargs="+", required=True, metavar="FILE", help="as in training")
    parser.add_argument("--continue", dest="output", metavar="OUT", help="write continuations")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--json", default="-", metavar="OUT")
    options = parser.parse_args(argv)
    model, config = pretrained.load(options.weights, system="gpt")
    assert isinstance(model, Gpt) and isinstance(config, GptConfig)
    config = replace(config, text=tuple(options.text))
    train, held_out = parts_of(config, validation_share=config.validation_share)
    result = harness.about()
    if options.output is None:
        result |= {
            "bytes": len(held_out.encode()),
            "bits_per_byte": bits_per_byte(model, train, held_out),
        }
    else:
        written = continuations(
            model, set(train.splitlines()), seed=options.seed, temperature=options.temperature
        )
        write_output(options.output, "".join(f"{line}\n" for line in written))
        result["from_training"] = sum(line.startswith("*") for line in written)
        result["continuations"] = len(written)
    write_object(options.json, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
