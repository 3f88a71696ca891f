"""What hierarchies are built from: the different values of a column, and the name of each on every level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from ..errors import HierarchyError, listed
from ..hierarchies import Hierarchy
from ..typed import as_text, in_the_calendar

__all__ = ["Column", "Values", "require_levels"]

Values: TypeAlias = Any
"""A column: a series of polars, pandas or pyarrow, or a list. Missing values in it do not count."""

_ROOT = "*"
_MOST_LISTED = 40


@dataclass(frozen=True, eq=False)
class Column:
    """The different values of a column, without missing ones and without those that stand apart."""

    name: str
    texts: list[str]
    """The values as a text file shows them, in the order of texts."""
    counts: list[int]
    """How often each of them occurs."""
    apart: tuple[str, ...]
    """Values such as "unknown", which lie under no other node than the root."""

    @classmethod
    def of(cls, given: Values, apart: Iterable[str]) -> Column:
        """The column that is given."""
        series = _series(given)
        outside = [apart] if isinstance(apart, str) else list(dict.fromkeys(apart))
        counted = as_text(series).drop_nulls().alias("text").value_counts().sort("text")
        inside = counted.filter(~pl.col("text").is_in(outside))
        if inside.is_empty():
            raise HierarchyError(
                f"There are no values{_of(series.name)} to build a hierarchy from.",
                remedy="Missing values do not count, and neither do those that stand apart.",
            )
        return cls(
            name=series.name,
            texts=inside["text"].to_list(),
            counts=inside["count"].to_list(),
            apart=tuple(text for text in outside if text in counted["text"]),
        )

    def refuse(self, texts: Iterable[str], why: str, *, remedy: str = "") -> None:
        """Raise if there are values that are not what they should be."""
        if found := list(texts):
            are = "is" if len(found) == 1 else "are"
            raise HierarchyError(
                f"{listed(found, most=_MOST_LISTED)}{_of(self.name)} {are} {why}.",
                remedy=remedy
                or "Mend what is wrong; what belongs to no other value, such as 'unknown', may stand apart"
                " (--apart), as a branch of its own.",
            )

    def hierarchy(self, order: Iterable[Any], levels: Iterable[Sequence[str]]) -> Hierarchy:
        """A hierarchy from the names of every value's ancestors, level by level; values stand as `order` says."""
        names = list(zip(self.texts, *levels, strict=True))
        paths = [(*path, _ROOT) for _, path in sorted(zip(order, names, strict=True))]
        paths += [(*[text] * len(names[0]), _ROOT) for text in self.apart]
        return Hierarchy(tuple(paths))


def _of(name: str) -> str:
    return f" in {name!r}" if name else ""


def _series(given: Values) -> pl.Series:
    try:
        series = given if isinstance(given, pl.Series) else pl.Series(given)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as problem:
        why = str(problem).splitlines()[0].rstrip(".")
        raise HierarchyError(f"A hierarchy is built from a column or a list of values: {why}.") from problem
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        raise HierarchyError(f"A hierarchy is built from single values, not from {series.dtype}.")
    if not in_the_calendar(series):
        raise HierarchyError("A hierarchy is built from dates of the years 1 to 9999, and from no infinite ones.")
    if series.dtype.is_float():
        series = series.fill_nan(None)
        return series.set(series == 0, 0.0)  # -0.0 is 0.0, here as in a release
    return series


def require_levels(levels: Sequence[Any], example: str) -> None:
    """Refuse a hierarchy with nothing between the values and the root."""
    if not levels:
        raise HierarchyError("A hierarchy needs at least one level between the values and the root.", remedy=example)
