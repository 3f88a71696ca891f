"""Hierarchies of numbers: intervals of equal width, of equal frequency, or between given breaks.

Numbers are computed exactly: in floating-point numbers, 0.3 would not be the third multiple of 0.1. The intervals at
both ends are open (`< 18`, `>= 65`) where breaks bound the others, so that they do not say how far the values go.
"""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..errors import HierarchyError
from ..hierarchies import Hierarchy
from .column import Column, Values, require_levels

__all__ = ["by_breaks", "by_frequency", "by_width"]

Number = int | float

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


def by_width(values: Values, *widths: Number, apart: Iterable[str] = ()) -> Hierarchy:
    """Intervals of equal width, from multiple to multiple: the width of every level, the finest first."""
    require_levels(widths, "Give the width of each, such as 5, 10, 20.")
    exact = [_exact(width, "width") for width in widths]
    for width in exact:
        if width <= 0:
            raise HierarchyError(f"A width must be a number above 0, not {_shown(width)}.")
    for finer, coarser in itertools.pairwise(exact):
        if coarser <= finer or coarser % finer:
            raise HierarchyError(
                f"Intervals of width {_shown(coarser)} are not made of intervals of width {_shown(finer)}.",
                remedy="Each width must be a multiple of the one before, such as 5, 10, 20.",
            )
    column = Column.of(values, apart)
    numbers = _numbers(column)
    whole = _whole([*numbers, *exact])
    starts = [[number // width * width for number in numbers] for width in exact]
    return column.hierarchy(
        numbers,
        [
            [_interval(start, start + width, whole=whole) for start in of_level]
            for width, of_level in zip(exact, starts, strict=True)
        ],
    )


def by_breaks(values: Values, *levels: Sequence[Number], apart: Iterable[str] = ()) -> Hierarchy:
    """Intervals between given breaks, each from its break on: the breaks of every level, the finest first."""
    require_levels(levels, "Give the breaks of each, such as [18, 30, 45, 65], [18, 65].")
    exact = [[_exact(number, "break") for number in breaks] for breaks in levels]
    for breaks in exact:
        if not breaks or sorted(set(breaks)) != breaks:
            raise HierarchyError(
                f"Breaks must be in order, the smallest first, and none of them twice: {_all_shown(breaks)}.",
                remedy="For example: 18, 30, 45, 65",
            )
    for finer, coarser in itertools.pairwise(exact):
        if added := [number for number in coarser if number not in finer]:
            raise HierarchyError(
                f"The breaks {_all_shown(coarser)} do not join intervals between {_all_shown(finer)}:"
                f" {_all_shown(added)} cut{'s' if len(added) == 1 else ''} through one.",
                remedy="Each level keeps some of the breaks of the one before.",
            )
    column = Column.of(values, apart)
    return _between(column, _numbers(column), exact)


def by_frequency(values: Values, *groups: int, apart: Iterable[str] = ()) -> Hierarchy:
    """Intervals with about as many people in each: how many intervals every level has, the finest first.

    This counts the rows of a column, so it is for quasi-identifiers alone (G1). Rows with the same value stay
    together, so that there may be fewer intervals than asked.
    """
    require_levels(groups, "Give how many intervals each has, such as 16, 4.")
    for many in groups:
        if not isinstance(many, int) or isinstance(many, bool) or many < 2:
            raise HierarchyError(f"There must be at least 2 intervals, not {many!r}.")
    for finer, coarser in itertools.pairwise(groups):
        if coarser >= finer:
            raise HierarchyError(
                f"{coarser} intervals cannot be made by joining {finer}.",
                remedy="Each level has fewer than the one before, such as 16, 4.",
            )
    column = Column.of(values, apart)
    numbers = _numbers(column)
    weight = dict.fromkeys(sorted(numbers), 0)
    for number, count in zip(numbers, column.counts, strict=True):
        weight[number] += count
    levels: list[list[Fraction]] = []
    for many in groups:
        weight = _joined(weight, many)
        levels.append(list(weight)[1:])
    return _between(column, numbers, levels)


def _joined(weight: dict[Fraction, int], groups: int) -> dict[Fraction, int]:
    """Neighbours joined to groups of about the same weight, each under its smallest number.

    A number belongs to the group that the middle of its rows falls into.
    """
    total = sum(weight.values())
    joined: dict[int, tuple[Fraction, int]] = {}
    before = 0
    for number, own in weight.items():
        group = groups * (2 * before + own) // (2 * total)
        first, so_far = joined.get(group, (number, 0))
        joined[group] = first, so_far + own
        before += own
    return dict(joined.values())


def _between(column: Column, numbers: Sequence[Fraction], levels: Sequence[Sequence[Fraction]]) -> Hierarchy:
    whole = _whole([*numbers, *itertools.chain(*levels)])

    def name(number: Fraction, breaks: Sequence[Fraction]) -> str:
        place = bisect_right(breaks, number)
        if place == 0:
            return f"< {_shown(breaks[0])}"
        if place == len(breaks):
            return f">= {_shown(breaks[-1])}"
        return _interval(breaks[place - 1], breaks[place], whole=whole)

    return column.hierarchy(numbers, ([name(number, breaks) for number in numbers] for breaks in levels if breaks))


def _numbers(column: Column) -> list[Fraction]:
    column.refuse((text for text in column.texts if not _NUMBER.fullmatch(text)), "no number")
    return [Fraction(text) for text in column.texts]


def _exact(number: object, what: str) -> Fraction:
    if not isinstance(number, int | float) or isinstance(number, bool) or not math.isfinite(number):
        raise HierarchyError(f"A {what} must be a number, not {number!r}.")
    return Fraction(str(number))


def _whole(numbers: Iterable[Fraction]) -> bool:
    return all(number.denominator == 1 for number in numbers)


def _interval(start: Fraction, end: Fraction, *, whole: bool) -> str:
    """From `start` to before `end`."""
    if not whole:
        return f"[{_shown(start)}, {_shown(end)})"
    return _shown(start) if start == end - 1 else f"[{_shown(start)}, {_shown(end - 1)}]"


def _shown(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else repr(float(number))


def _all_shown(numbers: Iterable[Fraction]) -> str:
    return ", ".join(map(_shown, numbers)) or "none"
