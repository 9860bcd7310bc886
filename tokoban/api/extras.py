"""What ``pip install tokoban`` leaves out, and the sentence that says how to have it."""

from importlib.util import find_spec

# By extra, the packages of it that the code imports; whoever has the first has the extra.
EXTRAS = {
    "networks": ("torch", "gymnasium", "matplotlib", "sacrebleu", "tensorboard", "tokenizers"),
    "cluster": ("distributed",),
}


def is_installed(extra: str) -> bool:
    """Whether its first package can be imported, which it is not now."""
    return find_spec(EXTRAS[extra][0]) is not None


def sentence(error: ModuleNotFoundError) -> str:
    """What is missing and, if an extra has it, how to install that.

    Raises the error where a module of our own is missing.
    """
    package = (error.name or "tokoban").partition(".")[0]
    if package == "tokoban":
        raise error
    ways = [f": pip install 'tokoban[{extra}]'" for extra in EXTRAS if package in EXTRAS[extra]]
    return f"this needs the package {package}, which is missing{''.join(ways)}"
