"""A released table: for every column its distinct values, and for every row which of them it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import polars as pl

from ..packing import Integers

__all__ = ["Column", "ReleasedTable"]


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

    def shown(self, how: Callable[[pl.Series], pl.Series]) -> ReleasedTable:
        """The table with its values as a target holds them."""
        return ReleasedTable(tuple(replace(column, values=how(column.values)) for column in self.columns))

    def frame(self) -> pl.DataFrame:
        """The table with its values in place of their codes."""
        # Named in a dictionary: in a list, a column whose name is empty would get another one.
        return pl.DataFrame({column.name: column.values.gather(pl.Series(column.codes)) for column in self.columns})
