"""The table of visited states against Python sets, on keys that get in each other's way."""

import pytest
import torch

from tokoban.decoding.visited import EMPTY, NUM_PROBES, VisitedStates, num_places

CPU = torch.device("cpu")


def _visited(num_searches: int, *, max_keys: int, device: torch.device = CPU) -> VisitedStates:
    return VisitedStates(num_searches, max_keys=max_keys, device=device)


def _random(low: int, high: int, *, shape: tuple[int, ...], seed: int = 0) -> torch.Tensor:
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed))


KEYS = {
    "small and dense": _random(0, 97, shape=(11, 3, 7)),
    "negative": _random(-50, 50, shape=(11, 3, 7)),
    "any": _random(-(2**63) + 1, 2**63 - 1, shape=(11, 3, 7)),
    "different in their highest bits only": _random(-63, 64, shape=(11, 3, 7)) << 57,
    "multiples of the size of the table": _random(0, 97, shape=(11, 3, 7)) * 512,
    "extremes": torch.tensor([EMPTY + 1, -(EMPTY + 1), 0, -1, 1])[_random(0, 5, shape=(11, 3, 7))],
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_search_contains_exactly_what_was_added_to_it(kind: str) -> None:
    visited = _visited(3, max_keys=77)
    sets: list[set[int]] = [set(), set(), set()]
    is_added = _random(0, 2, shape=(11, 3, 7), seed=1).bool()
    asked = KEYS[kind].transpose(0, 1).flatten(1)  # also those that come later, or never
    for keys, added in zip(KEYS[kind], is_added, strict=True):
        visited.add(keys, added)
        for known, row, was_added in zip(sets, keys.tolist(), added.tolist(), strict=True):
            known |= {key for key, was in zip(row, was_added, strict=True) if was}
        expected = [
            [key in known for key in row] for known, row in zip(sets, asked.tolist(), strict=True)
        ]
        assert visited.contains(asked).tolist() == expected


def test_a_new_table_contains_nothing_not_even_the_mark_of_a_free_place() -> None:
    visited = _visited(1, max_keys=5)
    keys = torch.tensor([[EMPTY, 0, -1]])
    assert not visited.contains(keys).any()
    visited.add(keys, torch.tensor([[True, False, True]]))
    assert visited.contains(keys).tolist() == [[False, False, True]]


def test_a_full_table_forgets_and_invents_nothing() -> None:
    visited = _visited(1, max_keys=2)
    keys = _random(0, 10**6, shape=(1, 101))
    visited.add(keys, torch.ones_like(keys, dtype=torch.bool))
    is_known = visited.contains(keys)
    assert NUM_PROBES <= int(is_known.sum()) <= num_places(2) < 101
    visited.add(keys, torch.ones_like(keys, dtype=torch.bool))
    assert torch.equal(visited.contains(keys), is_known)
    assert not visited.contains(keys + 10**6).any()


def test_of_as_many_keys_as_announced_not_one_in_a_hundred_thousand_is_forgotten() -> None:
    visited = _visited(300, max_keys=961)
    keys = _random(-(2**63), 2**63 - 1, shape=(31, 300, 31))
    for step_keys in keys:
        visited.add(step_keys, torch.ones_like(step_keys, dtype=torch.bool))
    forgotten = sum(int((~visited.contains(step_keys)).sum()) for step_keys in keys)
    assert forgotten * 100_000 < keys.numel()


def test_the_order_of_keys_within_a_step_changes_no_answer() -> None:
    keys = _random(0, 10**6, shape=(1, 23))
    forward, backward = _visited(1, max_keys=2), _visited(1, max_keys=2)
    everything = torch.ones_like(keys, dtype=torch.bool)
    forward.add(keys, everything)
    backward.add(keys.flip(1), everything)
    is_known = forward.contains(keys)
    assert torch.equal(backward.contains(keys), is_known)
    assert 0 < int(is_known.sum()) < 23


@pytest.mark.gpu
def test_the_gpu_remembers_and_forgets_the_same_without_waiting() -> None:
    def answers(device: str) -> torch.Tensor:
        visited = _visited(13, max_keys=20, device=torch.device(device))
        for seed in range(7):
            keys = _random(0, 200, shape=(13, 11), seed=seed).to(device)
            visited.add(keys, keys % 3 > 0)
        asked = torch.arange(200, device=device).expand(13, -1)
        torch.cuda.set_sync_debug_mode("error")
        try:
            visited.add(asked, asked == 3)
            known = visited.contains(asked)
        finally:
            torch.cuda.set_sync_debug_mode("default")
        return known.cpu()

    assert torch.equal(answers("cuda"), answers("cpu"))
