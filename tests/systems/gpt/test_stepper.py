"""Texts under way: a cache changes no token, whatever the lengths and however long they grow."""

import pytest
import torch

from tests.systems.gpt.models import random_gpt, random_prompts
from tokoban.decoding import GREEDY, Sampling
from tokoban.inference.cached import CachedEngine
from tokoban.inference.cpu import CpuEngine
from tokoban.inference.plain import PlainEngine
from tokoban.systems.gpt.config import Positions
from tokoban.systems.gpt.engine import engine_of, network_of
from tokoban.systems.gpt.generate import generate
from tokoban.systems.gpt.model import Gpt
from tokoban.systems.gpt.stepper import TextStepper, context_start, forbidden_tokens
from tokoban.text.bpe import train_bpe

BOTH = pytest.mark.parametrize("positions", ["rotary", "learned"])
DRAWN = Sampling(seed=11, temperature=1.3, top_k=7, top_p=0.97)
HOW = pytest.mark.parametrize("sampling", [GREEDY, DRAWN], ids=["greedy", "drawn"])


def test_the_older_half_is_forgotten_when_a_context_is_full() -> None:
    starts = [context_start(num_tokens, 7) for num_tokens in range(1, 17)]
    assert starts == [0] * 7 + [3] * 3 + [6] * 3 + [9] * 3
    for num_tokens in range(1, 100):
        for context_length in (2, 3, 7, 10):
            seen = num_tokens - context_start(num_tokens, context_length)
            assert min(num_tokens, context_length // 2 + 1) <= seen <= context_length


@pytest.mark.parametrize(
    ("context_length", "max_tokens"), [(11, 31), pytest.param(23, 2000, marks=pytest.mark.slow)]
)
@BOTH
@HOW
def test_an_engine_changes_no_token(
    positions: Positions, sampling: Sampling, context_length: int, max_tokens: int
) -> None:
    # A context of 11 tokens is full after 6; then it is read anew every 5 tokens.
    model, prompts = random_gpt(positions, context_length=context_length), random_prompts(5)
    network = network_of(model)
    plain = generate(
        model, prompts, max_tokens=max_tokens, sampling=sampling, engine=PlainEngine(network)
    )
    assert isinstance(engine_of(model), CpuEngine)
    for engine in (engine_of(model), CachedEngine(network)):
        found = generate(model, prompts, max_tokens=max_tokens, sampling=sampling, engine=engine)
        assert torch.equal(found.actions, plain.actions)
        assert torch.allclose(found.scores_nats, plain.scores_nats, rtol=1e-4)


@BOTH
@HOW
def test_a_padded_batch_is_its_rows_alone_without_a_cache(
    positions: Positions, sampling: Sampling
) -> None:
    # One row begins beyond the context of 11; they come to its end at different steps.
    model, prompts = random_gpt(positions, context_length=11), random_prompts(2, 9, 19)
    together = generate(model, prompts, max_tokens=17, sampling=sampling).actions
    for number, prompt in enumerate(prompts):
        alone = generate(
            model,
            [prompt],
            max_tokens=17,
            sampling=sampling,
            numbers=[number],
            engine=PlainEngine(network_of(model)),
        )
        assert torch.equal(together[number], alone.actions[0])


@pytest.mark.gpu
def test_a_gpu_writes_what_the_cpu_does() -> None:
    prompts, model = random_prompts(2, 19, 41), random_gpt(dtype=torch.float64)
    on_cpu = generate(model, prompts, max_tokens=29, sampling=DRAWN).actions
    on_gpu = generate(model.to("cuda"), prompts, max_tokens=29, sampling=DRAWN).actions
    assert torch.equal(on_gpu.cpu(), on_cpu)


def stepper_of(model: Gpt, prompts: list[list[int]], *, max_steps: int = 1) -> TextStepper:
    return TextStepper(
        engine_of(model),
        prompts,
        is_forbidden=forbidden_tokens(model),
        max_steps=max_steps,
    )


def test_a_row_becomes_its_parent_with_one_more_token() -> None:
    model, prompts = random_gpt(context_length=7, dtype=torch.float64), random_prompts(3, 9, 5)
    stepper = stepper_of(model, prompts, max_steps=13)
    parents, tokens = torch.tensor([1, 1, 0]), torch.tensor([4, 5, 6])
    for _ in range(13):  # over the end of the context
        assert not stepper.advance(parents, tokens).any()
        pairs = zip(parents.tolist(), tokens.tolist(), strict=True)
        prompts = [[*prompts[parent], token] for parent, token in pairs]
        anew = stepper_of(model, prompts)
        assert torch.allclose(stepper.log_probs(), anew.log_probs())
        parents, tokens = parents.roll(1), (tokens + 1) % 12


def test_a_token_that_stands_for_no_text_is_never_chosen() -> None:
    model = random_gpt()
    log_probs = stepper_of(model, [[3]]).log_probs()[0]
    assert torch.equal(log_probs == -torch.inf, torch.arange(13) == 12)
    model.tokenizer = train_bpe(["a"], vocabulary_size=260)
    log_probs = stepper_of(model, [[7]]).log_probs()[0]
    assert torch.equal(log_probs == -torch.inf, torch.arange(13) < 4)
