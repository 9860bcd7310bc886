"""Files that a stranger could send, each with the command that reads it: weights, levels, pictures,
texts, run folders and folders of labels.

A case follows from its seed, kind and number alone. What would run if a file were trusted writes a
file called ``canary`` in the folder ``TOKOBAN_CANARY`` names, or a file beside the case's folder.
"""

import gzip
import io
import json
import os
import random
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from benchmarks.hostile_files import mutate
from tokoban import cli, pretrained, systems
from tokoban.training.checkpoint import load_newest_checkpoint, load_weights
from tokoban.training.config import to_dict

CANARY_MODULE = "stranger_canary"
LEVEL = "######\n#@$ .#\n######\n"

# The weights that a case begins with: those that ship, else those of the smallest preset.
_SHIPPED = {
    "sokoban": "sokoban-8x8",
    "translation": "translation-de-en",
    "life": "life-16",
    "gpt": "gpt-everyday",
    "vit": "vit-boards",
}
_USES = {
    "sokoban": "solve {level} --by rollout --weights {file}",
    "translation": "translate Zwei --beam 1 --weights {file}",
    "life": "life --steps 1 --weights {file}",
    "gpt": "generate-text The --max-tokens 3 --weights {file}",
    "vit": "classify {picture} --weights {file}",
    "ppo": "evaluate ppo --episodes 2 --most-steps 3 --weights {file}",
    "trajectory": "evaluate trajectory --episodes 1 --weights {file}",
}
_NUMBERS = (
    *(0, 1, -1, 7, 1000, 2**16, 10**6, 10**9, 2**31, 2**63 - 1, 2**63, 10**30, -(10**9)),
    *(0.5, -0.5, 1e308, float("nan"), float("inf")),
)
_WORDS = (
    *("", "x" * 10**6, "\x1b]0;mine\x07\x1b[2J", "\0", "\ud800", "../../outside", "/dev/zero"),
    *("/etc/passwd", "/proc/self/mem", "http://localhost:9/x", "cuda:99", "meta"),
    *(f"{CANARY_MODULE}:Canary-v0", "os:system", "graph:" + "9" * 40, "sokoban:99999"),
    *("repeat-previous:999999999", "t-maze:9-99999999999", "collection:4000", "flip-flop:4097"),
)
# What a second change raises where the first has left nothing to change.
_ALREADY_BROKEN = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
_OTHERS: tuple[Any, ...] = (None, [], {}, True, [None], {"a": {}}, [[[[]]]] * 1000)


@dataclass(frozen=True)
class Case:
    """A command to be run in the folder where its files lie, and its standard input."""

    words: list[str]
    typed: bytes = b""


def write_case(kind: str, number: int, folder: Path, *, seed: int) -> Case:
    """Writes the files of one case into ``folder``, which is empty."""
    return KINDS[kind](random.Random(f"{seed} {kind} {number}"), folder)


def hostile_weights(chance: random.Random, folder: Path) -> Case:
    """Weights of which one thing, or two, is not as it should be."""
    system = chance.choice(list(systems.SYSTEMS))
    state, metadata = dict(_weights(system)[0]), dict(_weights(system)[1])
    content: bytes | None = None
    for _ in range(chance.choice([1, 1, 1, 2])):
        with suppress(*_ALREADY_BROKEN):
            content = chance.choice(_WEIGHT_CHANGES)(chance, state, metadata) or content
    path = folder / "x.safetensors"
    path.write_bytes(_saved(state, metadata) if content is None else content)
    (folder / "level.xsb").write_text(LEVEL)
    use = _USES[system]
    if system in ("ppo", "trajectory", "life") and chance.random() < 0.2:
        use = f"train {system} --preset {_smallest(system)} --steps 1 --output new "
        use += "--start-from {file}"
    picture = write_picture(folder)
    return Case(use.format(file=path.name, level="level.xsb", picture=picture).split())


