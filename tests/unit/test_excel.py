"""Excel files: cells as what they are, nothing else in the file, and errors that name the cells."""

from __future__ import annotations

import datetime as dt
import io
import tempfile
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

import pellucid
from pellucid import File, SourceError, TargetError
from pellucid.sources import FileSource
from pellucid.sources.excel import holds, write_sheet
from pellucid.typed import as_text


@pytest.fixture
def book(tmp_path: Path) -> Callable[..., Path]:
    """Write sheets by their names: rows of cells, and cells that are merged."""

    def write(*, merged: str = "", **sheets: list[list[Any]]) -> Path:
        file = tmp_path / "book.xlsx"
        with xlsxwriter.Workbook(file, {"default_date_format": "yyyy-mm-dd hh:mm"}) as written:
            for name, rows in sheets.items():
                sheet = written.add_worksheet(name)
                for number, row in enumerate(rows):
                    sheet.write_row(number, 0, row)
                if merged:
                    sheet.merge_range(merged, rows[0][0])
        return file

    return write


def read(file: Path, **said: Any) -> pl.DataFrame:
    source = FileSource(File(file, **said))
    return source.read(source.columns)


def test_cells_are_what_they_are(book: Callable[..., Path]) -> None:
    day, noon = dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 12)
    found = read(
        book(
            people=[
                ["whole", "number", "code", "yes", "day", "time", "mixed", "missing"],
                [1, 1.5, "007", True, day, noon, "a", None],
                [2, 2, "01", False, day, day, 5, "x"],
                [None, 3, "x", True, day, noon, 2.5, None],
            ]
        )
    )
    assert found.to_dict(as_series=False) == {
        "whole": [1, 2, None],
        "number": [1.5, 2.0, 3.0],
        "code": ["007", "01", "x"],
        "yes": [True, False, True],
        "day": [day] * 3,
        "time": [noon, dt.datetime(2020, 1, 2), noon],
        "mixed": ["a", "5", "2.5"],
        "missing": [None, "x", None],
    }


def test_texts_that_mean_a_missing_value_are_none_before_types_are_found(book: Callable[..., Path]) -> None:
    assert read(book(a=[["n"], [1], ["NA"], [3]]), null=["NA"])["n"].to_list() == [1, None, 3]


TABLE: list[list[Any]] = [["a", "b"], [1, 2]]


def test_which_sheet(book: Callable[..., Path]) -> None:
    file = book(first=TABLE, second=[["c"], [5]], empty=[])
    with pytest.raises(SourceError, match=r"book\.xlsx has 2 sheets: 'first', 'second'. Say which is the table"):
        FileSource(file)
    assert read(file, sheet="second").columns == ["c"]
    assert read(file, sheet=1).columns == read(file, sheet="1").columns == ["a", "b"]
    for sheet in ("third", 4):
        with pytest.raises(SourceError, match=f"has no sheet {sheet!r}. Its sheets are 'first', 'second', 'empty'"):
            read(file, sheet=sheet)
    assert read(book(first=TABLE, empty=[])).columns == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "sheet 'people': it is empty"),
        ([["Patients of 2026"], ["a", "b"], [1, 2]], "column B has no name in row 1. Row 1 must hold"),
        ([["a", None, "c"], [1, 2, 3]], "column B has no name in row 1"),
        ([["a", *[None] * 26, "b"], [1]], "column B has no name in row 1"),
        ([[None, None], [1, 2]], "column A has no name in row 1"),
        ([["a", "b"], [1, 2], [None, None], [3, 4]], "row 3 is empty, and others follow"),
    ],
)
def test_sheets_that_are_no_table(book: Callable[..., Path], rows: list[list[Any]], message: str) -> None:
    with pytest.raises(SourceError, match=message):
        read(book(people=rows))


