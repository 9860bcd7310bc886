"""Work that several processes share: which share is whose, and who may work in a folder."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tokoban.files.locks import locked


@dataclass(frozen=True)
class Share:
    """The rank of this process; ranks take the parts of the work in turn."""

    rank: int = 0
    world_size: int = 1


def share_of_environment() -> Share:
    """The share of this process, by RANK and WORLD_SIZE; all of the job without them.

    torchrun sets both; in an array of a scheduler its script does.
    """
    given = [name for name in ("RANK", "WORLD_SIZE") if name in os.environ]
    if not given:
        return Share()
    if len(given) == 1:
        [missing] = {"RANK", "WORLD_SIZE"} - {*given}
        raise ValueError(
            f"{given[0]} is set, but not {missing}; expected both, to do a share of the work, or "
            "neither, to do all of it"
        )
    words = os.environ["RANK"], os.environ["WORLD_SIZE"]
    if all(map(is_number, words)) and int(words[0]) < int(words[1]):
        return Share(int(words[0]), int(words[1]))
    message = "RANK is {!r} and WORLD_SIZE {!r}; expected whole numbers, the first below the second"
    raise ValueError(message.format(*words))


def is_number(word: str) -> bool:
    """Whether a word is a whole number of at most nine digits."""
    return re.fullmatch("[0-9]{1,9}", word) is not None


@contextmanager
def alone_in(path: str | Path, share: Share, *, doing: str = "labels into it") -> Iterator[None]:
    """Makes the folder and keeps other runs out of it; the processes of one job share it.

    Raises ``BlockingIOError`` if another run works in it; ``doing`` is what it does there.
    """
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    is_shared = share.world_size > 1
    with ExitStack() as locks:
        locks.enter_context(
            locked(folder / ".lock", in_use=f"another run {doing}", is_shared=is_shared)
        )
        if is_shared:
            message = f"another run {doing}, and has a process {share.rank} too"
            locks.enter_context(locked(folder / f".lock-{share.rank}", in_use=message))
        yield
