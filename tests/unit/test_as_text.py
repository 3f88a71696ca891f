"""How values are written in text files and labels."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from pellucid.typed import as_text

NOON = dt.datetime(2020, 2, 29, 12)


@pytest.mark.parametrize(
    ("dtype", "values", "texts"),
    [
        (pl.Int8, [-128, 0, 127], ["-128", "0", "127"]),
        (pl.UInt64, [2**64 - 1], ["18446744073709551615"]),
        (pl.Float64, [0.1, 2.0, 1e20, -1.5e-7], ["0.1", "2.0", "1e+20", "-1.5e-7"]),
        (pl.Float32, [0.1], ["0.1"]),
        (pl.Decimal(10, 2), [Decimal("1.50")], ["1.50"]),
        (pl.Boolean, [True, False], ["true", "false"]),
        (pl.String, ["", " a ", "null", '"'], ["", " a ", "null", '"']),
        (pl.Categorical, ["b", "a"], ["b", "a"]),
        (pl.Enum(["b", "a"]), ["a", "b"], ["a", "b"]),
        (pl.Date, [dt.date(2020, 2, 29)], ["2020-02-29"]),
        (pl.Datetime("us"), [NOON], ["2020-02-29 12:00:00"]),
        (pl.Datetime("ms"), [NOON.replace(microsecond=5000)], ["2020-02-29 12:00:00.005"]),
        (pl.Datetime("us", "Asia/Kolkata"), [NOON.replace(tzinfo=dt.UTC)], ["2020-02-29 17:30:00+05:30"]),
        (pl.Datetime("us", "UTC"), [NOON.replace(microsecond=5, tzinfo=dt.UTC)], ["2020-02-29 12:00:00.000005+00:00"]),
        (pl.Time, [dt.time(1, 2, 3), dt.time(0, 0, 0, 5)], ["01:02:03", "00:00:00.000005"]),
        (pl.Duration("us"), [dt.timedelta(days=1, seconds=1)], ["P1DT1S"]),
    ],
    ids=str,
)
def test_texts(dtype: Any, values: list[Any], texts: list[str]) -> None:
    assert as_text(pl.Series(values, dtype=dtype)).to_list() == texts


def test_a_missing_value_stays_missing() -> None:
    for dtype in (pl.Int64, pl.Float64, pl.String, pl.Date, pl.Datetime("us"), pl.Duration("us"), pl.Boolean):
        assert as_text(pl.Series([None], dtype=dtype)).to_list() == [None]


def test_different_values_have_different_texts() -> None:
    """Times that differ by a microsecond, and zones that write the same hour twice."""
    near = pl.Series([NOON, NOON.replace(microsecond=1), NOON.replace(microsecond=100000)])
    assert as_text(near).n_unique() == 3
    autumn = pl.Series([dt.datetime(2020, 10, 25, hour, 30, tzinfo=dt.UTC) for hour in (0, 1)])
    assert as_text(autumn.dt.convert_time_zone("Europe/Berlin")).n_unique() == 2
