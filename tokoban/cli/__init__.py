"""The command line. Each command is a light module here; only its ``run`` imports heavy modules.

A command's module has ``SUMMARY`` (one line), ``UNDECIDED`` (when the exit status is 1; empty if it
never is), ``add_arguments(parser)`` and ``run(arguments)``, which returns the exit status.
"""

import errno
import importlib
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager

from tokoban import __version__
from tokoban.cli.exit_codes import ExitCode, meanings
from tokoban.cli.parser import Parser, given_options
from tokoban.cli.streams import (
    drop_unwritten,
    replace_closed,
    replace_unbuffered,
    replace_unencodable,
)

COMMANDS = (
    "solve", "ask", "optimise", "explain", "rate", "check", "convert", "generate", "label",
    "instructions", "translate", "generate-text", "life", "classify", "train", "evaluate",
    "attention", "play", "web", "demo", "prepare", "completion",
)  # fmt: skip

_AGAIN_S = 0.05  # after a call that could not be interrupted


def module_name(command: str) -> str:
    """The module of a command: ``tokoban.cli.generate_text`` for ``generate-text``."""
    return f"tokoban.cli.{command.replace('-', '_')}"


def _build_parser(commands: Sequence[str]) -> Parser:
    parser = Parser(
        prog="tokoban",
        description="Solve Sokoban by search or by small transformers, and train transformers.",
    )
    parser.add_argument("--version", action="version", version=f"tokoban {__version__}")
    choices = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in commands:
        module = importlib.import_module(module_name(name))
        command = choices.add_parser(name, help=module.SUMMARY, description=module.SUMMARY)
        module.add_arguments(command)
        codes = meanings(module.UNDECIDED, is_server=name == "web")
        command.add_argument_group("exit status", codes)
        command.set_defaults(run=module.run)
    return parser


_LONGEST_LINE = 2000  # characters of a message: a file may quote megabytes


def in_one_line(error: Exception) -> str:
    """The error as one line for the user.

    Names in files are masked and cut off where they are very long: they are a stranger's.
    """
    from tokoban.sokoban.formats import printable

    if isinstance(error, OSError) and error.filename is not None:
        name = "an empty name" if error.filename == "" else error.filename
        is_folder = error.strerror == os.strerror(errno.EISDIR)
        return printable(f"{name}: {'a folder; expected a file' if is_folder else error.strerror}")
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EBADF, errno.EFBIG):
        # Errors of other files name them.
        return f"standard output: {'closed' if error.errno == errno.EBADF else error.strerror}"
    text = "; ".join(str(error).splitlines())
    if len(text) > _LONGEST_LINE:
        text = text[:_LONGEST_LINE] + " ..."
    return printable(text) or type(error).__name__


# Messages of torch, of the loader of shared objects and of Python's threads if memory is short.
_NO_MEMORY = re.compile(
    "(can't|[Cc]annot) allocate memory|failed to map segment|can't start new thread"
)


def _lacks_memory(error: Exception) -> bool:
    """Whether the error says that memory is short, on the CPU or on a GPU."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    # A ``ValueError`` may quote a stranger's words, and an error of a file its name.
    is_quoting = isinstance(error, ValueError) or getattr(error, "filename", None) is not None
    return not is_quoting and _NO_MEMORY.search(str(error)) is not None


def _complaint(error: Exception) -> str:
    """The message for an error that a user can cause; raises any other error again."""
    from tokoban.api.extras import sentence

    if _lacks_memory(error):
        return "there is not enough memory for this"
    if isinstance(error, ModuleNotFoundError):
        return sentence(error)
    if not isinstance(error, ValueError | OSError):
        raise error
    return in_one_line(error)


@contextmanager
def notices_to(handler: logging.Handler) -> Iterator[None]:
    """Gives ``handler`` alone what the library reports of its work, such as why it takes long."""
    logger = logging.getLogger("tokoban")
    others, logger.handlers = logger.handlers, [handler]
    try:
        yield
    finally:
        logger.handlers = others


def _on_stderr() -> logging.Handler:
    """Notices in lines like those of all other complaints, on a terminal and elsewhere."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("tokoban: %(message)s"))
    return handler


@contextmanager
def _interrupts_not_lost() -> Iterator[None]:
    """Ctrl-C where Python can raise nothing, as in the compiler's callbacks, comes again."""
    usual = sys.unraisablehook
    to_come: list[threading.Timer] = []

    def hear(lost: "sys.UnraisableHookArgs") -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt):
            again = threading.Timer(_AGAIN_S, _interrupt)
            again.daemon = True
            again.start()
            to_come.append(again)
        else:
            usual(lost)

    sys.unraisablehook = hear
    try:
        yield
    except RuntimeError:  # the compiler's, which lacks what the interrupted callback should give
        if not to_come:
            raise
        for again in to_come:
            again.cancel()
            again.join()  # one whose time has come shall not press after the command
        raise KeyboardInterrupt from None
    finally:
        sys.unraisablehook = usual


def _interrupt() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:  # to the main thread, whose sleep it ends
        main_thread = threading.main_thread().ident
        assert main_thread is not None
        signal.pthread_kill(main_thread, signal.SIGINT)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and answers its exit status.

    What a user can get wrong (``ValueError``, ``OSError``, a package that is not installed) is one
    line on standard error and status 2. Help and the version leave through argparse's
    ``SystemExit``.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    replace_closed()
    replace_unbuffered()
    replace_unencodable()
    try:
        return _run(words)
    except OSError:  # in the words about another error
        return ExitCode.READER_LEFT
    finally:
        drop_unwritten()


def _run(words: Sequence[str]) -> int:
    try:
        # Only the command that was asked for is imported; its name must therefore come first.
        parser = _build_parser(words[:1] if words[:1] and words[0] in COMMANDS else COMMANDS)
        try:
            arguments = parser.parse_args(words)
            arguments.given = given_options(words)
            with notices_to(_on_stderr()), _interrupts_not_lost():
                status: int = arguments.run(arguments)
        finally:
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        return ExitCode.READER_LEFT
    except BrokenExecutor as error:
        print(f"tokoban: {in_one_line(error)}", file=sys.stderr)
        return ExitCode.UNDECIDED
    except (ValueError, OSError, ImportError, MemoryError, RuntimeError) as error:
        print(f"tokoban: {_complaint(error)}", file=sys.stderr)
        return ExitCode.INVALID_INPUT
    except KeyboardInterrupt:
        print("tokoban: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
