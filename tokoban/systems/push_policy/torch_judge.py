"""A network in torch as a ``Judge``: by torch on a GPU, in compiled loops on the CPU.

Axes: P positions, T tokens, A attentions, N heads, F floor squares.
"""

import numpy as np
import torch
from jaxtyping import Float32
from torch import nn

from tokoban.sokoban.encoding.boards import Boards
from tokoban.sokoban.encoding.encoded import Encoded, seen
from tokoban.sokoban.encoding.features import CAN_PUSH, DIRECTIONS
from tokoban.systems.push_policy.compiled import CompiledNet, Judged, State
from tokoban.systems.push_policy.guide import Judge
from tokoban.systems.push_policy.model import PushNet
from tokoban.systems.push_policy.results import Result
from tokoban.transformer import record_attention

_LEAST_FOR_BF16 = 1000  # pushes of all squares of a batch


def judge_of(model: object) -> Judge:
    """As ``guide.as_judge``, of a model in torch."""
    if not isinstance(model, PushNet):
        raise ValueError("the model is of another system; expected a push policy")
    if model.push.weight.device.type == "cpu":
        return CompiledNet(_state_of(model), model.config)
    return TorchJudge(model.eval())


def _state_of(model: nn.Module) -> State:
    return {name: tensor.cpu().numpy() for name, tensor in model.state_dict().items()}


class TorchJudge:
    """A model, where it is; any that answers as a ``PushNet`` does."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._device = next(model.parameters()).device

    @property
    def state(self) -> State:
        """As ``Judge`` says."""
        return _state_of(self._model)

    def judge(self, boards: Encoded, view: int) -> Judged:
        """As ``Judge`` says."""
        directions = DIRECTIONS[view].tolist()
        tensors = Boards.of(seen(boards, view)).to(self._device)
        is_legal = tensors.features[:, :, CAN_PUSH : CAN_PUSH + 4] != 0
        # Converting a few numbers costs more than half precision saves.
        uses_bf16 = self._device.type == "cuda" and is_legal.numel() > _LEAST_FOR_BF16
        with (
            torch.inference_mode(),
            torch.autocast(self._device.type, torch.bfloat16, enabled=uses_bf16),
        ):
            output = self._model(tensors)
            policy = output.log_policy(is_legal).exp().masked_fill(~is_legal, 0.0)
            parts = (
                policy[:, :, directions],
                output.result.softmax(-1)[:, :, directions, Result.DEADLOCK],
                output.value.softmax(-1),
            )
        return Judged(*(part.cpu().numpy() for part in parts))

    def attention(self, boards: Encoded) -> Float32[np.ndarray, "A N F F"]:
        """As ``Judge`` says."""
        with record_attention(self._model) as record, torch.inference_mode():
            self._model(Boards.of(boards).to(self._device))
        return record.stacked()[:, 0].float().cpu().numpy()