def _change_number(chance: random.Random, _: dict[str, Tensor], metadata: dict[str, str]) -> None:
    config = json.loads(metadata["config"])
    numbers = [name for name, value in config.items() if isinstance(value, int | float | None)]
    config[chance.choice(numbers)] = chance.choice(_NUMBERS)
    metadata["config"] = json.dumps(config)


def _change_word(chance: random.Random, _: dict[str, Tensor], metadata: dict[str, str]) -> None:
    config = json.loads(metadata["config"])
    words = [name for name, value in config.items() if isinstance(value, str | list)]
    name, word = chance.choice(words), chance.choice(_WORDS)
    config[name] = [word] if isinstance(config[name], list) else word
    metadata["config"] = json.dumps(config)


def _change_env(chance: random.Random, _: dict[str, Tensor], metadata: dict[str, str]) -> None:
    config = json.loads(metadata["config"])
    config["env"] = chance.choice(_WORDS)
    metadata["config"] = json.dumps(config)


def _change_kind(chance: random.Random, _: dict[str, Tensor], metadata: dict[str, str]) -> None:
    config = json.loads(metadata["config"])
    config[chance.choice([*config, "unknown", "\x1b[2J"])] = chance.choice(_OTHERS)
    metadata["config"] = json.dumps(config)


def _change_config(chance: random.Random, _: dict[str, Tensor], metadata: dict[str, str]) -> None:
    whole = metadata["config"]
    choices = ("null", "[]", "3", '"x"', "{", "[" * 10**5, "", whole[:-9], '{"a": ' * 10**5, "{}")
    metadata["config"] = chance.choice(choices)


def _change_metadata(chance: random.Random, _: dict[str, Tensor], metadata: dict[str, str]) -> None:
    name = chance.choice(["config", "system"])
    if chance.random() < 0.5:
        del metadata[name]
    else:
        metadata[name] = chance.choice(["", "\x1b[2J", *systems.SYSTEMS, "os", "x" * 10**6])


def _change_type(chance: random.Random, state: dict[str, Tensor], _: dict[str, str]) -> None:
    name = chance.choice(list(state))
    types = (torch.int64, torch.complex64, torch.bool, torch.float8_e4m3fn, torch.uint8, torch.int8)
    state[name] = state[name].to(chance.choice(types))


def _change_values(chance: random.Random, state: dict[str, Tensor], _: dict[str, str]) -> None:
    name = chance.choice(list(state))
    value = chance.choice([float("nan"), float("inf"), -60_000.0, 0.0])
    if state[name].is_floating_point():
        state[name] = torch.full_like(state[name], value)
    else:
        state[name] = torch.full_like(state[name], chance.choice([0, 255]))


def _change_shapes(chance: random.Random, state: dict[str, Tensor], _: dict[str, str]) -> None:
    name = chance.choice(list(state))
    shape = chance.choice([(0,), (1,), (3, 5, 7), (0, 10**9)])
    state[name] = torch.zeros(shape)


def _change_names(chance: random.Random, state: dict[str, Tensor], _: dict[str, str]) -> None:
    name = chance.choice(list(state))
    tensor = state.pop(name)
    if chance.random() < 0.5:
        state[chance.choice(["\x1b[2J", "x", f"{name}.weight", "__metadata", ""])] = tensor


def _change_extra(chance: random.Random, state: dict[str, Tensor], _: dict[str, str]) -> None:
    content = chance.choice(_EXTRAS)()
    state["_extra_state"] = torch.tensor(list(content), dtype=torch.uint8)


def _change_file(
    chance: random.Random, state: dict[str, Tensor], metadata: dict[str, str]
) -> bytes:
    content = bytearray(_saved(state, metadata))
    how = chance.randrange(6)
    if how == 0:
        return bytes(content[: chance.randrange(len(content))])
    if how == 1:
        lengths = [2**64 - 1, 2**40, 2**31, 99_000_000, 0, 1]
        return chance.choice(lengths).to_bytes(8, "little") + content[8:]
    if how == 2:
        header = int.from_bytes(content[:8], "little")
        for _ in range(chance.randint(1, 9)):
            content[8 + chance.randrange(header)] = chance.randrange(256)
        return bytes(content)
    if how == 3:
        far = {"a": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}}
        return _with_length(json.dumps(far).encode())
    if how == 4:
        return _with_length(json.dumps({str(n): {} for n in range(200_000)}).encode())
    return bytes(content) + b"more"


