"""From a table to codes and back, for every type of column."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import Policy
from pellucid.draws import SystemDraws
from pellucid.microdata import Attribute, Microdata, encode
from tests.property.strategies import DTYPES, columns, ten_thousandths

POLICY = Policy(quasi_identifiers=("q",), sensitive="s", diversity=1, identifier="id", missing="category")


@st.composite
def tables(draw: st.DrawFn, dtype: str) -> pl.DataFrame:
    rows = draw(st.integers(1, 30))
    people = draw(st.permutations(range(rows)))
    qi = draw(columns("q", rows, dtype=dtype, nulls=draw(st.booleans())))
    sensitive = draw(columns("s", rows, dtype=dtype, nulls=draw(st.booleans())))
    return pl.DataFrame([pl.Series("id", people, dtype=pl.Int64), qi, sensitive])


def encoded(table: pl.DataFrame) -> Microdata:
    return encode(table, POLICY, SystemDraws(), untyped=False)


def without_negative_zero(values: list[object]) -> list[object]:
    return [0.0 if value == 0 and isinstance(value, float) else value for value in values]


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=40)
@given(data=st.data())
def test_round_trip(dtype: str, data: st.DataObject) -> None:
    """values[codes] is the column, in the order of identifiers."""
    table = data.draw(tables(dtype))
    microdata = encoded(table)
    in_order = table.sort("id")
    for attribute in (*microdata.attributes, microdata.sensitive):
        back = attribute.values.gather(pl.Series(attribute.codes))
        column = in_order[attribute.name]
        if column.dtype in (pl.Categorical, pl.Enum):
            column = column.cast(pl.String)
        assert back.dtype == column.dtype
        assert back.to_list() == without_negative_zero(column.to_list())


def in_order(values: pl.Series) -> list[object]:
    """Distinct, and the smallest first; text in the order of its bytes, as on every machine."""
    present = set(values.drop_nulls().to_list())
    if values.dtype == pl.String:
        return sorted(present, key=lambda text: str(text).encode())
    return sorted(present)


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=40)
@given(data=st.data())
def test_values_are_in_order_and_codes_narrow(dtype: str, data: st.DataObject) -> None:
    microdata = encoded(data.draw(tables(dtype)))
    for attribute in (*microdata.attributes, microdata.sensitive):
        values = attribute.values.to_list()
        missing = [None] if None in values else []
        assert values == missing + in_order(attribute.values)
        assert attribute.codes.dtype == np.uint8
        assert set(attribute.codes.tolist()) == set(range(len(values)))
        assert attribute.ordered is (attribute.values.dtype != pl.String)
        assert len(attribute.ticks) == len(values)
        assert int(attribute.ticks[0]) == 0
        assert (attribute.ticks[1:] >= attribute.ticks[:-1]).all()


@pytest.mark.parametrize(
    ("distinct", "width"), [(256, np.uint8), (257, np.uint16), (65536, np.uint16), (65537, np.uint32)]
)
@pytest.mark.parametrize("kind", [pl.Int64, pl.String])
def test_codes_are_as_narrow_as_they_can_be(distinct: int, width: type[np.unsignedinteger], kind: pl.DataType) -> None:
    table = pl.DataFrame({"id": range(distinct), "q": range(distinct), "s": 0}).with_columns(pl.col("q").cast(kind))
    assert encoded(table).attributes[0].codes.dtype == width


@pytest.mark.parametrize("dtype", ["Int8", "UInt64", "Int64", "Date", "Decimal", "Int128"])
@settings(max_examples=40)
@given(data=st.data())
def test_ticks_are_distances(dtype: str, data: st.DataObject) -> None:
    """Where values are whole numbers of something, ticks are their distances; a missing value is one tick before."""
    kind, values = DTYPES[dtype]
    pool = data.draw(st.lists(values, min_size=1, max_size=8))
    # Distances of more than 62 bits are rounded; that they keep the order is said above.
    if dtype == "Date":
        physical = [day.toordinal() for day in pool]
    else:
        physical = [int(Fraction(number) * (10_000 if dtype == "Decimal" else 1)) for number in pool]
    low = min(physical)
    if max(physical) - low >= 2**62:
        return
    attribute = encoded(
        pl.DataFrame({"id": range(len(pool)), "q": pl.Series(pool, dtype=kind), "s": pl.Series([0] * len(pool))})
    ).attributes[0]
    assert attribute.ticks.tolist() == sorted({number - low for number in physical})


def test_ticks_of_decimals_have_all_digits() -> None:
    """Python's arithmetic of decimals keeps as many digits as the context of the thread says, 28 as a rule."""
    pool = [ten_thousandths(10**37 + step) for step in (0, 1, 5)]
    table = pl.DataFrame({"id": range(3), "q": pl.Series(pool, dtype=pl.Decimal(38, 4)), "s": 0})
    assert encoded(table).attributes[0].ticks.tolist() == [0, 1, 5]


def same(one: Attribute, other: Attribute) -> bool:
    return (
        one.values.equals(other.values, null_equal=True)
        and one.codes.tolist() == other.codes.tolist()
        and one.ticks.tolist() == other.ticks.tolist()
    )


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=20)
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_nothing_about_the_qi_comes_from_the_sensitive_column(
    dtype: str, data: st.DataObject, chance: random.Random
) -> None:
    """G1: codes, orders and normalisers are the same, whoever has which sensitive value."""
    table = data.draw(tables(dtype))
    values = table["s"].to_list()
    chance.shuffle(values)
    other = table.with_columns(pl.Series("s", values, dtype=table["s"].dtype))
    assert same(encoded(table).attributes[0], encoded(other).attributes[0])


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=20)
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(dtype: str, data: st.DataObject, chance: random.Random) -> None:
    """G2: with an identifier, shuffled rows encode to the same microdata."""
    table = data.draw(tables(dtype))
    rows = list(range(table.height))
    chance.shuffle(rows)
    one, other = encoded(table), encoded(table[rows])
    assert same(one.attributes[0], other.attributes[0])
    assert same(one.sensitive, other.sensitive)


IDENTIFIERS = [name for name in DTYPES if name not in ("Boolean", "Enum")]


@pytest.mark.parametrize("dtype", IDENTIFIERS)
@settings(max_examples=20)
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_rows_stand_in_the_order_of_any_identifier(dtype: str, data: st.DataObject, chance: random.Random) -> None:
    kind, values = DTYPES[dtype]
    people = data.draw(st.lists(values, min_size=1, max_size=20, unique=True))
    rows = range(len(people))
    table = pl.DataFrame({"id": pl.Series(people, dtype=kind), "q": rows, "s": [0] * len(people)})
    if table["id"].n_unique() < len(
        people
    ):  # two times in one hour of the night when clocks go back, cut to milliseconds
        return
    expected = encoded(table).attributes[0].codes.tolist()
    order = sorted(rows, key=lambda row: str(people[row]).encode() if isinstance(people[row], str) else people[row])
    assert expected == order
