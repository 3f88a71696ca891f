"""Excel files: one sheet of a workbook, names in its first row, one person in each of the others.

Every cell has a type of its own there, so that `02139` stays a text where it was typed in as one. What is written is
cells and nothing else: no formula, no author, no time.
"""

from __future__ import annotations

import datetime as dt
import io
import re
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from ..errors import SourceError, TargetError, listed
from ..runs import at_once

__all__ = ["Sheet", "holds", "write_sheet"]

_ZIP = b"PK\x03\x04"
_OLD_OR_ENCRYPTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MOST_ROWS = 2**20
_MOST_COLUMNS = 2**14
_LONGEST = 32_767
_MOST_DIGITS = 10**15
"""Excel shows and keeps fifteen digits of a number."""
_FIRST_DAY = dt.date(1900, 3, 1)
"""Excel believes that there was a 29 February 1900; only behind it everybody counts days alike."""
_LAST_DAY = dt.date(9999, 12, 31)
_NO_TIME = dt.datetime(1980, 1, 1)
"""As in the directory of the file."""
_NOT_XML = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Sheet:
    """A table in a sheet of an Excel file."""

    untyped = False
    unlike: Mapping[str, str] = {}

    def __init__(self, path: Path, sheet: str | int | None, null: Sequence[str]) -> None:
        self._path = path
        self._where = ""
        self._missing = {"", *null}
        names, *rows = at_once(lambda: self._rows(sheet))
        while rows and not any(cell != "" for cell in rows[-1]):
            rows.pop()
        for number, row in enumerate(rows, start=2):
            if all(cell == "" for cell in row):
                raise self._wrong(f"row {number} is empty, and others follow.", "Delete it, and what is no table.")
        self._cells = list(zip(*rows, strict=True)) or [()] * len(names)
        self.columns = self._names(names)

    def read(self, columns: list[str]) -> pl.DataFrame:
        """The named columns, each of the type of its cells; a column of several types is text."""
        cells = {name: self._cells[self.columns.index(name)] for name in columns}
        return at_once(lambda: pl.DataFrame({name: _typed(name, cells[name], self._missing) for name in columns}))

    def _rows(self, sheet: str | int | None) -> list[list[Any]]:
        import python_calamine as calamine  # noqa: PLC0415 - an extra

        self._require_workbook()
        try:
            with calamine.CalamineWorkbook.from_path(self._path) as book:
                self._where = f"sheet {(name := self._chosen(book, sheet))!r}"
                chosen = book.get_sheet_by_name(name)
                rows: list[list[Any]] = chosen.to_python(skip_empty_area=False)
                merged = chosen.merged_cell_ranges or []
        except calamine.CalamineError as problem:
            raise SourceError(
                f"{self._path} cannot be read: {str(problem).rstrip('.')}.",
                remedy="Open it in a spreadsheet program and save it anew as .xlsx.",
            ) from problem
        if not rows:
            raise self._wrong("it is empty.", "It needs a row of column names and at least one row below.")
        if merged:
            (top, left), (bottom, right) = merged[0]
            cells = f"{_letters(left)}{top + 1}:{_letters(right)}{bottom + 1}"
            raise self._wrong(f"the cells {cells} are merged.", "Unmerge them, and fill each of them in.")
        return rows

    def _require_workbook(self) -> None:
        with self._path.open("rb") as file:
            start = file.read(8)
        if start == _OLD_OR_ENCRYPTED:
            raise SourceError(
                f"{self._path} is protected by a password, or in the old format .xls.",
                remedy="Save it as .xlsx without a password.",
            )
        if not start.startswith(_ZIP):
            raise SourceError(f"{self._path} is no Excel file as its ending says.", remedy="Save it as .xlsx.")

    def _chosen(self, book: Any, sheet: str | int | None) -> str:
        """The name of the sheet to read: the one that was said, or the only one that holds anything."""
        names: list[str] = book.sheet_names
        if sheet is None:
            holding = [name for name in names if len(names) == 1 or book.get_sheet_by_name(name).to_python(nrows=1)]
            if len(holding) > 1:
                raise SourceError(
                    f"{self._path} has {len(holding)} sheets: {listed(holding)}.",
                    remedy="Say which is the table (--sheet).",
                )
            return (holding or names)[0]
        if sheet in names:
            return str(sheet)
        if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
            return names[int(sheet) - 1]
        raise SourceError(f"{self._path} has no sheet {sheet!r}.", remedy=f"Its sheets are {listed(names, most=40)}.")

    def _names(self, row: list[Any]) -> list[str]:
        names = [_text(cell) for cell in row]
        for number, (name, cells) in enumerate(zip(names, self._cells, strict=True)):
            if not name and (any(names[number:]) or any(cell != "" for cell in cells)):
                raise self._wrong(
                    f"column {_letters(number)} has no name in row 1.",
                    "Row 1 must hold the names of all columns, and nothing else may stand on the sheet.",
                )
        names = [name for name in names if name]
        if not names:
            raise self._wrong("row 1 is empty.", "Row 1 must hold the names of all columns.")
        return names

    def _wrong(self, what: str, remedy: str) -> SourceError:
        return SourceError(f"{self._path}, {self._where}: {what}", remedy=remedy)


