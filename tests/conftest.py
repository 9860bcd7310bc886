"""What every test may lean on: checked shapes, one thread, and the shared data where it is."""

import importlib.util
import os
import signal
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]

# The hook must come before the first import of tokoban. Where beartype is missing the tests run
# all the same, with shapes as mere documentation. A function compiled by numba is annotated with
# typing.no_type_check, or numba would be handed the checking wrapper in its place.
if importlib.util.find_spec("beartype"):
    from jaxtyping import install_import_hook

    install_import_hook("tokoban", "beartype.beartype")

import torch  # noqa: E402

torch.set_num_threads(1)

# A shell's background job is started deaf to Ctrl-C, and so would all be that the tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of other people's levels and texts, or a skip: none of it is in the repository."""
    folder = Path(os.environ.get("TOKOBAN_DATA", REPOSITORY / "../shared/data"))
    if not folder.is_dir():
        pytest.skip("no shared data: TOKOBAN_DATA names no folder, and ../shared/data is absent")
    return folder.resolve()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not torch.cuda.is_available():
        for item in items:
            if item.get_closest_marker("gpu"):
                item.add_marker(pytest.mark.skip(reason="no CUDA device"))
