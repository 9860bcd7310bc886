"""What a training says of itself where there is no terminal."""

import pytest

from tokoban.training.display import Display


@pytest.mark.parametrize("is_shown", [True, False])
def test_without_a_terminal_a_line_comes_twice_a_minute(
    is_shown: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = 0.0
    with Display("gpt", is_shown=is_shown, clock=lambda: now_s) as display:
        for step in range(1, 101):  # a step a second
            now_s += 1.0
            display.advance(step / 100, step=step)
            if step == 50:
                display.measured(loss=0.25, steps_per_s=1.0)
    said = capsys.readouterr().err.splitlines()
    lines = ["30% · step 30", "60% · step 60 · loss 0.25 · 1 steps/s"]
    lines += ["90% · step 90 · loss 0.25 · 1 steps/s"]
    assert said == lines * is_shown
