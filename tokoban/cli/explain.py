"""``tokoban explain``: is a position deadlocked, by which boxes, and since which push?"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tokoban.cli import level_options, options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, report_interrupted
from tokoban.cli.report import entries
from tokoban.sokoban.formats import Level, lurd, printable
from tokoban.sokoban.formats.levels import read_content
from tokoban.sokoban.proofs.certificate import Certificate
from tokoban.sokoban.proofs.checker import find_fault
from tokoban.sokoban.proofs.notation import from_json

if TYPE_CHECKING:
    from tokoban.cli.explanation import Game

# Certificates of as many positions as ``explain`` writes are far smaller; lists of nothing are what
# takes most memory for its length.
_MAX_BYTES, _MAX_VALUES = 2**26, 10**7

SUMMARY = "say whether a position is deadlocked, and prove by which boxes"
UNDECIDED = "some positions stay unknown or, with --check, some certificates do not hold"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file, the moves made, the limits, and where the proofs go or come from."""
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help=f"{level_options.FILE_HELP}. Each level is explained at its start and at the end of "
        "each of its saved games",
    )
    options.add(parser, "--level")
    parser.add_argument(
        "--moves",
        metavar="LURD",
        help="explain the position after these moves, or after the first of them that deadlocks it",
    )
    options.add(
        parser, "--time-limit", "for each position, shared by the search and the check of its proof"
    )
    options.add(parser, "--memory-limit")
    options.add(parser, "--json", "with the certificates")
    options.add(parser, "--jsonl")
    parser.add_argument(
        "--check",
        metavar="CERT",
        help="check the certificates in this file, written by --json, and explain nothing; with "
        "FILE, also check that they belong to its levels",
    )
    parser.epilog = (
        "A deadlock is a position without a solution. Many deadlocks are not found: the position "
        "is then shown as unknown. A position with a solution is shown as solvable."
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints an answer for each position as it comes, then writes the files asked for."""
    _check(arguments)
    if arguments.file is None:
        return _verify(arguments.check, None)
    chosen = level_options.read(arguments.file, number=arguments.level)
    if not chosen.levels:
        return chosen.conclude(0)
    if arguments.check is not None:
        return chosen.conclude(_verify(arguments.check, chosen.levels))
    games = list(_games(chosen.levels, arguments))

    import tokoban
    from tokoban.cli.explanation import as_text, described
    from tokoban.cli.screen import Screen

    screen = Screen(stderr="-" in (arguments.json, arguments.jsonl))
    status = 0
    with entries(arguments) as written:
        try:
            for game in games:
                explanation = tokoban.explain(
                    game.level.board, moves=game.moves, **options.limits_of(arguments)
                )
                written.add(described(game, explanation))
                screen.print(as_text(game, explanation))
                status |= explanation.status == "unknown"
        except KeyboardInterrupt:
            report_interrupted(len(written.lines), len(games), "position")
            status = ExitCode.INTERRUPTED
    return chosen.conclude(status)


def _check(arguments: argparse.Namespace) -> None:
    """Refuses at once what would come to light after the work."""
    if arguments.check is not None:
        searching = ("--level", "--moves", "--time-limit", "--memory-limit")
        options.refuse(arguments, *searching, "--json", "--jsonl", because="with --check")
    elif arguments.file is None:
        raise ValueError("expected a FILE of levels, or --check and a file of certificates")
    check_outputs(arguments, "json", "jsonl", inputs=["file"])


def _games(levels: Mapping[int, Level], arguments: argparse.Namespace) -> "Iterator[Game]":
    """The positions to explain; raises ``ValueError`` for impossible moves."""
    from tokoban.cli.explanation import Game

    if arguments.moves is not None:
        if len(levels) != 1:
            raise ValueError(f"--moves: there are {len(levels)} levels; choose one by --level")
        ((number, level),) = levels.items()
        replayed = lurd.replay(level.board, arguments.moves)
        if replayed.reason is not None:
            raise ValueError(f"--moves: {replayed.reason}")
        yield Game(number, level, replayed.lurd)
        return
    for number, level in levels.items():
        yield Game(number, level, "")
        for saved, kept in enumerate(level.saved_games, 1):
            moves = lurd.format(level.board, kept.directions[: kept.position])
            yield Game(number, level, moves, saved)


def _verify(path: str, levels: Mapping[int, Level] | None) -> int:
    """Checks the certificates of a file one by one; 0 if all hold, 2 if some are none, else 1."""
    from tokoban.cli.explanation import drawn
    from tokoban.sokoban.explanation import sentences

    statuses = set[int]()
    for number, found in enumerate(_objects(path), 1):
        try:
            certificate = _certificate(found)
            is_of = certificate is None or levels is None or _is_of(certificate, found, levels)
        except ValueError as error:
            print(f"tokoban: {path}: object {number}: {printable(str(error))}", file=sys.stderr)
            statuses.add(ExitCode.INVALID_INPUT)
            continue
        if certificate is None:
            continue
        fault = find_fault(certificate)
        if fault is None and not is_of:
            fault = "on this level of FILE the moves lead to another position"
        statuses.add(fault is not None)
        message = "holds" if fault is None else f"does not hold: {printable(fault)}"
        print(f"{number:>4}  {message}")
        if fault is None:
            for line in [*sentences(certificate), *drawn(certificate)]:
                print(f"      {line}")
    if not statuses:
        raise ValueError(f"{path}: there is no certificate in it")
    return max(statuses)


def _objects(path: str) -> list[Any]:
    """What a file says of each position; a file of one certificate says no more of it."""
    content = read_content(path, max_bytes=_MAX_BYTES)
    if sum(map(content.count, (b"[", b"{", b","))) > _MAX_VALUES:
        raise ValueError(f"{path}: more than {_MAX_VALUES:,} values")
    try:
        objects = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: no JSON: {error}") from None
    return objects if isinstance(objects, list) else [{"certificate": objects}]


def _certificate(found: Any) -> Certificate | None:
    """That of an object, if it has one; raises ``ValueError`` if the object is malformed."""
    if not isinstance(found, dict) or "certificate" not in found:
        raise ValueError("expected one with a certificate")
    return None if found["certificate"] is None else from_json(found["certificate"])


def _is_of(certificate: Certificate, found: dict[str, Any], levels: Mapping[int, Level]) -> bool:
    """Whether the board is where the moves of its object lead on the level that it names.

    Raises ``ValueError`` for moves that are no LURD.
    """
    index, moves = found.get("index"), found.get("played")
    if not isinstance(index, int) or not isinstance(moves, str) or index not in levels:
        return False
    replayed = lurd.replay(levels[index].board, moves)
    return replayed.reason is None and replayed.board == certificate.board
