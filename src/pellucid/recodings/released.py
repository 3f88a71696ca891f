"""A released table: for every column its distinct values, and for every row which of them it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
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
        return pl.DataFrame({column.name: _gathered(column) for column in self.columns})


def _gathered(column: Column) -> pl.Series:
    """The values in the order of the rows, in memory that holds these values and no others (G5).

    Texts are not copied: polars lets each row point at its text in a memory that all rows share. There they stand in
    the order in which they first appeared in the source, and texts that are not released between them; an Arrow file
    would hold that memory as it is. So the texts are laid down anew, those that occur, in their order.
    """
    if column.values.dtype != pl.String:
        return column.values.gather(pl.Series(column.codes))
    occurs = np.zeros(len(column.values), dtype=bool)
    occurs[column.codes] = True
    texts = column.values.filter(pl.Series(occurs)).to_list()
    place = np.cumsum(occurs, dtype=np.uint32) - np.uint32(1)
    return pl.Series(column.name, texts, dtype=pl.String).gather(pl.Series(place[column.codes]))
