"""The jobs of the labs: translation, text, Life, pictures of boards, the memory game.

Each loads the weights that come with tokoban when first called, and returns attention as panels of
the attention viewer.
"""

import copy
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import tokoban
from tokoban import systems
from tokoban.sokoban.formats.faults import Fault
from tokoban.web import wire
from tokoban.web.job import Context

if TYPE_CHECKING:
    import torch
    from torch import nn

    from tokoban.inference.engine import Engine
    from tokoban.systems.gpt.model import Gpt
    from tokoban.systems.life.model import LifeNet
    from tokoban.systems.life.rules import Rule
    from tokoban.systems.memory_ppo.model import Player
    from tokoban.systems.translation.confidence import Confidence
    from tokoban.systems.translation.model import Translator
    from tokoban.systems.translation.reranking import Reranker
    from tokoban.systems.translation.texts import Translation
    from tokoban.systems.vit.model import VisionTransformer

_LANGUAGES = ("de", "en")
_MOST_TEXT = 2000  # characters of all lines, which take some ten seconds of one core
_BLOCK_LINES = 8  # translated together, and shown before the next ones
_MOST_SENTENCE_TOKENS = 100  # attention grows with their square
_NUM_TRANSLATIONS = 4  # as many as the beam is wide

_GPT = "gpt-everyday"
_MOST_PROMPT = 4000  # characters
_NUM_NEXT = 12  # next tokens that are shown
_MOST_SEEN = 96  # tokens whose attention is shown; the page shows all heads at once
_MOST_NEW_TOKENS = 200

_MOST_LIFE_STEPS = 200
_MOST_NOISE = 1.0  # of the weights' own standard deviation
_LIFE_SEED = 0  # of the noise: the same network for the same noise

_SQUARE_PX = 4  # of the pictures that vit-boards reads
_SOLVE_S = 2.0  # for the proof beside the network's guess
_SUITS = "♣♦♥♠"
_MEMORY_GAME = "repeat-previous:4"
_MOST_SEED = 2**29 - 1


