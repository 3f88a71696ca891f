"""How wide the released values of an attribute are, read from the release alone.

The labels are those that `recodings` writes. Their ends get a type as the values of a text file do; categories with
an order stand at their places in the policy.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from ..attributes import AttributeSettings
from ..hierarchies import Hierarchy
from ..recodings.labels import parse
from ..typed import as_text, infer_type
from .pages import clipped

__all__ = ["Breadths", "breadths"]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DAY = dt.timedelta(days=1)
_DURATION = re.compile(
    r"(?P<minus>-?)P(?=.)(?:(?P<D>[0-9]+)D)?(?:T(?:(?P<H>[0-9]+)H)?(?:(?P<M>[0-9]+)M)?(?:(?P<S>[0-9]+(?:\.[0-9]+)?)S)?)?"
)
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)")

Kind = Literal["interval", "set"]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Breadths:
    """What an attribute's labels are, each weighted with its rows."""

    name: str
    kind: Kind
    widths: Numbers
    """Of an interval its upper end minus its lower end; of a set how many values it has; NaN where it has no number."""
    rows: npt.NDArray[np.int64]
    single: npt.NDArray[np.bool_]
    """Whether a label is a single value."""
    unit: str
    """What widths are counted in, such as "days"; nothing for numbers."""
    whole: bool
    low: str
    high: str
    """The ends of what the release covers; of sets, nothing."""
    extent: float
    """The distance of these ends; of sets, how many values occur."""

    @property
    def exact(self) -> float:
        """The share of rows whose value is published as it is."""
        return float(self.rows[self.single].sum() / self.rows.sum())

    @property
    def mean(self) -> float:
        """The mean width over rows."""
        known = ~np.isnan(self.widths)
        return float(self.widths[known] @ (self.rows[known] / max(1, self.rows[known].sum())))

    @property
    def median(self) -> float:
        """The width of the row in the middle."""
        known = np.flatnonzero(~np.isnan(self.widths))
        order = known[np.argsort(self.widths[known], kind="stable")]
        reached = np.cumsum(self.rows[order])
        return float(self.widths[order][np.searchsorted(reached, reached[-1] / 2)]) if len(order) else 0.0


def breadths(name: str, columns: Sequence[pl.Series], settings: AttributeSettings) -> Breadths:
    """The labels of an attribute: one column, or two of bounds. `settings` is what the policy says of it."""
    labels = pl.DataFrame([as_text(column.alias(f"{end}")) for end, column in enumerate(columns)])
    distinct = labels.group_by(pl.all()).len("rows").sort(pl.all())
    rows = distinct["rows"].to_numpy().astype(np.int64)
    if len(columns) == 2:
        return _of_intervals(name, distinct["0"], distinct["1"], rows, settings.listed)
    if settings.hierarchy is not None and settings.style_where(ordered=True) == "ancestor":
        return _of_ancestors(name, distinct["0"], rows, settings.hierarchy)
    low, high, sizes = _read(distinct["0"])
    listed = settings.listed if settings.style != "set" else None
    if listed is None and ((sizes > 1).any() or (low.equals(high) and _placed(low, None)[1] == "steps")):
        values = {value for label in distinct["0"].to_list() for value in parse(label).values}
        return _of_sets(name, sizes, rows, len(values))
    return _of_intervals(name, low, high, rows, listed)


def _read(labels: pl.Series) -> tuple[pl.Series, pl.Series, Numbers]:
    """The lower and the upper end of every label, and how many values it lists if it is a set."""
    frame = (
        labels.alias("label")
        .to_frame()
        .with_columns(
            inside=pl.col("label").str.head(-1).str.tail(-1).str.splitn(", ", 2), first=pl.col("label").str.head(1)
        )
        .select(
            pl.when(first="[").then(_end(0)).otherwise("label").alias("low"),
            pl.when(first="[").then(_end(1)).otherwise("label").alias("high"),
            pl.when(first="{")
            .then(pl.col("label").str.count_matches(", ", literal=True) + 1)
            .otherwise(1)
            .alias("size"),
            pl.col("label").str.contains('"', literal=True).fill_null(value=False).alias("quoted"),
        )
    )
    low, high, sizes = (frame[name].to_list() for name in ("low", "high", "size"))
    for place in frame["quoted"].arg_true().to_list():  # few: those whose values hold commas, brackets or spaces
        label = parse(labels[place])
        low[place], high[place] = label.values[0], label.values[-1]
        sizes[place] = len(label.values) if label.kind == "set" else 1
    return pl.Series(low, dtype=pl.String), pl.Series(high, dtype=pl.String), np.array(sizes, dtype=np.float64)


