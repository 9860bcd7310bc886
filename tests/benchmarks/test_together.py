"""Many parts in one call: each has its time, and none takes another one down."""

from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import together
from tokoban import cli


@pytest.mark.parametrize("is_quick", [False, True])
@pytest.mark.parametrize("group", together.GROUPS)
def test_every_option_of_a_group_is_known(
    group: str, is_quick: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in together.gpu_parts(group, device="cpu", is_quick=is_quick, data=Path("data")):
        for command in (part.arguments, *part.beside):
            module, *options = command[1:]
            if module in ("pytest", "benchmarks.versions"):  # another's options, and none
                continue
            main = cli.main if module == "tokoban" else import_module(module).main
            with pytest.raises(SystemExit) as ended:
                main([*options, "--help"])  # read after all that is before it
            assert ended.value.code == 0, capsys.readouterr().err
