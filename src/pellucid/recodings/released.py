"""A released table: for every column its distinct values, and for every row which of them it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from ..microdata import as_text

__all__ = ["Column", "ReleasedTable", "number_combinations", "sorted_pairs"]

_ROWS_PER_PART = 500_000
Integers = npt.NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a released table."""

    name: str
    values: pl.Series
    codes: Integers


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """The released tuples, in an order computed from their values alone; nothing of the source is left in it."""

    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns[0].codes)

    def as_text(self) -> ReleasedTable:
        """The table as a text file shows it."""
        return ReleasedTable(tuple(replace(column, values=as_text(column.values)) for column in self.columns))

    def rows(self, start: int, end: int) -> pl.DataFrame:
        """The rows from `start` up to `end`."""
        return pl.DataFrame([c.values.gather(pl.Series(c.codes[start:end])).alias(c.name) for c in self.columns])

    def frame(self) -> pl.DataFrame:
        """The whole table."""
        return self.rows(0, len(self))

    def parts(self) -> Iterator[pl.DataFrame]:
        """The table in parts, so that a large one is never in memory as a whole."""
        for start in range(0, len(self), _ROWS_PER_PART):
            yield self.rows(start, start + _ROWS_PER_PART)


def number_combinations(cells: Sequence[Integers], sizes: Sequence[int]) -> tuple[Integers, Integers]:
    """Number the distinct combinations of cells in lexicographic order.

    Returns for each combination one place where it stands, and for each place the number of its combination.
    """
    key = np.zeros(len(cells[0]), dtype=np.uint64)
    kinds = 1
    for cell, size in zip(cells, sizes, strict=True):
        if kinds * size >= 2**63:
            distinct, numbers = np.unique(key, return_inverse=True)
            key, kinds = numbers.astype(np.uint64), len(distinct)
        key = key * np.uint64(size) + cell.astype(np.uint64)
        kinds *= size
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return first, number.astype(np.uint32)


def sorted_pairs(first: Integers, second: Integers) -> tuple[Integers, Integers]:
    """The pairs of two columns of numbers below 2**32, sorted: the multiset, and nothing of the order before."""
    bits = np.uint64(int(second.max(initial=0)).bit_length())
    pairs = np.sort((first.astype(np.uint64) << bits) | second.astype(np.uint64))
    mask = (np.uint64(1) << bits) - np.uint64(1)
    return (pairs >> bits).astype(np.uint32), (pairs & mask).astype(np.uint32)
