"""The system's record: what the command and the pretrained weights know of it."""

from dataclasses import replace

from tokoban.systems.subgoals import config
from tokoban.systems.subgoals.config import SubgoalsConfig
from tokoban.systems.subgoals.evaluate import FLAT, LOWER, SubgoalsEvaluation, evaluate
from tokoban.systems.subgoals.model import SubgoalNet
from tokoban.systems.subgoals.train import grow, make_system
from tokoban.training.run_config import TINY_RUN, RunConfig
from tokoban.training.spec import Preset, SystemSpec

_RUN = RunConfig(minutes=60.0, learning_rate=2e-3, muon=6.0, schedule="trapezoid", ema_decay=0.998)

SPEC = SystemSpec(
    name="subgoals",
    config_type=SubgoalsConfig,
    presets={
        "article": Preset(config.article, _RUN),
        "tiny": Preset(config.tiny, replace(TINY_RUN, muon=6.0)),
    },
    data_fields=("level_files",),
    smallest="tiny",
    default="article",
    build_model=SubgoalNet,
    make_system=make_system,
    grows_from="push",
    grow=grow,
    evaluation_type=SubgoalsEvaluation,
    evaluate=evaluate,
    shipped="sokoban-subgoals",
    plays_beside=(LOWER, FLAT),
)