def _with_length(header: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header


_WEIGHT_CHANGES: tuple[Callable[..., bytes | None], ...] = (
    *(_change_number, _change_number, _change_number, _change_word, _change_env, _change_kind),
    *(_change_config, _change_metadata, _change_type, _change_values, _change_shapes),
    *(_change_names, _change_extra, _change_extra, _change_file, _change_file),
)


def _tokenizer_with(**changes: Any) -> bytes:
    described = json.loads(_tokenizer_json())
    return zlib.compress(json.dumps(described | changes).encode())


def _vocabulary_with(name: str, number: int) -> bytes:
    described = json.loads(_tokenizer_json())
    described["model"]["vocab"][name] = number
    return zlib.compress(json.dumps(described).encode())


_PADDING = {
    "strategy": {"Fixed": 10**10}, "direction": "Right", "pad_to_multiple_of": None,
    "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
}  # fmt: skip
_EXTRAS: tuple[Callable[[], bytes], ...] = (
    lambda: b"",
    lambda: bytes(99),
    lambda: zlib.compress(b" " * 3 * 10**8),
    lambda: zlib.compress(b"[" * 10**6),
    lambda: zlib.compress(b"[{}" + b",{}" * 10**6 + b"]"),
    lambda: zlib.compress(b'{"characters": "' + b"x" * 10**6 + b'"}'),
    lambda: zlib.compress(b'{"characters": ["a", "b"]}'),
    lambda: b"[" * 10**6,
    lambda: json.dumps(["\x1b[2J\x07"] * 3).encode(),
    lambda: json.dumps(["x" * 10**6, "y", "z"]).encode(),
    lambda: json.dumps({"a": 1}).encode(),
    lambda: _tokenizer_with(padding=_PADDING),
    lambda: _tokenizer_with(model=None),
    lambda: _tokenizer_with(
        normalizer={"type": "Replace", "pattern": {"String": "e"}, "content": "e" * 10**6}
    ),
    lambda: _tokenizer_with(
        pre_tokenizer={
            "type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated",
            "invert": False,
        }
    ),
    lambda: _vocabulary_with("far", 10**9),
    lambda: _vocabulary_with("€", 1),
)  # fmt: skip


def hostile_levels(chance: random.Random, folder: Path) -> Case:
    """Level files that are far too large once they are read, or say what they are not."""
    path = folder / chance.choice(["levels.xsb", "levels.sok", "levels.slc", "000.txt"])
    write = chance.choice(_LEVELS)
    path.write_bytes(mutate(chance) if write is None else write())
    use = chance.choice(
        [
            *("check {file}", "check {file} --duplicates", "convert {file} out.sok", "rate {file}"),
            *("convert {file} out.png", "solve {file} --by search --time-limit 0.3", "check -"),
            *("solve {file} --by rollout", "explain {file} --time-limit 0.3", "solve -"),
            *("label {file} --output labels --states 2", "optimise {file} --time-limit 0.3"),
        ]
    )
    typed = path.read_bytes() if use.endswith(" -") else b""
    return Case(use.format(file=path.name).split(), typed)


def _entities() -> str:
    names = [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)]
    return (
        f'<?xml version="1.0"?><!DOCTYPE SokobanLevels [<!ENTITY a0 "####">{"".join(names)}'
        '<!ENTITY f SYSTEM "file:///etc/passwd">]><SokobanLevels><LevelCollection><Level Id="&f;">'
        "<L>&a11;</L></Level></LevelCollection></SokobanLevels>"
    )


