"""``tokoban solve``: solutions of levels, by searches or by a policy."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tokoban.cli import in_one_line, level_options, options, policies
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_outputs, report_interrupted, write_output
from tokoban.cli.parser import whole
from tokoban.cli.report import entries
from tokoban.sokoban.board import Board
from tokoban.sokoban.formats import Level, quoted
from tokoban.sokoban.search.answer import OBJECTIVES
from tokoban.sokoban.wording import counted
from tokoban.systems.sokoban_policy.config import BEAM_WIDTH, MAX_BEAM_WIDTH

if TYPE_CHECKING:
    from tokoban.cli.found import Found
    from tokoban.cli.screen import Screen
    from tokoban.cli.searching import Report
    from tokoban.sokoban.search.answer import Answer, Objective, Progress
    from tokoban.sokoban.work import Workers
    from tokoban.systems.push_policy.policy import PushPolicy
    from tokoban.systems.sokoban_policy.policy import Policy

SUMMARY = "solve levels, by search or by a policy"
UNDECIDED = (
    "some levels were given up, or cannot be solved as --instruction says, or there is no solution "
    "for --attention to show"
)

_OF_SEARCH = ("--time-limit", "--max-expansions", "--threads")
# What the answers of a folder depend on.
_OF_ANSWERS = "by", "minimise", "time_limit", "memory_limit", "max_expansions", "weights", "beam"
_NOT_OF_INSTRUCTION = "--minimise", "--threads", "--folder", "--device", "--beam"
_OF_NETWORK = ("--weights", "--attention")
_PATIENCE_S = 1.0  # a search that takes longer is described beside the bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the file, the searches, their limits, and the outputs."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help=f"{level_options.FILE_HELP}; with --folder also a folder of level files",
    )
    options.add(parser, "--level")
    parser.add_argument(
        "--by",
        type=_method_named,
        choices=("policy", "beam", "rollout", "search"),
        help="method: policy (search with the push policy; with weights of a Sokoban policy, its "
        "beam search), beam (beam search with the Sokoban policy, which predicts moves), rollout "
        "(its most probable moves) or search (without a network: A* and others, by the level's "
        "size). The shipped Sokoban policy knows levels with one box and at most 6 x 6 squares "
        "inside; only search proves that a solution is optimal (default: search)",
    )
    parser.add_argument(
        "--minimise",
        choices=OBJECTIVES,
        help="search for a solution with the fewest moves, one with the fewest pushes, or any "
        "(default: any, then the fewest moves and, if those are not proved, the fewest pushes)",
    )
    options.add(
        parser,
        "--time-limit",
        "for each level; only for search and the push policy. Search without --minimise "
        "spends at most three quarters of it on any solution, half of the rest on the fewest "
        "moves, and the rest on the fewest pushes",
    )
    options.add(parser, "--memory-limit", "shared by all threads")
    by_search = "only for search and the push policy"
    options.add(parser, "--max-expansions", by_search, usual="none")
    options.add(parser, "--threads", "each searches one level, with its share of the memory")
    options.add(
        parser,
        "--weights",
        "those of the policy",
        usual=f"{policies.READER} with --instruction, {policies.PUSHES} with --by policy, else "
        f"{policies.MOVES}",
    )
    options.add(parser, "--beam", type=whole(1, MAX_BEAM_WIDTH), default=BEAM_WIDTH)
    options.add(parser, "--device", "the push policy uses the GPU only with cuda")
    parser.add_argument(
        "--instruction",
        metavar="SENTENCE",
        help="solve levels whose floor lies within 8 x 8 squares as an English or German sentence "
        'says, such as "push the left box to the upper goal last", with the fewest pushes, or '
        "prove that it cannot be done; docs/instructions.md lists the sentences. With --by "
        "policy, the network sokoban-instructions, or that of --weights, reads the sentence and "
        "searches 100 positions, or as many as --max-expansions; this proves nothing",
    )
    parser.add_argument(
        "--folder",
        metavar="DIR",
        help="write the answers to all levels of all files into this folder. The same command "
        "resumes an interrupted run",
    )
    options.add(parser, "--cluster", "with --folder, for search and the push policy")
    options.add(parser, "--json")
    options.add(parser, "--jsonl")
    options.add(
        parser,
        "--output",
        "it has the levels with their solutions, the ones in FILE included",
    )
    options.add(
        parser,
        "--attention",
        "those of the policy along the solution of one level that fits it, whatever method found "
        "it",
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the answer to each level as it comes, then writes the files asked for."""
    _check(arguments)
    if arguments.folder is not None:
        return _into_folder(arguments)
    chosen = level_options.read(arguments.file, number=arguments.level, output=arguments.output)
    file, levels = chosen.file, chosen.levels
    if not levels:
        return chosen.conclude(0)

    watched = _policy_to_watch(levels, arguments)

    from tokoban import compiling
    from tokoban.cli.found import as_file, describe, show, summarise
    from tokoban.cli.screen import Screen
    from tokoban.sokoban.search.limits import STOPPED
    from tokoban.sokoban.work import Workers, in_order

    if arguments.output:
        as_file(file, levels, {})  # what cannot be written is refused before the work
    screen = Screen(stderr="-" in (arguments.json, arguments.jsonl, arguments.output))
    if arguments.instruction is not None:
        from tokoban.sokoban.instructions import grammar

        screen.print(f"understood: {grammar.instruction(arguments.instruction)}")
    started_s = compiling.clock()
    answers: dict[int, Answer] = {}
    status = 0
    with entries(arguments) as written:
        try:
            found_so_far = _with_bar(levels, arguments, Workers(arguments.threads), screen)
            if arguments.instruction is None:  # else in order, without levels that it does not fit
                found_so_far = in_order(found_so_far, levels)
            for number, found in found_so_far:
                answers[number] = found.answer
                show(screen, number, levels[number], found)
                written.add(describe(number, levels[number], found))
                is_failure = arguments.instruction and found.answer.status != "solved"
                status |= bool(is_failure) or found.answer.status == "gave up"
            if len(answers) < len(levels):  # the instruction means nothing on the others
                status = ExitCode.INVALID_INPUT
        except KeyboardInterrupt:
            are_whole = [STOPPED not in (answer.reason or "") for answer in answers.values()]
            report_interrupted(sum(are_whole), len(levels))
            status = ExitCode.INTERRUPTED
    if arguments.output:
        write_output(arguments.output, as_file(file, levels, answers))
    elapsed_s, has_instruction = compiling.clock() - started_s, arguments.instruction is not None
    if answers:
        told = summarise(answers.values(), elapsed_s=elapsed_s, has_instruction=has_instruction)
        others = len(levels) - len(answers)
        if others and status == ExitCode.INVALID_INPUT:
            told += f"; the sentence does not fit {counted(others, 'other level')}"
        screen.print(told)
    if watched is not None:
        system = policies.system_of(_weights(arguments))
        is_drawn = _show_attention(watched, levels, answers, arguments.attention, system=system)
        status = status or not is_drawn
    return chosen.conclude(status)


