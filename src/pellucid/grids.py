"""Grids: numbers and dates in steps, such as five years or a month.

Every value becomes the step that it lies in before anything else happens. So what is decided and what is published
are functions of the steps, which is the same as if the source had held nothing finer (global recoding).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from .errors import MicrodataError
from .packing import Integers
from .settings import Grid

__all__ = ["Steps", "in_steps"]

_CALENDAR = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}


class Steps(NamedTuple):
    """The steps in which the values of a column lie."""

    low: pl.Series
    """The first value of every step, smallest first."""
    high: pl.Series
    """The last value of every step: of whole numbers and days, the one before the next step."""
    step_of_value: Integers
    place: npt.NDArray[np.uint64]
    """Where every step stands, counted in steps from the first, or in days."""


def in_steps(values: pl.Series, grid: Grid) -> Steps:
    """The steps of distinct values, which are sorted and not null.

    The step of a number v begins at the largest multiple of the grid that is not above v.
    """
    name, dtype = values.name, values.dtype
    if isinstance(grid, str):
        if not isinstance(dtype, pl.Date | pl.Datetime):
            raise MicrodataError(
                f"The grid of {name!r} is a {grid}, but the column holds {_kind(dtype)}.",
                remedy="Give a number, such as grid = 5." if dtype.is_numeric() else "Take the grid out.",
            )
        return _calendar_steps(values, _CALENDAR[grid])
    if not dtype.is_numeric():
        raise MicrodataError(
            f"The grid of {name!r} is a number, but the column holds {_kind(dtype)}.",
            remedy='Give a step of the calendar, such as grid = "month".'
            if isinstance(dtype, pl.Date | pl.Datetime)
            else "Only numbers and dates have steps.",
        )
    if dtype.is_integer():
        return _whole_steps(values, grid)
    return _real_steps(values, grid)


def _kind(dtype: pl.DataType) -> str:
    if dtype.is_numeric():
        return "numbers"
    if dtype.is_temporal():
        return "dates or times"
    return "texts" if dtype == pl.String else f"{dtype}"


def _calendar_steps(values: pl.Series, every: str) -> Steps:
    days = values.cast(pl.Date)
    starts, step = _distinct(days.dt.truncate(every).to_physical().to_list())
    low = pl.Series(values.name, starts, dtype=pl.Int32).cast(pl.Date)
    return Steps(low, low.dt.offset_by(every).dt.offset_by("-1d"), step, _counted(starts))


def _whole_steps(values: pl.Series, grid: int | float) -> Steps:
    if grid != int(grid):
        raise MicrodataError(
            f"The grid of {values.name!r} is {grid}, but the column holds whole numbers.",
            remedy="Give a whole number, such as grid = 5.",
        )
    width = int(grid)
    multiples, step = _distinct([value // width for value in values.to_list()])
    first = pl.Series(values.name, [multiple * width for multiple in multiples], dtype=pl.Int128)
    last = pl.Series(values.name, [multiple * width + (width - 1) for multiple in multiples], dtype=pl.Int128)
    return Steps(*_narrowed(first, last, values.dtype), step, _counted(multiples))


def _narrowed(first: pl.Series, last: pl.Series, dtype: pl.DataType) -> tuple[pl.Series, pl.Series]:
    """Both as the column's type, or as a wider one: a step may begin or end beyond what the type can hold."""
    for narrow in (dtype, pl.Int64()):
        both = [side.cast(narrow, strict=False) for side in (first, last)]
        if not any(side.has_nulls() for side in both):
            return both[0], both[1]
    return first, last


def _real_steps(values: pl.Series, grid: int | float) -> Steps:
    """Exactly: in floating-point numbers, 0.3 would not be the third multiple of 0.1."""
    width = Fraction(str(grid))
    if not all(np.isfinite(float(value)) for value in values.to_list()):
        raise MicrodataError(
            f"The column {values.name!r} holds infinite numbers, which lie in no step.",
            remedy="Replace them, or drop those rows.",
        )
    multiples, step = _distinct([Fraction(str(value)) // width for value in values.to_list()])
    first, last = (
        pl.Series(values.name, [float((multiple + end) * width) for multiple in multiples]) for end in (0, 1)
    )
    return Steps(first, last, step, _counted(multiples))


def _distinct(steps: list[int]) -> tuple[list[int], Integers]:
    """The different ones, smallest first, and which of them each is."""
    found = sorted(set(steps))
    number = {step: at for at, step in enumerate(found)}
    return found, np.array([number[step] for step in steps], dtype=np.uint32)


def _counted(steps: list[int]) -> npt.NDArray[np.uint64]:
    """Where steps stand on a line of whole numbers from 0."""
    shift = max(0, (steps[-1] - steps[0]).bit_length() - 62)
    return np.array([(step - steps[0]) >> shift for step in steps], dtype=np.uint64)
