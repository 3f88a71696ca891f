"""What is written into a label is what is read from it."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.recodings import labels
from pellucid.typed import as_text

# Texts that look like labels, and like parts of them, must not be taken for what they look like.
tricky = st.text(alphabet=st.sampled_from('a1,[]{}" \\\n\tnul')) | st.sampled_from(["null", "", "[1, 2]", '"', "{a}"])
columns = st.one_of(
    st.lists(tricky | st.text(), min_size=1, max_size=6, unique=True),
    st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=6, unique=True),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6, unique=True),
    st.lists(st.dates(), min_size=1, max_size=6, unique=True),
    st.lists(st.datetimes(dt.datetime(1000, 1, 1)), min_size=1, max_size=6, unique=True),
    st.lists(st.timedeltas(dt.timedelta(-9999), dt.timedelta(9999)), min_size=1, max_size=6, unique=True),
    st.lists(st.booleans(), min_size=1, max_size=2, unique=True),
)


@given(values=columns, missing=st.booleans(), ends=st.data())
def test_interval(values: list[object], missing: bool, ends: st.DataObject) -> None:
    column = pl.Series([None, *sorted(values)] if missing else sorted(values))  # type: ignore[type-var]
    places = st.integers(0, len(column) - 1)
    low, high = sorted((ends.draw(places), ends.draw(places)))
    [written] = labels.intervals(column, pl.Series([low]), pl.Series([high])).to_list()
    texts = as_text(column).to_list()
    read = labels.parse(written)
    assert read == (("alone", (texts[low],)) if low == high else ("interval", (texts[low], texts[high])))


@given(values=columns, missing=st.booleans(), which=st.data())
def test_set(values: list[object], missing: bool, which: st.DataObject) -> None:
    column = pl.Series([None, *values] if missing else values)
    members = sorted(which.draw(st.sets(st.integers(0, len(column) - 1), min_size=1)))
    [written] = labels.sets(column, pl.Series([0] * len(members)), pl.Series(members)).to_list()
    texts = as_text(column).to_list()
    read = labels.parse(written)
    assert read.kind == ("set" if len(members) > 1 else "alone")
    assert read.values == tuple(texts[member] for member in members)


@pytest.mark.parametrize("label", ["[1, 2", "[1]", "[1, 2, 3]", "[1,2]", "{a, b", "{}", '{"a}', '"a', "[, 2]"])
def test_what_is_no_label(label: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        labels.parse(label)
