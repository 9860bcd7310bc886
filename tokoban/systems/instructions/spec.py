"""The system's record: what the command and the pretrained weights know of it."""

from dataclasses import replace

from tokoban.systems.instructions import config
from tokoban.systems.instructions.attention import attention
from tokoban.systems.instructions.config import InstructionsConfig
from tokoban.systems.instructions.evaluate import InstructionsEvaluation, evaluate
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.train import grow, make_system
from tokoban.training.run_config import TINY_RUN, RunConfig
from tokoban.training.spec import Preset, SystemSpec

_RUN = RunConfig(
    minutes=470.0,
    learning_rate=2e-3,
    muon=3.0,
    schedule="trapezoid",
    ema_decay=0.998,
    precision="fp32",  # in bf16 the loss was NaN within 900 steps of a GPU
)

SPEC = SystemSpec(
    name="instructions",
    config_type=InstructionsConfig,
    presets={
        "base": Preset(config.base, _RUN),
        "picture": Preset(config.picture, _RUN),
        "tiny": Preset(config.tiny, replace(TINY_RUN, muon=3.0)),
    },
    smallest="tiny",
    default="base",
    build_model=InstructionNet,
    make_system=make_system,
    grows_from="instructions",
    grow=grow,
    evaluation_type=InstructionsEvaluation,
    evaluate=evaluate,
    attention=attention,
    shipped="sokoban-instructions",
)
