"""The text of a combination says what it is a combination of."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pellucid.joint import combined
from pellucid.recodings.labels import parse

VALUE = st.none() | st.text(alphabet=', "{}[]\\\nabnul', max_size=6) | st.sampled_from(["null", "", "a, b"])


@given(st.lists(st.tuples(VALUE, VALUE, VALUE), min_size=1, max_size=12))
def test_a_combination_is_read_back(rows: list[tuple[str | None, str | None, str | None]]) -> None:
    table = pl.DataFrame(rows, schema=dict.fromkeys("abc", pl.String), orient="row").with_row_index()
    one = combined(table, ("a", "b", "c"))
    assert one.columns == ["index", "a, b, c"]
    assert one["index"].to_list() == list(range(len(rows)))
    assert [parse("{" + text + "}").values for text in one["a, b, c"]] == rows
