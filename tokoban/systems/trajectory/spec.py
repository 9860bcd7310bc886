"""The model of trajectories as the registry knows it: its presets, and how each is trained."""

from dataclasses import replace

from tokoban.systems.trajectory import config
from tokoban.systems.trajectory.attention import attention
from tokoban.systems.trajectory.config import TrajectoryConfig
from tokoban.systems.trajectory.evaluate import TrajectoryEvaluation, evaluate
from tokoban.systems.trajectory.train import build_model, make_system
from tokoban.training.run_config import TINY_RUN, RunConfig
from tokoban.training.spec import Preset, SystemSpec

_RUN = RunConfig(steps=1000, learning_rate=4e-3, weight_decay=0.01, betas=(0.9, 0.95))

SPEC = SystemSpec(
    name="trajectory",
    config_type=TrajectoryConfig,
    presets={
        "graph": Preset(config.graph, replace(_RUN, steps=800)),
        "plan": Preset(config.plan, _RUN),
        "conditioned": Preset(config.conditioned, _RUN),
        "goal": Preset(config.goal, _RUN),
        "sokoban": Preset(config.sokoban, replace(_RUN, steps=1500, learning_rate=2e-3)),
        "tiny": Preset(config.tiny, TINY_RUN),
    },
    smallest="tiny",
    default="plan",
    build_model=build_model,
    make_system=make_system,
    evaluation_type=TrajectoryEvaluation,
    evaluate=evaluate,
    attention=attention,
)
