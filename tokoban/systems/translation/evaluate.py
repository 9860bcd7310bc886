"""The quality of translations: BLEU and chrF by sacrebleu, and the loss of a translator.

Two scales of BLEU are in use and must not be mixed. ``bleu`` is of text as people read it: cased,
and cut into words by sacrebleu (https://aclanthology.org/W18-6319). ``bleu_lowercased_tokenised``
is that of the papers on Multi30k: both sides in lower case, with Moses' punctuation and words.
"""

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import torch
from torch.nn import functional

from tokoban.files.atomic import atomically
from tokoban.systems.translation.config import LARGEST_PENALTY, TranslationConfig
from tokoban.systems.translation.corpus import Data, embedded_pairs
from tokoban.systems.translation.dataset import TokenRows, TranslationDataset
from tokoban.systems.translation.engine import Precision, prepare_for_inference
from tokoban.systems.translation.model import Translator
from tokoban.systems.translation.pairs import Pair, read_pairs, tidy
from tokoban.systems.translation.texts import tokenizer_of, translate_texts
from tokoban.systems.translation.translate import BATCH_SIZE
from tokoban.text.bpe import PAD
from tokoban.training import processes
from tokoban.training.config import Reads, Writes, check_limits
from tokoban.training.limits import Between, Count
from tokoban.training.spec import Trained
from tokoban.training.system import to_device

if TYPE_CHECKING:
    from sacrebleu.metrics import BLEUScore

NUM_TEST_EXAMPLES = 500  # of the embedded task, where no files are given

_TOKENS_AT_ONCE = 4096

METRICS = ("nll", "bleu", "exact_match")


def validate(model: Translator, data: Data, config: TranslationConfig) -> dict[str, float]:
    """Figures of a translator under way; each process counts its share, and all answer the same.

    ``nll`` is in nats per target token, its end counted, each predicted from the reference's tokens
    before it; ``bleu`` and ``exact_match`` are of translations of the validation's texts.
    """
    from sacrebleu.metrics import BLEU

    mine = data.validation_pairs[processes.rank() :: processes.world_size()]
    translations = translate_texts(
        model,
        [pair.source for pair in mine],
        beam=config.beam_width,
        length_penalty=config.length_penalty,
    )
    said = [(best.text, pair.target) for (best, *_), pair in zip(translations, mine, strict=True)]
    everybodys: list[Any] = processes.gather_objects(said)
    found, references = map(list, zip(*chain(*everybodys), strict=True))
    # Forced: that a text is tokenised, sacrebleu would say at each evaluation.
    bleu = BLEU(force=True).corpus_score(found, [references])
    totals = processes.sum_over_processes(_teacher_forced_counts(model, data.validation))
    return {
        "nll": totals["nll"] / totals["tokens"],
        "bleu": bleu.score,
        "exact_match": num_exact_matches(found, references) / len(references),
    }


def _teacher_forced_counts(model: Translator, validation: TranslationDataset) -> dict[str, float]:
    """The summed cross entropy, unsmoothed, over this process's batches."""
    device = model.embedding.weight.device
    nll, tokens = 0.0, 0
    with torch.inference_mode():
        for batch in validation.once(rank=processes.rank(), world_size=processes.world_size()):
            batch = to_device(batch, device)
            logits = model(batch.source, batch.target_in)
            nll += functional.cross_entropy(
                logits.flatten(0, 1).float(),
                batch.target_out.flatten(),
                ignore_index=PAD,
                reduction="sum",
            ).item()
            tokens += int((batch.target_out != PAD).sum())
    return {"nll": nll, "tokens": tokens}


def bits_per_byte(model: Translator, pairs: Sequence[Pair]) -> float:
    """The loss of the references per byte, each token predicted from those before it.

    Unlike ``nll`` it can be compared between vocabularies. The end of a sentence counts as a byte.
    Pairs with more tokens than the model has positions for are left out; NaN if none is left.
    """
    tokenizer = tokenizer_of(model)
    sides = [
        TokenRows.of(tokenizer, [tidy(text) for text in side]) for side in zip(*pairs, strict=True)
    ]
    longest = torch.maximum(sides[0].lengths, sides[1].lengths)
    rows = (longest <= model.max_positions).nonzero().flatten()
    dataset = TranslationDataset(
        *(side.at(rows) for side in sides),
        batch_tokens=max(_TOKENS_AT_ONCE, model.max_positions),
        seed=0,
    )
    nats = _teacher_forced_counts(model, dataset)["nll"] if len(rows) else math.nan
    num_bytes = sum(len(tidy(pairs[row].target).encode()) + 1 for row in rows.tolist())
    return nats / math.log(2) / max(1, num_bytes)


def num_exact_matches(found: Sequence[str], references: Sequence[str]) -> int:
    """The number of translations that equal the reference, spaces aside."""
    return sum(tidy(one) == tidy(other) for one, other in zip(found, references, strict=True))


