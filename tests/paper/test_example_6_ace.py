"""Example 6: Ace on T5 with l = 2. Every draw of Assign is tried, so the probabilities are exact."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest

import pellucid
from pellucid import _native, reference
from pellucid.algorithms import ace
from pellucid.draws import Keys, SystemDraws
from pellucid.partition import Partition
from pellucid.recodings import mbr
from pellucid.reference.slice import divisions
from tests.paper.encoded import Columns, Encoded, bucket_by_name, every_outcome, multiset, ways_to_deal
from tests.paper.tables import DISEASE, NAME, QI, T5, T7_STAR, T8, U1, U2, Table

L = 2


def probabilities(encoded: Encoded) -> dict[frozenset[Columns], Fraction]:
    """How likely each bucket partition is."""
    chance: dict[frozenset[Columns], Fraction] = defaultdict(Fraction)
    for buckets, probability in every_outcome(encoded.rows, L):
        chance[frozenset(map(encoded.bucket, buckets))] += probability
    return chance


def figure_4(with_fred: str, with_hera: str, b1: Columns) -> frozenset[Columns]:
    b2 = {"gastritis": frozenset({with_fred}), "bronchitis": frozenset({"Fred"})}
    b3 = {"gastritis": frozenset({with_hera}), "diabetes": frozenset({"Hera"})}
    return frozenset({b1, bucket_by_name(b2), bucket_by_name(b3)})


def test_figure_7_signatures_and_sizes() -> None:
    """alpha = beta = 2 first; then alpha = 1 and beta = 2, twice."""
    t5 = Encoded(T5)
    plans = set()
    for buckets, _ in every_outcome(t5.rows, L):
        signatures = [tuple(t5.diseases[column[0].sensitive] for column in bucket) for bucket in buckets]
        plans.add(tuple(zip(signatures, (len(bucket[0]) for bucket in buckets), strict=True)))
    expected = (
        (("dyspepsia", "flu"), 2),
        (("gastritis", "bronchitis"), 1),
        (("diabetes", "gastritis"), 1),
    )
    assert plans == {expected}
    assert [
        (tuple(t5.diseases[v] for v in signature), alpha)
        for signature, alpha in _native.assign_plan(t5.microdata.sensitive_counts().tolist(), L)
    ] == list(expected)


@pytest.mark.parametrize(("table", "figure"), [(T5, U1), (T8, U2)], ids=["T5 and U1", "T8 and U2"])
def test_there_are_two_outcomes_with_probability_one_half(
    table: Table, figure: tuple[dict[str, frozenset[str]], ...]
) -> None:
    """Which of Cate and Don goes to Fred is all that chance decides; U1 and U2 are one of the two outcomes."""
    encoded, b1 = Encoded(table), bucket_by_name(figure[0])
    outcomes = probabilities(encoded)
    assert outcomes == {
        figure_4("Don", "Cate", b1): Fraction(1, 2),
        figure_4("Cate", "Don", b1): Fraction(1, 2),
    }
    assert frozenset(map(bucket_by_name, figure)) in outcomes


def test_lemma_6_symmetric_partitions_are_equally_likely() -> None:
    in_t5 = probabilities(Encoded(T5))[frozenset(map(bucket_by_name, U1))]
    in_t8 = probabilities(Encoded(T8))[frozenset(map(bucket_by_name, U2))]
    assert in_t5 == in_t8 == Fraction(1, 2)


@pytest.mark.parametrize("table", [T5, T8], ids=lambda table: table.title)
def test_equation_10(table: Table) -> None:
    """Every way to deal the tuples has probability 1/m."""
    encoded = Encoded(table)
    for buckets, probability in every_outcome(encoded.rows, L):
        assert probability == Fraction(1, ways_to_deal(encoded.rows, buckets)) == Fraction(1, 2)


def test_slice_divides_b1_into_b4_and_b5() -> None:
    t5 = Encoded(T5)
    b1, b2, b3 = (t5.as_bucket(bucket) for bucket in U1)
    assert [(len(a[0]), len(b[0])) for a, b in divisions(b1)] == [(1, 1), (1, 1)]
    assert not list(divisions(b2))
    refined = reference.slice_buckets([b1, b2, b3], t5.penalty)
    groups = {frozenset(t5.people(t for column in bucket for t in column)) for bucket in refined}
    assert groups == {
        frozenset({"Ann", "Bob"}),
        frozenset({"Gill", "Ed"}),
        frozenset({"Don", "Fred"}),
        frozenset({"Cate", "Hera"}),
    }


def test_lemma_5_slice_keeps_u1_and_u2_symmetric() -> None:
    t5, t8 = Encoded(T5), Encoded(T8)
    refined_1 = reference.slice_buckets([t5.as_bucket(bucket) for bucket in U1], t5.penalty)
    refined_2 = reference.slice_buckets([t8.as_bucket(bucket) for bucket in U2], t8.penalty)

    def columns(encoded: Encoded, buckets: list[reference.Bucket]) -> set[frozenset[frozenset[str]]]:
        return {frozenset(map(encoded.people, bucket)) for bucket in buckets}

    assert columns(t5, refined_1) == columns(t8, refined_2)


@pytest.mark.parametrize("table", [T5, T8], ids=lambda table: table.title)
def test_both_outcomes_become_table_x(table: Table) -> None:
    """Cate and Don have the same QI values: Table X does not tell which of them sits with Fred."""
    encoded = Encoded(table)
    seen = Counter[frozenset[frozenset[str]]]()
    for buckets, _ in every_outcome(encoded.rows, L):
        refined = reference.slice_buckets(buckets, encoded.penalty)
        groups = [sorted(t.id for column in bucket for t in column) for bucket in refined]
        members = np.array([row for group in groups for row in group], dtype=np.uint32)
        partition = Partition(members, np.cumsum([0, *map(len, groups)], dtype=np.int64))
        seen[encoded.partition(partition)] += 1
        assert multiset(mbr(encoded.microdata, partition).frame().rows()) == multiset(T7_STAR.rows)
    assert len(seen) == 2


@pytest.mark.parametrize("table", [T5, T8], ids=lambda table: table.title)
def test_table_x_from_the_library(table: Table) -> None:
    release = pellucid.anonymize(
        table.frame(), quasi_identifiers=QI, sensitive=DISEASE, diversity=L, identifier=NAME, algorithm="ace"
    )
    assert multiset(release.table.rows()) == multiset(T7_STAR.rows)


def test_native_ace_has_the_same_outcomes() -> None:
    """Every order of the keys, on the native kernel: the two partitions of the reference and no others."""
    t5 = Encoded(T5)
    possible = set()
    for buckets, _ in every_outcome(t5.rows, L):
        refined = reference.slice_buckets(buckets, t5.penalty)
        possible.add(frozenset(t5.people(t for column in bucket for t in column) for bucket in refined))

    class Draws:
        def __init__(self, keys: list[int]) -> None:
            self._keys = keys

        def keys(self, purpose: str, rows: int) -> Keys:
            return np.array(self._keys, dtype=np.uint64)

    cate, don = t5.names.index("Cate"), t5.names.index("Don")
    found = set()
    for first, second in ((cate, don), (don, cate)):
        keys = [5] * len(t5.names)
        keys[first], keys[second] = 1, 9
        found.add(t5.partition(ace(t5.microdata, diversity=L, draws=Draws(keys))))
    assert found == possible
    assert t5.partition(ace(t5.microdata, diversity=L, draws=SystemDraws())) in possible