_SLC = '<SokobanLevels><LevelCollection><Level Id="{0}"><L>{1}</L></Level></LevelCollection></SokobanLevels>'  # noqa: E501
_LEVELS: tuple[Callable[[], bytes] | None, ...] = (
    *(None,) * 6,
    lambda: b"#" * 10**6,
    lambda: b"#@$.#\n" * 200_000,
    lambda: (LEVEL + "\n").encode() * 500,
    lambda: b"999999999#|#@$.#|999999999#",
    lambda: b"9(9(9(9(9(9(9(9(9(#@$.#|)))))))))",
    lambda: b"(" * 10**6,
    lambda: bytes(10**6),
    lambda: b"\xff\xfe" + LEVEL.encode("utf-16-le"),
    lambda: (LEVEL + "Title: \x1b]0;mine\x07\x1b[2J\n").encode(),
    lambda: ("; \x1b[2J\x9b\n\n" + LEVEL + "Author: \x1b[31m\n").encode(),
    lambda: _entities().encode(),
    lambda: _SLC.format("\x85&#x1b;[2J", "#@$.#").encode(),
    lambda: ("<a>" * 300_000).encode(),
    lambda: ("<SokobanLevels>" + "<L>" * 10**5).encode(),
    lambda: (LEVEL + "Solution\n" + "99999(r)" * 1000 + "\n").encode(),
    lambda: (LEVEL + "Solution\n" + "9" * 10**5 + "r\n").encode(),
    lambda: (
        "#" * 512 + "\n" + ("#" + " " * 510 + "#\n") * 510 + "#" * 509 + "@$.\n"
    ).encode(),
    lambda: ("#" * 512 + "\n#@$." + " " * 507 + "#\n" + ("#" + " " * 510 + "#\n") * 509 + "#" * 512)
    .encode(),
    lambda: gzip.compress(bytes(10**7)),
)  # fmt: skip


def hostile_pictures(chance: random.Random, folder: Path) -> Case:
    """Pictures that are none, are far too large, or would be passed to another program."""
    path = folder / chance.choice(["x.png", "x.jpg", "x.gif", "x.tif", "x.webp", "x.ppm", "x.bmp"])
    content = chance.choice(_PICTURES)(chance)
    if chance.random() < 0.3:
        content = content[: chance.randrange(len(content))]
    path.write_bytes(content)
    use = "classify {file}" if chance.random() < 0.9 else "classify {file} --attention out.html"
    return Case(use.format(file=path.name).split())


def _drawn(chance: random.Random) -> bytes:
    """A whole picture of some format, a few of its bytes changed."""
    from PIL import Image

    kind = chance.choice(["PNG", "JPEG", "GIF", "TIFF", "WEBP", "PPM", "BMP", "ICO", "PDF", "SGI"])
    file = io.BytesIO()
    Image.effect_noise((64, 64), 50).convert("RGB").save(file, kind)
    content = bytearray(file.getvalue())
    for _ in range(chance.randrange(20)):
        content[chance.randrange(min(len(content), 200))] = chance.randrange(256)
    return bytes(content)