def _letters(number: int) -> str:
    """The name that Excel gives to a column."""
    letters = ""
    while number >= 0:
        letters = chr(ord("A") + number % 26) + letters
        number = number // 26 - 1
    return letters


def _typed(name: str, cells: Sequence[Any], missing: Container[str]) -> pl.Series:
    values = [None if cell in missing else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {float, int}:
        whole = all(value is None or (value == int(value) and abs(value) < 2**53) for value in values)
        if whole:
            return pl.Series(name, [None if value is None else int(value) for value in values], dtype=pl.Int64)
        return pl.Series(name, values, dtype=pl.Float64)
    if kinds == {dt.date, dt.datetime}:
        values = [dt.datetime.combine(v, dt.time()) if type(v) is dt.date else v for v in values]
        return pl.Series(name, values, dtype=pl.Datetime("us"))
    for kind, dtype in ((bool, pl.Boolean), (dt.date, pl.Date), (dt.datetime, pl.Datetime("us")), (dt.time, pl.Time)):
        if kinds == {kind}:
            return pl.Series(name, values, dtype=dtype)
    return pl.Series(name, [None if value is None else _text(value) for value in values], dtype=pl.String)


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def holds(values: pl.Series) -> bool:
    """Whether cells can hold these values as what they are, exactly; otherwise they are written as text."""
    present, dtype = values.drop_nulls(), values.dtype
    if dtype.is_integer():
        return all(abs(value) < _MOST_DIGITS for value in present.to_list())
    if dtype.is_float():
        return all(float(f"{value:.16G}") == value for value in present.to_list())
    if dtype == pl.Date or (dtype == pl.Datetime and getattr(dtype, "time_zone", None) is None):
        whole = dtype == pl.Date or bool((present.dt.nanosecond() == 0).all())
        return whole and bool(present.dt.date().is_between(_FIRST_DAY, _LAST_DAY).all())
    return dtype in (pl.String, pl.Boolean)


def write_sheet(file: BinaryIO, table: pl.DataFrame) -> None:
    """Write a table whose values `holds` allows: the same bytes for the same table."""
    import xlsxwriter  # noqa: PLC0415 - an extra

    _require_room(table)
    whole = io.BytesIO()
    book = xlsxwriter.Workbook(whole, {"in_memory": True})
    book.set_properties({"created": _NO_TIME})
    formats = {
        pl.Date: book.add_format({"num_format": "yyyy-mm-dd"}),
        pl.Datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
    }
    sheet = book.add_worksheet("release")
    for number, name in enumerate(table.columns):
        sheet.write_string(0, number, name)
    for number, column in enumerate(table):
        dated = formats.get(column.dtype.base_type())
        for row, value in enumerate(column.to_list(), start=1):
            if value is None:
                continue
            if isinstance(value, str):
                sheet.write_string(row, number, value)
            elif isinstance(value, bool):
                sheet.write_boolean(row, number, value)
            elif dated is not None:
                sheet.write_datetime(row, number, value, dated)
            else:
                sheet.write_number(row, number, value)
    book.close()
    rest = whole.getbuffer()
    while rest:
        rest = rest[file.write(rest) :]


def _require_room(table: pl.DataFrame) -> None:
    """Refuse what no sheet can hold, instead of leaving it out."""
    if table.height >= _MOST_ROWS or table.width > _MOST_COLUMNS:
        raise TargetError(
            f"An Excel sheet has {_MOST_ROWS:,} rows and {_MOST_COLUMNS:,} columns, too few for {table.height:,} rows"
            f" below their names and {table.width:,} columns.",
            remedy="Write .csv or .parquet.",
        )
    for column in (pl.Series("column names", table.columns), *table):
        if column.dtype != pl.String:
            continue
        for text in column.unique().drop_nulls().to_list():
            if text == "" or len(text) > _LONGEST or _NOT_XML.search(text) or _is_markup(text):
                what = "an empty text" if text == "" else f"the text {text[:40]!r}"
                raise TargetError(
                    f"An Excel cell cannot hold {what} of {column.name!r} as it stands.",
                    remedy="Write .csv or .parquet.",
                )


def _is_markup(text: str) -> bool:
    """Whether the writer would take a text for the XML of one, with fonts."""
    return text.startswith("<r>") and text.endswith("</r>")
