"""The domain of an attribute: what a query is an interval of, and what a released box covers a share of.

The paper's domains are whole numbers. Here a domain is a line of whole numbers, counted in cells; a line of real
numbers, measured by length; or a set of categories, counted one by one.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from ..attributes import AttributeSettings
from ..microdata import Attribute, Microdata
from ..typed import as_text

__all__ = ["Categories", "Domain", "Line", "Numbers", "domain_of", "domains_of"]

Numbers = npt.NDArray[np.float64]
_DATE = len("2020-02-29")
_TICKS_OF_SECOND: Mapping[str | None, float] = {"ms": 1e3, "us": 1e6, "ns": 1e9}


@dataclass(frozen=True, eq=False)
class Line:
    """A domain with an order: every value stands at a position; those of whole numbers are one apart."""

    name: str
    texts: tuple[str | None, ...]
    """The values that occur in the source, by code, as a text file shows them; None is a missing value."""
    positions: Numbers
    """Where each of them stands; a missing value stands before all others."""
    low: float
    high: float
    """The ends of the domain."""
    unit: float
    """1 where a stretch is counted in whole numbers, both ends included; 0 where it is a length."""
    _dtype: pl.DataType = field(repr=False)
    _origin: tuple[float, float, float] = field(repr=False)
    """A value as a number, its position, and how many positions a difference of 1 is."""
    _known: Mapping[str | None, float] = field(repr=False)
    nodes: Mapping[str | None, tuple[float, float]] = field(default_factory=dict, repr=False)
    """Where groups publish ancestors: for the name of every node of the hierarchy, the ends of the values under it."""
    _ends: Mapping[str | None, float] = field(default_factory=dict, repr=False)
    """Where the source holds steps of a grid: for the last value of every step, where the step stands."""

    @property
    def size(self) -> float:
        """How many values the domain has, or how long it is."""
        return self.high - self.low + self.unit

    @property
    def scale(self) -> float:
        """How many positions a difference of 1 is where a stretch is a length; of times, a difference of a second."""
        if self.unit:
            return 1.0
        ticks = 1e9 if self._dtype == pl.Time else _TICKS_OF_SECOND.get(getattr(self._dtype, "time_unit", None), 1.0)
        return self._origin[2] * ticks

    @property
    def extent(self) -> float:
        """max(A) - min(A) of Eq. 4."""
        return float(self.positions[-1] - self.positions[0])

    def position(self, text: str | None) -> float:
        """Where a value stands that need not occur in the source. Raises ValueError for what is no such value."""
        if text in self._known:
            return self._known[text]
        if text is None:
            raise ValueError("a missing value, where the source has none")
        value, position, scale = self._origin
        return position + (_number(text, self._dtype) - value) * scale

    def last_position(self, text: str | None) -> float:
        """Where the last of what a text means stands: of a day in a column of times, its end; of a step, the step."""
        if text in self._ends:
            return self._ends[text]
        at = self.position(text)
        if text in self._known or text is None or not isinstance(self._dtype, pl.Datetime) or len(text) > _DATE:
            return at
        return min(self.high, at + self.position("1970-01-02") - self.position("1970-01-01"))


@dataclass(frozen=True, eq=False)
class Categories:
    """A domain without an order: its values are those that occur in the source."""

    name: str
    texts: tuple[str | None, ...]
    code: Mapping[str | None, int] = field(repr=False)
    columns: tuple[str, ...] = ()
    """Where several columns are one value: their names."""

    @property
    def size(self) -> float:
        """How many values the domain has."""
        return float(len(self.texts))


Domain = Line | Categories


def domains_of(microdata: Microdata, columns: Mapping[str, AttributeSettings]) -> tuple[tuple[Domain, ...], Domain]:
    """The domains of the QI attributes, and that of the sensitive one. `columns` is what the policy says of them."""
    *qi, sensitive = (
        domain_of(attribute, columns.get(attribute.name, AttributeSettings()))
        for attribute in (*microdata.attributes, microdata.sensitive)
    )
    return tuple(qi), sensitive


def domain_of(attribute: Attribute, settings: AttributeSettings) -> Domain:
    """The domain of an attribute: from its smallest value to its largest, or all that the policy lists."""
    texts = tuple(as_text(attribute.values).to_list())
    if not attribute.ordered or settings.style == "set" or attribute.parts:
        code = {text: code for code, text in enumerate(texts)}
        return Categories(attribute.name, texts, code, tuple(part.name for part in attribute.parts))
    if settings.listed is not None:
        return _listed(attribute, texts, settings)
    positions = attribute.ticks.astype(np.float64)
    return Line(
        name=attribute.name,
        texts=texts,
        positions=positions,
        low=float(positions[0]),
        high=float(positions[-1]),
        unit=1.0 if settings.grid is not None or _is_whole(attribute.values) else 0.0,
        _dtype=attribute.values.dtype,
        _origin=_origin(attribute.values, positions),
        _known=dict(zip(texts, positions.tolist(), strict=True)),
        _ends={} if settings.grid is None else dict(zip(as_text(attribute.ends), positions.tolist(), strict=True)),
    )


def _listed(attribute: Attribute, texts: tuple[str | None, ...], settings: AttributeSettings) -> Line:
    """A value of an order of categories stands at its place in it, whether it occurs in the source or not."""
    order = settings.listed or ()
    known: dict[str | None, float] = {text: float(place) for place, text in enumerate(order)}
    if None in texts:
        known[None] = -1.0
    nodes: dict[str | None, tuple[float, float]] = {}
    if settings.hierarchy is not None and attribute.style == "ancestor":
        nodes |= {name: (float(first), float(last)) for name, (first, last) in settings.hierarchy.ranges.items()}
        if None in texts:
            nodes |= {None: (-1.0, -1.0), settings.hierarchy.root: (-1.0, float(len(order) - 1))}
    return Line(
        name=attribute.name,
        texts=texts,
        positions=np.array([known[text] for text in texts]),
        low=-1.0 if None in texts else 0.0,
        high=float(len(order) - 1),
        unit=1.0,
        _dtype=pl.String(),
        _origin=(0.0, 0.0, 1.0),
        _known=known,
        nodes=nodes,
    )


def _is_whole(values: pl.Series) -> bool:
    """Whether a stretch of values is counted. Numbers are whole in floats too, where pandas had a missing value."""
    dtype = values.dtype
    if dtype.is_float():
        numbers = values.drop_nulls().to_numpy()
        return bool(np.array_equal(numbers, np.rint(numbers)))
    return dtype.is_integer() or dtype in (pl.Date, pl.Boolean)


def _origin(values: pl.Series, positions: Numbers) -> tuple[float, float, float]:
    present = values.drop_nulls()
    if present.is_empty() or present.dtype == pl.Boolean:
        return 0.0, float(positions[-1]), 1.0
    numbers = present.to_physical() if present.dtype.is_temporal() else present
    first, last = float(numbers[0]), float(numbers[-1])
    at = positions[len(values) - len(present)]
    wide = last - first
    scale = float(positions[-1] - at) / wide if 0 < wide < math.inf else 1.0
    return first, float(at), scale


def _number(text: str, dtype: pl.DataType) -> float:
    """A value as the number that its type computes with."""
    if dtype.is_numeric():
        try:
            number = float(text)
        except ValueError:
            raise ValueError(f"{text!r} is no number") from None
        if not math.isfinite(number):
            raise ValueError(f"{text} is no finite number")
        return number
    if dtype == pl.Date:
        return float((dt.date.fromisoformat(text) - dt.date(1970, 1, 1)).days)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is None:
        moment = pl.Series([dt.datetime.fromisoformat(text)]).dt.cast_time_unit(dtype.time_unit)
        return float(moment.to_physical()[0])
    raise ValueError(f"{text!r} is not one of its values")
