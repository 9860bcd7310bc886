"""Target tokens a second of translation: ours and Hugging Face's Marian's, a torch model as well.

Both have the same drawn weights, of preset `base` (`--quick`: `tiny`), the same sentences and
rules, and translations that are made to end at 32 tokens. Each precision is a row with its ratio to
Marian's in the same one, the median over the rounds, and with how many translations are the same:
in bf16 rounding chooses. On a CPU times are of the processor. Needs `pip install transformers`.
"""

import copy
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch
from torch import nn

from benchmarks.decoding import Tokens, Way, measure, translated
from benchmarks.harness import Report, parser
from tokoban.cli.parser import whole
from tokoban.systems.translation.config import base, tiny
from tokoban.systems.translation.engine import Precision, prepare_for_inference
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.stepper import forbidden_tokens
from tokoban.systems.translation.train import build_model
from tokoban.text.bpe import BOS, EOS, PAD
from tokoban.transformer import DecoderBlock, EncoderBlock
from tokoban.transformer.attention import MultiHeadAttention

MAX_LENGTH = 32  # tokens of a translation, its end counted
LENGTHS = range(8, 32)  # tokens of the drawn sentences
TYPES: dict[Precision, torch.dtype] = {"fp32": torch.float32, "bf16": torch.bfloat16}


def convert(model: Translator) -> Any:
    """The same weights in a ``MarianMTModel``; ``ValueError`` where the norms are in front.

    Ours has sines and cosines side by side, theirs in two halves: our table takes the place of
    theirs, and nothing else differs.
    """
    encoder, decoder = model.transformer.encoder, model.transformer.decoder
    first = encoder.blocks[0]
    assert isinstance(first, EncoderBlock)
    if first.attention_residual.pre_norm:
        raise ValueError("these weights have their norms in front; Marian's are behind")
    num_tokens, width = model.embedding.weight.shape
    transformers = import_module("transformers")
    theirs = transformers.MarianMTModel(
        transformers.MarianConfig(
            vocab_size=num_tokens,
            d_model=width,
            encoder_layers=len(encoder.blocks),
            decoder_layers=len(decoder.blocks),
            encoder_attention_heads=first.attention.num_heads,
            decoder_attention_heads=first.attention.num_heads,
            encoder_ffn_dim=first.feed_forward.expand.out_features,
            decoder_ffn_dim=first.feed_forward.expand.out_features,
            max_position_embeddings=len(model.position_vectors),
            activation_function="relu",
            scale_embedding=True,
            pad_token_id=PAD,
            eos_token_id=EOS,
            forced_eos_token_id=None,
            decoder_start_token_id=BOS,
        )
    )
    state = {"model.shared.weight": model.embedding.weight}
    for half, stack in (("encoder", encoder), ("decoder", decoder)):
        state[f"model.{half}.embed_positions.weight"] = model.position_vectors
        for number, block in enumerate(stack.blocks):
            assert isinstance(block, EncoderBlock | DecoderBlock)
            layer = _layer(block)
            state |= {f"model.{half}.layers.{number}.{name}": x for name, x in layer.items()}
    missing, unexpected = theirs.load_state_dict(state, strict=False)
    # The uses of the one embedding have names of their own, and the bias of the logits is 0.
    rest = [name for name in missing if "embed_tokens" not in name and "final_logits" not in name]
    assert rest in ([], ["lm_head.weight"])
    assert not unexpected
    theirs.tie_weights()
    return theirs.eval()


def _layer(block: EncoderBlock | DecoderBlock) -> dict[str, Any]:
    net = block.feed_forward
    parts: dict[str, nn.Module] = {
        "self_attn_layer_norm": block.attention_residual.norm,
        "fc1": net.expand,
        "fc2": net.contract,
        "final_layer_norm": block.feed_forward_residual.norm,
        **_attention("self_attn", block.attention),
    }
    if isinstance(block, DecoderBlock):
        parts["encoder_attn_layer_norm"] = block.cross_attention_residual.norm
        parts |= _attention("encoder_attn", block.cross_attention)
    return {
        f"{name}.{kind}": getattr(part, kind)
        for name, part in parts.items()
        for kind in ("weight", "bias")
    }