def translate(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """The best translations of ``text`` from ``source``, and the attention in a sentence of one.

    Each line of the text is translated by itself. ``prefix`` is what every translation begins with;
    ``shown`` is the number, from 0, of the translation whose attention is returned, and
    ``sentence`` that of the sentence in it. Reports the best translation so far as it grows.
    """
    from tokoban.systems.translation.confidence import DOUBTFUL_BELOW
    from tokoban.systems.translation.texts import num_tokens, translate_texts

    source = wire.choice_of(arguments, "source", _LANGUAGES, usual="de")
    lines = wire.text_of(arguments, "text", most=_MOST_TEXT).strip().splitlines()
    prefix = wire.text_of(arguments, "prefix", usual="", most=_MOST_TEXT).strip()
    shown = wire.whole_of(arguments, "shown", usual=0, least=0, most=_NUM_TRANSLATIONS - 1)
    sentence = wire.whole_of(arguments, "sentence", usual=0, least=0, most=_MOST_TEXT)
    model, engine, reranker, confidence, length_penalty = _translator(source)
    # A line with a given beginning is not divided into sentences.
    starts = range(1, len(lines), _BLOCK_LINES)
    parts = [(lines[:1], prefix), *((lines[start:][:_BLOCK_LINES], "") for start in starts)]
    sizes = [
        size for texts, begun in parts for size in num_tokens(model, texts, is_divided=not begun)
    ]
    if not any(sizes):  # also for numbers or emoji alone
        raise ValueError(Fault("text: expected a sentence with words", "no-words"))
    if max(*sizes, *num_tokens(model, [prefix])) > _MOST_SENTENCE_TOKENS:
        raise ValueError(
            Fault(
                f"text: expected sentences of at most {_MOST_SENTENCE_TOKENS} tokens",
                "long-sentence",
                most=_MOST_SENTENCE_TOKENS,
            )
        )
    by_line: list[list[Translation]] = []
    for texts, begun in parts:
        if context.stop.is_set():
            return
        if by_line:
            context.report({"text": "\n".join(best.text for best, *_ in by_line)})
        by_line += translate_texts(
            model,
            texts,
            engine=engine,
            beam=_NUM_TRANSLATIONS,
            nbest=_NUM_TRANSLATIONS,
            length_penalty=length_penalty,
            forced_prefix=begun,
            reranker=reranker,
        )
    # The best of every line, the second best of every line, and so on; a line may have fewer.
    found = [
        [some[min(rank, len(some) - 1)] for some in by_line]
        for rank in range(max(map(len, by_line)))
    ]
    # A forced beginning is not the translator's own choice.
    share = (
        min(confidence.of(line) for line in found[0] if line.source_tokens)
        if confidence and not prefix
        else None
    )
    sentences = [
        one
        for line in found[min(shown, len(found) - 1)]
        for one in line.sentences or (line,)
        if one.source_tokens
    ]
    looked_at = sentences[min(sentence, len(sentences) - 1)]
    yield {
        "event": "done",
        "translations": [
            {"text": "\n".join(line.text for line in one), "score": sum(line.score for line in one)}
            for one in found
        ],
        "confidence": share,
        "is_doubtful": share is not None and share < DOUBTFUL_BELOW,
        "sentences": [one.source for one in sentences],
        "panels": _panels("translation", model, looked_at.source_tokens, looked_at.tokens),
    }


def next_tokens(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """The most probable tokens after ``text``, and the attention of its last tokens."""
    import torch

    from tokoban.systems.gpt.stepper import context_start, forbidden_tokens
    from tokoban.systems.gpt.texts import (
        begins_with_space,
        encode_prompts,
        ends_with_space,
        tokenizer_of,
        tokens_where,
    )

    model: Gpt = _loaded(_GPT, "gpt").model
    tokenizer = tokenizer_of(model)
    text = wire.text_of(arguments, "text", most=_MOST_PROMPT)
    (tokens,) = encode_prompts(model, [text])
    seen = tokens[context_start(len(tokens), min(_MOST_SEEN, model.context_length)) :]
    with torch.inference_mode():
        logits = model(torch.tensor([seen]))[0, -1].float()
    is_forbidden, space = forbidden_tokens(model), " " * ends_with_space(model, text)
    if space:
        is_forbidden |= ~tokens_where(model, begins_with_space)
    found = logits.masked_fill(is_forbidden, -torch.inf).softmax(-1).topk(_NUM_NEXT)
    yield {
        "event": "done",
        "next": [
            {"text": tokenizer.decode([token]).removeprefix(space), "probability": round(share, 6)}
            for token, share in zip(found.indices.tolist(), found.values.tolist(), strict=True)
        ],
        "num_tokens": len(tokens),
        "num_seen": len(seen),
        "panels": _panels("gpt", model, seen),
    }


def continue_text(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """``num_tokens`` more tokens after ``text``; reports the text so far as it grows."""
    from tokoban.decoding import Sampling
    from tokoban.systems.gpt.texts import generate_texts

    text = wire.text_of(arguments, "text", most=_MOST_PROMPT)
    number = wire.whole_of(arguments, "num_tokens", usual=40, least=1, most=_MOST_NEW_TOKENS)
    temperature = wire.number_of(arguments, "temperature", usual=0.3, least=0.0, most=2.0)
    seed = wire.whole_of(arguments, "seed", usual=0, least=0, most=_MOST_SEED)
    so_far = ""

    def report(_: int, piece: str) -> None:
        nonlocal so_far
        so_far += piece
        context.report({"text": so_far})

    ((found,),) = generate_texts(
        _loaded(_GPT, "gpt").model,
        [text],
        max_tokens=number,
        sampling=Sampling(seed=seed, temperature=temperature),
        on_text=report,
    )
    yield {"event": "done", "text": found.text}


def life(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """``steps`` generations after ``rows`` (``O`` lives, ``.`` is dead), an answer for each.

    The network plays its own game; ``wrong`` are the cells of a generation that break the rules,
    given the one before, so that each error is counted once.
    ``noise`` is added to the weights, as a share of their standard deviation.
    """
    from tokoban.systems.life.rules import step as true_step
    from tokoban.systems.life.simulate import play

    model, rule = _noisy_life(arguments)
    steps = wire.whole_of(arguments, "steps", usual=1, least=1, most=_MOST_LIFE_STEPS)
    before = _grid_of(arguments, side=model.side)[None]
    for generation in islice(play(model, before, rule), steps):
        wrong = (generation.grids != true_step(before, rule))[0].nonzero().tolist()
        before = generation.grids
        rows = ["".join("O" if cell else "." for cell in row) for row in before[0].tolist()]
        yield {"event": "answer", "rows": rows, "wrong": wrong}
    yield {"event": "done"}


def life_attention(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """The attention of each cell of ``rows``; ``rows`` and ``noise`` as for ``life``."""
    model, _ = _noisy_life(arguments)
    grid = _grid_of(arguments, side=model.side)
    yield {"event": "done", "panels": _panels("life", model, [grid])}


def classify(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """Whether a board is solved, open or lost: by the network from its picture, and by proof."""
    import torch

    from tokoban.sokoban.render import render_rgb
    from tokoban.systems.vit.rollout import attribute

    model: VisionTransformer = _loaded("vit-boards", "vit").model
    board = wire.board_of(arguments)
    height, width = model.grid_size
    if (board.height, board.width) != (height, width):
        raise ValueError(
            f"board: {board.height}x{board.width} squares; the network reads {height}x{width}"
        )
    picture = torch.from_numpy(render_rgb(board, square_px=_SQUARE_PX)).permute(2, 0, 1)[None]
    found = attribute(model, picture)
    (shares,) = found.logits.softmax(1).tolist()
    yield {
        "event": "answer",
        "classes": [
            {"name": name, "probability": round(share, 6)}
            for name, share in zip(model.class_names, shares, strict=True)
        ],
        "panels": _panels("vit", model, picture, found.weights, names=["board"]),
    }
    status = "solved"
    if not board.is_solved:
        answer = tokoban.solve(board, time_limit_s=_SOLVE_S, stop=context.stop)
        status = {"solved": "open", "unsolvable": "lost"}.get(answer.status, "unknown")
    yield {"event": "done", "proved": status}


def remember(arguments: dict[str, Any], context: Context) -> Iterator[dict[str, Any]]:
    """One episode of the memory game, its cards drawn by ``seed``, and the player's attention.

    Each step has the card ``seen``, the player's ``answer`` and the card ``asked`` for: suits from
    0 to 3, and null in the first steps, where nothing is asked.
    """
    import torch

    from tokoban.systems.memory_ppo.environments import make_env
    from tokoban.systems.memory_ppo.evaluate import play_episodes
    from tokoban.systems.memory_ppo.play import attention_of, strongest_look
    from tokoban.systems.memory_ppo.repeat_previous import RepeatPrevious
    from tokoban.viewing.attention_page import AttentionPanel, TokenRow

    seed = wire.whole_of(arguments, "seed", usual=0, least=0, most=_MOST_SEED)
    player: Player = _loaded("memory-cards", "ppo").model
    game = make_env(_MEMORY_GAME, 1, seed=seed, device=torch.device("cpu"))
    rules = RepeatPrevious(int(_MEMORY_GAME.partition(":")[2]))
    played = play_episodes(player, game, most_steps=rules.episode_steps)
    seen = played.first.inputs.observations[0, :, 0].tolist()
    answers = played.first.actions[0, :, 0].tolist()
    asked = [None] * (rules.lag - 1) + seen
    weights = attention_of(player, played.first)
    steps = TokenRow(
        [f"{_SUITS[card]}→{_SUITS[said]}" for card, said in zip(seen, answers, strict=True)]
    )
    yield {
        "event": "done",
        "steps": [
            {"seen": card, "answer": said, "asked": wanted}
            for card, said, wanted in zip(seen, answers, asked, strict=False)
        ],
        "look": strongest_look(weights)._asdict(),
        "panels": [AttentionPanel(_MEMORY_GAME, weights, steps, steps).to_dict()],
    }


def _panels(system: str, model: "nn.Module", *read: Any, **names: Any) -> list[dict[str, Any]]:
    """The panels of the system's attention, as the viewer reads them."""
    return [
        panel.to_dict() for panel in systems.load(system).attention(model, *read, **names).panels
    ]


def _grid_of(arguments: Mapping[str, Any], *, side: int) -> "torch.Tensor":
    import torch

    rows = arguments.get("rows")
    is_grid = (
        isinstance(rows, list)
        and len(rows) == side
        and all(isinstance(row, str) and len(row) == side for row in rows)
        and set("".join(rows)) <= {"O", "."}
    )
    if not is_grid:
        raise ValueError(f"rows: expected {side} rows of {side} cells, each O or a dot")
    assert isinstance(rows, list)
    return torch.tensor([[cell == "O" for cell in row] for row in rows])


@cache
def _loaded(name: str, system: str) -> Any:
    """The weights of that name, which come with tokoban: a ``tokoban.Pretrained``."""
    return tokoban.load(name, system=system)


@cache
def _translator(
    source: str,
) -> "tuple[Translator, Engine, Reranker | None, Confidence | None, float]":
    """The model from ``source``, its engine, reranker, confidence and length penalty."""
    import torch

    from tokoban.pretrained.confidence import confidence_of
    from tokoban.pretrained.reranking import reranker_of
    from tokoban.systems.translation.engine import prepare_for_inference

    (target,) = set(_LANGUAGES) - {source}
    name = f"translation-{source}-{target}"
    loaded = _loaded(name, "translation")
    engine = prepare_for_inference(loaded.model, torch.device("cpu"))
    penalty = loaded.config.length_penalty
    return loaded.model, engine, reranker_of(name), confidence_of(name), penalty


def _noisy_life(arguments: Mapping[str, Any]) -> "tuple[LifeNet, Rule]":
    import torch

    from tokoban.systems.life.rules import parse_rule

    noise = wire.number_of(arguments, "noise", usual=0.0, least=0.0, most=_MOST_NOISE)
    loaded = _loaded("life-16", "life")
    model: LifeNet = loaded.model
    if noise:
        model = copy.deepcopy(model)
        generator = torch.Generator().manual_seed(_LIFE_SEED)
        with torch.no_grad():
            for weights in model.parameters():
                drawn = torch.randn(weights.shape, generator=generator)
                weights.add_(noise * weights.std() * drawn)
    return model, parse_rule(loaded.config.rule)
