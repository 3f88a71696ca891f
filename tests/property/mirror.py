"""Lemma C of Weave, applied to a run of the native kernel: the columns of every bucket trade their values and draws.

In every group of a bucket, the person of column pi(i) gets the value of the person of column i, and the key that
goes with it: the smallest keys among the holders of a value are then again those of the same draw.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from pellucid import _native

__all__ = ["Array", "Mirror"]

Array: TypeAlias = np.ndarray[Any, Any]


class Mirror:
    """Which column everybody is in, worked out from the leaves, the plans and the keys, which must all differ."""

    def __init__(self, values: Array, keys: Array, leaves: Iterable[Array], *, diversity: int, ordered: bool) -> None:
        self._values, self._keys = values, keys
        self._column = np.empty(len(values), dtype=np.int64)  # numbered through all buckets
        self._first = [0]  # the first column of each bucket, and where the next one would start
        for leaf in leaves:
            self._deal(leaf, diversity, ordered)

    def _deal(self, leaf: Array, diversity: int, ordered: bool) -> None:
        in_order_of_draw = leaf[np.lexsort((self._keys[leaf], self._values[leaf]))]
        counts = np.bincount(self._values[leaf])
        next_holder = np.cumsum(counts) - counts
        for columns, _ in _native.weave_plan(counts.tolist(), diversity, ordered):
            for number, column in enumerate(columns, start=self._first[-1]):
                for value, amount in column:
                    first = next_holder[value]
                    self._column[in_order_of_draw[first : first + amount]] = number
                    next_holder[value] += amount
            self._first.append(self._first[-1] + len(columns))

    def exchanged(self, members: Array, starts: Array, seed: int) -> tuple[Array, Array]:
        """Values and keys after every bucket's columns have traded, by a permutation of its own."""
        chance = np.random.default_rng(seed)
        givers = np.concatenate([chance.permutation(np.arange(a, b)) for a, b in pairwise(self._first)])
        sizes = np.diff(starts)
        group = np.repeat(np.arange(len(sizes)), sizes)
        place = np.lexsort((self._column[members], group))
        people = members[place]
        columns = self._column[people]
        # Every group has one person of each column of its bucket.
        lowest = columns[starts[:-1]]
        assert np.isin(lowest, self._first).all()
        assert (columns == np.repeat(lowest - starts[:-1], sizes) + np.arange(len(people))).all()
        giver = people[givers[columns] - np.repeat(lowest - starts[:-1], sizes)]
        values, keys = self._values.copy(), self._keys.copy()
        values[people], keys[people] = self._values[giver], self._keys[giver]
        return values, keys
