"""How a group's values of one attribute are written: `32`, `[21, 27]`, `{flu, cold}`.

Labels must not be ambiguous: a value that could be taken for part of an interval or a set stands in quotes.
"""

from __future__ import annotations

import json

import polars as pl

from ..microdata import as_text

__all__ = ["alone", "intervals", "sets"]

_LOOKS_LIKE_A_LABEL = r'^[\[{"]'
_NEEDS_QUOTES_INSIDE = r'[,\[\]{}"\s]|^$|^null$'


def alone(values: pl.Series) -> pl.Series:
    """The labels of groups that have a single value: the value itself."""
    return _quoted_where(as_text(values), _LOOKS_LIKE_A_LABEL)


def intervals(values: pl.Series, low: pl.Series, high: pl.Series) -> pl.Series:
    """The labels of groups whose values go from `values[low]` to `values[high]`."""
    inside = _inside(values)
    ends = pl.DataFrame({"low": inside.gather(low), "high": inside.gather(high), "single": alone(values).gather(low)})
    wide = pl.format("[{}, {}]", "low", "high")
    return ends.select(pl.when(pl.Series(low != high)).then(wide).otherwise("single")).to_series()


def sets(values: pl.Series, group: pl.Series, member: pl.Series) -> pl.Series:
    """The labels of groups 0, 1, ..: `member` says which values occur in them, sorted by group and value."""
    entries = pl.DataFrame(
        {"group": group, "inside": _inside(values).gather(member), "alone": alone(values).gather(member)}
    )
    labels = entries.group_by("group", maintain_order=True).agg(
        pl.when(pl.len() > 1)
        .then(pl.concat_str(pl.lit("{"), pl.col("inside").str.join(", "), pl.lit("}")))
        .otherwise(pl.col("alone").first())
        .first()
        .alias("label")
    )
    return labels["label"]


def _inside(values: pl.Series) -> pl.Series:
    return _quoted_where(as_text(values), _NEEDS_QUOTES_INSIDE if values.dtype == pl.String else "^$").fill_null("null")


def _quoted_where(texts: pl.Series, pattern: str) -> pl.Series:
    ambiguous = texts.str.contains(pattern).fill_null(value=False)
    if not ambiguous.any():
        return texts
    quoted = [
        json.dumps(text, ensure_ascii=False) if quote else text
        for text, quote in zip(texts.to_list(), ambiguous.to_list(), strict=True)
    ]
    return pl.Series(texts.name, quoted, dtype=pl.String)
