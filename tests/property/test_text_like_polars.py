"""Text files have the same bytes as those of polars, and polars reads them the same."""

from __future__ import annotations

import io

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tests.property.csv_files import read_native, write_native

_TEXTS = st.none() | st.text(max_size=12) | st.text(st.sampled_from("a,;\t\"\n\r '#=-1"), max_size=5)


@given(
    rows=st.lists(st.tuples(_TEXTS, _TEXTS, _TEXTS), max_size=20),
    names=st.lists(st.text(max_size=5), min_size=3, max_size=3, unique=True),
    separator=st.sampled_from([",", "\t"]),
)
def test_written_as_by_polars(rows: list[tuple[str | None, ...]], names: list[str], separator: str) -> None:
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=False)) if rows else {}
    table = pl.DataFrame({name: columns.get(name, []) for name in names}, schema=dict.fromkeys(names, pl.String))
    written = io.BytesIO()
    table.write_csv(written, separator=separator)
    assert write_native(names, rows, separator=separator) == written.getvalue()


@given(
    rows=st.lists(st.tuples(_TEXTS, _TEXTS), min_size=1, max_size=20),
    separator=st.sampled_from([",", "\t"]),
    chunk_bytes=st.integers(1, 50),
)
def test_read_as_by_polars(rows: list[tuple[str | None, ...]], separator: str, chunk_bytes: int) -> None:
    rows = [tuple(text if text is None else text.replace("\0", "") for text in row) for row in rows]
    written = write_native(["a", "b"], rows, separator=separator)
    table = pl.read_csv(io.BytesIO(written), separator=separator, infer_schema=False)
    assert table.rows() == rows
    assert read_native(written, 2, separator=separator, chunk_bytes=chunk_bytes).rows == [list(row) for row in rows]