def _into_folder(arguments: argparse.Namespace) -> int:
    """Answers the levels whose answers are missing, and puts all answers in order."""
    from tokoban.cli.answer_folder import ANSWERS, opened, read_many
    from tokoban.cli.cluster import workers_of
    from tokoban.cli.found import describe, show
    from tokoban.cli.screen import Screen
    from tokoban.sokoban.search.limits import STOPPED

    many = read_many(arguments.file)
    asked = {name: getattr(arguments, name) for name in _OF_ANSWERS}
    screen = Screen()
    with opened(arguments.folder, many, asked) as folder, workers_of(arguments) as workers:
        missing = {number: many.levels[number].level for number in folder.missing}
        num_done = 0
        try:
            with folder.open() as stream:
                for number, found in _with_bar(missing, arguments, workers, screen):
                    if STOPPED in (found.answer.reason or ""):
                        continue
                    num_done += 1
                    level = many.levels[number]
                    described = describe(level.number, level.level, found)
                    folder.add({"level": number, "file": level.file, **described}, stream)
                    show(screen, number, level.level, found)
        except KeyboardInterrupt:
            report_interrupted(num_done, len(missing))
            return ExitCode.INTERRUPTED
        answers = folder.conclude()
    statuses = Counter(answer["status"] for answer in answers or ())
    if answers is None:
        print(f"{counted(num_done, 'level')} answered; others are still missing")
    else:
        print(
            f"{counted(len(answers), 'level')}: {statuses['solved']} solved, "
            f"{statuses['unsolvable']} proved unsolvable, {statuses['gave up']} given up; "
            f"all answers are in {arguments.folder}/{ANSWERS}"
        )
    if many.problems:
        return ExitCode.INVALID_INPUT
    return ExitCode.UNDECIDED if answers is None or statuses["gave up"] else ExitCode.DONE