def test_merged_cells(book: Callable[..., Path]) -> None:
    with pytest.raises(SourceError, match=r"sheet 'people': the cells A1:B1 are merged. Unmerge them"):
        read(book(people=TABLE, merged="A1:B1"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\n", "is no Excel file as its ending says"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is protected by a password, or in the old format"),
        (b"PK\x03\x04" + bytes(600), "cannot be read: .* save it anew"),
        (b"", "is empty"),
    ],
)
def test_files_that_are_no_workbook(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "book.xlsx"
    file.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        FileSource(file)


def test_a_workbook_that_was_cut_off(book: Callable[..., Path]) -> None:
    file = book(people=TABLE)
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(SourceError, match=r"cannot be read: .* save it anew"):
        FileSource(file)


def written(table: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    write_sheet(file, table)
    return file.getvalue()


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('=+-@<r>_x00415F"&\n '), max_size=12)
_COLUMNS = st.one_of(
    st.lists(_TEXTS | st.sampled_from(["=1+1", "<r>a</r>", "_x0041_", "007", "http://a.b", "{=A1}"]), max_size=5),
    st.lists(st.integers(-(10**18), 10**18), max_size=5),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=5),
    st.lists(st.booleans(), max_size=5),
    st.lists(st.dates(), max_size=5),
    st.lists(st.datetimes(min_value=dt.datetime(1800, 1, 1)), max_size=5),
)


@given(values=_COLUMNS)
def test_what_is_written_is_read_again_or_refused(values: list[Any]) -> None:
    """Every value, exactly: nothing becomes a formula, a link or a rounded number."""
    column = pl.Series("a", values, dtype=pl.String if not values else None)
    if column.is_empty() or not holds(column):
        return
    try:
        content = written(pl.DataFrame({"n": list(range(len(column))), "a": column}))
    except TargetError:
        assert column.dtype == pl.String
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "out.xlsx")
        file.write_bytes(content)
        assert read(file)["a"].cast(column.dtype).to_list() == values


@pytest.mark.parametrize(
    "values",
    [[10**15], [0.1 + 0.2], [dt.date(1900, 2, 28)], [dt.datetime(2020, 1, 1, 1, 1, 1, 5)], [Decimal("1.10")]],
    ids=str,
)
def test_values_that_no_cell_holds_are_text(values: list[Any], tmp_path: Path) -> None:
    table = pl.DataFrame({"q": values * 2, "s": ["a", "b"]})
    release = pellucid.anonymize(table, quasi_identifiers=["q"], sensitive="s", diversity=1, intervals="bounds")
    [file] = release.write(tmp_path / "out.xlsx").files
    assert read(file)["q_min"].to_list() == release.table["q_min"].cast(pl.String).to_list()


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([-719_162, 1]).cast(pl.Date),  # Excel begins in 1900
        pl.Series([-(10**16), 1]).cast(pl.Datetime("us")),
        pl.Series([1, 2]).cast(pl.Datetime("ns")),  # less than a microsecond
    ],
    ids=["early", "early time", "nanoseconds"],
)
def test_times_that_excel_cannot_tell_are_text(column: pl.Series, tmp_path: Path) -> None:
    table = pl.DataFrame({"q": [1, 2], "s": column})
    release = pellucid.anonymize(table, quasi_identifiers=["q"], sensitive="s", diversity=1)
    [file] = release.write(tmp_path / "out.xlsx").files
    assert sorted(read(file)["s"].to_list()) == sorted(as_text(column).to_list())


def test_nothing_but_cells_is_in_the_file() -> None:
    """No author, no time, no formula; the same bytes again."""
    table = pl.DataFrame({"a": ["=1+1", "x"], "b": [1, 2]})
    assert written(table) == written(table)
    with zipfile.ZipFile(io.BytesIO(written(table))) as parts:
        assert {part.date_time for part in parts.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        core = parts.read("docProps/core.xml").decode()
        assert "<dc:creator></dc:creator>" in core
        assert core.count("1980-01-01T00:00:00Z") == core.count("T00:00:00Z") == 2
        assert b"<f>" not in parts.read("xl/worksheets/sheet1.xml")


def test_more_rows_than_a_sheet_has() -> None:
    with pytest.raises(TargetError, match="An Excel sheet has 1,048,576 rows"):
        written(pl.DataFrame({"a": pl.int_range(2**20, eager=True)}))
