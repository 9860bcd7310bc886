"""Levels a second of beam search by the policy: the post's method and ours.

Width 32, 30 moves, many levels at once, by the shipped one-box policy in float32. The post's
listing searches one level a call; the baseline here takes them all in one batch, which is faster
(one a call has a row of its own). ``ours as posted`` looks for the same thing: equal states are not
merged, nothing stops early. It must find solutions of the same scores, as must all that merge among
themselves, but for the few searches in which rounding orders two beams at the edge. Last comes a
search as ``tokoban solve`` makes it: merging, and over with its first solution.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import torch

from benchmarks import posted
from benchmarks.harness import Report, parser
from benchmarks.rollouts import load_policy
from tokoban.decoding import Beams, beam_search
from tokoban.inference.cuda_graph import CudaGraph
from tokoban.sokoban.puzzles.random_levels import sample_one_box
from tokoban.sokoban.simulation.bitboards import Bitboards
from tokoban.systems.sokoban_policy.model import SokobanPolicy
from tokoban.systems.sokoban_policy.stepper import PolicyStepper
from tokoban.training.metrics import clock_s

POSTED = "posted: whole sequence, boolean planes"
MERGING, STOPPING = "merging", "first solution"
SCORE_TOLERANCE_NATS = 1e-3

MAX_DIFFERING_SHARE = 0.02  # of searches: at the edge of a beam rounding may decide

Search = Callable[[Bitboards], posted.Beams]


def search_eagerly(
    model: SokobanPolicy,
    width: int,
    levels: Bitboards,
    *,
    compiled: bool = False,
    merges: bool = False,
    stops_early: bool = False,
) -> posted.Beams:
    """Ours, by the parts that ``tokoban solve`` uses: the best beam of each search."""
    stepper = PolicyStepper(model, levels, width=width, allow_undo=False, compiled=compiled)
    beams = beam_search(
        stepper,
        num_searches=len(levels.boxes),
        width=width,
        max_steps=stepper.model.max_moves,
        merge_equal=merges,
        stop_at_first=stops_early,
        stop_check_every=8 if stops_early else 0,
    )
    return _best(beams)


def captured(model: SokobanPolicy, width: int, num_levels: int, *, compiled: bool) -> Search:
    """Ours as one CUDA graph, which is made here; it merges equal states."""
    words = torch.zeros(4, num_levels, dtype=torch.int64, device=model.mask.device)
    places = Bitboards(*words.unbind(0))
    ours = partial(search_eagerly, model, width, places, compiled=compiled, merges=True)
    graph = CudaGraph(ours, words.device)

    def search(levels: Bitboards) -> posted.Beams:
        words.copy_(torch.stack(tuple(levels)))
        return posted.Beams(*(tensor.clone() for tensor in graph()))

    return search


def _best(beams: Beams) -> posted.Beams:
    return posted.Beams(beams.actions[:, 0], beams.scores_nats[:, 0], beams.is_finished[:, 0])


def one_a_call(model: SokobanPolicy, width: int, levels: Bitboards) -> posted.Beams:
    """The post's own search, a call for each level."""
    found = [
        posted.beam_search(model, levels.at(slice(level, level + 1)), width=width)
        for level in range(len(levels.boxes))
    ]
    return posted.Beams(*(torch.cat(parts) for parts in zip(*found, strict=True)))


def ways(
    model: SokobanPolicy, width: int, num_levels: int, *, is_quick: bool
) -> Iterator[tuple[str, Callable[[], Search]]]:
    """All ways of searching, each with what prepares it: the post's and ours."""
    is_on_gpu = model.mask.device.type == "cuda"
    ours = partial(search_eagerly, model, width)
    yield POSTED, lambda: partial(posted.beam_search, model, width=width)
    yield "ours as posted, eager", lambda: ours
    yield f"ours, {MERGING}, eager", lambda: partial(ours, merges=True)
    if is_on_gpu:
        graph = partial(captured, model, width, num_levels)
        yield f"ours, {MERGING}, captured", partial(graph, compiled=False)
        if not is_quick:
            yield f"ours, {MERGING}, compiled and captured", partial(graph, compiled=True)
    yield f"ours, {STOPPING}", lambda: partial(ours, merges=True, stops_early=True)


