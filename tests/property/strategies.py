"""Tables that Hypothesis thinks of."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from pellucid import Policy
from pellucid.draws import SystemDraws
from pellucid.microdata import Microdata, encode

__all__ = ["DTYPES", "Small", "columns", "small_tables", "ten_thousandths"]

_DAY = dt.datetime(2020, 2, 29, 12)
_TEXT = st.text(st.sampled_from(' ,;"[]{}\\\n\r\t=+0123nul-éßЖ漢'), max_size=5) | st.sampled_from(
    ["null", "NaN", "007"]
)
_INTEGERS = (
    *(pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128),
    *(pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.UInt128),
)


def _whole(dtype: Any) -> st.SearchStrategy[int]:
    bits = int(str(dtype).lstrip("UInt"))
    low, high = (0, 2**bits - 1) if str(dtype).startswith("U") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return st.integers(low, high) | st.integers(max(low, -3), 3)


def ten_thousandths(count: int) -> Decimal:
    """So many of them, with all digits: the arithmetic of decimals would keep 28."""
    return Decimal(f"{count}e-4")


DTYPES: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    **{str(dtype): (dtype, _whole(dtype)) for dtype in _INTEGERS},
    "Float64": (pl.Float64, st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 0.1, 0.3])),
    "Float32": (pl.Float32, st.floats(allow_nan=False, allow_infinity=False, width=32)),
    "Float16": (pl.Float16, st.integers(-2000, 2000).map(lambda eighths: eighths / 8)),
    "Decimal": (
        pl.Decimal(38, 4),
        (st.integers(-(10**37), 10**37) | st.integers(-30, 30)).map(ten_thousandths),
    ),
    "Boolean": (pl.Boolean, st.booleans()),
    "String": (pl.String, _TEXT),
    "Categorical": (pl.Categorical, _TEXT),
    "Enum": (pl.Enum(["z", "a", "", "null"]), st.sampled_from(["z", "a", "", "null"])),
    "Date": (pl.Date, st.dates()),
    "Datetime": (pl.Datetime("us"), st.datetimes() | st.just(_DAY)),
    "Datetime with zone": (
        pl.Datetime("ms", "Europe/Berlin"),
        st.integers(-(2**40), 2**40).map(
            lambda s: dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=s // 100)
        ),
    ),
    "Time": (pl.Time, st.times()),
    "Duration": (pl.Duration("us"), st.timedeltas(dt.timedelta(-(10**6)), dt.timedelta(10**6))),
}
"""Every type that a column may have, and its values."""


@st.composite
def columns(draw: st.DrawFn, name: str, rows: int, *, dtype: str | None = None, nulls: bool = False) -> pl.Series:
    """A column with many equal values, of any type."""
    kind, values = DTYPES[dtype or draw(st.sampled_from(sorted(DTYPES)))]
    pool = draw(st.lists(values, min_size=1, max_size=12))
    choice = st.sampled_from([*pool, None] if nulls else pool)
    picked = draw(st.lists(choice, min_size=rows, max_size=rows))
    return pl.Series(name, picked, dtype=kind)


@dataclass(frozen=True)
class Small:
    """A small table in codes, with an l that it allows."""

    table: pl.DataFrame
    policy: Policy

    @property
    def microdata(self) -> Microdata:
        """The table as the algorithms see it."""
        return encode(self.table, self.policy, SystemDraws(), untyped=False)

    def with_sensitive(self, values: list[int]) -> Small:
        """The same people with other sensitive values."""
        return Small(self.table.with_columns(pl.Series("s", values)), self.policy)


@st.composite
def small_tables(draw: st.DrawFn, most_rows: int = 40, most_values: int = 6) -> Small:
    """People 0, 1, .. with one to three numbers and a sensitive value; many ties, and any l that is feasible."""
    rows = draw(st.integers(1, most_rows))
    dimensions = draw(st.integers(1, 3))
    # Hypothesis chooses the shape; a seeded generator fills the many cells.
    fill = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    qi = {
        f"q{i}": (draw(st.sampled_from([1, 1, 3, 1000])) * fill.integers(0, draw(st.sampled_from([1, 2, 4, 30])), rows))
        for i in range(dimensions)
    }
    values = draw(st.integers(1, most_values))
    skew = draw(st.sampled_from([0, 0, 1]))
    weights = 1 / np.arange(1, values + 1) ** skew
    sensitive = fill.choice(values, rows, p=weights / weights.sum())
    feasible = rows // max(Counter(sensitive.tolist()).values())
    policy = Policy(
        quasi_identifiers=tuple(qi), sensitive="s", diversity=draw(st.integers(1, min(feasible, 4))), identifier="id"
    )
    return Small(pl.DataFrame({"id": np.arange(rows), **qi, "s": sensitive}), policy)