def _check(arguments: argparse.Namespace) -> None:
    """Refuses at once what would come to light after the work."""
    if arguments.folder is not None:
        of_one_file = "--json", "--jsonl", "--output", "--attention", "--level"
        options.refuse(arguments, *of_one_file, because="with --folder")
    else:
        options.refuse(arguments, "--cluster", because="without --folder")
    if arguments.folder is None and os.path.isdir(arguments.file):
        raise ValueError(f"{arguments.file} is a folder; its levels are answered with --folder DIR")
    if arguments.instruction is not None:
        _check_instruction(arguments)
    else:
        _check_method(arguments)
    check_outputs(arguments, "json", "jsonl", "output", "attention")
    check_outputs(arguments, "json", "jsonl", "attention", inputs=["file", "weights"])
    level_options.check_whole(arguments)


def _check_instruction(arguments: argparse.Namespace) -> None:
    """Refuses what the search or the network that obeys a sentence does not read."""
    options.refuse(arguments, *_NOT_OF_INSTRUCTION, because="with --instruction")
    if arguments.by not in (None, "policy", "search"):
        raise ValueError(f"--by {arguments.by} reads no instruction; expected policy or search")
    if arguments.by == "policy":
        options.refuse(arguments, "--memory-limit", because="with --instruction --by policy")
    else:
        options.refuse(arguments, *_OF_NETWORK, because="with --instruction by search")


def _check_method(arguments: argparse.Namespace) -> None:
    """Refuses what the method of ``--by`` does not read."""
    by, method = arguments.by, _method(arguments)
    if method in ("beam", "rollout"):
        because = f"with --by {by}"
        options.refuse(arguments, "--minimise", "--cluster", *_OF_SEARCH, because=because)
    if method == "rollout":
        options.refuse(arguments, "--beam", because="with --by rollout")
    if method == "push":
        refused = "--minimise", "--threads", "--beam"
        options.refuse(arguments, *refused, because="with a push policy")
    elif method == "search":
        because = "with --by search" if by else "without --by"
        options.refuse(arguments, "--beam", because=because)
        if arguments.attention is None:
            options.refuse(arguments, "--weights", "--device", because=because)


def _method_named(word: str) -> str:
    """A method of ``--by``; "astar" is the older word for "search", kept for scripts until 1.0."""
    return "search" if word == "astar" else word


def _method(arguments: argparse.Namespace) -> str:
    """The method of ``--by``, which for "policy" depends on the weights: "push" or "beam"."""
    if arguments.by != "policy":
        return arguments.by or "search"
    return "push" if policies.system_of(_weights(arguments)) == "push" else "beam"


def _weights(arguments: argparse.Namespace) -> str:
    usual = policies.PUSHES if arguments.by == "policy" else policies.MOVES
    return arguments.weights or usual


def _policy_to_watch(
    levels: Mapping[int, Level], arguments: argparse.Namespace
) -> "Policy | PushPolicy | None":
    """The policy whose attention is asked for; ``ValueError`` if not of one level that fits it."""
    if arguments.attention is None:
        return None
    level_options.check_one(levels)
    if arguments.instruction is not None:
        return None  # its attention is that of its sentence, and needs no solution
    from tokoban import systems

    weights = _weights(arguments)
    [level] = levels.values()
    if policies.system_of(weights) == "push":
        of_pushes = policies.load_push_policy(weights, arguments.device)
        if of_pushes.predict(level.board).box is not None:
            # What has none is refused before the work.
            systems.load("push").attention(of_pushes.model, level.board, "")
        return of_pushes
    of_moves = policies.load_move_policy(arguments, weights)
    try:
        of_moves.predict(level.board)
    except ValueError as error:
        other = "" if arguments.by or arguments.weights else "; see --weights sokoban-push"
        raise ValueError(f"{error}{other}") from None
    return of_moves


