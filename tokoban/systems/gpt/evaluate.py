import math
import torch
from torch import nn
from torch.nn import functional
from itertools import islice
from tokoban.systems.gpt.dataset import IGNORED, all_windows, random_windows


def evaluate(model, corpus, config):
    device = model.embedding.weight.device
    text = corpus.validation.to(device)
    total, count = 0.0, 0
    with torch.inference_mode():
        for batch in all_windows(text, model.context_length, batch_size=64):
            logits = model(batch.tokens)
            total += functional.cross_entropy(logits.flatten(0, 1).float(), batch.targets.flatten(), reduction="sum").item()
            count += batch.targets.numel()
        losses = []
        for batch in islice(random_windows(text, model.context_length, batch_size=config.batch_size, seed=1), 200):
            logits = model(batch.tokens)
            losses.append(functional.cross_entropy(logits.flatten(0, 1).float(), batch.targets.flatten()).item())
    return {"validation_nats": total / count, "estimate_nats": sum(losses)/len(losses), "predictions": count}
