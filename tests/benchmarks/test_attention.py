"""The benchmark of attention: its memory and slopes are what they say, and it writes its rows."""

import json
from pathlib import Path

import pytest
import torch

from benchmarks import attention
from benchmarks.attention import peak_bytes, slope

CPU = torch.device("cpu")


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_slope_is_the_power_of_the_length(power: float) -> None:
    lengths = [1024, 2048, 4096, 65536]
    assert slope(lengths, [3 * length**power for length in lengths]) == pytest.approx(power)


def test_memory_is_what_is_held_at_once_and_not_what_was_held_before() -> None:
    before = torch.zeros(1 << 20)

    def call() -> torch.Tensor:
        first = before + 1
        second = first * 2  # two at once: 8 MiB
        del first
        third = second * 3  # two again
        del second
        return third

    assert peak_bytes(call, CPU) == pytest.approx(2 * 4 * 2**20, rel=0.01)


def test_a_pass_backward_gives_gradients_of_all_three() -> None:
    for name, (_, way) in attention.ways(half_width=3).items():
        gradients = attention.make_call(way, 97, is_backward=True, device=CPU)()
        assert len(gradients) == 3, name
        assert all((gradient != 0).any() for gradient in gradients), name


def test_local_and_masked_ways_agree() -> None:
    ways = attention.ways(half_width=3)
    results = [
        attention.make_call(ways[name][1], 97, is_backward=False, device=CPU)()
        for name in (attention.LOCAL_CAUSAL, "local causal by a mask")
    ]
    torch.testing.assert_close(*results)


def test_the_script_writes_rows_slopes_and_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(attention, "SHORTEST", 64)
    monkeypatch.setattr(attention, "elapsed_s", lambda call, device, min_run_time_s: 0.5)
    out, picture = tmp_path / "rows.json", tmp_path / "curves.svg"
    words = ["--window", "5", "--longest", "300", "--device", "cpu"]
    assert attention.main([*words, "--json", str(out), "--picture", str(picture)]) == 0
    written = json.loads(out.read_text())
    names = {row["name"] for row in written["rows"]}
    assert len(names) == 12
    assert {row["batch"] for row in written["rows"]} == {64, 128, 256}
    assert all(row["per_second"] == 2 * row["batch"] for row in written["rows"])
    assert set(written["slopes"]) == names
    assert written["slopes"]["local, forward"]["elapsed_s"] == pytest.approx(0, abs=1e-9)
    ratios = written["local_causal_times_as_fast_as_full_causal"]
    assert ratios["forward"] == {"64": 1.0, "128": 1.0, "256": 1.0}
    assert picture.read_text().count("local causal by a mask") == 1
    assert "1.0 at 256" in capsys.readouterr().out


def test_one_length_has_no_slope(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        attention.main(["--longest", "2047"])
    assert "--longest is 2047; expected at least 2048" in capsys.readouterr().err