def _end(number: int) -> pl.Expr:
    """One end of an interval; a missing value stands there as the word null."""
    end = pl.col("inside").struct.field(f"field_{number}")
    return pl.when(end != "null").then(end)


def _of_ancestors(name: str, labels: pl.Series, rows: npt.NDArray[np.int64], hierarchy: Hierarchy) -> Breadths:
    """An ancestor stands for all values under it; a missing value, which no hierarchy lists, for itself."""
    ranges = (hierarchy.ranges.get(label, (0, 0)) for label in labels.to_list())
    return _of_sets(name, np.array([last - first + 1.0 for first, last in ranges]), rows, len(hierarchy.values))


def _of_sets(name: str, sizes: Numbers, rows: npt.NDArray[np.int64], values: int) -> Breadths:
    return Breadths(
        name=name,
        kind="set",
        widths=sizes,
        rows=rows,
        single=sizes == 1,
        unit="values",
        whole=True,
        low="",
        high="",
        extent=float(values),
    )


def _of_intervals(
    name: str, low: pl.Series, high: pl.Series, rows: npt.NDArray[np.int64], order: Sequence[str] | None
) -> Breadths:
    ends = pl.concat([low, high]).unique().sort()
    typed, unit = _placed(ends, order)
    place = dict(zip(ends.to_list(), typed.tolist(), strict=True))
    starts = np.array([place[text] for text in low.to_list()])
    widths = np.array([place[text] for text in high.to_list()]) - starts
    single = (low.eq_missing(high)).to_numpy()
    widths[single] = 0.0
    known = typed[~np.isnan(typed)]
    first, last = (int(np.nanargmin(typed)), int(np.nanargmax(typed))) if len(known) else (0, 0)
    return Breadths(
        name=name,
        kind="interval",
        widths=widths,
        rows=rows,
        single=single,
        unit=unit,
        whole=bool(np.array_equal(known, np.rint(known))),
        low=clipped(ends[first]),
        high=clipped(ends[last]),
        extent=float(known.max() - known.min()) if len(known) else 0.0,
    )


def _placed(ends: pl.Series, order: Sequence[str] | None) -> tuple[Numbers, str]:
    """Where each end stands, and in what that is counted; a missing value stands nowhere."""
    if order is not None:
        places = {text: float(place) for place, text in enumerate(order)}
        return np.array([places.get(text, math.nan) if text is not None else math.nan for text in ends]), "steps"
    values = infer_type(ends)
    if values.dtype.is_numeric():
        return values.cast(pl.Float64).fill_null(math.nan).to_numpy(), ""
    if values.dtype == pl.Date:
        return values.to_physical().cast(pl.Float64).fill_null(math.nan).to_numpy(), "days"
    if isinstance(values.dtype, pl.Datetime):
        return (values.to_physical().cast(pl.Float64).fill_null(math.nan) / 86_400e6).to_numpy(), "days"
    texts = ends.to_list()
    some = next((text for text in texts if text is not None), None)
    for read, unit in ((_moment, "days"), (_duration, "days"), (_time_of_day, "hours")):
        if some is None or read(some) is None:
            continue
        found = [math.nan if text is None else read(text) for text in texts]
        if None not in found:
            return np.array(found), unit
    return np.array([math.nan if text is None else float(place) for place, text in enumerate(texts)]), "steps"


def _moment(text: str) -> float | None:
    """The days of a date and time that says how far from Greenwich it was."""
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else (moment - _EPOCH) / _DAY


def _duration(text: str) -> float | None:
    if (found := _DURATION.fullmatch(text)) is None:
        return None
    days, hours, minutes, seconds = (float(found[unit] or 0) for unit in "DHMS")
    return (-1 if found["minus"] else 1) * (days + (hours + (minutes + seconds / 60) / 60) / 24)


def _time_of_day(text: str) -> float | None:
    if (found := _TIME.fullmatch(text)) is None:
        return None
    hours, minutes, seconds = map(float, found.groups())
    return hours + (minutes + seconds / 60) / 60
