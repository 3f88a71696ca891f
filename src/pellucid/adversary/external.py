"""The external source E (section 2.1): what the adversary knows about everybody who may be in the table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..hierarchies import Subtrees
from ..penalties import weighted_positions
from ..reference import Penalty, Positions, QuasiIdentified

__all__ = ["External", "Person", "Point", "perimeter"]

Person: TypeAlias = int
"""A person of E, as the rank of the identifier."""

Point: TypeAlias = tuple[int, ...]
"""QI values, as ranks among all values that E holds."""

Ticks: TypeAlias = Callable[[tuple[Person, ...]], Sequence[npt.NDArray[np.uint64]]]
"""For a table of these people, where each attribute's distinct values stand (`Attribute.ticks`)."""


class External:
    """Identifiers and QI values of everybody in E, in the order of identifiers."""

    def __init__(
        self, names: Sequence[Hashable], points: Sequence[Point], ordered: Sequence[bool | Subtrees], ticks: Ticks
    ) -> None:
        self.names = tuple(names)
        self.points = tuple(points)
        self.ordered = tuple(ordered)
        """For every attribute, whether a group publishes an interval of it, and not a set; or its hierarchy."""
        self._ticks = ticks
        # Algorithms run on the same people again and again.
        self.positions = lru_cache(maxsize=4096)(self._positions)
        """The weighted positions of a table of these people, by their codes in E."""

    @classmethod
    def of_numbers(cls, table: Sequence[Point], names: Sequence[Hashable] | None = None) -> External:
        """An external source whose QI values are whole numbers, one row per person."""
        values = [sorted(set(column)) for column in zip(*table, strict=True)]
        ranks = [{value: rank for rank, value in enumerate(line)} for line in values]
        points = [tuple(rank[v] for rank, v in zip(ranks, row, strict=True)) for row in table]

        def ticks(people: tuple[Person, ...]) -> list[npt.NDArray[np.uint64]]:
            columns = zip(*(table[person] for person in people), strict=True)
            lines = [np.array(sorted(set(column)), dtype=np.int64) for column in columns]
            return [(line - line[0]).astype(np.uint64) for line in lines]

        return cls(names or range(len(table)), points, (True,) * len(values), ticks)

    def __len__(self) -> int:
        return len(self.names)

    def _positions(self, people: tuple[Person, ...]) -> Positions:
        """Only the widths of *their* domain count (Eq. 4), whoever else is in E."""
        weighted = weighted_positions(self._ticks(people), len(people))
        columns = zip(*(self.points[person] for person in people), strict=True)
        positions = []
        for at, codes in zip(weighted, columns, strict=True):
            # Values that nobody among them has stand where the value before them does, so that the line never falls.
            places = np.searchsorted(sorted(set(codes)), range(max(codes) + 1), side="right") - 1
            positions.append(at[np.maximum(places, 0)].tolist())
        return positions


def perimeter(positions: Positions) -> Penalty:
    """The perimeter (Eq. 4) as the reference implementations want it."""

    def h(rows: Sequence[QuasiIdentified]) -> int:
        width = 0
        for at, codes in zip(positions, zip(*(t.qi for t in rows), strict=True), strict=True):
            width += at[max(codes)] - at[min(codes)]
        return len(rows) * width

    return h
