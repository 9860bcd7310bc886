"""Compiled rules do what eager rules do, on the CPU as well."""

import importlib.util
import random
import shutil
from types import ModuleType

import pytest
import torch

from benchmarks.agreement import KINDS, random_board
from tokoban.sokoban import bitboards, tensor_boards


def without_checks(module: ModuleType) -> ModuleType:
    """A second copy of the module: the compiler cannot look through the checks of shapes."""
    assert module.__file__ is not None
    spec = importlib.util.spec_from_file_location(f"unchecked_{module.__name__}", module.__file__)
    assert spec is not None
    assert spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


@pytest.mark.slow
# torch 2.13 warns about its own use of torch.jit when it first compiles.
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
# The cache of the shift tables is for eager steps; a compiled one has them as constants.
@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a `functools.lru_cache`")
@pytest.mark.skipif(shutil.which("c++") is None, reason="torch.compile needs a C++ compiler")
@pytest.mark.parametrize("rules", [tensor_boards, bitboards])
def test_compiled_step_is_eager_step(rules: ModuleType) -> None:
    chance, draw = random.Random(7), torch.Generator().manual_seed(7)
    kind = KINDS["crowded"]
    boards = [random_board(chance, 5, 7, kind=kind, is_bordered=False) for _ in range(67)]
    compiled_step = torch.compile(without_checks(rules).step, fullgraph=True)
    eager = rules.from_boards(boards) if rules is tensor_boards else rules.pack(boards)
    compiled = eager
    for _ in range(40):
        actions = torch.randint(4, (67,), generator=draw)
        eager, compiled = rules.step(eager, actions), compiled_step(compiled, actions)
        for eager_part, compiled_part in zip(eager, compiled, strict=True):
            assert torch.equal(eager_part, compiled_part)
    assert not rules.is_solved(eager).all()
