"""The lemmas that the proofs of transparency rest on, for the algorithms that are run (G1)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import reference
from pellucid.algorithms import ace, hybrid, tailor
from pellucid.draws import Keys, SystemDraws
from pellucid.microdata import Microdata
from pellucid.partition import Partition
from pellucid.penalties import Penalty, discernibility, perimeter, weighted_positions
from pellucid.recodings import anatomy, mbr
from pellucid.reference.row import is_diverse
from pellucid.reference.slice import canonical_division, is_divisible
from pellucid.reference.tailor import canonical_l_cut
from tests.paper.encoded import every_outcome, ways_to_deal
from tests.property.strategies import Small, small_tables

People = frozenset[frozenset[int]]


class TheseKeys:
    """Draws that are known beforehand."""

    def __init__(self, keys: Sequence[int]) -> None:
        self._keys = np.array(keys, dtype=np.uint64)

    def keys(self, purpose: str, rows: int) -> Keys:
        return self._keys


def rows_of(microdata: Microdata) -> list[reference.Row]:
    codes = zip(*(a.codes.tolist() for a in microdata.attributes), strict=True)
    values = microdata.sensitive.codes.tolist()
    return [reference.Row(row, qi, value) for row, (qi, value) in enumerate(zip(codes, values, strict=True))]


def penalty_of(microdata: Microdata) -> reference.Penalty:
    blind = perimeter(weighted_positions([a.ticks for a in microdata.attributes], len(microdata)))
    return lambda group: blind([t.qi for t in group])


def people(groups: Sequence[reference.Group]) -> People:
    return frozenset(frozenset(t.id for t in group) for group in groups)


def published(microdata: Microdata, partition: Partition) -> list[object]:
    generalization = mbr(microdata, partition)
    tables = (generalization, mbr(microdata, partition, "bounds"), *anatomy(microdata, partition))
    return [(table.frame().columns, table.frame().rows()) for table in tables]


def shuffled_inside(groups: Partition, values: list[int], chance: random.Random) -> list[int]:
    """Isomorphic groups: the same people and the same multiset of values in each (section 2.1)."""
    after = list(values)
    for group in groups:
        members = group.tolist()
        taken = [values[row] for row in members]
        chance.shuffle(taken)
        for row, value in zip(members, taken, strict=True):
            after[row] = value
    return after


@pytest.mark.parametrize(
    "penalty", ["perimeter", "discernibility", discernibility], ids=["perimeter", "discernibility", "custom"]
)
@given(small=small_tables(), chance=st.randoms(use_true_random=False))
def test_lemma_3_isomorphic_partitions_of_tailor_look_the_same(
    penalty: str | Penalty, small: Small, chance: random.Random
) -> None:
    l = small.policy.diversity  # noqa: E741
    before = small.microdata
    partition = tailor(before, diversity=l, draws=SystemDraws(), penalty=penalty)
    after = small.with_sensitive(shuffled_inside(partition, small.table["s"].to_list(), chance)).microdata
    again = tailor(after, diversity=l, draws=SystemDraws(), penalty=penalty)
    assert again.as_sets() == partition.as_sets()
    assert published(after, again) == published(before, partition)


@given(small=small_tables(most_rows=20), chance=st.randoms(use_true_random=False))
def test_lemma_2_isomorphic_groups_are_cut_alike(small: Small, chance: random.Random) -> None:
    microdata, l = small.microdata, small.policy.diversity  # noqa: E741
    group = tuple(rows_of(microdata))
    if not is_diverse(group, 2 * l):
        return
    values = [t.sensitive for t in group]
    chance.shuffle(values)
    other = tuple(reference.Row(t.id, t.qi, value) for t, value in zip(group, values, strict=True))
    penalty = penalty_of(microdata)
    assert people(canonical_l_cut(group, l, penalty)) == people(canonical_l_cut(other, l, penalty))


def swapped(bucket: reference.Bucket, chance: random.Random) -> reference.Bucket:
    """A symmetric bucket (Def. 13): its columns trade their sensitive values."""
    signature = [column[0].sensitive for column in bucket]
    chance.shuffle(signature)
    return tuple(
        tuple(reference.Row(t.id, t.qi, value) for t in column) for value, column in zip(signature, bucket, strict=True)
    )


def symmetric(one: Sequence[reference.Bucket], other: Sequence[reference.Bucket]) -> bool:
    """Def. 13, for bucket partitions."""

    def content(buckets: Sequence[reference.Bucket]) -> set[tuple[frozenset[int], People]]:
        return {(frozenset(column[0].sensitive for column in bucket), people(bucket)) for bucket in buckets}

    return content(one) == content(other)


def dealt(microdata: Microdata, l: int) -> list[reference.Bucket]:  # noqa: E741
    keys = SystemDraws().keys("Assign", len(microdata)).tolist()
    return reference.assign(rows_of(microdata), l, reference.smallest_keys(keys))


@given(small=small_tables(), chance=st.randoms(use_true_random=False))
def test_lemmas_4_and_5_slice_keeps_symmetry(small: Small, chance: random.Random) -> None:
    microdata = small.microdata
    penalty = penalty_of(microdata)
    buckets = dealt(microdata, small.policy.diversity)
    others = [swapped(bucket, chance) for bucket in buckets]
    assert symmetric(buckets, others)
    for bucket, other in zip(buckets, others, strict=True):
        if is_divisible(bucket):
            for part, other_part in zip(
                canonical_division(bucket, penalty), canonical_division(other, penalty), strict=True
            ):
                assert symmetric([part], [other_part])
    assert symmetric(reference.slice_buckets(buckets, penalty), reference.slice_buckets(others, penalty))


def ace_in_parts(microdata: Microdata, l: int) -> list[list[reference.Bucket]]:  # noqa: E741
    """What Ace deals: one bucket partition of the whole table."""
    return [dealt(microdata, l)]


def hybrid_in_parts(microdata: Microdata, l: int) -> list[list[reference.Bucket]]:  # noqa: E741
    """What Hybrid deals: a bucket partition of each group of Tailor."""
    keys = SystemDraws().keys("Assign", len(microdata)).tolist()
    groups = reference.tailor(rows_of(microdata), l, penalty_of(microdata))
    return [reference.assign(group, l, reference.smallest_keys(keys)) for group in groups]


@pytest.mark.parametrize(
    ("algorithm", "in_parts"), [(ace, ace_in_parts), (hybrid, hybrid_in_parts)], ids=["ace", "hybrid"]
)
@given(small=small_tables(), chance=st.randoms(use_true_random=False))
def test_symmetric_deals_look_the_same(
    algorithm: Callable[..., Partition],
    in_parts: Callable[[Microdata, int], list[list[reference.Bucket]]],
    small: Small,
    chance: random.Random,
) -> None:
    """Theorems 2 and 3 on the native kernels: columns trade values, keys deal the same people, the release is the same.

    A key is the number of the row's bucket, so that the smallest keys are those of the next bucket.
    """
    before, l = small.microdata, small.policy.diversity  # noqa: E741
    keys, values = [0] * len(before), [0] * len(before)
    for buckets in in_parts(before, l):
        for number, bucket in enumerate(buckets):
            for column in swapped(bucket, chance):
                for t in column:
                    keys[t.id], values[t.id] = number, int(before.sensitive.values[t.sensitive])
    after = small.with_sensitive(values).microdata
    one = algorithm(before, diversity=l, draws=TheseKeys(keys))
    other = algorithm(after, diversity=l, draws=TheseKeys(keys))
    assert one.as_sets() == other.as_sets()
    assert published(before, one) == published(after, other)


@settings(max_examples=50)
@given(small=small_tables(most_rows=8, most_values=4), chance=st.randoms(use_true_random=False))
def test_lemma_6_symmetric_deals_are_equally_likely(small: Small, chance: random.Random) -> None:
    """Every deal of Assign has probability 1/m (Eq. 10), and m is the same for the table of a symmetric partition."""
    rows, l = rows_of(small.microdata), small.policy.diversity  # noqa: E741

    def likely(table: Sequence[reference.Row]) -> dict[frozenset[People], Fraction]:
        chances: dict[frozenset[People], Fraction] = defaultdict(Fraction)
        for buckets, probability in every_outcome(table, l):
            assert probability == Fraction(1, ways_to_deal(table, buckets))
            chances[content(buckets)] += probability
        return chances

    def content(buckets: Sequence[reference.Bucket]) -> frozenset[People]:
        return frozenset(
            people(bucket) | {frozenset({-1 - column[0].sensitive for column in bucket})} for bucket in buckets
        )

    before = likely(rows)
    assert sum(before.values()) == 1
    buckets = chance.choice([buckets for buckets, _ in every_outcome(rows, l)])
    others = [swapped(bucket, chance) for bucket in buckets]
    table = sorted(t for bucket in others for column in bucket for t in column)
    assert likely(table)[content(others)] == before[content(buckets)]
