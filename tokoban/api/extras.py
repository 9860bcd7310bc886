"""What ``pip install tokoban`` leaves out, and the message that says how to install it."""

from importlib.util import find_spec

# By extra, its packages that the code imports; where the first is installed, the extra is.
EXTRAS = {
    "networks": ("torch", "gymnasium", "matplotlib", "sacrebleu", "tensorboard", "tokenizers"),
    "cluster": ("distributed",),
}


def is_installed(extra: str) -> bool:
    """Whether its first package is installed; imports nothing."""
    return find_spec(EXTRAS[extra][0]) is not None


def sentence(error: ModuleNotFoundError) -> str:
    """What is missing and, if an extra has it, how to install it.

    Raises the error if a module of tokoban itself is missing.
    """
    package = (error.name or "tokoban").partition(".")[0]
    if package == "tokoban":
        raise error
    ways = [f": pip install 'tokoban[{extra}]'" for extra in EXTRAS if package in EXTRAS[extra]]
    return f"this needs the package {package}, which is missing{''.join(ways)}"
