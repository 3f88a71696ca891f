"""How a group's values of one attribute are written: `32`, `[21, 27]`, `{flu, cold}`.

Labels must not be ambiguous: a value that could be taken for part of an interval or a set stands in quotes. So
`parse` finds in every label what was written into it.
"""

from __future__ import annotations

import json
import re
from typing import Literal, NamedTuple

import polars as pl

from ..texts import NEEDS_QUOTES_IN_A_LIST, quoted_where
from ..typed import as_text

__all__ = ["Label", "alone", "intervals", "parse", "sets"]

_LOOKS_LIKE_A_LABEL = r'^[\[{"]'
_BETWEEN = ", "
_INSIDE = re.compile(r'"(?:[^"\\]|\\.)*"|[^,\[\]{}"]+')
"""A value inside an interval or a set: in quotes, or bare."""


class Label(NamedTuple):
    """What a label says: a value alone, the two ends of an interval, or the members of a set; None is a missing one."""

    kind: Literal["alone", "interval", "set"]
    values: tuple[str | None, ...]


def alone(values: pl.Series) -> pl.Series:
    """The labels of groups that have a single value: the value itself."""
    return quoted_where(as_text(values), _LOOKS_LIKE_A_LABEL)


def intervals(values: pl.Series, low: pl.Series, high: pl.Series, *, ends: pl.Series | None = None) -> pl.Series:
    """The labels of groups whose values go from `values[low]` to `values[high]`, or to `ends[high]` if there are any.

    A missing value is its own end.
    """
    last = values if ends is None else ends
    inside = _inside(values).gather(low), _inside(last).gather(high)
    table = pl.DataFrame({"low": inside[0], "high": inside[1], "single": alone(values).gather(low)})
    wide = pl.format("[{}, {}]", "low", "high")
    return table.select(pl.when(pl.col("low") != pl.col("high")).then(wide).otherwise("single")).to_series()


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
    return quoted_where(as_text(values), NEEDS_QUOTES_IN_A_LIST if values.dtype == pl.String else "^$").fill_null(
        "null"
    )


def parse(label: str | None) -> Label:
    """Read a label; the values come as the texts that a text file shows. Raises ValueError for what is no label."""
    if label is None:
        return Label("alone", (None,))
    if label.startswith('"'):
        return Label("alone", (_unquoted(label),))
    if label.startswith("[") and label.endswith("]"):
        ends = _parts(label[1:-1])
        if len(ends) != 2:
            raise ValueError(f"{label} is no interval.")
        return Label("interval", ends)
    if label.startswith("{") and label.endswith("}"):
        return Label("set", _parts(label[1:-1]))
    if label.startswith(("[", "{")):
        raise ValueError(f"{label} does not end as it starts.")
    return Label("alone", (label,))


def _parts(inside: str) -> tuple[str | None, ...]:
    parts: list[str | None] = []
    at = 0
    while found := _INSIDE.match(inside, at):
        text = found[0]
        parts.append(_unquoted(text) if text.startswith('"') else None if text == "null" else text)
        at = found.end()
        if at == len(inside):
            return tuple(parts)
        if not inside.startswith(_BETWEEN, at):
            break
        at += len(_BETWEEN)
    raise ValueError(f"{inside} is no list of values.")


def _unquoted(text: str) -> str:
    value = json.loads(text)
    if not isinstance(value, str):
        raise ValueError(f"{text} is no text in quotes.")
    return value
