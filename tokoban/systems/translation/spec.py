"""The translator as the registry knows it: its presets, and how each is trained."""

from dataclasses import replace

from tokoban.systems.translation import config
from tokoban.systems.translation.attention import attention
from tokoban.systems.translation.config import TranslationConfig
from tokoban.systems.translation.evaluate import TranslationEvaluation, evaluate
from tokoban.systems.translation.train import build_model, make_system
from tokoban.training.run_config import TINY_RUN, RunConfig
from tokoban.training.spec import Preset, SystemSpec

# Adam as the paper has it: the rate's peak is width^-0.5 * warmup_steps^-0.5.
_PAPER = RunConfig(
    steps=100_000,
    accumulate=6,  # of 4096 tokens: 25,000, as in the paper
    learning_rate=512**-0.5 * 4000**-0.5,
    schedule="noam",
    warmup_steps=4000,
    weight_decay=0.0,
    epsilon=1e-9,
    clip_norm=0.0,
    average_last=5,
    keep_every=1500,  # the paper: ten minutes
    evaluate_every=5000,
)
# Wu et al. 2021: 8192 tokens a step. They look at the loss after each epoch and stop ten after the
# best; this one at the BLEU after every ten epochs, and stops thirty after the best.
_MULTI30K = replace(
    _PAPER,
    steps=8000,
    accumulate=2,
    learning_rate=5e-3,
    warmup_steps=2000,
    epsilon=1e-8,
    clip_norm=25.0,
    average_last=10,
    keep_every=60,
    evaluate_every=600,
    monitor="bleu",
    patience=3,
)
# On one core, where small steps and a falling rate bring a translator furthest.
_EVERYDAY = RunConfig(
    steps=20_000,
    learning_rate=2e-3,
    schedule="trapezoid",
    warmup_steps=500,
    weight_decay=0.0,
    epsilon=1e-9,
    ema_decay=0.999,
)
_BIG = replace(_PAPER, steps=300_000, learning_rate=1024**-0.5 * 4000**-0.5, average_last=20)

SPEC = SystemSpec(
    name="translation",
    config_type=TranslationConfig,
    presets={
        "toy": Preset(config.toy, TINY_RUN),
        "numbers": Preset(
            config.numbers,
            RunConfig(steps=1500, learning_rate=3e-3, warmup_steps=100, weight_decay=0.0),
        ),
        "tiny": Preset(config.tiny, _MULTI30K),
        "everyday": Preset(config.everyday, _EVERYDAY),
        "base": Preset(config.base, _PAPER),
        "big": Preset(config.big, _BIG),
    },
    smallest="toy",
    data_fields=("train_source", "train_target", "validation_source", "validation_target"),
    build_model=build_model,
    make_system=make_system,
    evaluation_type=TranslationEvaluation,
    evaluate=evaluate,
    attention=attention,
)
