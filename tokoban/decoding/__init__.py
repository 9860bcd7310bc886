"""The choices: sampling and beam search over anything that steps; no model and no game is known."""

from tokoban.decoding.beam import Beams, beam_search
from tokoban.decoding.draws import GREEDY, Sampling, draw
from tokoban.decoding.hypotheses import Hypotheses, search_hypotheses
from tokoban.decoding.sampling import Samples, gumbel_noise, restrict, sample
from tokoban.decoding.stepper import MergingStepper, RankingStepper, Stepper

__all__ = [
    "GREEDY",
    "Beams",
    "Hypotheses",
    "MergingStepper",
    "RankingStepper",
    "Samples",
    "Sampling",
    "Stepper",
    "beam_search",
    "draw",
    "gumbel_noise",
    "restrict",
    "sample",
    "search_hypotheses",
]
