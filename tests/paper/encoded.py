"""The paper's tables as the algorithms see them, and what they decide as sets of names."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import factorial, prod

from pellucid import Policy, reference
from pellucid.draws import SystemDraws
from pellucid.microdata import Microdata, encode
from pellucid.partition import Partition
from pellucid.penalties import perimeter, weighted_positions
from tests.paper.tables import DISEASE, NAME, QI, BucketByName, Table

__all__ = [
    "Columns",
    "Encoded",
    "bucket_by_name",
    "every_outcome",
    "multiset",
    "ways_to_deal",
]

Columns = frozenset[tuple[str, frozenset[str]]]
"""A bucket: its sensitive values and who has each of them."""


class Encoded:
    """A table of the paper: everybody's row is the rank of their name."""

    def __init__(self, table: Table, qi: Sequence[str] = QI) -> None:
        policy = Policy(quasi_identifiers=tuple(qi), sensitive=DISEASE, diversity=1, identifier=NAME)
        self.microdata: Microdata = encode(table.frame(), policy, SystemDraws(), untyped=False)
        self.names = sorted(str(name) for name in table.column(NAME))
        self.diseases = self.microdata.sensitive.values.to_list()
        codes = zip(*(attribute.codes.tolist() for attribute in self.microdata.attributes), strict=True)
        self.rows = [
            reference.Row(row, qi_codes, value)
            for row, (qi_codes, value) in enumerate(zip(codes, self.microdata.sensitive.codes.tolist(), strict=True))
        ]
        blind = perimeter(weighted_positions([a.ticks for a in self.microdata.attributes], len(self.rows)))
        self.penalty: reference.Penalty = lambda group: blind([t.qi for t in group])

    def people(self, rows: Iterable[int | reference.Row]) -> frozenset[str]:
        """The names of some rows."""
        return frozenset(self.names[row if isinstance(row, int) else row.id] for row in rows)

    def partition(self, partition: Partition | Iterable[reference.Group]) -> frozenset[frozenset[str]]:
        """The groups of a partition, as sets of names."""
        groups = partition.as_sets() if isinstance(partition, Partition) else partition
        return frozenset(self.people(group) for group in groups)

    def bucket(self, bucket: reference.Bucket) -> Columns:
        """A bucket, by disease and names."""
        return frozenset((self.diseases[column[0].sensitive], self.people(column)) for column in bucket)

    def as_bucket(self, by_name: BucketByName) -> reference.Bucket:
        """The bucket of the paper's figure, in rows."""
        return tuple(
            tuple(t for t in self.rows if self.names[t.id] in people)
            for _, people in sorted(by_name.items(), key=lambda column: self.diseases.index(column[0]))
        )


def bucket_by_name(by_name: BucketByName) -> Columns:
    """A bucket of the paper's figure, to compare with."""
    return frozenset(by_name.items())


def multiset(rows: Iterable[tuple[object, ...]]) -> Counter[tuple[object, ...]]:
    """A table is a multiset of tuples: the order of its rows means nothing."""
    return Counter(rows)


def every_outcome(rows: Sequence[reference.Row], diversity: int) -> Iterator[tuple[list[reference.Bucket], Fraction]]:
    """Each run of the reference's Assign, with its exact probability: every draw takes every subset in turn."""
    script: list[int] = []
    while True:
        options: list[int] = []

        def draw(holders: Sequence[reference.Row], alpha: int, options: list[int] = options) -> Sequence[reference.Row]:
            subsets = list(itertools.combinations(holders, alpha))
            turn = len(options)
            if turn == len(script):
                script.append(0)
            options.append(len(subsets))
            return subsets[script[turn]]

        buckets = reference.assign(rows, diversity, draw)
        yield buckets, Fraction(1, prod(options))
        while script and script[-1] == options[len(script) - 1] - 1:
            script.pop()
        if not script:
            return
        script[-1] += 1


def ways_to_deal(rows: Sequence[reference.Row], buckets: Sequence[reference.Bucket]) -> int:
    """m of Eq. 10: in how many ways the tuples can be dealt into buckets of these signatures and sizes."""
    frequencies = Counter(t.sensitive for t in rows).values()
    columns = [len(column) for bucket in buckets for column in bucket]
    return prod(map(factorial, frequencies)) // prod(map(factorial, columns))
