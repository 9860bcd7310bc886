"""The player by PPO as the registry knows it: its presets, and how each is trained."""

from dataclasses import replace

from tokoban.systems.memory_ppo import config
from tokoban.systems.memory_ppo.config import PpoConfig
from tokoban.systems.memory_ppo.evaluate import PpoEvaluation, evaluate
from tokoban.systems.memory_ppo.play import attention
from tokoban.systems.memory_ppo.train import build_model, check_untrusted, make_system
from tokoban.training.run_config import RunConfig
from tokoban.training.spec import Preset, SystemSpec

_RUN = RunConfig(
    steps=3200,  # 100 iterations
    learning_rate=1e-3,
    schedule="linear",
    warmup_steps=0,
    weight_decay=0.0,
    betas=(0.9, 0.999),
    epsilon=1e-5,
    clip_norm=0.5,
    precision="fp32",  # else acting and learning would not agree
    log_every=32,
    evaluate_every=320,
    monitor="mean_return",
)

SPEC = SystemSpec(
    name="ppo",
    config_type=PpoConfig,
    presets={
        "memory": Preset(config.memory, _RUN),
        "maze": Preset(config.maze, replace(_RUN, steps=32 * 40)),
        "cartpole": Preset(config.cartpole, replace(_RUN, steps=16 * 150, evaluate_every=160)),
        "pendulum": Preset(config.pendulum, replace(_RUN, steps=40 * 60, evaluate_every=400)),
        "tiny": Preset(config.tiny, replace(_RUN, steps=16, log_every=4, evaluate_every=8)),
    },
    smallest="tiny",
    default="memory",
    build_model=build_model,
    make_system=make_system,
    evaluation_type=PpoEvaluation,
    evaluate=evaluate,
    shipped="memory-cards",
    attention=attention,
    check_untrusted=check_untrusted,
)
