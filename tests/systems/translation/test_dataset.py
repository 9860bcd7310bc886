"""Batches have every pair once an epoch, keep to their tokens, and depend on no past."""

from collections import Counter
from itertools import islice

import pytest
import torch

from tokoban.systems.translation.dataset import Batch, TokenRows, TranslationDataset
from tokoban.text.bpe import BOS, EOS, PAD, train_bpe

BATCH_TOKENS = 97


def _rows(lengths: torch.Tensor, first: int) -> TokenRows:
    """Row i is BOS, ``first + i`` as often as its length allows, EOS."""
    tokens: list[int] = []
    for row, length in enumerate(lengths.tolist()):
        tokens += [BOS, *[first + row] * (length - 1), EOS]
    return TokenRows(torch.tensor(tokens, dtype=torch.int32), lengths)


@pytest.fixture
def dataset() -> TranslationDataset:
    """211 pairs, from whose tokens it is seen which they are."""
    generator = torch.Generator().manual_seed(0)
    sources, targets = torch.randint(2, 19, (2, 211), generator=generator)
    return TranslationDataset(
        _rows(sources, 1000), _rows(targets, 5000), batch_tokens=BATCH_TOKENS, seed=3
    )


def _pairs(batch: Batch) -> list[int]:
    assert torch.equal(batch.source[:, 0] - 1000, batch.target_in[:, 1] - 5000)
    return (batch.source[:, 0] - 1000).tolist()


def _steps_an_epoch(dataset: TranslationDataset, *, world_size: int) -> int:
    """Until every pair has been seen, by every rank together."""
    ranks = [
        dataset.batches(start_step=0, rank=r, world_size=world_size) for r in range(world_size)
    ]
    num_seen = num_steps = 0
    while num_seen < len(dataset):
        num_seen += sum(len(next(batches).source) for batches in ranks)
        num_steps += 1
    return num_steps


@pytest.mark.parametrize("world_size", [1, 2, 7])
def test_an_epoch_has_every_pair_once_over_all_ranks(
    dataset: TranslationDataset, world_size: int
) -> None:
    steps = _steps_an_epoch(dataset, world_size=world_size)
    for epoch in (0, 5):
        seen = Counter[int]()
        for rank in range(world_size):
            batches = dataset.batches(start_step=epoch * steps, rank=rank, world_size=world_size)
            for batch in islice(batches, steps):
                seen.update(_pairs(batch))
        assert seen == Counter(range(211))


def test_a_batch_is_what_a_teacher_shows(dataset: TranslationDataset) -> None:
    for batch in islice(dataset.batches(start_step=0), 9):
        for source, shown, wanted in zip(
            batch.source.tolist(), batch.target_in.tolist(), batch.target_out.tolist(), strict=True
        ):
            length = int(dataset.sources.lengths[source[0] - 1000])
            padding = len(source) - length
            assert source == [source[0]] * (length - 1) + [EOS] + [PAD] * padding
            length = int(dataset.targets.lengths[shown[1] - 5000])
            padding = len(shown) - length
            assert shown == [BOS] + [shown[1]] * (length - 1) + [PAD] * padding
            assert wanted == [shown[1]] * (length - 1) + [EOS] + [PAD] * padding


@pytest.mark.parametrize("world_size", [1, 7])
def test_a_batch_has_no_more_tokens_than_allowed_and_few_are_padding(
    dataset: TranslationDataset, world_size: int
) -> None:
    steps = _steps_an_epoch(dataset, world_size=world_size)
    batches = list(islice(dataset.batches(start_step=0, world_size=world_size), steps))
    for batch in batches:
        longest = max(batch.source.shape[1], batch.target_in.shape[1])
        assert len(batch.source) * longest <= BATCH_TOKENS
        # None has a column of nothing but padding.
        assert (batch.source != PAD).any(0).all()
        assert (batch.target_out != PAD).any(0).all()
    longer = [torch.maximum(_used(b.source), _used(b.target_out)) for b in batches]
    assert max(int(length.max() - length.min()) for length in longer) <= 3


def _used(tokens: torch.Tensor) -> torch.Tensor:
    return (tokens != PAD).sum(1)


def test_a_batch_does_not_depend_on_where_one_starts(dataset: TranslationDataset) -> None:
    for rank, world_size in ((0, 1), (1, 2)):
        whole = list(islice(dataset.batches(start_step=0, rank=rank, world_size=world_size), 120))
        for start in (1, 17, 77):
            rest = dataset.batches(start_step=start, rank=rank, world_size=world_size)
            for expected, found in zip(whole[start:], rest, strict=False):
                assert torch.equal(expected.source, found.source)
                assert torch.equal(expected.target_out, found.target_out)


def test_epochs_and_seeds_differ_in_order_and_company(dataset: TranslationDataset) -> None:
    steps = _steps_an_epoch(dataset, world_size=1)
    other = TranslationDataset(dataset.sources, dataset.targets, batch_tokens=BATCH_TOKENS, seed=4)
    drawn = [
        [frozenset(_pairs(batch)) for batch in islice(data.batches(start_step=start), steps)]
        for data, start in ((dataset, 0), (dataset, steps), (other, 0))
    ]
    for one, another in ((0, 1), (0, 2)):
        assert len(set(drawn[one]) & set(drawn[another])) < steps / 2
    # Batches of short sentences do not all come first.
    sizes = [len(pairs) for pairs in drawn[0]]
    assert sizes not in (sorted(sizes), sorted(sizes, reverse=True))


def test_in_one_step_all_ranks_have_batches_of_like_length(dataset: TranslationDataset) -> None:
    ranks = [dataset.batches(start_step=0, rank=rank, world_size=3) for rank in range(3)]
    for _ in range(15):
        longest = [
            max(batch.source.shape[1], batch.target_in.shape[1]) for batch in map(next, ranks)
        ]
        assert max(longest) - min(longest) <= 3


def test_fewer_pairs_than_processes_are_refused() -> None:
    rows = _rows(torch.tensor([2, 3]), 5)
    data = TranslationDataset(rows, rows, batch_tokens=7, seed=0)
    with pytest.raises(ValueError, match="2 pairs are too few for 3 processes"):
        next(data.batches(start_step=0, world_size=3))


def test_rows_of_tokens_are_those_of_the_texts() -> None:
    tokenizer = train_bpe(["ein Hund"], vocabulary_size=271)
    texts = ["ein Hund", "", "Hund"]
    rows = TokenRows.of(tokenizer, texts)
    assert [rows.at(torch.tensor([row])).tokens.tolist() for row in range(3)] == [
        [BOS, *tokenizer.encode(text), EOS] for text in texts
    ]
    assert len(rows.at(torch.tensor([], dtype=torch.int64)).tokens) == 0
