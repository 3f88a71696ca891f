"""The native reader and writer of text files: any table survives, and any bytes are read as RFC 4180 has it."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pellucid import _native
from tests.property.csv_files import FaultError, Row, parse, read_native, write_native

# Few and nasty characters, and lengths around the 8 bytes that are looked at together.
_TEXTS = st.text(st.sampled_from("ab1,;\t\"\n\r 'é€😀"), max_size=20)
_CHUNK_BYTES = st.integers(1, 40) | st.just(2**20)
_THREADS = st.sampled_from([1, 2, 5])
_SEPARATORS = st.sampled_from([",", "\t", ";"])
_QUOTES = st.sampled_from(['"', "'"])


@st.composite
def _tables(draw: st.DrawFn, texts: st.SearchStrategy[str | None]) -> list[Row]:
    """A header and rows."""
    width = draw(st.integers(1, 5))
    few = draw(st.lists(texts, min_size=1, max_size=6))
    rows = st.lists(st.sampled_from(few) | texts, min_size=width, max_size=width)
    return draw(st.lists(rows, min_size=1, max_size=30))


@given(
    table=_tables(_TEXTS),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    last_end=st.booleans(),
    mark=st.booleans(),
    chunk_bytes=_CHUNK_BYTES,
    threads=_THREADS,
    separator=_SEPARATORS,
    quote=_QUOTES,
)
def test_reads_what_python_writes(
    *,
    table: list[Row],
    quoting: int,
    line_end: str,
    last_end: bool,
    mark: bool,
    chunk_bytes: int,
    threads: int,
    separator: str,
    quote: str,
) -> None:
    # Python leaves a carriage return bare if it is no part of the line's end; before a line feed it looks like one.
    ambiguous = quoting == csv.QUOTE_MINIMAL and line_end == "\n"
    assume(not (ambiguous and any((row[-1] or "").endswith("\r") for row in table)))
    written = io.StringIO()
    writer = csv.writer(written, delimiter=separator, quotechar=quote, quoting=quoting, lineterminator=line_end)  # type: ignore[arg-type]
    writer.writerows(table)
    text = written.getvalue() if last_end else written.getvalue().removesuffix(line_end)
    content = b"\xef\xbb\xbf" * mark + text.encode()
    bare_if_empty = quoting == csv.QUOTE_MINIMAL and len(table[0]) > 1
    found = read_native(
        content, len(table[0]), separator=separator, quote=quote, chunk_bytes=chunk_bytes, threads=threads
    )
    assert found.rows == [[None if field == "" and bare_if_empty else field for field in row] for row in table[1:]]


_BYTES = st.lists(
    st.sampled_from(
        [b"a", b"b", b"123456", b",", b",", b'"', b'"', b'""', b"'", b"\n", b"\n", b"\r\n", b"\r", "é".encode()]
    )
    | st.sampled_from(
        ["é".encode(), b"\0", b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\x80"]
    ),
    max_size=60,
).map(b"".join)


@given(
    content=_BYTES,
    width=st.integers(1, 3),
    chunk_bytes=_CHUNK_BYTES,
    threads=_THREADS,
    quote=st.sampled_from(['"', '"', "'", ""]),
)
@example(b'a,b\n1,"x\n,\n', 2, 2, 1, '"')
def test_any_bytes_are_read_or_refused_as_byte_after_byte(
    content: bytes, width: int, chunk_bytes: int, threads: int, quote: str
) -> None:
    """Also the fault and its line are the same, however the file is cut into chunks."""
    content = b",".join([b"h"] * width) + b"\n" + content
    try:
        expected: list[Row] | tuple[object, ...] = parse(content, width, quote=quote)
    except FaultError as fault:
        expected = fault.args
    try:
        found: list[Row] | tuple[object, ...] = read_native(
            content, width, quote=quote, chunk_bytes=chunk_bytes, threads=threads
        ).rows
    except _native.TextError as fault:
        found = fault.args
    assert found == expected


def _in_quotes(table: list[Row]) -> bytes:
    return "".join(",".join('"' + str(text).replace('"', '""') + '"' for text in row) + "\n" for row in table).encode()


@given(table=_tables(_TEXTS), chunk_bytes=_CHUNK_BYTES, threads=_THREADS, data=st.data())
def test_some_columns_and_the_start(table: list[Row], chunk_bytes: int, threads: int, data: st.DataObject) -> None:
    content = _in_quotes(table)
    width = len(table[0])
    numbers = data.draw(st.lists(st.integers(0, width - 1), unique=True, min_size=1))
    stop = data.draw(st.integers(0, len(content) + 5))
    starts = [len(_in_quotes(table[:rows])) for rows in range(1, len(table))]
    expected = [row for row, start in zip(table[1:], starts, strict=True) if start < stop]
    found = read_native(content, width, numbers, stop=stop, chunk_bytes=chunk_bytes, threads=threads)
    assert found.columns == [[row[number] for row in expected] for number in numbers]
    for number, texts in zip(numbers, found.texts, strict=True):
        assert texts == list(dict.fromkeys(row[number] for row in expected))  # in the order of their appearance


def _field(text: str | None, separator: str) -> str:
    if text is None:
        return ""
    special = text == "" or any(character in text for character in (separator, '"', "\n", "\r"))
    return '"' + text.replace('"', '""') + '"' if special else text


@given(
    table=_tables(_TEXTS | st.none()),
    block_rows=st.integers(1, 9) | st.just(2**14),
    threads=_THREADS,
    separator=_SEPARATORS,
)
def test_writes_quotes_only_where_needed(table: list[Row], block_rows: int, threads: int, separator: str) -> None:
    names = [text or "" for text in table[0]]
    written = write_native(names, table[1:], block_rows=block_rows, threads=threads, separator=separator)
    all_rows: list[Row] = [[*names], *table[1:]]
    lines = [separator.join(_field(text, separator) for text in row) for row in all_rows]
    assert written == "".join(line + "\n" for line in lines).encode()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_border(threads: int) -> None:
    """A small file with everything in it, cut at every byte."""
    content = 'a,"b\n"\r\n"x\n""y"",",1\n,""\n"\n\n,\n",é\n12345678,123456789\r\n"a\r\nb","c"'.encode()
    expected = parse(content, 2)
    for chunk_bytes in range(1, len(content) + 2):
        assert read_native(content, 2, chunk_bytes=chunk_bytes, threads=threads).rows == expected