def compared(baseline: posted.Beams, found: posted.Beams) -> dict[str, Any]:
    """The number of searches that differ in solving or in score, and whether it is too high."""
    gap = (baseline.scores_nats - found.scores_nats).abs() > SCORE_TOLERANCE_NATS
    differs = (baseline.is_finished != found.is_finished) | (baseline.is_finished & gap)
    same = ~differs & baseline.is_finished
    is_other_plan = (baseline.actions != found.actions).any(1)
    num_differing, tolerated = int(differs.sum()), MAX_DIFFERING_SHARE * len(differs)
    return {
        "num_searches_differing": num_differing,
        "num_plans_differing": int((same & is_other_plan).sum()),
        "num_unexplained": num_differing if num_differing > tolerated else 0,
    }


def described(
    name: str, baselines: dict[bool, posted.Beams], found: posted.Beams
) -> dict[str, Any]:
    """What a way found, beside the first of ``baselines`` that merges as it does, or does not."""
    more = {"num_solved": int(found.is_finished.sum())}
    if STOPPING not in name:
        more |= compared(baselines.setdefault(MERGING in name, found), found)
    return more


def measure(
    report: Report, model: SokobanPolicy, num_levels: int, width: int, *, is_quick: bool
) -> None:
    """The rows of one number of levels, and where the time goes in ours."""
    device = report.device
    draw = torch.Generator().manual_seed(num_levels)
    levels = sample_one_box(num_levels, generator=draw).map(lambda word: word.to(device))
    # What a search must find: as the post's does, or, merging, as our plainest one.
    baselines: dict[bool, posted.Beams] = {}
    calls: dict[float, tuple[str, Callable[[], Any]]] = {}
    for name, prepare in ways(model, width, num_levels, is_quick=is_quick):
        before_s = clock_s(device)
        call = partial(prepare(), levels)
        prepared_s = clock_s(device) - before_s
        timing = report.time(
            name,
            call,
            batch=num_levels,
            count=num_levels,
            min_run_time_s=0.2 if is_quick else 1.0,
            describe=partial(described, name, baselines),
            width=width,
            prepared_s=prepared_s,
        )
        if STOPPING not in name:
            calls[timing.median_s] = name, call
    search_posted = partial(posted.beam_search, model, levels, width=width)
    for name, profiled in ((POSTED, search_posted), calls[min(calls)]):
        report.profile(f"{name}, {num_levels} levels", profiled)


def measure_one_a_call(report: Report, model: SokobanPolicy, width: int, *, is_quick: bool) -> None:
    """The row of the post's search as it is, for one level; found the same as in a batch."""
    device = report.device
    draw = torch.Generator().manual_seed(1)
    levels = sample_one_box(1 if is_quick else 4, generator=draw).map(lambda word: word.to(device))
    call = partial(one_a_call, model, width, levels)
    in_a_batch = posted.beam_search(model, levels, width=width)
    report.time(
        "posted, one level a call",
        call,
        batch=1,
        count=len(levels.boxes),
        min_run_time_s=0.0,
        describe=partial(compared, in_a_batch),
        width=width,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once all rows are measured and all solutions were the same."""
    options = parser(__doc__, num_threads=None)
    options.add_argument("--levels", type=int, nargs="+", metavar="N", help="at once")
    options.add_argument(
        "--beam", type=int, metavar="K", help="width of the beam search (default: 32)"
    )
    arguments = options.parse_args(argv)
    report = Report(arguments, unit="levels", posted=(POSTED,))
    is_quick = arguments.quick
    default = [128] if report.device.type == "cuda" else [8]
    model = load_policy(report.device)
    width = arguments.beam or (8 if is_quick else 32)
    for num_levels in arguments.levels or ([2] if is_quick else default):
        measure(report, model, num_levels, width, is_quick=is_quick)
    measure_one_a_call(report, model, width, is_quick=is_quick)
    report.finish()
    return report.exit_code()


if __name__ == "__main__":
    sys.exit(main())
