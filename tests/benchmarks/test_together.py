"""Many parts in one call: each has its time, and none takes another one down."""

from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import together
from benchmarks.together import Part, run_all
from tokoban import cli


def python(name: str, code: str, *, limit_s: float = 60.0, needs: tuple[str, ...] = ()) -> Part:
    return Part(name, limit_s, ("-c", code), needs)


def test_a_part_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    became = run_all(
        [python("bad", "import sys; sys.exit(3)"), python("good", "print('well')")], tmp_path
    )
    assert became == {"bad": "failed with 3", "good": "done"}
    assert (tmp_path / "good.log").read_text() == "well\n"


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