def _png(width: int, height: int, *chunks: tuple[bytes, bytes]) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    rows = zlib.compressobj(1)
    data = b"".join(rows.compress(bytes(10**6)) for _ in range(min(60, width * height // 10**6)))
    file = b"\x89PNG\r\n\x1a\n"
    parts = [(b"IHDR", header), *chunks, (b"IDAT", data + rows.flush()), (b"IEND", b"")]
    for name, content in parts:
        check = zlib.crc32(name + content)
        file += struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)
    return file


def _eps(_: random.Random) -> bytes:
    return (
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 32 32\n%%EndComments\n"
        b"(canary) (w) file closefile\n" + b"0 0 32 32 rectfill\nshowpage\n%%EOF\n"
    )


def _webp(_: random.Random) -> bytes:
    content = b"WEBPVP8X" + struct.pack("<II", 10, 2) + (16382).to_bytes(3, "little") * 2
    return b"RIFF" + struct.pack("<I", len(content) + 40) + content + bytes(40)


def _tiff(chance: random.Random) -> bytes:
    """Rows, strips and tables of any size."""
    tags = (256, 257, 258, 259, 262, 273, 277, 278, 279, 282, 320, 338, 34675)
    file = b"II*\0" + struct.pack("<IH", 8, len(tags))
    for tag in tags:
        number = chance.choice([1, 3, 8, 100, 65535, 2**31 - 1, 2**32 - 1])
        file += struct.pack("<HHII", tag, chance.choice([1, 3, 4, 5, 12]), number, number)
    return file + bytes(100)


_PICTURES: tuple[Callable[[random.Random], bytes], ...] = (
    *(_drawn,) * 6,
    *(_eps,) * 3,
    lambda _: struct.pack("<IIIIIIIH", 0xC6D3D0C5, 32, 200, 0, 0, 0, 0, 0) + _eps(_),
    lambda _: _png(50_000, 50_000),
    lambda _: _png(9000, 9000),
    lambda _: _png(6000, 6000),
    lambda _: _png(0, 0),
    lambda _: _png(32, 32, (b"zTXt", b"a\0\0" + zlib.compress(bytes(2 * 10**8)))),
    lambda _: _png(32, 32, (b"iCCP", b"a\0\0" + zlib.compress(bytes(2 * 10**8)))),
    _webp,
    _tiff,
    lambda _: b"P6 99999 99999 255\n" + bytes(99),
    lambda _: b"P6 6000 6000 65535\n" + bytes(99),
    lambda _: b"GIF89a" + b"\xff\xff\xff\xff" + bytes(99),
    lambda _: b"BM" + struct.pack("<IIIIii", 99, 0, 54, 40, -(2**31), 2**31 - 1) + bytes(99),
    lambda _: b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03" + bytes(99),
    lambda chance: chance.randbytes(5000),
    lambda _: b"8BPS\0\1" + bytes(999),
    lambda _: b"SIMPLE  =                    T" + b" " * 5000,
    lambda _: b"<svg><script>1</script></svg>",
)


def hostile_texts(chance: random.Random, folder: Path) -> Case:
    """Texts, compressed or not, for what reads sentences, prompts and patterns."""
    path = folder / chance.choice(["x.txt", "x.gz", "x.rle"])
    (folder / "level.xsb").write_text(LEVEL)
    use = chance.choice(
        [
            *("translate", "evaluate gpt --weights gpt-everyday --text {file}"),
            "evaluate translation --weights translation-de-en --source {file} --reference {file}",
            "train translation --preset toy --steps 1 --output new"
            " --train-source {file} --train-target {file}",
            *("life --steps 1 --pattern {file}", "generate-text --max-tokens 2"),
            "evaluate gpt --weights gpt-everyday --text /dev/zero",
            "train vit --preset folder --steps 1 --output new --data .",
        ]
    )
    # To measure a text that can be read takes its time; here are those that are to be refused.
    path.write_bytes(chance.choice(_REFUSED if use.startswith("evaluate gpt") else _TEXTS)())
    typed = path.read_bytes() if use.startswith(("translate", "generate-text")) else b""
    return Case(use.format(file=path.name).split(), typed)


_REFUSED: tuple[Callable[[], bytes], ...] = (
    lambda: b"",
    lambda: b"\xff\xfe\xfa",
    lambda: gzip.compress(bytes(2 * 10**8)),
    lambda: gzip.compress(gzip.compress(bytes(10**6))),
    lambda: b"\x1f\x8b\x08" + bytes(99),
)
_TEXTS: tuple[Callable[[], bytes], ...] = (
    *_REFUSED,
    lambda: bytes(10**5),
    lambda: ('de,en\n"' + "x" * 200_000).encode(),
    lambda: ("de,en\n" + '"\n' * 1000).encode(),
    lambda: b"x = 99999999, y = 99999999\n99999999o!",
    lambda: b"x = 3, y = 3, rule = B99999/S9\n" + b"9" * 5000 + b"o!",
    lambda: b"x = 3, y = 3\n" + b"99999999$" * 1000 + b"!",
    lambda: b"\xef\xb7\xba" * 10**4 + b"\n",
    lambda: "a\u0301".encode() * 3000 + b"\n",
    lambda: b"\x1b]0;mine\x07\n" * 9,
)


def hostile_runs(chance: random.Random, folder: Path) -> Case:
    """Folders of runs whose record, lines, weights or checkpoints are somebody else's."""
    system = chance.choice(["gpt", "ppo", "trajectory", "translation", "life"])
    run = folder / "run"
    shutil.copytree(_run(system), run)
    for _ in range(chance.choice([1, 1, 2])):
        with suppress(*_ALREADY_BROKEN):
            chance.choice(_RUN_CHANGES)(chance, run)
    if chance.random() < 0.3:
        words = f"{_USES[system]}".format(file="run", level="", picture="")
    else:
        words = f"train {system} --resume --steps 3 --output run"
    return Case(words.split())


def _change_record(chance: random.Random, run: Path) -> None:
    record = json.loads((run / "config.json").read_text())
    how = chance.randrange(5)
    part = chance.choice(["config", "config", "run"])
    if how == 0:
        numbers = [n for n, value in record[part].items() if isinstance(value, int | float | None)]
        record[part][chance.choice(numbers)] = chance.choice(_NUMBERS)
    elif how == 1:
        words = [name for name, value in record[part].items() if isinstance(value, str | list)]
        name, word = chance.choice(words), chance.choice(_WORDS)
        record[part][name] = [word] if isinstance(record[part][name], list) else word
    elif how == 2 and "env" in record["config"]:
        record["config"]["env"] = chance.choice(_WORDS)
    elif how == 3:
        record[chance.choice(list(record))] = chance.choice(_OTHERS)
    else:
        paths = [name for name in ("data", "text") if name in record["config"]]
        for name in paths:
            outside = "../outside" if name != "text" else ["/dev/zero"]
            record["config"][name] = outside
    (run / "config.json").write_text(json.dumps(record))


def _damage_record(chance: random.Random, run: Path) -> None:
    choices = (b"", b"null", b"[]", b"{", b"[" * 10**5, b"\xff\xfe", bytes(99), b'{"system": 3}')
    (run / "config.json").write_bytes(chance.choice(choices))


def _damage_lines(chance: random.Random, run: Path) -> None:
    choices = (
        *(b"null\n", b"[" * 10**5 + b"\n", b"\xff\xfe\n", b'{"step": "x"}\n', b"{}\n", b"3\n"),
        *(b'{"step": 1e999, "train/loss": null}\n', bytes(10**5), b'{"step": -1, "a": []}\n'),
        *(b'{"step": 1, "train/loss": "x"}\n', b'{"step": 0, "train/loss": 1e999}\n'),
    )
    (run / "metrics.jsonl").write_bytes(chance.choice(choices) * chance.choice([1, 1000]))


class _Evil:
    def __init__(self, *call: Any) -> None:
        self.call = call[0], tuple(call[1:])

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.call


def _damage_checkpoint(chance: random.Random, run: Path) -> None:
    (path,) = sorted((run / "checkpoints").glob("*.pt"))[-1:]
    state = load_newest_checkpoint(run / "checkpoints")
    place = repr(str(Path(os.environ["TOKOBAN_CANARY"]) / "canary"))
    how = chance.randrange(9)
    if how == 0:
        state["step"] = _Evil(exec, f"open({place}, 'w').close()")
    elif how == 1:
        state["best"] = _Evil(bytearray, 2**33)
    elif how == 2:
        state["random"] = chance.choice([None, [], [{}], [{"python": 3}], "x" * 10**6])
    elif how == 3:
        del state[chance.choice(list(state))]
    elif how == 4:
        name = chance.choice(list(state["model"]))
        state["model"][name] = torch.zeros(chance.choice([(0,), (3, 5), (10**5,)]))
    elif how == 5:
        state[chance.choice(list(state))] = chance.choice([None, -1, 2**70, [], {}, "x"])
    elif how == 6:
        path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])
        return
    elif how == 7:
        path.write_bytes(_repacked(path))
        return
    torch.save(state, path, _use_new_zipfile_serialization=how != 8)


