"""``tokoban solve``: plans for the levels of a file, by the policy, by A*, or by both in turn."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tokoban.cli import attention_files, level_options, options, policy_options
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, tell_interrupted, write_output

if TYPE_CHECKING:
    from tokoban.cli.answers import Answer
    from tokoban.cli.bar import Bar
    from tokoban.cli.policy import Policy
    from tokoban.cli.screen import Screen
    from tokoban.sokoban.board import Board
    from tokoban.sokoban.formats import Level

SUMMARY = "solve the levels of a file by the policy and by A*"
UNDECIDED = "some levels were given up"

# Levels that the policy plays together: it is quickest with many, and Ctrl-C loses one such batch.
_BATCH_LEVELS = 32
_OF_ASTAR = ("--time-limit", "--max-expansions", "--threads")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file, the searches, their limits, and where the answers go."""
    parser.add_argument(
        "file", metavar="FILE", help="level file (XSB, SOK, SLC or Boxoban); - for standard input"
    )
    options.add(parser, "--level")
    parser.add_argument(
        "--by",
        choices=("beam", "rollout", "astar"),
        help="use one method only: the policy's beam search, the policy's most probable moves "
        "(rollout), or the searches without a network (astar: A* and others by the level's size). "
        "The shipped policy knows levels with one box and at most 6 x 6 squares inside; only astar "
        "can prove that a level is unsolvable or a solution optimal (default: beam for levels that "
        "fit the policy, then astar for levels that are still unsolved)",
    )
    parser.add_argument(
        "--minimise",
        choices=("moves", "pushes", "any"),
        help="search by astar for a solution with the fewest moves, with the fewest pushes, or "
        "for any (default: for any, then for the fewest moves, then for the fewest pushes)",
    )
    options.add(
        parser,
        "--time-limit",
        "for each level, of astar alone. Without --minimise, at most three quarters of it go to "
        "any solution, half of the rest to the fewest moves, and what is left to the fewest pushes",
    )
    options.add(parser, "--memory-limit", "shared by all threads")
    options.add(parser, "--max-expansions", "of astar alone", usual="none")
    options.add(parser, "--threads", "each solves one level by astar, with its share of the memory")
    policy_options.add_arguments(parser)
    options.add(parser, "--json")
    options.add(
        parser,
        "--output",
        "it has the levels with their solutions, the ones in FILE included",
    )
    options.add(
        parser,
        "--attention",
        "of the policy along the solution of one level that fits it, whichever search found it",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the answer to each level as it comes, then writes the files asked for."""
    _check(arguments)
    chosen = level_options.read(arguments.file, number=arguments.level, output=arguments.output)
    file, levels = chosen.file, chosen.levels
    if not levels:
        return chosen.conclude(0)

    watched = _policy_to_watch(levels, arguments)

    from tokoban import compiling
    from tokoban.cli.found import as_file, describe, show, summarise
    from tokoban.cli.screen import Screen
    from tokoban.cli.several import Interrupted

    if arguments.output:
        as_file(file, levels, {})  # what cannot be written is refused before the work
    screen = Screen(stderr="-" in (arguments.json, arguments.output))
    started_s = compiling.clock()
    answers: dict[int, Answer] = {}
    status = 0
    try:
        for number, answer in _with_bar(levels, arguments, screen):
            answers[number] = answer
            show(screen, number, levels[number], answer)
            status |= answer.status == "gave up"
    except KeyboardInterrupt as interrupt:
        tell_interrupted(len(answers), len(levels))
        status = ExitCode.INTERRUPTED
        for number, answer in interrupt.known.items() if isinstance(interrupt, Interrupted) else ():
            answers[number] = answer
            show(screen, number, levels[number], answer)
    if arguments.json:
        objects = [describe(number, levels[number], answers[number]) for number in answers]
        write_output(arguments.json, json.dumps(objects, indent=2) + "\n")
    if arguments.output:
        write_output(arguments.output, as_file(file, levels, answers))
    screen.print(summarise(answers.values(), elapsed_s=compiling.clock() - started_s))
    if watched is not None:
        _show_attention(watched, levels, answers, arguments.attention)
    return chosen.conclude(status)


def _check(arguments: argparse.Namespace) -> None:
    """Refuses at once what would come to light after the work."""
    by = arguments.by
    if by in ("beam", "rollout"):
        options.refuse(arguments, "--minimise", *_OF_ASTAR, because=f"with --by {by}")
    if by == "rollout":
        options.refuse(arguments, *policy_options.OF_BEAM, because="with --by rollout")
    if by == "astar" or arguments.minimise:
        because = "with --by astar" if by else "with --minimise"
        options.refuse(arguments, *policy_options.OF_BEAM, "--max-moves", because=because)
        if arguments.attention is None:
            options.refuse(arguments, "--weights", "--device", "--precision", because=because)
    check_outputs(arguments, "json", "output", "attention")
    check_outputs(arguments, "json", "attention", inputs=["file", "weights"])
    attention_files.check(arguments.attention)
    level_options.check_whole(arguments)


def _policy_to_watch(
    levels: "Mapping[int, Level]", arguments: argparse.Namespace
) -> "Policy | None":
    """The policy whose attention is asked for; ``ValueError`` if not of one level that fits it."""
    if arguments.attention is None:
        return None
    if len(levels) != 1:
        told = f"--attention shows one level, got {len(levels)}"
        raise ValueError(f"{told}; --level chooses one")
    policy = _policy(arguments)
    for level in levels.values():
        policy.judge(level.board)
    return policy


def _show_attention(
    policy: "Policy",
    levels: "Mapping[int, Level]",
    answers: "Mapping[int, Answer]",
    destination: str,
) -> None:
    from tokoban.sokoban.formats import quoted

    for number, answer in answers.items():
        if answer.lurd is not None:
            panels = policy.attention_panels(levels[number].board, answer.lurd)
            title = f"What the policy looks at: {quoted(levels[number].title) or f'level {number}'}"
            guide = (
                "Each board attends to the goal, the first token, and to the boards before it; "
                "look for heads that read the goal, the board before, or the last push."
            )
            attention_files.write(destination, panels, title=title, guide=guide)
            return
    print("tokoban: the level is not solved, so there is no attention to show", file=sys.stderr)


def _with_bar(
    levels: "Mapping[int, Level]", arguments: argparse.Namespace, screen: "Screen"
) -> "Iterator[tuple[int, Answer]]":
    """The answers, with a bar below what is printed, if there are eyes to see it."""
    from tokoban.cli.bar import Bar
    from tokoban.cli.screen import Screen

    # Where the answers go to a file, the terminal is left to the bar.
    place = screen if screen.is_terminal else Screen(stderr=True)
    with Bar(len(levels), place) as bar:
        for number, answer in _answers(levels, arguments, bar):
            bar.done(number)
            yield number, answer


def _answers(
    levels: "Mapping[int, Level]", arguments: argparse.Namespace, bar: "Bar"
) -> "Iterator[tuple[int, Answer]]":
    """An answer to each level, in order; the policy's come in batches."""
    if arguments.by == "astar" or arguments.minimise:
        boards = {number: level.board for number, level in levels.items()}
        yield from _by_astar(boards, arguments, bar)
        return

    policy = _policy(arguments)
    max_moves = arguments.max_moves or policy.longest_plan
    if max_moves > policy.longest_plan:
        told = f"--max-moves {max_moves}: the policy has room for {policy.longest_plan}"
        print(f"tokoban: {told}, which are used", file=sys.stderr)
        max_moves = policy.longest_plan
    numbers = list(levels)
    for start in range(0, len(numbers), _BATCH_LEVELS):
        boards = {number: levels[number].board for number in numbers[start : start + _BATCH_LEVELS]}
        answers = policy.answers(
            list(boards.values()),
            by=arguments.by or "beam",
            width=arguments.width,
            max_moves=max_moves,
            score=arguments.score,
            max_unsolvable=arguments.max_unsolvable,
        )
        first = dict(zip(boards, answers, strict=True))
        if arguments.by is None:
            yield from _with_second(first, boards, arguments, bar)
        else:
            yield from first.items()


def _policy(arguments: argparse.Namespace) -> "Policy":
    from tokoban.cli.policy import Policy

    return Policy(
        arguments.weights,
        device=arguments.device,
        precision=arguments.precision,
        memory_limit=policy_options.memory_limit_bytes(arguments),
    )


def _by_astar(
    boards: "Mapping[int, Board]", arguments: argparse.Namespace, bar: "Bar"
) -> "Iterator[tuple[int, Answer]]":
    """A*'s answers in order, ``Interrupted`` by Ctrl-C."""
    from tokoban.cli.answers import by_astar
    from tokoban.cli.several import in_threads

    memory_limit_mb = policy_options.memory_limit_bytes(arguments) / 1e6 / arguments.threads
    return in_threads(
        lambda board, report, news: by_astar(
            board,
            time_limit_s=arguments.time_limit,
            minimise=arguments.minimise,
            max_expansions=arguments.max_expansions,
            memory_limit_mb=memory_limit_mb,
            report=report,
            news=news,
        ),
        boards,
        num_threads=arguments.threads,
        tell=bar.tell,
        announce=bar.announce,
    )


def _with_second(
    first: "Mapping[int, Answer]",
    boards: "Mapping[int, Board]",
    arguments: argparse.Namespace,
    bar: "Bar",
) -> "Iterator[tuple[int, Answer]]":
    """The policy's answers, and where it gave up A*'s."""
    from tokoban.cli.several import Interrupted

    def after_the_first(number: int, second: "Answer") -> "Answer":
        return replace(
            second,
            elapsed_s=first[number].elapsed_s + second.elapsed_s,
            remark=f"{second.remark}; {first[number].remark}",
        )

    is_left = {number: answer.status == "gave up" for number, answer in first.items()}
    left = {number: board for number, board in boards.items() if is_left[number]}
    seconds = _by_astar(left, arguments, bar)
    waiting = list(first)
    try:
        while waiting:
            number = waiting[0]
            answer = first[number]
            if is_left[number]:
                answer = after_the_first(*next(seconds))
            del waiting[0]
            yield number, answer
    except Interrupted as interrupt:
        known = {number: first[number] for number in waiting if not is_left[number]}
        known |= {
            number: after_the_first(number, second) for number, second in interrupt.known.items()
        }
        raise Interrupted(dict(sorted(known.items()))) from None
