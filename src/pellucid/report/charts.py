"""Plots as models: what a column or a bar stands for, and where it is. `templates/charts.html` draws them as SVG.

Positions across are in percent and heights in pixels, so that a plot fills a telephone and a sheet of paper alike
while its letters keep their size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .pages import number

__all__ = ["Bar", "Bars", "Column", "Columns", "histogram"]

_MOST_COLUMNS = 24
_MOST_LABELS = 7
_MOST_LETTERS = 42
_MOST_TICKS = 4
_BULK = 0.99


@dataclass(frozen=True)
class Bar:
    """One line of a bar chart: it is a row of a table as well, for those who cannot see the bar."""

    label: str
    share: float
    """Of the full width, from 0 to 1."""
    texts: tuple[str, ...]
    """What stands behind the bar, one for each further column of the table."""


@dataclass(frozen=True)
class Bars:
    """Bars to the right, one below the other, under the headings of the label, the bar and each further column."""

    headings: tuple[str, ...]
    bars: tuple[Bar, ...]
    mark: float | None = None
    """Where a line is drawn through all bars, from 0 to 1."""


@dataclass(frozen=True)
class Column:
    """One column of a histogram."""

    label: str
    count: float
    tick: str
    """What stands below it: the label, or where its range begins."""


@dataclass(frozen=True)
class Tick:
    """A line across the plot, at a share of its height."""

    label: str
    at: float


@dataclass(frozen=True)
class Columns:
    """Columns side by side."""

    across: str
    """What the columns stand for, such as "rows in a group"."""
    upwards: str
    """What their heights count, such as "groups"."""
    columns: tuple[Column, ...]
    ranges: bool = False
    """Whether a column stands for a range: what is below it is then at its beginning."""

    @property
    def top(self) -> float:
        """The count at the upper end of the plot."""
        return self._step * max(1, math.ceil(self._highest / self._step))

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Lines at round counts."""
        lines = round(self.top / self._step)
        return tuple(Tick(number(self._step * line), line / lines) for line in range(lines + 1))

    @property
    def labelled(self) -> tuple[bool, ...]:
        """Which columns have their label below them: all, or as many as can be read."""
        length = max((len(column.tick) for column in self.columns), default=1)
        fit = max(1, min(_MOST_LABELS, _MOST_LETTERS // (length + 1)))
        every = math.ceil(len(self.columns) / fit)
        return tuple(place % every == 0 for place in range(len(self.columns)))

    @property
    def _highest(self) -> float:
        return max((column.count for column in self.columns), default=0)

    @property
    def _step(self) -> float:
        return max(1.0, _round_step(self._highest / _MOST_TICKS))


def histogram(counted: Iterable[tuple[float, float]], *, across: str, upwards: str, whole: bool = True) -> Columns:
    """A histogram of values and how often each occurs; `whole` says that values are whole numbers, one apart.

    Where a few values lie far beyond the others, the last column holds all of those.
    """
    values = sorted((float(value), float(count)) for value, count in counted if count)
    if not values:
        return Columns(across, upwards, ())
    low, high = values[0][0], values[-1][0]
    if not whole or high - low >= _MOST_COLUMNS:
        high = _end_of_bulk(values)
    step = _round_step((high - low + whole) / _MOST_COLUMNS)
    if whole:
        step = max(1.0, step)
    ranges = not whole or step > 1
    return Columns(across, upwards, _columns(values, low, high, step, whole=whole, ranges=ranges), ranges)


def _columns(
    values: Sequence[tuple[float, float]], low: float, high: float, step: float, *, whole: bool, ranges: bool
) -> tuple[Column, ...]:
    first = math.floor(low / step)
    number_of_bins = math.floor(high / step) - first + 1
    counts = [0.0] * (number_of_bins + 1)
    for value, count in values:
        counts[min(math.floor(value / step) - first, number_of_bins)] += count
    ends = [(first + place) * step for place in range(number_of_bins + 1)]
    columns = [
        Column(f"{number(start)}–{number(start + step - whole)}" if ranges else number(start), count, number(start))
        for start, count in zip(ends, counts[:number_of_bins], strict=False)
    ]
    if counts[-1]:
        columns.append(Column(f"{number(ends[-1])} and more", counts[-1], f"{number(ends[-1])}+"))
    return tuple(columns)


def _end_of_bulk(values: Sequence[tuple[float, float]]) -> float:
    """The largest value, unless nearly all are far below it."""
    wanted = _BULK * math.fsum(count for _, count in values)
    reached = 0.0
    low, high = values[0][0], values[-1][0]
    for value, count in values:
        reached += count
        if reached >= wanted:
            return value if high - low > 2 * (value - low) else high
    return high


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, .. (and of 0.5, 0.2, 0.1, ..) that is at least so large."""
    if least <= 0:
        return 1.0
    power = math.floor(math.log10(least))
    for factor in (1, 2, 5):
        step = factor * 10.0**power
        if step >= least:
            return step
    return 10.0 ** (power + 1)
