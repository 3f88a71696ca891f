"""Several sensitive columns that are declared as one: their combination is the value that nobody is tied to.

Everything between reading a table and writing it knows one sensitive value. Here the columns become that value, whose
text is `flu, rest`, quoted so that two combinations never have the same; a missing value is `null`. What is written
are the columns again.

The bound holds for the combination alone. Ten people with one disease and ten treatments are ten values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl
from polars.selectors import by_name

from .packing import number_combinations
from .runs import side_by_side
from .texts import NEEDS_QUOTES_IN_A_LIST, coded, quoted_where
from .typed import as_text

__all__ = ["combined", "combined_texts", "name_of"]

_BETWEEN: Final = ", "


def name_of(columns: Sequence[str]) -> str:
    """The name of the one value that the columns are: of a single column, its own."""
    if len(columns) == 1:
        return columns[0]
    return _BETWEEN.join(quoted_where(pl.Series(list(columns), dtype=pl.String), NEEDS_QUOTES_IN_A_LIST).to_list())


def combined_texts(columns: Sequence[pl.Series]) -> pl.Series:
    """The text of the combination that stands in each row."""
    parts = [quoted_where(as_text(column), NEEDS_QUOTES_IN_A_LIST).fill_null("null") for column in columns]
    lines = pl.DataFrame(parts).select(pl.concat_str(pl.all(), separator=_BETWEEN)).to_series()
    return lines.alias(name_of([column.name for column in columns]))


def combined(table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The table with one column, by the name of the combination, in place of these."""
    if len(columns) == 1:
        return table
    codes, kinds = zip(*side_by_side(lambda name: coded(table[name]), columns), strict=True)
    first, number = number_combinations(codes, kinds)
    texts = combined_texts([table[name].gather(pl.Series(first)) for name in columns])
    return table.drop(by_name(columns)).with_columns(texts.gather(pl.Series(number)))
