"""The player of Life as the registry knows it: its presets, and how each is trained."""

from dataclasses import replace

from tokoban.systems.life import config
from tokoban.systems.life.attention import attention
from tokoban.systems.life.config import LifeConfig
from tokoban.systems.life.evaluate import LifeEvaluation, evaluate
from tokoban.systems.life.train import build_model, make_system
from tokoban.training.run_config import TINY_RUN, RunConfig
from tokoban.training.spec import Preset, SystemSpec

# Attention finds the neighbours after 1000 to 2000 steps, if the rate has not fallen by then. A run
# ends when its network is proved, long before its last step.
_RUN = RunConfig(
    steps=6000,
    weight_decay=0.0,
    betas=(0.9, 0.99),
    evaluate_every=100,
    monitor="proved_share",
    target=1.0,
)

SPEC = SystemSpec(
    name="life",
    config_type=LifeConfig,
    presets={
        "life16": Preset(config.life16, _RUN),
        "seed": Preset(config.seed, replace(_RUN, steps=20_000)),  # eight times as many positions
        "density_half": Preset(  # the usual way
            config.density_half, replace(_RUN, steps=3000, monitor="", target=None)
        ),
        "tiny": Preset(config.tiny, TINY_RUN),
    },
    smallest="tiny",
    build_model=build_model,
    make_system=make_system,
    evaluation_type=LifeEvaluation,
    evaluate=evaluate,
    shipped="life-16",
    attention=attention,
)
