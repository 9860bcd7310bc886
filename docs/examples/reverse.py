import torch
from torch import nn
from torch.nn import functional

from tokoban.training.run_config import RunConfig
from tokoban.training.simple import simple_spec
from tokoban.transformer import Encoder, LearnedPositions, masks

VOCABULARY = "0123456789="


def encode(text):
    return torch.tensor([[VOCABULARY.index(character) for character in text]])


class TinyGpt(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(len(VOCABULARY), width)
        self.positions = LearnedPositions(10, width)
        self.body = Encoder(1, width, 1)  # one block, one head
        self.head = nn.Linear(width, len(VOCABULARY))

    def forward(self, tokens):
        length = tokens.shape[1]
        x = self.embedding(tokens) + self.positions(length)
        x = self.body(x, may_attend=masks.causal(length, device=tokens.device))
        return self.head(x)


def sample_batch(generator):
    digits = torch.randint(10, (64, 5), generator=generator)
    equals = torch.full((64, 1), VOCABULARY.index("="))
    return (torch.cat([digits, equals, digits.flip(1)], dim=1),)


def loss(model, batch):
    (tokens,) = batch
    logits, targets = model(tokens[:, :-1]), tokens[:, 1:]
    return functional.cross_entropy(logits[:, 5:].flatten(0, 1), targets[:, 5:].flatten())


@torch.no_grad()
def write(model, text, num_tokens=5):
    for _ in range(num_tokens):
        logits = model(encode(text))[0, -1]
        text += VOCABULARY[logits.argmax()]
    return text


SPEC = simple_spec(
    "reverse",
    build_model=TinyGpt,
    sample_batch=sample_batch,
    loss=loss,
    run=RunConfig(steps=200, learning_rate=0.01),
)
