"""A released table: for every column its distinct values, and for every row which of them it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import polars as pl

from ..microdata import as_text
from ..packing import Integers

__all__ = ["Column", "ReleasedTable"]

_ROWS_PER_PART = 500_000


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
        # Named in a dictionary: in a list, a column whose name is empty would get another one.
        return pl.DataFrame({c.name: c.values.gather(pl.Series(c.codes[start:end])) for c in self.columns})

    def frame(self) -> pl.DataFrame:
        """The whole table."""
        return self.rows(0, len(self))

    def parts(self) -> Iterator[pl.DataFrame]:
        """The table in parts, so that a large one is never in memory as a whole."""
        for start in range(0, len(self), _ROWS_PER_PART):
            yield self.rows(start, start + _ROWS_PER_PART)