def _show_attention(
    policy: "Policy | PushPolicy",
    levels: Mapping[int, Level],
    answers: "Mapping[int, Answer]",
    destination: str,
    *,
    system: policies.System,
) -> bool:
    """Whether a level was solved, so that there is something to draw."""
    from tokoban import systems
    from tokoban.viewing.plots import write_attention

    [(number, level)] = levels.items()
    answer = answers.get(number)
    if answer is None or answer.solution is None:
        print("tokoban: the level is not solved, so there is no attention to show", file=sys.stderr)
        return False
    view = systems.load(system).attention(policy.model, level.board, answer.solution.lurd)
    title = f"What the policy looks at: {quoted(level.title) or f'level {number}'}"
    write_attention(Path(destination), view, title=title)
    return True


def _with_bar(
    levels: Mapping[int, Level],
    arguments: argparse.Namespace,
    workers: "Workers",
    screen: "Screen",
) -> "Iterator[tuple[int, Found]]":
    """The answers as they come, with a bar below what is printed on a terminal.

    Beside it stands the progress of one search that takes long: of the first that did.
    """
    from tokoban.cli.found import describe_search

    long: dict[int, str] = {}
    with screen.counting("solving", len(levels)) as update:

        def report(number: int, sought: "Objective", progress: "Progress") -> None:
            if progress.elapsed_s >= _PATIENCE_S or number in long:
                long[number] = describe_search(number, sought, progress)
                first, *_ = long.values()  # in one step, for other threads add to them
                update(description=first)

        for number, found in _answers(levels, arguments, workers, report):
            long.pop(number, None)
            update(advance=1, description="solving")
            yield number, found


def _answers(
    levels: Mapping[int, Level],
    arguments: argparse.Namespace,
    workers: "Workers",
    report: "Report",
) -> "Iterator[tuple[int, Found]]":
    """An answer to each level."""
    from tokoban.cli import searching

    boards = {number: level.board for number, level in levels.items()}
    if arguments.instruction is not None:
        yield from _by_instruction(boards, arguments)
        return
    method = _method(arguments)
    if method == "search":
        yield from searching.by_search(boards, arguments, workers, report)
        return
    if method == "push":
        yield from searching.by_push_policy(boards, arguments, workers, report)
        return
    by: Literal["beam", "rollout"] = "rollout" if method == "rollout" else "beam"
    yield from policies.play_moves(boards, arguments, _weights(arguments), by=by)


def _by_instruction(
    boards: Mapping[int, Board], arguments: argparse.Namespace
) -> "Iterator[tuple[int, Found]]":
    """Obedient solutions; says of which levels the sentence means nothing, and leaves them out."""
    import tokoban
    from tokoban.cli.found import Found
    from tokoban.sokoban.instructions import grammar, truth
    from tokoban.sokoban.search.limits import Limits

    text, limits = arguments.instruction, Limits(**options.limits_of(arguments))
    meaning = grammar.instruction(text).meaning
    policy = None
    if arguments.by == "policy":
        weights = arguments.weights or policies.READER
        policy = tokoban.load(weights, system="instructions")
    for number, board in boards.items():
        try:
            if policy is None:
                yield number, Found(truth.solve(board, meaning, limits))
                continue
            from tokoban.systems.instructions import obey

            answer, predicted = obey.answer(policy.model, board, text, limits)
            yield number, Found(answer, predicted)
            if arguments.attention is None:
                continue
            if predicted is not None:
                policies.write_reader_attention(policy, board, text, arguments.attention)
            else:
                message = "the network judged no position, so there is no attention to show"
                print(f"tokoban: level {number}: {message}", file=sys.stderr)
        except ValueError as error:
            print(f"tokoban: level {number}: {in_one_line(error)}", file=sys.stderr)
