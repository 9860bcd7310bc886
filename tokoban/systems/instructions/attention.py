"""The attention of the network that reads sentences, between words and squares.

Axes: L layers, N heads, W words, F floor squares, C cells of the board, S all of the sequence.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from tokoban.sokoban.board import Board
from tokoban.sokoban.instructions import grammar
from tokoban.sokoban.instructions.machine import Cells
from tokoban.sokoban.instructions.naming import named_boxes
from tokoban.sokoban.instructions.play import Play
from tokoban.sokoban.render import render_rgb
from tokoban.systems.instructions.model import InstructionNet
from tokoban.systems.instructions.obey import for_network
from tokoban.systems.instructions.prompts import Encoder, prompt_of
from tokoban.text.saved import tokenizer_of
from tokoban.transformer import record_attention
from tokoban.viewing.attention_page import AttentionPanel, AttentionView, TokenGrid, TokenRow

_GUIDE = (
    "Squares and words are one sequence. Look for heads in which a word attends to the box that it "
    "names, or in which squares attend to the word that says what to do. A row sums to less than 1 "
    "here: the rest of the query's weight is on tokens of the other panels."
)


def attention(model: InstructionNet, board: Board, text: str) -> AttentionView:
    """The weights from words to squares, from squares to words, and among the words.

    Of the first position, for an instruction or a question. ``ValueError`` where the sentence or
    its names mean nothing on the board, or the floor is too large.
    """
    cells = Cells.of(board, named_boxes(board, grammar.parse(text).meaning))
    encoder, words = Encoder(cells.board), tokenizer_of(model)
    tokens = words.encode(for_network(model, board, text))
    prompt = prompt_of(encoder.encode([Play.of(cells.board)]), [tokens])
    with record_attention(model) as record, torch.inference_mode():
        model(prompt, prompt.words[:, :0])
    weights: Float[Tensor, "L N S S"] = record.stacked()[:, 0]
    places = encoder.squares.squares
    on_board = torch.tensor([row * board.width + column for row, column in places])
    picture = torch.from_numpy(render_rgb(board)).permute(2, 0, 1) / 255
    grid = TokenGrid(board.height, board.width, picture=picture)
    row = TokenRow([words.words[token] for token in tokens])
    squares, said = slice(0, len(places)), slice(len(places), len(places) + len(tokens))
    to_squares = torch.zeros(*weights.shape[:2], len(tokens), len(grid))
    to_squares[..., on_board] = weights[:, :, said, squares]
    to_words = torch.zeros(*weights.shape[:2], len(grid), len(tokens))
    to_words[:, :, on_board] = weights[:, :, squares, said]
    panels = [
        AttentionPanel("words to squares", to_squares, row, grid),
        AttentionPanel("squares to words", to_words, grid, row),
        AttentionPanel("words to words", weights[:, :, said, said], row, row),
    ]
    return AttentionView(panels, _GUIDE)
