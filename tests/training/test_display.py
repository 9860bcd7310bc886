"""What a training says of itself where there is no terminal."""

from types import SimpleNamespace

import pytest

from tokoban.training import display
from tokoban.training.display import Display


@pytest.mark.parametrize("is_shown", [True, False])
def test_without_a_terminal_a_line_comes_twice_a_minute(
    is_shown: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 0.0
    monkeypatch.setattr(display, "time", SimpleNamespace(monotonic=lambda: now_s))
    with Display("gpt", is_shown=is_shown) as shown:
        for step in range(1, 101):  # a step a second
            now_s += 1.0
            shown.advance(step / 100, step=step)
            if step == 50:
                shown.measured(loss=0.25, steps_per_s=1.0)
    said = capsys.readouterr().err.splitlines()
    lines = ["30% · step 30", "60% · step 60 · loss 0.25 · 1 steps/s"]
    lines += ["90% · step 90 · loss 0.25 · 1 steps/s"]
    assert said == lines * is_shown