def _repacked(path: Path) -> bytes:
    """The checkpoint with all of its parts compressed, one of which is a gigabyte of nothing."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(path) as archive,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
    ):
        for name in archive.namelist():
            packed.writestr(name, archive.read(name))
        packed.writestr("archive/data/999", bytes(2 * 10**8))
    return file.getvalue()


def _damage_weights(chance: random.Random, run: Path) -> None:
    content = bytearray((run / "weights.safetensors").read_bytes())
    for _ in range(9):
        content[chance.randrange(min(2000, len(content)))] = chance.randrange(256)
    (run / "weights.safetensors").write_bytes(content[: chance.choice([9, 999, len(content)])])


_RUN_CHANGES: tuple[Callable[[random.Random, Path], None], ...] = (
    *(_change_record,) * 4, _damage_record, _damage_lines, *(_damage_checkpoint,) * 3,
    _damage_weights,
)  # fmt: skip


def hostile_labels(chance: random.Random, folder: Path) -> Case:
    """Folders of labels whose record or shards are somebody else's."""
    labels = folder / "labels"
    labels.mkdir()
    (folder / "level.xsb").write_text(LEVEL)
    record = chance.choice([b"", b"null", b"[]", b"{}", b"[" * 10**5, b'{"version": [1]}', b"\xff"])
    if chance.random() < 0.5:
        (labels / "job.json").write_bytes(record)
    header = chance.choice([b"", b"\xff" * 8, b"[" * 10**5, b'{"__metadata__": 3}', b"null"])
    shard = _with_length(header) if chance.random() < 0.7 else bytes(99)
    (labels / "00000.safetensors").write_bytes(shard)
    (labels / "dropped.jsonl").write_bytes(record)
    return Case(["label", "level.xsb", "--output", "labels", "--states", "2"])


