"""One seed, many streams: equal where all is equal, and apart where anything differs."""

from itertools import product

from tokoban.training.streams import Purpose, stream, torch_stream

# Ends of 32 bits among them: torch's generator on a CPU reads no more of a seed.
SEEDS = (0, 1, 2**12, 2**31, 2**32, 2**63 - 1)
NUMBERS = ((0, 0), (0, 1), (1, 0), (2**20, 0), (2**32 - 1, 0))


def test_streams_are_apart_wherever_anything_differs() -> None:
    keys = list(product(SEEDS, Purpose, NUMBERS))
    drawn = [stream(seed, purpose, *numbers).bytes(8) for seed, purpose, numbers in keys]
    assert len(set(drawn)) == len(keys)
    of_torch = [torch_stream(*key[:2], *key[2]).get_state().numpy().tobytes() for key in keys]
    assert len(set(of_torch)) == len(keys)


def test_equal_keys_give_equal_streams() -> None:
    first, second = (torch_stream(3, Purpose.ORDER, 5) for _ in range(2))
    assert first.get_state().equal(second.get_state())
    assert stream(3, Purpose.ORDER, 5).bytes(8) == stream(3, Purpose.ORDER, 5).bytes(8)