def score_texts(
    found: Sequence[str], references: Sequence[str], *, language: str, are_tokenised: bool = False
) -> dict[str, float | str]:
    """All scores of translations into ``language``, 0 to 100, each scale with its signature.

    Words of texts that ``are_tokenised`` stand between spaces, and no scale cuts them again. Others
    need the package sacremoses for ``bleu_lowercased_tokenised``, which is NaN without it.
    """
    from sacrebleu.metrics import CHRF

    bleu, signature = _bleu(found, references, is_tokenised=are_tokenised)
    chrf = CHRF()
    metrics: dict[str, float | str] = {
        "bleu": bleu.score,
        "chrf": chrf.corpus_score(found, [references]).score,
    }
    signatures = {"signature": signature, "signature_chrf": str(chrf.get_signature())}
    name = "bleu_lowercased_tokenised"
    try:
        both = [
            [line.lower() for line in lines]
            if are_tokenised
            else lowercased_tokenised(lines, language=language)
            for lines in (found, references)
        ]
    except ImportError:
        print(f"{name} needs the package sacremoses: pip install sacremoses", file=sys.stderr)
        metrics[name] = math.nan
    else:
        score, signatures[f"signature_{name}"] = _bleu(*both, is_tokenised=True)
        metrics[name] = score.score
    return {
        **metrics,
        "exact_match": num_exact_matches(found, references) / len(references),
        **signatures,
    }


def _bleu(
    found: Sequence[str], references: Sequence[str], *, is_tokenised: bool = False
) -> "tuple[BLEUScore, str]":
    """BLEU and its signature."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="none", force=True) if is_tokenised else BLEU()
    score = metric.corpus_score(found, [references])
    return score, str(metric.get_signature())


def lowercased_tokenised(lines: Sequence[str], *, language: str) -> list[str]:
    """The lines as those of Multi30k's references were made: in lower case before anything else."""
    from sacremoses import MosesPunctNormalizer, MosesTokenizer

    normalizer, tokenizer = MosesPunctNormalizer(language), MosesTokenizer(language)
    return [
        tokenizer.tokenize(normalizer.normalize(line.lower()), escape=True, return_str=True)
        for line in lines
    ]


@dataclass(frozen=True, kw_only=True)
class TranslationEvaluation:
    """The sentences to evaluate on, and how they are translated."""

    source: Annotated[Path | None, Reads()] = None  # sentences, one a line; plain or gzip
    reference: Annotated[Path | None, Reads()] = None  # their translations. Without both, weights
    # of the embedded task are measured on 500 examples that no training sees
    output: Annotated[Path | None, Writes()] = None  # write the translations to this file
    beam: Annotated[int | None, Between(1)] = None  # width of the search (default: as in the
    # training's validation)
    length_penalty: Annotated[float | None, Between(0, LARGEST_PENALTY)] = None  # alpha of ((5 + n)
    # / 6)^alpha (default: as in the training)
    batch_size: Count = BATCH_SIZE  # sentences at a time
    tokenised: bool = False  # the files have spaces around each word, and BLEU takes the words as
    # they are
    precision: Precision = "fp32"  # as in `tokoban translate`

    def __post_init__(self) -> None:
        check_limits(self)


def evaluate(
    trained: Trained[TranslationConfig, Translator], options: TranslationEvaluation
) -> dict[str, float | str]:
    """The scores on the sentences asked for, and how many a second were translated.

    ``bleu`` is of text as people read it, ``bleu_lowercased_tokenised`` that of the papers on
    Multi30k, ``chrf`` of characters; ``exact_match`` is the share that equals the reference, and
    ``bits_per_byte`` the loss of the references.
    """
    model, config, output = trained.model, trained.config, options.output
    pairs = _pairs(config, options)
    if str(output) == "-":
        raise ValueError("--output -: expected a file; `tokoban translate` prints translations")
    beam = config.beam_width if options.beam is None else options.beam
    penalty = options.length_penalty
    device = model.embedding.weight.device
    engine = prepare_for_inference(model, device, precision=options.precision)
    translated = partial(
        translate_texts,
        model,
        engine=engine,
        beam=beam,
        length_penalty=config.length_penalty if penalty is None else penalty,
        batch_size=options.batch_size,
    )
    sources = [pair.source for pair in pairs]
    translated(sources[:2])  # what is made once, compiled loops say, is not counted
    started_s = time.perf_counter()
    translations = translated(sources)
    elapsed_s = time.perf_counter() - started_s
    found = [best.text for best, *_ in translations]
    if output is not None:
        with atomically(output) as temporary:
            text = "".join(f"{line}\n" for line in found)
            temporary.write_text(text, encoding="utf-8", newline="\n")
    scores = score_texts(
        found,
        [pair.target for pair in pairs],
        language=config.target_language,
        are_tokenised=options.tokenised,
    )
    return {
        "sentences": float(len(pairs)),
        "sentences_per_second": len(pairs) / elapsed_s,
        "beam": float(beam),
        "bits_per_byte": bits_per_byte(model, pairs),
        **scores,
    }


def _pairs(config: TranslationConfig, options: TranslationEvaluation) -> list[Pair]:
    """The sentences of the two files, or of the embedded task."""
    given = [path for path in (options.source, options.reference) if path is not None]
    if len(given) == 1:
        raise ValueError("--source and --reference go together; only one of them was given")
    if given:
        pairs = read_pairs(*given)
        if not any(tidy(text) for pair in pairs for text in pair):
            raise ValueError(f"{given[0]}: has no sentence")
        return pairs
    if config.has_text:
        raise ValueError("give --source and --reference: these weights learned from other files")
    return embedded_pairs(config, NUM_TEST_EXAMPLES, "test")
