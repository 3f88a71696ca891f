"""Between values and the texts of a text file: numbers, dates and times, if each is one and nothing is lost."""

from __future__ import annotations

import datetime as dt

import polars as pl

__all__ = ["as_text", "has_decimal_commas", "in_the_calendar", "infer_type"]

_WHOLE_NUMBER = r"^(0|-?[1-9][0-9]*)$"
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$"

_FIRST_DAY, _LAST_DAY = ((day - dt.date(1970, 1, 1)).days for day in (dt.date.min, dt.date.max))
_PER_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_INFINITE = 2**63 - 1
"""As databases count it."""


def infer_type(texts: pl.Series, *, decimal: str = ".") -> pl.Series:
    """The texts as whole numbers, numbers, dates or times, if each of them is one and nothing is lost.

    `007` is no number: published as 7 it would be another code. With a decimal comma, `1.500` is none either.
    """
    present = texts.drop_nulls()
    if present.is_empty():
        return texts

    def all_are(pattern: str) -> bool:
        return bool(present.str.contains(pattern).all())

    if all_are(_WHOLE_NUMBER):
        numbers = texts.cast(pl.Int64, strict=False)
        return numbers if numbers.null_count() == texts.null_count() else texts
    if all_are(_NUMBER if decimal == "." else _NUMBER.replace(r"\.", decimal)):
        numbers = texts if decimal == "." else texts.str.replace(decimal, ".", literal=True)
        floats = numbers.cast(pl.Float64, strict=False)
        return floats.set(floats == 0, 0.0) if floats.drop_nulls().is_finite().all() else texts
    if all_are(_DATE):
        dates = texts.str.to_date("%Y-%m-%d", strict=False)
        return dates if dates.null_count() == texts.null_count() and in_the_calendar(dates) else texts
    if all_are(_TIME):
        times = texts.str.replace("T", " ", literal=True).str.to_datetime(time_unit="us", strict=False)
        return times if times.null_count() == texts.null_count() and in_the_calendar(times) else texts
    return texts


def in_the_calendar(values: pl.Series) -> bool:
    """Whether dates and moments are in the years 1 to 9999, which is all that Python and four digits can say."""
    if values.dtype not in (pl.Date, pl.Datetime):
        return True
    per_day = _PER_DAY.get(getattr(values.dtype, "time_unit", ""), 1)
    first, last = _FIRST_DAY * per_day, (_LAST_DAY + 1) * per_day - 1
    return bool(values.to_physical().is_between(max(first, -_INFINITE + 1), min(last, _INFINITE - 1)).all())


def as_text(values: pl.Series) -> pl.Series:
    """Values as a text file shows them; null stays null."""
    dtype = values.dtype
    if dtype == pl.Duration:
        return values.dt.to_string("iso")
    if dtype in (pl.Datetime, pl.Time):
        return values.dt.to_string("iso").str.replace(r"\.0+([+-][0-9:]+)?$", "$1")
    return values.cast(pl.String)


def has_decimal_commas(texts: pl.Series) -> bool:
    """Whether all texts are numbers if commas stand before decimals, and some commas do."""
    present = texts.drop_nulls()
    numbers = _NUMBER.replace(r"\.", ",")
    return bool(present.str.contains(",", literal=True).any() and present.str.contains(numbers).all())
