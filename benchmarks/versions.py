"""What there is to measure with: the machine, Python, and which packages are found."""

import platform
import sys
from importlib.metadata import version
from importlib.util import find_spec

PACKAGES = (
    *("torch", "triton", "numpy", "numba", "gymnasium", "sacremoses", "jaxtyping", "beartype"),
    *("pytest", "hypothesis", "transformers", "safetensors", "tokenizers"),
)


def main() -> int:
    """Prints a line for each; numba has to compile besides, which one for another NumPy cannot."""
    import torch

    from benchmarks.harness import hardware

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(f"{hardware(device)}, CUDA {torch.version.cuda}")
    print(f"{platform.platform()}, Python {platform.python_version()}")
    for package in PACKAGES:
        print(f"{package} {version(package) if find_spec(package) else 'missing'}")
    print(f"numba compiles: {_compiles()}")
    return 0


def _compiles() -> str:
    try:
        from numba import njit

        return "yes" if njit(lambda x: x + 1)(1) == 2 else "wrongly"
    except Exception as error:  # whatever it is, the parts that need numba will end the same way
        return f"no ({type(error).__name__}: {error})"


if __name__ == "__main__":
    sys.exit(main())
