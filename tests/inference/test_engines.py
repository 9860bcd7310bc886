"""Every engine says what the plain modules say, whatever is read together and however rows move."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

import pytest
import torch
from torch.nn import functional

from tests.inference import networks
from tests.inference.networks import START, TOKENS, VECTORS, D, T, V
from tokoban.inference import compiled
from tokoban.inference import cpu as cpu_module
from tokoban.inference.cached import CachedEngine
from tokoban.inference.compiled import CompiledEngine, can_compile
from tokoban.inference.cpu import CpuEngine, fastest_engine
from tokoban.inference.engine import Engine, Network, Rows
from tokoban.inference.packed import can_pack, packed_network
from tokoban.inference.plain import PlainEngine
from tokoban.transformer import Decoder, Encoder, EncoderBlock, masks

MakeEngine = Callable[[Network], Engine]


def packed(network: Network) -> Engine:
    return CachedEngine(packed_network(network))


ENGINES: dict[str, MakeEngine] = {
    "plain": PlainEngine,
    "cached": CachedEngine,
    "compiled": CompiledEngine,
    "cpu": CpuEngine,
}
if can_pack():
    ENGINES["packed"] = packed
EVERY_ENGINE = pytest.mark.parametrize("make_engine", ENGINES.values(), ids=ENGINES)
EVERY_TOKEN_NETWORK = pytest.mark.parametrize("make_network", TOKENS.values(), ids=TOKENS)
EVERY_VECTOR_NETWORK = pytest.mark.parametrize("make_network", VECTORS.values(), ids=VECTORS)
PROMPTS = [[5], [7, 11, 6, 88, 0, 13, 9], [8, 8, 5]]
# All stay; change places within their prompt; the prompt in the middle is dropped; change again.
MOVES = [None, [1, 1, 3, 2, 4, 4], [0, 1, 5, 4], [1, 0, 2, 2]]

close = partial(torch.testing.assert_close, rtol=0, atol=3e-5)


_network_of = cache(lambda make_network: make_network())


@cache  # since all engines are compared with the same
def whole_pass(
    make_network: Callable[[], Network], prompt: tuple[int, ...], said: tuple[int, ...]
) -> torch.Tensor:
    """The output after one whole sequence, by the modules and the mathematics of their ends."""
    network = _network_of(make_network)

    def vectors(tokens: Sequence[int]) -> torch.Tensor:
        assert network.embedding is not None
        found = network.embedding[torch.tensor([tokens])] * network.embedding_scale
        return found if network.positions is None else found + network.positions[: len(tokens)]

    if isinstance(network.stack, Decoder):
        assert network.encoder is not None
        target = [START, *said]
        hidden = network.stack(
            vectors(target), network.encoder(vectors(prompt)), may_attend=masks.causal(len(target))
        )
    else:
        text = [*prompt, *said]
        hidden = network.stack(vectors(text), may_attend=masks.causal(len(text)))
    assert network.projection is not None
    return network.projection(hidden[0, -1])


@EVERY_TOKEN_NETWORK
@EVERY_ENGINE
def test_rows_say_what_a_whole_pass_says_wherever_they_move(
    make_engine: MakeEngine, make_network: Callable[[], Network]
) -> None:
    engine = make_engine(make_network())
    assert isinstance(engine, Engine)
    rows = engine.read(PROMPTS, width=2, max_length=13)
    assert isinstance(rows, Rows)
    histories: list[tuple[tuple[int, ...], tuple[int, ...]]]
    histories = [(prompt, ()) for prompt in map(tuple, PROMPTS) for _ in range(2)]
    for step, moves in enumerate(MOVES):
        expected = torch.stack([whole_pass(make_network, *history) for history in histories])
        close(rows.output, expected)
        parents = range(len(histories)) if moves is None else moves
        newest = [5 * step + 4 + row for row in range(len(parents))]
        histories = [
            (histories[parent][0], (*histories[parent][1], token))
            for parent, token in zip(parents, newest, strict=True)
        ]
        rows.advance(torch.tensor(newest), None if moves is None else torch.tensor(moves))
    expected = torch.stack([whole_pass(make_network, *history) for history in histories])
    close(rows.output, expected)


@EVERY_TOKEN_NETWORK
@EVERY_ENGINE
def test_the_best_token_and_all_log_probabilities_are_those_of_the_output(
    make_engine: MakeEngine, make_network: Callable[[], Network]
) -> None:
    rows = make_engine(make_network()).read(PROMPTS, width=2)
    expected = rows.output.log_softmax(1)
    wanted = torch.tensor([-1, 3, -1, -1, 0, V - 1])
    is_allowed = torch.ones(V, dtype=torch.bool)
    is_allowed[expected[0].argmax()] = False
    chosen, log_probs = rows.best(wanted, is_allowed)
    best = torch.where(is_allowed, expected, -torch.inf).argmax(1)
    assert torch.equal(chosen, torch.where(wanted < 0, best, wanted))
    close(log_probs, expected.gather(1, chosen[:, None])[:, 0])
    close(rows.log_probs(), expected)


@EVERY_VECTOR_NETWORK
@pytest.mark.parametrize(
    "make_engine",
    [CachedEngine, partial(CachedEngine, fixed_shapes=True), CompiledEngine],
    ids=["cached", "fixed shapes", "compiled"],
)
def test_rows_of_vectors_say_what_whole_passes_say(
    make_engine: MakeEngine, make_network: Callable[[], Network]
) -> None:
    network, draw = make_network(), torch.Generator().manual_seed(2)
    prompts = torch.randn(3, 2, D, generator=draw)
    histories = prompts.repeat_interleave(2, dim=0)
    rows = make_engine(network).read(prompts, width=2, max_length=7)
    output = rows.output
    for moves in (None, [1, 0, 2, 2, 5, 4], None, [0, 0, 3, 2, 4, 5]):
        length = histories.shape[1]
        assert network.positions is not None and network.may_attend is not None
        whole = network.stack(
            histories + network.positions[:length], may_attend=network.may_attend[:length, :length]
        )
        close(output, whole[:, -1])
        parents = None if moves is None else torch.tensor(moves)
        newest = torch.randn(6, D, generator=draw)
        histories = histories if parents is None else histories[parents]
        histories = torch.cat([histories, newest[:, None]], dim=1)
        output = rows.step(parents)(newest)


@EVERY_TOKEN_NETWORK
@pytest.mark.parametrize("make_engine", [CachedEngine, CompiledEngine, CpuEngine])
def test_a_batch_of_one_is_a_row_of_many(
    make_engine: MakeEngine, make_network: Callable[[], Network]
) -> None:
    engine = make_engine(make_network())
    together = engine.read(PROMPTS)
    alone = [engine.read([prompt]) for prompt in PROMPTS]
    for token in (3, 88, 0):
        close(torch.cat([rows.output for rows in alone]), together.output)
        together.advance(torch.full((3,), token), None)
        for rows in alone:
            rows.advance(torch.tensor([token]), None)


@pytest.mark.parametrize("norm", ["pre-norm", "post-norm"])
@EVERY_ENGINE
def test_greedy_tokens_are_those_of_the_plain_modules(make_engine: MakeEngine, norm: str) -> None:
    make_network = TOKENS[f"encoder-decoder, {norm}"]
    # The end would be the first token of one prompt if that were allowed.
    end = int(whole_pass(make_network, tuple(PROMPTS[1]), ()).argmax())
    may_follow = torch.arange(V) % 3 != (end + 1) % 3
    forced = torch.full((len(PROMPTS), 12), -1)
    forced[:, 1] = 7
    forced[torch.arange(len(PROMPTS)), torch.tensor([4, 11, 8])] = end
    expected = []
    for prompt, row in zip(PROMPTS, forced.tolist(), strict=True):
        tokens, score_nats = list[int](), 0.0
        for wanted in row:
            log_probs = whole_pass(make_network, tuple(prompt), tuple(tokens)).log_softmax(0)
            allowed = log_probs.masked_fill(~may_follow, -torch.inf)
            allowed[end] = -torch.inf if not tokens else allowed[end]
            tokens.append(int(allowed.argmax()) if wanted < 0 else wanted)
            score_nats += float(log_probs[tokens[-1]])
            if tokens[-1] == end:
                break
        expected.append((tokens, pytest.approx(score_nats, abs=1e-4)))
    engine = make_engine(make_network())
    together = engine.greedy(PROMPTS, forced, may_follow=may_follow, end=end)
    assert list(zip(*together, strict=True)) == expected
    for prompt, row, wanted in zip(PROMPTS, forced, expected, strict=True):
        alone = engine.greedy([prompt], row[None], may_follow=may_follow, end=end)
        assert alone == ([wanted[0]], [wanted[1]])


def test_a_long_prompt_and_many_steps_fill_a_network_and_no_more() -> None:
    network = networks.decoder_only(is_rotary=True)
    prompt = torch.randint(V, (29,), generator=torch.Generator().manual_seed(1)).tolist()
    plain, *others = (
        e(network).read([prompt]) for e in (PlainEngine, CachedEngine, CompiledEngine)
    )
    for token in range(T - 29):
        plain.advance(torch.tensor([token]), None)
        for rows in others:
            close(rows.advance(torch.tensor([token]), None), plain.output)
    for rows in (plain, *others):
        with pytest.raises(ValueError, match=r"full|this network has 41|the cache holds 41"):
            rows.advance(torch.tensor([1]), None)


@pytest.mark.parametrize("make_engine", [CachedEngine, CompiledEngine])
def test_what_is_beside_the_weights_is_refused(make_engine: MakeEngine) -> None:
    network = networks.encoder_decoder(pre_norm=True)
    engine = make_engine(network)
    for token in (V, 10**9, -1):
        with pytest.raises(ValueError, match=f"^token {token}; this network has {V}$"):
            engine.read([[5], [5, token]])
    with pytest.raises(ValueError, match=r"^prompt 2 has no tokens$"):
        engine.read([[5], []])
    with pytest.raises(ValueError, match=rf"^{T + 1} positions; this network has {T}$"):
        engine.read([[5] * (T + 1)])
    with pytest.raises(ValueError, match=rf"^{T + 1} positions; this network has {T}$"):
        engine.read([[5]], max_length=T + 1)
    with pytest.raises(ValueError, match="this network reads vectors; got tokens"):
        make_engine(networks.over_vectors(has_history=True)).read([[5]])


def test_compiled_rows_take_an_input_each_and_no_more_than_they_are_for() -> None:
    rows = CompiledEngine(networks.encoder_decoder(pre_norm=True)).read([[5], [7]], max_length=2)
    for token in (V, -1):
        with pytest.raises(ValueError, match=f"^token {token}; this network has {V}$"):
            rows.advance(torch.tensor([3, token]), None)
    with pytest.raises(ValueError, match=r"^got 3 inputs; expected one for each of 2 rows$"):
        rows.advance(torch.tensor([3, 3, 3]), None)
    rows.advance(torch.tensor([3, 3]), None)
    with pytest.raises(ValueError, match=r"^the rows are full: they have 2 positions$"):
        rows.advance(torch.tensor([3, 3]), None)
    loops = CompiledEngine(networks.decoder_only())
    with pytest.raises(ValueError, match=r"^the rows are full: they have 2 positions$"):
        loops.read([[5, 7, 9]], max_length=2)


def test_all_networks_run_in_the_same_compiled_function() -> None:
    for make_network in TOKENS.values():
        CompiledEngine(make_network()).read(PROMPTS, width=2)
    for make_network in VECTORS.values():
        CompiledEngine(make_network()).read(torch.zeros(3, 2, D))
    assert len(compiled._step.signatures) == 1


def block_of(stack: Encoder | Decoder) -> EncoderBlock:
    block = stack.blocks[1]
    assert isinstance(block, EncoderBlock)
    return block


def test_what_the_loops_cannot_execute_stays_with_torch() -> None:
    assert isinstance(fastest_engine(networks.decoder_only()), CpuEngine)
    smooth, spread, double = (networks.decoder_only() for _ in range(3))
    block_of(smooth.stack).feed_forward.activation = functional.silu
    block_of(spread.stack).feed_forward_residual.norm.eps = 1e-3
    double.stack.double()
    translator = networks.encoder_decoder(pre_norm=True)
    assert translator.encoder is not None and can_compile(translator)
    block_of(translator.encoder).feed_forward.activation = functional.silu
    for network in (smooth, spread, double, translator):
        assert not can_compile(network)
        assert isinstance(fastest_engine(network), CachedEngine)
    with pytest.raises(ValueError, match="need ReLU, its square or GELU as the activation"):
        CompiledEngine(smooth)
    with pytest.raises(ValueError, match="need layer norms with an epsilon of 1e-5"):
        CompiledEngine(spread)


@pytest.mark.skipif(not can_pack(), reason="this torch has no oneDNN")
def test_of_a_large_network_single_rows_alone_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_module, "_FEW_BYTES", 1000)
    engine = CpuEngine(networks.decoder_only())
    assert not engine.is_small
    for prompts, width in ((PROMPTS, 1), (PROMPTS[:1], 2)):
        assert engine.read(prompts, width=width) is not None
        assert engine._compiled is None
    engine.read(PROMPTS[:1])
    assert engine._compiled is not None


def test_a_network_has_an_encoder_and_a_start_where_its_stack_is_a_decoder() -> None:
    whole = networks.encoder_decoder(pre_norm=True)
    with pytest.raises(ValueError, match="a Decoder stack needs an encoder"):
        Network(stack=whole.stack, max_length=3)
    with pytest.raises(ValueError, match="a Decoder stack needs an encoder"):
        Network(stack=whole.encoder, encoder=whole.encoder, max_length=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a network has a start token if and only if"):
        Network(stack=whole.stack, encoder=whole.encoder, max_length=3)


def test_prompts_of_different_lengths_need_causal_attention() -> None:
    network = replace(TOKENS["learned positions"](), may_attend=masks.goal_and_current(T))
    with pytest.raises(ValueError, match="prompts of different lengths need a network without"):
        CachedEngine(network).read([[1, 2, 3], [2, 4]])
