"""Dates and times that a source has and nobody else: others would fail on them, or change them."""

from __future__ import annotations

import polars as pl

from ..errors import SourceError
from ..typed import in_the_calendar

__all__ = ["no_moment", "require_moments"]


def require_moments(table: pl.DataFrame) -> pl.DataFrame:
    """The table, whose dates and moments are such that a file can say them and Python can hold them."""
    for column in table:
        if not in_the_calendar(column):
            raise no_moment(column.name, "date" if column.dtype == pl.Date else "datetime")
    return table


def no_moment(name: str, kind: str) -> SourceError:
    """The error for what a source takes for a moment, and Python does not."""
    of_day = kind.lower().split()[0] == "time"
    unlike = "24:00" if of_day else "infinite, before the year 1 or after the year 9999"
    return SourceError(
        f"The column {name!r} holds a {kind} that is {unlike}.",
        remedy="Leave such rows out, put another value there, or drop the column.",
    )
