"""Numbers with a decimal comma: those that are numbers so, and no others."""

from __future__ import annotations

import polars as pl
import pytest

from pellucid.typed import has_decimal_commas, infer_type


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1,5", "-2", None, "3,25e1"], [1.5, -2.0, None, 32.5]),
        (["1", "2", None], [1, 2, None]),
        (["1.500", "2.000"], None),  # thousands, or a decimal point: in either case no number with a decimal comma
        (["1,5", "1.5"], None),
        (["1,5", "01,5"], None),
        (["1,5,5"], None),
        ([",5"], None),
        (["Milk, 1,5 %"], None),
    ],
)
def test_numbers(texts: list[str | None], numbers: list[float | None] | None) -> None:
    found = infer_type(pl.Series(texts, dtype=pl.String), decimal=",")
    assert found.to_list() == (texts if numbers is None else numbers)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [(["1,5", "2", None], True), (["1", "2"], False), (["1,5", "a"], False), (["1,5", "2.5"], False), ([None], False)],
)
def test_what_may_be_decimal_commas(texts: list[str | None], expected: bool) -> None:
    assert has_decimal_commas(pl.Series(texts, dtype=pl.String)) is expected
