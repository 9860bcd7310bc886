"""The GPT as the registry knows it: its presets, and how each is trained."""

from dataclasses import replace

from tokoban.systems.gpt import config
from tokoban.systems.gpt.attention import attention
from tokoban.systems.gpt.config import GptConfig
from tokoban.systems.gpt.evaluate import GptEvaluation, evaluate
from tokoban.systems.gpt.train import build_model, make_system
from tokoban.training.run_config import RunConfig
from tokoban.training.spec import Preset, SystemSpec

# nanoGPT's train_shakespeare_char.py, with what its README changes for a CPU.
_NANOGPT = RunConfig(
    steps=2000,
    learning_rate=1e-3,
    final_share=0.1,
    warmup_steps=100,
    weight_decay=0.1,
    decays_embeddings=True,
    betas=(0.9, 0.99),
)
# With the tokens of a step a third, and so the steps three times as many, a few tokens teach more.
_OURS = replace(_NANOGPT, learning_rate=2e-3, final_share=0.0, decays_embeddings=False)
_TASK = RunConfig(steps=1000, learning_rate=3e-3, weight_decay=0.1, betas=(0.9, 0.99))

SPEC = SystemSpec(
    name="gpt",
    config_type=GptConfig,
    presets={
        "sort": Preset(config.sort, _TASK),
        "addition": Preset(config.addition, replace(_TASK, steps=6000)),
        "python_docs": Preset(config.python_docs, replace(_OURS, steps=3000)),
        "everyday": Preset(
            config.everyday, replace(_OURS, steps=7000, schedule="trapezoid", log_every=100)
        ),
        "shakespeare_small": Preset(config.shakespeare_small, _NANOGPT),
        "small": Preset(config.small, replace(_OURS, steps=6000)),
        "shakespeare": Preset(
            config.shakespeare,
            replace(_NANOGPT, steps=5000, evaluate_every=250, monitor="-validation_nats"),
        ),
    },
    smallest="sort",
    data_fields=("source", "text"),
    build_model=build_model,
    make_system=make_system,
    evaluation_type=GptEvaluation,
    evaluate=evaluate,
    shipped="gpt-everyday",
    attention=attention,
)
