"""COUNT queries in plain Python, on the values that a release shows: slow, obvious, exact.

It shares nothing with `pellucid.utility` but the words: no positions, no codes, no cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

__all__ = ["Interval", "Item", "answer", "estimate"]

Value = int | float | str


class Interval(NamedTuple):
    """From low to high; whole numbers are counted, real numbers are measured."""

    low: float
    high: float


Side = Interval | frozenset[str]
Asked = Interval | frozenset[str]
Item = Mapping[str, Side]
"""What a box, or a point, is on every attribute."""


def answer(rows: Sequence[Mapping[str, Value]], query: Mapping[str, Asked]) -> int:
    """How many rows fulfil every predicate."""
    return sum(all(_holds(row[name], asked) for name, asked in query.items()) for row in rows)


def estimate(
    groups: Sequence[tuple[Sequence[Item], Sequence[Value]]],
    sensitive: str,
    query: Mapping[str, Asked],
    real: Collection[str],
) -> Fraction:
    """The expected number, if each of a group's sensitive values is equally likely to be anywhere in its items."""
    total = Fraction(0)
    for items, values in groups:
        matching = sum(sensitive not in query or _holds(value, query[sensitive]) for value in values)
        covered = Fraction(0)
        for item in items:
            covered += _product(_share(item[name], query[name], name in real) for name in item if name in query)
        total += covered / len(items) * matching
    return total


def _product(factors: Iterable[Fraction]) -> Fraction:
    product = Fraction(1)
    for factor in factors:
        product *= factor
    return product


def _holds(value: Value, asked: Asked) -> bool:
    return value in asked if isinstance(asked, frozenset) else asked.low <= value <= asked.high  # type: ignore[operator]


def _share(side: Side, asked: Asked, real: bool) -> Fraction:
    """The share of a side that is asked for."""
    if isinstance(side, frozenset):
        assert isinstance(asked, frozenset)
        return Fraction(len(side & asked), len(side))
    assert isinstance(asked, Interval)
    if side.low == side.high:
        return Fraction(asked.low <= side.low <= asked.high)
    if real:
        overlap = min(Fraction(side.high), Fraction(asked.high)) - max(Fraction(side.low), Fraction(asked.low))
        return max(Fraction(0), overlap) / (Fraction(side.high) - Fraction(side.low))
    numbers = range(int(side.low), int(side.high) + 1)
    return Fraction(sum(asked.low <= number <= asked.high for number in numbers), len(numbers))
