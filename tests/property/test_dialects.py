"""Text files in any dialect and encoding: read as they were written if it is said how, and never misread if not."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from pellucid import File, SourceError
from pellucid.sources import FileSource

# Everything that one dialect writes bare and another one does not.
_TEXTS = st.text(st.sampled_from("ab12,;\t|\"'\n\r .é"), max_size=6)
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "windows-1252", "iso-8859-1", "cp850")
_MARKED = ("utf-8", "utf-8-sig", "utf-16", "utf-32")
"""Those that a file says itself."""


class Written(NamedTuple):
    """A table in a file."""

    rows: list[list[str]]
    separator: str
    quote: str
    quoting: int
    line_end: str
    encoding: str

    @property
    def content(self) -> bytes:
        out = io.StringIO()
        writer = csv.writer(
            out,
            delimiter=self.separator,
            quotechar=self.quote,
            quoting=self.quoting,  # type: ignore[arg-type]
            lineterminator=self.line_end,
        )
        writer.writerows(self.rows)
        return out.getvalue().encode(self.encoding)

    @property
    def expected(self) -> list[list[str | None]]:
        """An empty value without quotes is missing; a table of one column puts them in quotes."""
        bare = self.quoting == csv.QUOTE_MINIMAL and len(self.rows[0]) > 1
        return [[None if bare and field == "" else field for field in row] for row in self.rows[1:]]


@st.composite
def _files(
    draw: st.DrawFn, *, least_columns: int, encodings: tuple[str, ...], quotes: str, quoting: tuple[int, ...]
) -> Written:
    width = draw(st.integers(least_columns, 4))
    names = draw(st.lists(_TEXTS, min_size=width, max_size=width, unique=True))
    rows = draw(st.lists(st.lists(_TEXTS, min_size=width, max_size=width), max_size=8))
    file = Written(
        [names, *rows],
        draw(st.sampled_from(",;\t|")),
        draw(st.sampled_from(quotes)),
        draw(st.sampled_from(quoting)),
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.sampled_from(encodings)),
    )
    # Python leaves a carriage return bare if it is no part of the line's end; not all programs read those alike.
    bare_returns = file.quoting == csv.QUOTE_MINIMAL and file.line_end == "\n"
    assume(not (bare_returns and any("\r" in field for row in file.rows for field in row)))
    return file


def _read(content: bytes, **said: str) -> tuple[list[str], list[list[str | None]]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_bytes(content)
        source = FileSource(File(path, decimal=".", **said))
        return source.columns, [list(row) for row in source.read(source.columns).rows()]


@given(
    file=_files(
        least_columns=1,
        encodings=_ENCODINGS,
        quotes="\"'",
        quoting=(csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC),
    )
)
def test_what_is_said_is_read_as_it_was_written(file: Written) -> None:
    columns, rows = _read(file.content, separator=file.separator, quote=file.quote, encoding=file.encoding)
    assert columns == file.rows[0]
    assert rows == file.expected


_ASKS = ("--separator", "--quote", "--encoding")


@given(
    file=_files(least_columns=2, encodings=_MARKED, quotes='"', quoting=(csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    | _files(least_columns=2, encodings=_MARKED, quotes="'", quoting=(csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    | _files(least_columns=2, encodings=_ENCODINGS, quotes='"', quoting=(csv.QUOTE_MINIMAL,))
)
@example(Written([["a", "b;c"], ["1", "2;3"]], ",", '"', csv.QUOTE_MINIMAL, "\n", "utf-8"))
@example(Written([["a,b", "c"], ["1", "2,3"]], ";", '"', csv.QUOTE_MINIMAL, "\n", "utf-8"))
@example(Written([["é", "c"], ["1", "2"]], ";", '"', csv.QUOTE_MINIMAL, "\n", "cp850"))
def test_what_is_not_said_is_found_out_or_asked_for(file: Written) -> None:
    """A table of two columns or more is read as it was written, or the error names the option that decides."""
    found = _read_or_asked(file.content)
    if isinstance(found, str):
        event("asked")
        assert any(option in found for option in _ASKS)
    else:
        event("found out")
        assert found == (file.rows[0], file.expected)


def _read_or_asked(content: bytes) -> tuple[list[str], list[list[str | None]]] | str:
    try:
        return _read(content)
    except SourceError as problem:
        return str(problem)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", _MARKED)
def test_plain_tables_are_found_out(separator: str, encoding: str) -> None:
    """Caution is no excuse to ask always."""
    rows = [["name", "weight", "city"], *[[f"n{n}", f"{n},5", "Bonn; Berlin"] for n in range(9)]]
    file = Written(rows, separator, '"', csv.QUOTE_MINIMAL, "\r\n", encoding)
    assert _read(file.content) == (rows[0], rows[1:])
