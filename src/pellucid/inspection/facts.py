"""What can be counted in one column, whatever it means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ..typed import as_text, infer_type

__all__ = ["Facts", "Hashes", "counted", "mixed"]

Hashes = npt.NDArray[np.uint64]

_MOST_LOOKED_AT = 5_000
_EXACT = 2.0**53
"""Beyond this, floating-point numbers are whole because they have no room for decimals."""
_COUNT = "count of this value"
_MISSING = frozenset(["?", "na", "n/a", "#n/a", "<na>", "nan", "null", "missing", "-", "--", "."])
"""Words such as `none` and `unknown` are not among them: they may be values that somebody chose."""
_NUMBER = r"^-?[0-9]+([.,][0-9]+)?$"
_LEADING_ZERO = r"^-?0[0-9]"
_MOST_OTHERS = 3
_NEARLY_ALL = 0.8
_DATE = re.compile(
    r"(?:[0-3]?[0-9](?P<mark>[./-])[0-3]?[0-9](?P=mark)(?P<last>[0-9]{4}|[0-9]{2})"
    r"|(?P<first>[0-9]{4})(?P<between>[./-])[0-1]?[0-9](?P=between)[0-3]?[0-9])"
    r"(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9.]+)?)?"
)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """One column, counted."""

    name: str
    type: str
    """In the words of the guide: text, whole number, number, date and so on."""
    rows: int
    missing: int
    distinct: int
    """How many different values there are, without the missing ones."""
    most_frequent: int
    """How often the most frequent value occurs; a missing value is one."""
    usable: bool
    """Whether it may have a role: not so lists, bytes, infinite numbers, and columns without any value."""
    texts: tuple[str, ...]
    """Its different values as texts: all of them, or those of some rows of a large table."""
    low: Any = None
    high: Any = None
    """The ends of what has an order: numbers, dates and times."""
    whole: bool = False
    """Whether all values are whole numbers, whatever type they have."""
    but_for: tuple[str, ...] = ()
    """Of texts that are numbers but for a few: those few."""
    inferred: bool = False
    """Whether its type was inferred from the texts of a text file."""
    counts_rows_from: int | None = None
    """Where each value is the one of the row before plus one: the first."""

    @property
    def present(self) -> int:
        """How many rows have a value."""
        return self.rows - self.missing

    @property
    def largest_diversity(self) -> int:
        """The largest l for which the table is eligible (Def. 2) if this column is the sensitive one."""
        return self.rows // self.most_frequent

    @property
    def all_different(self) -> bool:
        """Whether no value occurs twice."""
        return self.distinct == self.present

    @property
    def near_unique(self) -> bool:
        """Whether nearly every row has a value of its own."""
        return self.present > 0 and self.distinct >= 0.9 * self.present

    @property
    def missing_written_as(self) -> tuple[str, ...]:
        """Texts that may mean that a value is missing."""
        return tuple(text for text in self.texts if text.strip().casefold() in _MISSING) if self.type == "text" else ()

    @property
    def years_of_dates(self) -> tuple[int, ...]:
        """Of texts that are dates, but not written like 1990-12-24: their years, smallest first."""
        found = [_DATE.fullmatch(text.strip()) for text in self.texts] if self.type == "text" else []
        years = sorted(int(date["first"] or date["last"]) for date in found if date)
        return tuple(years) if len(years) > _NEARLY_ALL * len(found) else ()

    @property
    def all_shown(self) -> bool:
        """Whether `texts` holds all values."""
        return len(self.texts) == self.distinct


def counted(column: pl.Series, *, untyped: bool) -> tuple[Facts, pl.Series]:
    """Count the values of a column; and the column in which equal values are written alike.

    `untyped` says that it holds the texts of a text file, whose types are to be inferred.
    """
    dtype = column.dtype
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        return _without_values(column, str(dtype)), column
    if dtype.is_float():
        column = (column + 0.0).fill_nan(None)  # makes -0.0, which equals 0.0, look like it
    elif isinstance(dtype, pl.Categorical) and not untyped:
        column = column.cast(pl.String)
    counts = column.alias("value").value_counts(name=_COUNT)
    missing = column.null_count()
    if missing == column.len():
        return _without_values(column, "no value"), column
    values = counts["value"]
    plain = values.cast(pl.String) if isinstance(values.dtype, pl.Categorical | pl.Enum) else values
    typed = infer_type(plain) if untyped else plain
    if typed.dtype != pl.String and typed.n_unique() < len(typed):  # 1.0 and 1.00 are one number
        counts = pl.DataFrame([typed.alias("value"), counts[_COUNT]]).group_by("value").agg(pl.col(_COUNT).sum())
        typed = counts["value"]
        column = infer_type(column.cast(pl.String))
    whole = _is_whole(typed)
    low, high = _ends(typed, whole=whole)
    facts = Facts(
        name=column.name,
        type=_type_of(typed.dtype),
        rows=column.len(),
        missing=missing,
        distinct=len(typed) - typed.null_count(),
        most_frequent=int(counts[_COUNT].to_numpy().max()),
        usable=not (typed.dtype.is_float() and bool(typed.is_infinite().any())),
        texts=_some_texts(plain, column),
        low=low,
        high=high,
        whole=whole,
        inferred=untyped,
        but_for=_but_for(typed) if typed.dtype == pl.String else (),
        counts_rows_from=_first_of_positions(column, typed) if whole and not missing else None,
    )
    return facts, column


def _without_values(column: pl.Series, kind: str) -> Facts:
    return Facts(
        name=column.name,
        type=kind,
        rows=column.len(),
        missing=column.null_count(),
        distinct=0,
        most_frequent=column.len(),
        usable=False,
        texts=(),
    )


def _type_of(dtype: pl.DataType) -> str:
    if dtype == pl.Boolean:
        return "yes or no"
    if dtype.is_integer():
        return "whole number"
    if dtype.is_numeric():
        return "number"
    words = {pl.Date: "date", pl.Time: "time", pl.Datetime: "date and time", pl.Duration: "duration"}
    return next((word for kind, word in words.items() if dtype == kind), "text")


def _ends(values: pl.Series, *, whole: bool) -> tuple[Any, Any]:
    """The smallest and the largest value of what has an order; nothing beyond the years that Python counts."""
    if values.dtype in (pl.String, pl.Boolean):
        return None, None
    try:
        ends: list[Any] = [values.min(), values.max()]
    except (ValueError, OverflowError):
        return None, None
    return (int(ends[0]), int(ends[1])) if whole else (ends[0], ends[1])


def _is_whole(values: pl.Series) -> bool:
    if values.dtype.is_integer():
        return True
    if not values.dtype.is_float():
        return False
    numbers = values.drop_nulls()
    return bool((numbers.abs() < _EXACT).all() and (numbers == numbers.floor()).all())


def _some_texts(values: pl.Series, column: pl.Series) -> tuple[str, ...]:
    """The different values as texts, in their order; of very many, those of rows at even distances."""
    if len(values) > _MOST_LOOKED_AT:
        values = column.drop_nulls()
        values = values.gather_every(max(1, len(values) // _MOST_LOOKED_AT)).unique()
    return tuple(as_text(values.drop_nulls()).sort().to_list())


def _but_for(values: pl.Series) -> tuple[str, ...]:
    """The few of these different texts that are no numbers, if nearly all are. Codes with leading zeros are none."""
    texts = values.drop_nulls()
    others = texts.filter(~texts.str.contains(_NUMBER))
    few = 0 < len(others) <= min(_MOST_OTHERS, (1 - _NEARLY_ALL) * len(texts))
    return tuple(others.sort().to_list()) if few and not texts.str.contains(_LEADING_ZERO).any() else ()


def _first_of_positions(column: pl.Series, values: pl.Series) -> int | None:
    """The first of whole numbers that count the rows in the order of the file."""
    low, high = values.min(), values.max()
    if len(values) != column.len() or len(values) < 2 or high - low != len(values) - 1:  # type: ignore[operator]
        return None
    numbers = infer_type(column) if column.dtype == pl.String else column
    numbers = numbers.cast(pl.String).cast(pl.Int64) if isinstance(numbers.dtype, pl.Enum) else numbers
    steps = numbers.cast(pl.Int64).diff().drop_nulls()
    return int(low) if bool((steps == 1).all()) else None  # type: ignore[arg-type]


def mixed(hashes: Hashes, column: pl.Series) -> Hashes:
    """The hashes of rows, with one more column in them (after SplitMix64).

    Rows that are alike have equal hashes; that others have, too, is less likely than one in a million in a table of
    five million rows.
    """
    words: Hashes = hashes ^ column.hash().to_numpy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words ^= words >> np.uint64(shift)
        words *= np.uint64(factor)
    words ^= words >> np.uint64(31)
    return words
