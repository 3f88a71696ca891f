"""Tables in files: CSV, TSV, Parquet, Arrow (Feather) and Excel.

Text files are read as text, every value, and typed afterwards from all distinct values of a column
(`microdata`): a type guessed from the first rows would fail on the last one, and would turn the zip code
``02139`` into the number 2139.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

import polars as pl
from polars.selectors import by_name

from ..errors import SourceError
from ..runs import at_once
from ..typed import has_decimal_commas, infer_type
from .description import File
from .dialect import dialect_of
from .excel import Sheet, write_sheet
from .formats import EXCEL, Format, format_of
from .moments import require_times
from .parquet_footer import missing_in
from .text import CodedText, read_text

__all__ = ["FileSource", "write_table"]

_SAMPLE_BYTES = 2**20
_T = TypeVar("_T")


class _Table(Protocol):
    """What is in a file of one format."""

    columns: list[str]
    untyped: bool
    unlike: Mapping[str, str]

    def read(self, columns: list[str]) -> pl.DataFrame:
        """The named columns; what means a missing value is none."""


class FileSource:
    """A table in a file."""

    def __init__(self, file: File | str | os.PathLike[str], *, form: Format | None = None) -> None:
        said = file if isinstance(file, File) else File(file)
        self.path = Path(said.path)
        self.name = str(self.path)
        form = form or format_of(self.path)
        said.require_fitting(form)
        _require_file(self.path)
        self._table: _Table
        if form.textual:
            self._table = _Text(said, form)
        elif form.ending == EXCEL:
            self._table = Sheet(self.path, said.sheet, said.null or ())
        else:
            self._table = _Binary(self.path, form, said.null or ())
        self.columns = self._table.columns
        self.untyped = self._table.untyped
        """Whether its columns are text whose types are to be inferred."""
        self.unlike = self._table.unlike
        """How it is read, where that is not how pellucid writes such files."""

    @staticmethod
    def kind(table: pl.DataFrame) -> pl.DataFrame:
        """What the table of a file becomes as a frame: one of polars."""
        return table

    def read(self, columns: list[str]) -> pl.DataFrame:
        """The named columns; those of a text file hold text, as categories where values repeat."""
        return self._table.read(columns)


def _require_file(path: Path) -> None:
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise SourceError(
            f"{path} is a pipe or a device, and a table is read more than once.", remedy="Write it to a file first."
        )
    try:
        with path.open("rb") as handle:
            start = handle.read(1)
    except FileNotFoundError:
        raise SourceError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise SourceError(f"{path} is a folder, not a table.") from None
    except OSError as problem:
        raise SourceError(f"{path} cannot be read: {problem.strerror}.") from problem
    if not start:
        raise SourceError(f"{path} is empty.", remedy="It needs a line of column names and at least one row.")


class _Text:
    """A text file."""

    def __init__(self, file: File, form: Format) -> None:
        self._dialect = dialect_of(file, form)
        self._null = tuple(file.null or ())
        self._decimal = "." if file.decimal is None and self._dialect.separator == "," else file.decimal
        self.columns = self._dialect.columns
        self.untyped = self._decimal != ","
        self.unlike: Mapping[str, str] = self._dialect.unlike(form)

    def read(self, columns: list[str]) -> pl.DataFrame:
        sample = self._coded(columns, stop=_SAMPLE_BYTES)
        repeats = [
            name
            for name, column in zip(columns, sample.columns, strict=True)
            if 2 * (len(column.texts) + column.has_missing) <= sample.rows
        ]
        coded = self._coded(repeats)
        series = {name: column.series(name, self._null) for name, column in zip(repeats, coded.columns, strict=True)}
        if len(series) < len(columns):
            texts = self._texts([name for name in columns if name not in series], coded.rows)
            series |= {name: _without(column, self._null) for name, column in texts.items()}
        if self._decimal != ".":
            series = {name: self._with_decimals(column) for name, column in series.items()}
        return pl.DataFrame({name: series[name] for name in columns})

    def _coded(self, columns: list[str], *, stop: int | None = None) -> CodedText:
        separator, quote, content, names = self._dialect
        return read_text(content, separator, quote, len(names), [names.index(name) for name in columns], stop=stop)

    def _texts(self, columns: list[str], rows: int) -> dict[str, pl.Series]:
        """Columns in which nearly every value is another: a dictionary would only be in the way."""
        separator, quote, content, names = self._dialect
        numbers = sorted(names.index(name) for name in columns)
        with contextlib.suppress(pl.exceptions.PolarsError):
            source = content.path if content.rewritten is None else content.rewritten
            if content.rewritten is not None:
                content.rewritten.seek(0)
            table = at_once(
                lambda: pl.read_csv(
                    source,
                    separator=separator,
                    quote_char=quote or None,
                    columns=numbers,
                    infer_schema=False,
                    glob=False,
                )
            )
            if table.height == rows:
                return {names[number]: series for number, series in zip(numbers, table, strict=True)}
        raise SourceError(
            f"{content.path} has a quote inside a value that is not in quotes; not all programs read it alike.",
            remedy="Put that value in quotes, and write each quote inside it twice.",
        )

    def _with_decimals(self, column: pl.Series) -> pl.Series:
        """Numbers with decimal commas as numbers; an error if nobody said whether the commas are decimal ones."""
        distinct = column.unique().cast(pl.String)
        if self._decimal is not None:
            of_type = infer_type(distinct, decimal=self._decimal).dtype
            return column if of_type == pl.String else infer_type(column.cast(pl.String), decimal=self._decimal)
        if has_decimal_commas(distinct):
            example = distinct.filter(distinct.str.contains(",", literal=True)).min()
            raise SourceError(
                f"{self._dialect.content.path}: the column {column.name!r} holds texts such as {example!r}, which may"
                " be numbers with a decimal comma.",
                remedy="Say whether they are: --decimal , makes them numbers, --decimal . leaves them as they stand.",
            )
        return column


class _Binary:
    """A Parquet or an Arrow file."""

    untyped = False
    unlike: Mapping[str, str] = {}

    def __init__(self, path: Path, form: Format, null: Sequence[str]) -> None:
        self._path = path
        self._null = null
        self._is_parquet = form.ending == ".parquet"
        self.columns = self._explained(lambda: self._scan().collect_schema().names())

    def read(self, columns: list[str]) -> pl.DataFrame:
        table = self._explained(lambda: at_once(lambda: self._scan().select(by_name(columns)).collect()))
        if self._is_parquet:
            self._explained(lambda: require_times(table, lambda: missing_in(self._path)))
        return pl.DataFrame({column.name: _without(column, self._null) for column in table}) if self._null else table

    def _scan(self) -> pl.LazyFrame:
        return pl.scan_parquet(self._path, glob=False) if self._is_parquet else pl.scan_ipc(self._path, glob=False)

    def _explained(self, read: Callable[[], _T]) -> _T:
        try:
            return read()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
            raise SourceError(f"{self._path} cannot be read: {str(problem).splitlines()[0].rstrip('.')}.") from problem
        except OSError as problem:
            raise SourceError(f"{self._path} cannot be read: {problem.strerror or problem}.") from problem


def _without(column: pl.Series, null: Sequence[str]) -> pl.Series:
    """The column with missing values in place of these texts."""
    if not null or not isinstance(column.dtype, pl.String | pl.Categorical | pl.Enum):
        return column
    return pl.select(pl.when(~column.cast(pl.String).is_in(list(null))).then(column)).to_series().alias(column.name)


def write_table(file: BinaryIO, form: Format, table: pl.DataFrame) -> None:
    """Write a table in a format that is not text."""
    if form.ending == ".parquet":
        table.write_parquet(file)
    elif form.ending == EXCEL:
        write_sheet(file, table)
    else:
        table.write_ipc(file)
