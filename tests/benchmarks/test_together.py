"""Many parts in one call: each has its time, and none takes another one down."""

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from benchmarks import together
from tokoban import cli


class _ParsedError(Exception):
    def __init__(self, left_over: list[str]) -> None:
        super().__init__(left_over)
        self.left_over = left_over


@pytest.mark.parametrize("is_quick", [False, True])
@pytest.mark.parametrize("group", together.GROUPS)
def test_every_option_of_a_group_is_known(
    group: str, is_quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse = argparse.ArgumentParser.parse_known_args

    def end_here(self: argparse.ArgumentParser, *words: Any) -> tuple[argparse.Namespace, Any]:
        found, left_over = parse(self, *words)
        if "options" in found:  # `train` and `evaluate` read these in a second parser
            return found, left_over
        raise _ParsedError(left_over)

    monkeypatch.setattr(argparse.ArgumentParser, "parse_known_args", end_here)
    for part in together.gpu_parts(group, device="cpu", is_quick=is_quick, data=Path("data")):
        for command in (part.arguments, *part.beside):
            module, *options = command[1:]
            if module in ("pytest", "benchmarks.versions"):  # another's options, and none
                continue
            main = cli.main if module == "tokoban" else import_module(module).main
            with pytest.raises(_ParsedError) as parsed:
                main(options)
            # What `everyday train` leaves over is for `tokoban train translation`.
            assert not parsed.value.left_over or module == "benchmarks.everyday", command
