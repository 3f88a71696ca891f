"""Dates and times that a source has and nobody else: others would fail on them, or change them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from ..errors import SourceError

__all__ = ["no_moment", "require_times"]


def require_times(table: pl.DataFrame, missing: Callable[[], Mapping[str, int]]) -> pl.DataFrame:
    """The table, of whose times of day none is missing but those that the source says are, where it says so.

    polars makes a missing value of 24:00 without a word.
    """
    times = [column for column in table if column.dtype == pl.Time and column.has_nulls()]
    known = missing() if times else {}
    for column in times:
        if column.null_count() != known.get(column.name, column.null_count()):
            raise no_moment(column.name, "time of day")
    return table


def no_moment(name: str, kind: str) -> SourceError:
    """The error for what a source takes for a moment, and Python does not."""
    of_day = kind.lower().split()[0] == "time"
    unlike = "24:00" if of_day else "infinite, before the year 1 or after the year 9999"
    return SourceError(
        f"The column {name!r} holds a {kind} that is {unlike}.",
        remedy="Leave such rows out, put another value there, or drop the column.",
    )
