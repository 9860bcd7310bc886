"""The push policy as the registry knows it: its presets, and how each is trained."""

from dataclasses import replace

from tokoban.systems.push_policy import config
from tokoban.systems.push_policy.attention import attention
from tokoban.systems.push_policy.config import PushPolicyConfig
from tokoban.systems.push_policy.evaluate import PushEvaluation, evaluate
from tokoban.systems.push_policy.lockstep import play
from tokoban.systems.push_policy.model import PushNet
from tokoban.systems.push_policy.train import make_system
from tokoban.training.run_config import TINY_RUN, RunConfig
from tokoban.training.spec import Preset, SystemSpec

# Chosen by short trainings (decision 0042): Muon was ahead of AdamW after four minutes of one core.
_RUN = RunConfig(
    minutes=75.0,
    accumulate=4,
    learning_rate=2e-3,
    muon=6.0,
    schedule="trapezoid",
    ema_decay=0.998,
)

SPEC = SystemSpec(
    name="push",
    config_type=PushPolicyConfig,
    presets={
        "base": Preset(config.base, _RUN),
        "tiny": Preset(config.tiny, replace(TINY_RUN, muon=6.0)),
    },
    smallest="tiny",
    default="base",
    data_fields=("labels",),
    build_model=PushNet,
    make_system=make_system,
    evaluation_type=PushEvaluation,
    evaluate=evaluate,
    shipped="sokoban-push",
    attention=attention,
    play=play,
)
