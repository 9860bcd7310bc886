"""The vision transformer as the registry knows it: its presets, and how each is trained."""

from dataclasses import replace

from tokoban.systems.vit import config
from tokoban.systems.vit.attention import attention
from tokoban.systems.vit.config import VitConfig
from tokoban.systems.vit.evaluate import VitEvaluation, evaluate
from tokoban.systems.vit.train import build_model, make_system
from tokoban.training.run_config import TINY_RUN, RunConfig
from tokoban.training.spec import Preset, SystemSpec

_RUN = RunConfig(
    steps=1500,
    learning_rate=2e-3,
    weight_decay=0.05,
    betas=(0.9, 0.99),
)

SPEC = SystemSpec(
    name="vit",
    config_type=VitConfig,
    presets={
        "boards": Preset(config.boards, _RUN),
        "fashion-mnist": Preset(
            config.fashion_mnist,
            replace(_RUN, steps=11_500, evaluate_every=2150),  # 27 epochs, every fifth
        ),
        "folder": Preset(config.folder, _RUN),
        "tiny": Preset(config.tiny, TINY_RUN),
    },
    smallest="tiny",
    data_fields=("data",),
    build_model=build_model,
    make_system=make_system,
    evaluation_type=VitEvaluation,
    evaluate=evaluate,
    shipped="vit-boards",
    attention=attention,
)
