"""The policy as the registry knows it: its presets, and how each is trained."""

from tokoban.systems.sokoban_policy import config
from tokoban.systems.sokoban_policy.attention import attention
from tokoban.systems.sokoban_policy.config import SokobanPolicyConfig
from tokoban.systems.sokoban_policy.evaluate import SokobanEvaluation, evaluate
from tokoban.systems.sokoban_policy.policy import play
from tokoban.systems.sokoban_policy.train import build_model, make_system
from tokoban.training.run_config import TINY_RUN, RunConfig
from tokoban.training.spec import Preset, SystemSpec

_RUN = RunConfig(steps=200_000, learning_rate=3e-3, warmup_steps=500)
# The post trains with Adam as Flux has it: a constant rate, no decay, no clipping.
_FLUX_ADAM = RunConfig(
    steps=30_000,
    learning_rate=1e-3,
    schedule="constant",
    warmup_steps=0,
    weight_decay=0.0,
    betas=(0.9, 0.999),
    clip_norm=0.0,
)

SPEC = SystemSpec(
    name="sokoban",
    config_type=SokobanPolicyConfig,
    presets={
        "blog": Preset(config.blog, _RUN),
        "post": Preset(config.post, _FLUX_ADAM),
        "post_memoryless": Preset(config.post_memoryless, _FLUX_ADAM),
        "tiny": Preset(config.tiny, TINY_RUN),
    },
    smallest="tiny",
    build_model=build_model,
    make_system=make_system,
    evaluation_type=SokobanEvaluation,
    evaluate=evaluate,
    shipped="sokoban-8x8",
    attention=attention,
    play=play,
)