def _attention(name: str, attention: MultiHeadAttention) -> dict[str, nn.Module]:
    return {
        f"{name}.q_proj": attention.query,
        f"{name}.k_proj": attention.key,
        f"{name}.v_proj": attention.value,
        f"{name}.out_proj": attention.output,
    }


def theirs(
    model: Any,
    sources: Tokens,
    *,
    beam: int,
    batch: int,
    forbidden: list[int],
) -> Tokens:
    """By their ``generate`` under our rules: what is forbidden, where a translation must end."""
    found: Tokens = []
    for first in range(0, len(sources), batch):
        rows = [[*source, EOS] for source in sources[first : first + batch]]
        longest = max(map(len, rows))
        padded = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows]).to(model.device)
        written = model.generate(
            input_ids=padded,
            attention_mask=(padded != PAD).long(),
            num_beams=beam,
            do_sample=False,
            max_new_tokens=MAX_LENGTH,
            forced_eos_token_id=EOS,
            suppress_tokens=forbidden,
            begin_suppress_tokens=[EOS],
            **({"length_penalty": 0.0} if beam > 1 else {}),
        )
        found += [row[: row.index(EOS)] for row in written[:, 1:].tolist()]
    return found


def drawn_sources(num_sentences: int, vocabulary_size: int) -> Tokens:
    """Sentences by seed, the shortest first, so that batches are of like length for both."""
    generator = torch.Generator().manual_seed(1)
    lengths = torch.randint(LENGTHS.start, LENGTHS.stop, (num_sentences,), generator=generator)
    return [
        torch.randint(4, vocabulary_size, (length,), generator=generator).tolist()
        for length in lengths.sort().values.tolist()
    ]


def ways(
    model: Translator,
    sources: Tokens,
    device: torch.device,
    precision: Precision,
    *,
    beam: int,
    batch: int,
) -> dict[str, Way]:
    """Marian's way and ours in one precision."""
    peer = convert(model).to(device, TYPES[precision])
    # Of a copy: on a GPU it is the model itself that is moved and rounded.
    copied = copy.deepcopy(model)
    engine = prepare_for_inference(copied, device, precision=precision)
    sizes = {"beam": beam, "batch": batch}
    forbidden = forbidden_tokens(model).tolist()
    return {
        f"Marian, {precision}": partial(theirs, peer, sources, forbidden=forbidden, **sizes),
        f"ours, {precision}": partial(
            translated, copied, sources, engine, max_length=MAX_LENGTH, **sizes
        ),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0 once all rows are measured."""
    options = parser(__doc__, num_threads=1)
    options.add_argument("--sentences", type=whole(1), default=256, metavar="N")
    options.add_argument("--rounds", type=whole(1), default=3, metavar="N")
    arguments = options.parse_args(argv)
    if find_spec("transformers") is None:
        options.error("this one needs the package transformers: pip install transformers")
    report = Report(arguments, unit="tokens", posted=())
    torch.manual_seed(0)
    model = build_model(tiny() if arguments.quick else base()).eval()
    count = min(8, arguments.sentences) if arguments.quick else arguments.sentences
    sources = drawn_sources(count, model.embedding.num_embeddings)
    for beam, batch in ((1, 32), (4, 32)):
        for precision in TYPES:
            both = ways(model, sources, report.device, precision, beam=beam, batch=batch)
            peer, _ = both
            measure(
                report,
                both,
                beam=beam,
                batch=batch,
                rounds=1 if arguments.quick else arguments.rounds,
                baselines=[peer],
                expected=peer,
            )
    report.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
