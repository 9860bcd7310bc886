"""The network: squares, words and the answer in one sequence.

After Gato (Reed et al. 2022, arXiv:2205.06175) and RT-2 (Brohan et al. 2023, arXiv:2307.15818):
pushes and words are answers of one softmax. Squares and words of the prompt attend to each other
and to no answer; each word of an answer attends to them and to those before it.

Axes: B examples, T tokens of squares (padded), S words of the prompt (padded), A words of the
answer, N = T + S + A, V vocabulary, D width.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn import functional

from tokoban.sokoban.encoding.encoded import frequencies, read_features
from tokoban.sokoban.encoding.features import HAS_BOX, IS_GOAL, NUM_FEATURES
from tokoban.sokoban.render import tiles_rgb
from tokoban.sokoban.sizes import SIDE
from tokoban.systems.instructions.config import InstructionsConfig
from tokoban.systems.instructions.prompts import HAS_PLAYER_NOW, NUM_HISTORY, NUM_MARKS, Prompt
from tokoban.systems.instructions.words import BEGIN, END, PADDING, Words
from tokoban.text.saved import TextModel
from tokoban.transformer import masks
from tokoban.transformer.blocks import FeedForward, Residual
from tokoban.transformer.neighbourhood import (
    NeighbourhoodBlock,
    NeighbourhoodLinear,
    grid_sinusoids,
    with_places,
)
from tokoban.transformer.positions import sinusoidal

_MOST_WORDS = 10  # of an answer
_NEVER = -1e9  # the logit of what is not legal
_SQUARE_PX = 8  # of the picture


class Output(NamedTuple):
    """Log-probabilities: first a push or a word, then words; and what leads to the answer."""

    push: Float[Tensor, "B T 4"]
    first: Float[Tensor, "B V"]
    rest: Float[Tensor, "B more V"]
    outlook: Float[Tensor, "B T 4 3"]  # logits of what becomes of a push
    marks: Float[Tensor, "B T 8"]  # logits of the names that mean a square


class InstructionNet(TextModel[Words]):
    """Its blocks are the push policy's, with a net for words in each."""

    is_read: Tensor  # which features
    tiles: Tensor | None  # [7, pixels], the tile of each kind of square, from -1 to 1
    waves: Tensor  # of the sinusoids

    def __init__(self, config: InstructionsConfig, words: Words | None = None) -> None:
        super().__init__(words, read_tokenizer=Words.from_json)
        width = config.width
        self.register_buffer("is_read", torch.from_numpy(read_features("bounds")), persistent=False)
        self.register_buffer("waves", torch.from_numpy(frequencies(width)), persistent=False)
        tiles = torch.from_numpy(tiles_rgb(_SQUARE_PX)).flatten(1) / 127.5 - 1
        self.register_buffer("tiles", tiles if config.reads_pixels else None, persistent=False)
        num_seen = tiles.shape[1] if config.reads_pixels else NUM_FEATURES
        self.stem = NeighbourhoodLinear(num_seen, width)
        self.position_scale = nn.Parameter(torch.tensor(0.1))
        self.history = nn.Linear(NUM_HISTORY, width, bias=False)
        self.places = nn.Linear(2 * (width + 2), width, bias=False)
        self.embedding = nn.Embedding(config.vocabulary_size, width)
        self.blocks = nn.ModuleList(
            NeighbourhoodBlock(width, config.hidden_width, num_heads=config.num_heads)
            for _ in range(config.num_blocks)
        )
        self.word_nets = nn.ModuleList(
            FeedForward(width, 2 * width, bias=False) for _ in range(config.num_blocks)
        )
        self.word_residuals = nn.ModuleList(
            Residual(width, pre_norm=True, bias=False) for _ in range(config.num_blocks)
        )
        self.last_norm = nn.LayerNorm(width, bias=False)
        self.marks_norm = nn.LayerNorm(width, bias=False)
        self.marks = nn.Linear(width, NUM_MARKS)
        self.outlook = nn.Linear(width, 12)
        self.push = nn.Linear(width, 4)
        self.word = nn.Linear(width, config.vocabulary_size)

    def forward(self, prompt: Prompt, answers: Int64[Tensor, "B A"]) -> Output:
        """What follows the prompt, and each word of the answer but the last."""
        said = torch.cat([answers.new_full((len(answers), 1), BEGIN), answers[:, :-1]], 1)
        texts = torch.cat([self._embed(prompt.words), self._embed(said)], 1)
        squares, middle = self._squares(prompt), None
        num_squares, num_words = squares.shape[1], prompt.words.shape[1]
        may_attend = _may_attend(prompt, said.shape[1])
        neighbours = prompt.boards.rows_of_neighbours()
        nets = zip(self.blocks, self.word_residuals, self.word_nets, strict=True)
        for layer, (block, residual, net) in enumerate(nets):
            assert isinstance(block, NeighbourhoodBlock)
            squares = block.read_neighbours(squares, neighbours)
            x = block.attend(torch.cat([squares, residual(texts, net)], 1), may_attend)
            squares, texts = x[:, :num_squares], x[:, num_squares:]
            if layer == (len(self.blocks) - 1) // 2:
                middle = squares
        assert middle is not None
        squares, texts = self.last_norm(squares), self.last_norm(texts[:, num_words:])
        push = self.push(squares).float().masked_fill(~prompt.is_legal, _NEVER)
        words = self.word(texts).float()
        joint = torch.cat([words[:, 0], push.flatten(1)], 1).log_softmax(1)
        return Output(
            joint[:, words.shape[2] :].view_as(push),
            joint[:, : words.shape[2]],
            words[:, 1:].log_softmax(2),
            self.outlook(squares).float().unflatten(2, (4, -1)),
            self.marks(self.marks_norm(middle)).float(),
        )

    def answers(self, prompt: Prompt) -> list[list[int]]:
        """The likeliest words, each row's as of itself alone."""
        said = prompt.words[:, :0]
        while said.shape[1] < _MOST_WORDS and not bool((said == END).any(1).all()):
            output = self(prompt, functional.pad(said, (0, 1)))
            nats = output.rest if said.shape[1] else output.first[:, None]
            said = torch.cat([said, nats[:, -1:].argmax(2)], 1)
        texts = said.tolist()
        return [text[: text.index(END)] if END in text else text for text in texts]

    def seen(self, prompt: Prompt) -> Float[Tensor, "B T _"]:
        """The input of each square: its features, or the pixels of its tile."""
        features = prompt.boards.features.to(self.stem.weight.dtype)
        if self.tiles is None:
            return features * self.is_read.to(features)
        has_player = prompt.history[:, :, HAS_PLAYER_NOW].to(features)
        kind = 1 + features[:, :, IS_GOAL] + 2 * features[:, :, HAS_BOX] + 4 * has_player
        return self.tiles[kind.long()].to(features)

    def _squares(self, prompt: Prompt) -> Float[Tensor, "B T D"]:
        """The vectors of the squares before the first block."""
        boards, seen = prompt.boards, self.seen(prompt)
        near = self.stem(seen.flatten(0, 1), boards.rows_of_neighbours())
        near = near.unflatten(0, seen.shape[:2])
        placed = with_places(near, boards.coordinates, self.waves, self.position_scale)
        # Sines tell equal places; which of several lies further left, plain numbers tell better.
        # Only boxes have an origin: names are of boxes.
        has_box = boards.features[:, :, HAS_BOX, None].to(seen)
        places = [
            part * shown
            for place, shown in ((boards.coordinates, 1.0), (prompt.origins, has_box))
            for part in (grid_sinusoids(place, self.waves), place.float() / (SIDE // 4) - 2)
        ]
        past = self.history(prompt.history.float()) + self.places(torch.cat(places, 2))
        return placed + past

    def _embed(self, words: Int64[Tensor, "B _"]) -> Float[Tensor, "B _ D"]:
        embedded = self.embedding(words)
        return embedded + sinusoidal(*embedded.shape[1:], device=words.device)


def _may_attend(prompt: Prompt, num_said: int) -> Bool[Tensor, "B 1 N N"]:
    """The prompt sees itself; a word of the answer sees the prompt and the words before it."""
    is_read = torch.cat([prompt.boards.is_square, prompt.words != PADDING], 1)
    rows, num_read = is_read.shape
    every = torch.cat([is_read, is_read.new_ones(rows, num_said)], 1)[:, None, None]
    order = masks.causal(num_read + num_said, device=is_read.device)
    order[:num_read, :num_read] = True
    return every & order
