"""Texts in a list, where quotes keep them apart, and columns numbered by what they say."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

import polars as pl

from .packing import Integers

__all__ = ["NEEDS_QUOTES_IN_A_LIST", "Coded", "coded", "quoted_where"]

NEEDS_QUOTES_IN_A_LIST: Final = r'[,\[\]{}"\s]|^$|^null$'
"""A text that could be taken for part of a list, or for a missing value."""


def quoted_where(texts: pl.Series, pattern: str) -> pl.Series:
    """The texts, those that match the pattern in double quotes."""
    ambiguous = texts.str.contains(pattern).fill_null(value=False)
    if not ambiguous.any():
        return texts
    quoted = [
        json.dumps(text, ensure_ascii=False) if quote else text
        for text, quote in zip(texts.to_list(), ambiguous.to_list(), strict=True)
    ]
    return pl.Series(texts.name, quoted, dtype=pl.String)


class Coded(NamedTuple):
    """A column as numbers: equal values have equal numbers, a missing value one of its own."""

    codes: Integers
    kinds: int
    """How many numbers there are."""


def coded(column: pl.Series) -> Coded:
    """Number the values of a column, in no particular order."""
    if not isinstance(column.dtype, pl.Categorical | pl.Enum):
        column = column.to_physical() if column.dtype.is_temporal() else column
        column = column.cast(pl.String).cast(pl.Categorical(pl.Categories.random()))
    codes = column.to_physical()
    missing = int(codes.max() or 0) + 1  # type: ignore[arg-type]
    if not codes.has_nulls():
        return Coded(codes.to_numpy(), missing)
    return Coded(codes.cast(pl.UInt32).fill_null(missing).to_numpy(), missing + 1)
