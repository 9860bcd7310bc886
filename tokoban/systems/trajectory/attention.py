"""The attention of a model in an episode, a row per transition such as (return, state, action).

Axes: T tokens.
"""

import torch

from tokoban.systems.trajectory.dataset import WindowDataset
from tokoban.systems.trajectory.layout import Layout
from tokoban.systems.trajectory.model import TrajectoryTransformer
from tokoban.systems.trajectory.trajectories import Trajectories
from tokoban.training.system import to_device
from tokoban.transformer import record_attention
from tokoban.viewing.attention_page import AttentionPanel, AttentionView, TokenRow

_GUIDE = (
    "Each token attends to those before it; look for heads that read the same column of the "
    "transition before, or the return or goal that was asked for. Each number is shown as the "
    "model reads it: as the centre of its bin."
)


@torch.no_grad()
def attention(
    model: TrajectoryTransformer, episode: Trajectories, *, window: int, discount: float
) -> AttentionView:
    """The attention in an episode's first transitions, as many as fit the window.

    Returns-to-go are the actual ones; the goal is the last state.
    """
    layout, bins = model.layout, model.bins
    dataset = WindowDataset(
        episode.at(torch.tensor([0])),
        layout,
        bins,
        window=min(window, int(episode.lengths[0])),
        discount=discount,
        batch_windows=1,
        seed=0,
    )
    last = torch.tensor([1 - 1e-9], dtype=torch.double)  # of what is left of the episode
    windows = to_device(dataset.at(torch.tensor([0]), goal_shares=last), model.heads.device)
    tokens = windows.tokens[:, :, list(layout.slots)]
    with record_attention(model) as record:
        model(windows.prefix, tokens)
    weights = record.stacked()[:, 0].float().cpu()
    columns = [*layout.prefix, *layout.slots * tokens.shape[1]]
    flat = torch.cat([windows.prefix[0], tokens[0].flatten()])
    values = bins.centres[torch.tensor(columns, device=flat.device), flat].tolist()
    labels = [
        f"{column_name(layout, column)} {value:.3g}"
        for column, value in zip(columns, values, strict=True)
    ]
    # What stands before all transitions would push them out of their rows.
    row = TokenRow(labels, row_length=None if layout.prefix else len(layout.slots))
    panel = AttentionPanel(episode.env, weights, row, row)
    num_shown, num_steps = tokens.shape[1], int(episode.lengths[0])
    guide = _GUIDE
    if num_shown < num_steps:
        guide += f" These are the first {num_shown:,} of {num_steps:,} transitions."
    return AttentionView([panel], guide)


def column_name(layout: Layout, column: int) -> str:
    """The label of a column's tokens, numbered where there are several of its kind."""
    kinds = {"state": layout.states, "action": layout.actions, "fixed": layout.contexts}
    for kind, columns in kinds.items():
        if column in columns:
            return kind if len(columns) == 1 else f"{kind}[{columns.index(column)}]"
    return {layout.reward: "reward", layout.to_go: "return", layout.end: "end"}[column]
