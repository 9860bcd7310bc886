"""The network: squares, words and the answer in one sequence, on top of the push policy's blocks.

After Gato (Reed et al. 2022, arXiv:2205.06175) and RT-2 (Brohan et al. 2023, arXiv:2307.15818):
pushes and words are answers of one softmax. Squares and words of the prompt attend to each other
and to no answer; each word of an answer attends to them and to those before it.

Axes: B examples, T tokens of squares (padded), S words of the prompt (padded), A words of the
answer, N = T + S + A, V vocabulary, D width.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int32, Int64
from torch import Tensor, nn

from tokoban.sokoban.encoding.encoded import frequencies, read_features
from tokoban.sokoban.encoding.features import HAS_BOX, NUM_FEATURES
from tokoban.sokoban.sizes import SIDE
from tokoban.systems.instructions.config import InstructionsConfig
from tokoban.systems.instructions.prompts import NUM_HISTORY, NUM_MARKS, Prompt
from tokoban.systems.instructions.words import BEGIN, END, PADDING, Words
from tokoban.text.saved import TextModel
from tokoban.transformer import masks
from tokoban.transformer.blocks import FeedForward, Residual
from tokoban.transformer.kv_cache import KVCache
from tokoban.transformer.neighbourhood import (
    NeighbourhoodBlock,
    NeighbourhoodLinear,
    grid_sinusoids,
)
from tokoban.transformer.positions import sinusoidal

_MOST_WORDS = 10  # of an answer
_NEVER = -1e9  # the logit of what is not legal


class Output(NamedTuple):
    """Log-probabilities: first a push or a word, then words; and what leads to the answer."""

    push: Float[Tensor, "B T 4"]
    first: Float[Tensor, "B V"]
    rest: Float[Tensor, "B more V"]
    outlook: Float[Tensor, "B T 4 3"]  # logits of what becomes of a push
    marks: Float[Tensor, "B T 8"]  # logits of the names that mean a square


class InstructionNet(TextModel[Words]):
    """The names of what it shares with the push policy are those of that."""

    is_read: Tensor  # which features
    waves: Tensor  # of the sinusoids

    def __init__(self, config: InstructionsConfig, words: Words | None = None) -> None:
        super().__init__(words, read_tokenizer=Words.from_json)
        width, self.num_heads = config.width, config.num_heads
        self.register_buffer("is_read", torch.from_numpy(read_features("bounds")), persistent=False)
        self.register_buffer("waves", torch.from_numpy(frequencies(width)), persistent=False)
        self.stem = NeighbourhoodLinear(NUM_FEATURES, width)
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
        rows, num_squares = prompt.boards.features.shape[:2]
        begin = answers.new_full((rows, 1), BEGIN)
        said = torch.cat([begin, answers[:, :-1]], 1)
        texts = torch.cat([self._embed(prompt.words), self._embed(said)], 1)
        may_read = _may_read(prompt)
        num_read, num_said = may_read.shape[1], said.shape[1]
        every = torch.cat([may_read, may_read.new_ones(rows, num_said)], 1)[:, None, None]
        order = masks.causal(num_read + num_said, device=said.device)
        order[:num_read, :num_read] = True
        squares, texts, middle = self._blocks(
            self._squares(prompt), texts, every & order, prompt.boards.rows_of_neighbours()
        )
        return self._output(squares, texts[:, num_read - num_squares :], middle, prompt.is_legal)

    def answers(self, prompt: Prompt) -> tuple[Output, list[list[int]]]:
        """What follows the prompt at once, and the likeliest words, each row's as of itself alone.

        Keys and values of the prompt are cached.
        """
        boards = prompt.boards
        may_read = _may_read(prompt)
        rows, num_read = may_read.shape
        width, heads = self.embedding.embedding_dim, self.num_heads
        cache = KVCache(
            len(self.blocks),
            rows,
            heads,
            num_read + _MOST_WORDS,
            width // heads,
            device=may_read.device,
        )
        squares, _, middle = self._blocks(
            self._squares(prompt),
            self._embed(prompt.words),
            may_read[:, None, None],
            boards.rows_of_neighbours(),
            cache,
        )
        none = squares.new_zeros(rows, 0, width)
        said = torch.full((rows, 1), BEGIN, device=may_read.device)
        found: list[Tensor] = []
        output = None
        while len(found) < _MOST_WORDS:
            may_read = torch.cat([may_read, may_read.new_ones(rows, 1)], 1)
            words = self._embed(said, offset=len(found))
            _, words, _ = self._blocks(none, words, may_read[:, None, None], None, cache)
            if output is None:
                output = self._output(squares, words, middle, prompt.is_legal)
            said = self.word(words).argmax(2)
            found.append(said)
            if bool((torch.cat(found, 1) == END).any(1).all()):
                break
        assert output is not None
        texts = torch.cat(found, 1).tolist()
        return output, [text[: text.index(END)] if END in text else text for text in texts]

    def _squares(self, prompt: Prompt) -> Float[Tensor, "B T D"]:
        """The vectors of the squares before the first block."""
        boards = prompt.boards
        features = boards.features.to(self.stem.weight.dtype)
        near = self.stem(
            (features * self.is_read.to(features)).flatten(0, 1), boards.rows_of_neighbours()
        ).unflatten(0, features.shape[:2])
        placed = grid_sinusoids(boards.coordinates, self.waves).to(near.dtype)
        # Sines tell equal places; which of several lies further left, plain numbers tell better.
        # Only boxes have an origin: names are of boxes.
        has_box = features[:, :, HAS_BOX, None]
        places = [
            part * shown
            for place, shown in ((boards.coordinates, 1.0), (prompt.origins, has_box))
            for part in (grid_sinusoids(place, self.waves), place.float() / (SIDE // 4) - 2)
        ]
        past = self.history(prompt.history.float()) + self.places(torch.cat(places, 2))
        return near + self.position_scale.to(near.dtype) * placed + past

    def _embed(self, words: Int64[Tensor, "B _"], *, offset: int = 0) -> Float[Tensor, "B _ D"]:
        embedded = self.embedding(words)
        length, width = embedded.shape[1:]
        return embedded + sinusoidal(length, width, offset=offset, device=words.device)

    def _blocks(
        self,
        squares: Float[Tensor, "B T D"],
        texts: Float[Tensor, "B X D"],
        may_attend: Bool[Tensor, "B 1 #N #total"],
        neighbours: Int32[Tensor, "R 9"] | None,
        cache: KVCache | None = None,
    ) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B X D"], Float[Tensor, "B T D"]]:
        """Squares and words after all blocks, and squares after half of them."""
        count, middle = squares.shape[1], squares
        nets = zip(self.blocks, self.word_residuals, self.word_nets, strict=True)
        for layer, (block, residual, net) in enumerate(nets):
            assert isinstance(block, NeighbourhoodBlock)
            if neighbours is not None:
                squares = block.read_neighbours(squares, neighbours)
            x = torch.cat([squares, residual(texts, net)], 1)
            x = block.attend(x, may_attend, cache=cache, layer=layer)
            squares, texts = x[:, :count], x[:, count:]
            if layer == (len(self.blocks) - 1) // 2:
                middle = squares
        return self.last_norm(squares), self.last_norm(texts), middle

    def _output(
        self,
        squares: Float[Tensor, "B T D"],
        texts: Float[Tensor, "B A D"],
        middle: Float[Tensor, "B T D"],
        is_legal: Bool[Tensor, "B T 4"],
    ) -> Output:
        push = self.push(squares).float().masked_fill(~is_legal, _NEVER)
        words = self.word(texts).float()
        joint = torch.cat([words[:, 0], push.flatten(1)], 1).log_softmax(1)
        num_words = words.shape[2]
        return Output(
            joint[:, num_words:].view_as(push),
            joint[:, :num_words],
            words[:, 1:].log_softmax(2),
            self.outlook(squares).float().unflatten(2, (4, -1)),
            self.marks(self.marks_norm(middle)).float(),
        )


def _may_read(prompt: Prompt) -> Bool[Tensor, "B read"]:
    return torch.cat([prompt.boards.is_square, prompt.words != PADDING], 1)
