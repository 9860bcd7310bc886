"""``tokoban label``: labels of positions of levels, for training, as a folder."""

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from tokoban.cli import options
from tokoban.cli.cluster import workers_of
from tokoban.cli.exit_codes import ExitCode
from tokoban.cli.output import check_folder
from tokoban.cli.parser import whole
from tokoban.files.locks import alone_in
from tokoban.sokoban.wording import counted

if TYPE_CHECKING:
    from tokoban.sokoban.labels.folder import LabelFolder
    from tokoban.sokoban.labels.job import Job
    from tokoban.sokoban.work import Workers

SUMMARY = "label positions of levels with proved figures, for training"
UNDECIDED = "some levels were given up, or have no labels because they crashed workers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the levels, the positions to sample, what to keep apart, and where the labels go."""
    parser.add_argument(
        "levels",
        nargs="+",
        metavar="LEVELS",
        help="level files of any format, or folders of them. Positions of levels whose "
        "inside fits 8 x 8 squares are labelled exactly; of larger levels, up to 1,024 squares, "
        "positions along a short solution and one push off it, as far as searches prove them. "
        "Solutions in the files are used",
    )
    options.add(
        parser,
        "--output",
        required=True,
        metavar="DIR",
        help="write the labels into this folder, which is new or has an unfinished run",
    )
    parser.add_argument(
        "--evaluation",
        action="append",
        default=[],
        metavar="LEVELS",
        help="levels reserved for evaluation, like LEVELS; a level with the same walls and goals "
        "as one of them, also rotated, reflected or translated, is dropped and listed; may be "
        "repeated",
    )
    options.add(
        parser,
        "--levels",
        "the first N of at most 8x8 squares and the first N larger ones are labelled",
        usual="all",
        dest="max_levels",
    )
    options.add(parser, "--seed")
    parser.add_argument(
        "--states",
        type=whole(1),
        default=64,
        metavar="N",
        help="number of positions sampled from play of each level; their neighbours are labelled "
        "too. For larger levels at most N, and deadlocked ones besides (default: 64)",
    )
    parser.add_argument(
        "--played-by",
        metavar="NAME_OR_PATH",
        help="instead of sampled positions, label those that greedy play by these weights of the "
        "push policy reaches, so that it learns from its errors: all positions of levels that it "
        "does not solve, some of the others. Larger levels are not affected",
    )
    parser.add_argument(
        "--levels-per-shard",
        type=whole(1),
        default=1000,
        metavar="N",
        help="number of levels in a file; at most 32 larger ones (default: 1000)",
    )
    parser.add_argument(
        "--max-sets",
        type=whole(1),
        default=1_000_000,
        metavar="N",
        help="give a level up if it can be solved from more than N sets of boxes; 1,000,000 sets "
        "take up to 0.3 GB in each thread (default: 1000000)",
    )
    options.add(parser, "--threads", default=None, usual="one for each processor")
    options.add(parser, "--cluster")
    parser.epilog = (
        "The same arguments give the same bytes, with any threads or workers. The same command "
        "resumes an interrupted run, even if the folders were moved. A second run into the same "
        "folder at the same time is refused."
    )


def run(arguments: argparse.Namespace) -> int:
    """Labels what is missing in the folder, and writes the manifest."""
    from tokoban.sokoban.labels.job import LabelConfig, read_job

    check_folder(arguments.output, "--output")
    if "" in (*arguments.levels, *arguments.evaluation):
        raise ValueError("the name of a file of levels is empty; expected a path")
    config = LabelConfig(
        seed=arguments.seed,
        num_states=arguments.states,
        levels_per_shard=arguments.levels_per_shard,
        max_sets=arguments.max_sets,
        max_levels=arguments.max_levels,
    )
    play = None
    if arguments.played_by is not None:
        import tokoban
        from tokoban.api.own_play import play_of

        weights = tokoban.load(arguments.played_by, system="push")
        config, play = play_of(weights, config, is_elsewhere=arguments.cluster is not None)
    job = read_job(arguments.levels, config, evaluation=arguments.evaluation, play=play)
    for problem in job.problems:
        print(problem, file=sys.stderr)
    arguments.threads = arguments.threads or os.cpu_count()
    with alone_in(arguments.output), workers_of(arguments) as workers:
        status = _complete(arguments.output, job, workers)
    if status == ExitCode.INTERRUPTED or not job.problems:
        return status
    return ExitCode.INVALID_INPUT


def _complete(output: str, job: "Job", workers: "Workers") -> ExitCode:
    """Labels what is missing and says so."""
    from tokoban import compiling
    from tokoban.cli.screen import Screen
    from tokoban.sokoban.labels import driver
    from tokoban.sokoban.labels.folder import LabelFolder

    folder = LabelFolder(output, job)
    try:
        workers.prepare(driver.prepare)
        started_s = compiling.clock()
        screen = Screen(stderr=True)
        with screen.counting("labelling", folder.num_missing_levels) as update:
            folder.complete(workers, report=lambda done: update(completed=done))
    except KeyboardInterrupt:
        message = "the files that are whole are kept, and the same command goes on"
        print(f"tokoban: interrupted; {message}", file=sys.stderr)
        return ExitCode.INTERRUPTED
    elapsed_s = compiling.clock() - started_s
    manifest = folder.conclude()
    if manifest is None:
        print(f"some files are still missing in {output}; the same command goes on")
        return ExitCode.UNDECIDED
    print(_summarise(manifest, folder, elapsed_s))
    given_up = manifest["levels"]["given_up"] or manifest["large"]["levels"]["given_up"]
    return ExitCode.UNDECIDED if given_up else ExitCode.DONE


def _summarise(manifest: dict[str, Any], folder: "LabelFolder", elapsed_s: float) -> str:
    """The contents of the folder, the levels left out, and the time that it took."""
    levels, states, large = manifest["levels"], manifest["states"], manifest["large"]
    num_bytes = sum(shard["bytes"] for shard in manifest["shards"])
    lines = [
        f"{counted(levels['labelled'], 'level')}, {counted(states, 'state')}, "
        f"{100 * manifest['solvable_states'] / max(states, 1):.1f} % of them solvable, "
        f"{num_bytes / 1e6:,.1f} MB in {counted(len(manifest['shards']), 'file')}"
    ]
    if folder.job.large:
        num_large = counted(large["levels"]["labelled"], "larger level")
        lines.append(f"{num_large}, {counted(large['positions'], 'position')}")
    if folder.num_missing_levels:
        rate = folder.num_missing_levels / elapsed_s
        message = counted(folder.num_missing_levels, "level")
        lines.append(f"{message} in {elapsed_s:.1f} s: {rate:,.0f}/s")
    else:
        lines.append("all was there already")
    left_out = dict(manifest["dropped"])
    if num_given_up := len(levels["given_up"]) + len(large["levels"]["given_up"]):
        left_out["given up"] = num_given_up
    if left_out:
        message = "; ".join(f"{count:,} {reason}" for reason, count in left_out.items())
        lines.append(f"without labels: {message} (dropped.jsonl and manifest.json name them)")
    return "\n".join(lines)