KINDS: Mapping[str, Callable[[random.Random, Path], Case]] = {
    "weights": hostile_weights,
    "levels": hostile_levels,
    "pictures": hostile_pictures,
    "texts": hostile_texts,
    "runs": hostile_runs,
    "labels": hostile_labels,
}


def _saved(state: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    text = {name: value.encode("utf-8", "replace").decode() for name, value in metadata.items()}
    return save({name: tensor.contiguous() for name, tensor in state.items()}, text)


@cache
def _weights(system: str) -> tuple[dict[str, Tensor], dict[str, str]]:
    if system in _SHIPPED:
        return load_weights(pretrained.weights_path(_SHIPPED[system]))
    spec = systems.load(system)
    config = spec.presets[spec.smallest].config()
    metadata = {"system": system, "config": json.dumps(to_dict(config))}
    return spec.build_model(config).state_dict(), metadata


def _smallest(system: str) -> str:
    return systems.load(system).smallest


@cache
def _tokenizer_json() -> str:
    from tokoban.text.bpe import train_bpe

    return train_bpe(["a b"], vocabulary_size=261).to_json()


@cache
def _run(system: str) -> Path:
    """A run of two steps, made once, to be copied and damaged."""
    path = Path(os.environ["TOKOBAN_CANARY"]) / "runs" / system
    words = f"train {system} --preset {_smallest(system)} --steps 2 --device cpu"
    if cli.main([*words.split(), "--output", str(path)]):
        raise RuntimeError(f"no run of {system} could be made")
    return path


def write_picture(folder: Path) -> str:
    """The name of a picture that is as it should be."""
    import numpy as np

    from tokoban.sokoban.png import encode_png

    (folder / "board.png").write_bytes(encode_png(np.zeros((32, 32, 3), np.uint8)))
    return "board.png"
