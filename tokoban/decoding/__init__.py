"""Sampling and beam search over any ``Stepper``; knows no model and no game."""

from tokoban.decoding.beam import Beams, beam_search
from tokoban.decoding.length_penalised import Hypotheses, length_penalised_beam_search
from tokoban.decoding.sampling import Samples, gumbel_noise, restrict, sample
from tokoban.decoding.seeded_sampling import GREEDY, Sampling, seeded_sample
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
    "gumbel_noise",
    "length_penalised_beam_search",
    "restrict",
    "sample",
    "seeded_sample",
]
