"""Compiled rules do what eager rules do, on the CPU as well."""

import importlib.util
import random
import shutil
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor

import tokoban.sokoban.simulation
from benchmarks.random_boards import KINDS, random_board
from tokoban.sokoban.board import Board

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("c++") is None, reason="torch.compile needs a C++ compiler"),
    # torch 2.13 warns about its own use of torch.jit when it first compiles.
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),
]

# In the order in which they import each other.
RULES = ("zones", "bits", "tensor_boards", "bitboards", "wide_words", "wide_bitboards")


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """A second copy of the rules: the compiler cannot look through the checks of shapes."""
    copies = {}
    for name in RULES:
        original = sys.modules[f"tokoban.sokoban.simulation.{name}"]
        assert original.__file__ is not None
        spec = importlib.util.spec_from_file_location(original.__name__, original.__file__)
        assert spec is not None
        assert spec.loader is not None
        copies[name] = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, original.__name__, copies[name])
        monkeypatch.setattr(tokoban.sokoban.simulation, name, copies[name])
        spec.loader.exec_module(copies[name])
    return copies


def random_boards(height: int, width: int) -> list[Board]:
    chance = random.Random(7)
    kind = KINDS["crowded"]
    return [random_board(chance, height, width, kind=kind, is_bordered=False) for _ in range(67)]


def compiled(function: Callable) -> Callable:
    torch.compiler.reset()
    return torch.compile(function, fullgraph=True)


# One word; two, as for a 10x10 level; and too many for the compiler to look at them all.
@pytest.mark.parametrize(
    ("name", "height", "width"),
    [
        ("bitboards", 5, 7),
        ("bitboards", 8, 8),
        ("wide_bitboards", 8, 8),
        ("wide_bitboards", 19, 13),
        ("wide_bitboards", 23, 29),
    ],
)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int8])
def test_compiled_step_is_eager_step(
    name: str, height: int, width: int, dtype: torch.dtype, unchecked: dict[str, ModuleType]
) -> None:
    rules = unchecked[name]
    eager = rules.pack(random_boards(height, width), margin=0)

    def play(boards: Any, actions: Tensor) -> tuple[Any, Tensor]:
        after = rules.step(boards, actions)
        return after, rules.is_solved(after)

    compiled_play = compiled(play)
    draw = torch.Generator().manual_seed(7)
    now = start = eager
    for _ in range(40):
        actions = torch.randint(4, (67,), generator=draw, dtype=dtype)
        eager = rules.step(eager, actions)
        now, is_solved = compiled_play(now, actions)
        for eager_part, compiled_part in zip(eager[:4], now[:4], strict=True):
            assert torch.equal(eager_part, compiled_part)
        assert torch.equal(is_solved, rules.is_solved(eager))
    assert not torch.equal(start.boxes, eager.boxes)


@pytest.mark.parametrize(
    ("name", "height", "width"), [("bitboards", 7, 5), ("wide_bitboards", 9, 11)]
)
def test_compiled_pushes_are_eager_pushes(
    name: str, height: int, width: int, unchecked: dict[str, ModuleType]
) -> None:
    rules = unchecked[name]
    boards = rules.pack(random_boards(height, width), margin=0)
    num_rows, num_columns = boards.size
    draw = torch.Generator().manual_seed(11)
    places = torch.randint(num_rows * num_columns, (67,), generator=draw)
    directions = torch.randint(4, (67,), generator=draw)

    area = rules.reachable(boards)

    def answers(boards: Any, places: Tensor, directions: Tensor) -> tuple[Tensor, ...]:
        after = rules.push(boards, places, directions, area)
        return (rules.pushes(boards, area), rules.is_legal(boards), after.boxes, after.player)

    eager = answers(boards, places, directions)
    found = compiled(answers)(boards, places, directions)
    for eager_part, compiled_part in zip(eager, found, strict=True):
        assert torch.equal(eager_part, compiled_part)
