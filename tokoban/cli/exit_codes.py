"""The exit status of every command: one table, which every ``--help`` prints."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit status of every command."""

    DONE = 0
    UNDECIDED = 1
    INVALID_INPUT = 2  # argparse's own for wrong arguments
    INTERRUPTED = 130  # what a shell reports after Ctrl-C (128 + SIGINT)
    READER_LEFT = 141  # and after a closed pipe (128 + SIGPIPE)


_MEANINGS = {
    ExitCode.DONE: "everything was done",
    ExitCode.UNDECIDED: "{undecided}",
    ExitCode.INVALID_INPUT: "invalid input, the valid part of which was still processed",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C, finished results were written",
    ExitCode.READER_LEFT: "the reader of standard output closed it",
}


def meanings(undecided: str, *, is_server: bool = False) -> str:
    """The exit codes with their meanings, in one line.

    ``undecided`` says when the command ends with 1; it is empty if it never does. A server ends by
    Ctrl-C, with 0.
    """
    shown = dict(_MEANINGS)
    if not undecided:
        del shown[ExitCode.UNDECIDED]
    if is_server:
        shown[ExitCode.DONE] = "ended by Ctrl-C"
        del shown[ExitCode.INTERRUPTED]
    return "; ".join(
        f"{code:d}: {meaning.format(undecided=undecided)}" for code, meaning in shown.items()
    )
