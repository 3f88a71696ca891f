"""Tables in files: CSV, TSV, Parquet and Arrow (Feather).

Text files are read as text, every value, and typed afterwards from all distinct values of a column
(`microdata`): a type guessed from the first rows would fail on the last one, and would turn the zip code
``02139`` into the number 2139.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

import polars as pl

from ..errors import SourceError, listed
from ..runs import at_once
from .text import CodedText, not_text, read_text

__all__ = ["ENDINGS", "SEPARATORS", "FileSource", "format_of", "write_table"]

SEPARATORS = {".csv": ",", ".tsv": "\t"}
_ARROW = (".arrow", ".feather", ".ipc")
ENDINGS = (*SEPARATORS, ".parquet", *_ARROW)
_SAMPLE_BYTES = 2**20
_MAGIC = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "an Excel or zip file",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}
_T = TypeVar("_T")


def format_of(path: Path) -> str:
    """The ending that decides the format of a file, in lower case."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise SourceError(
            f"{path} has the ending {ending!r}, which is no format that pellucid reads or writes.",
            remedy=f"Use one of {listed(ENDINGS)}.",
        )
    return ending


class FileSource:
    """A table in a file."""

    untyped: bool
    """Whether its columns are text whose types are to be inferred."""

    def __init__(self, path: str | os.PathLike[str], *, ending: str | None = None) -> None:
        self.path = Path(path)
        self.name = str(self.path)
        self._format = ending or format_of(self.path)
        self.untyped = self._format in SEPARATORS
        self._require_plausible()
        self.columns = self._read_header()

    def _require_plausible(self) -> None:
        """Say what a file is before a parser says what it is not."""
        try:
            with self.path.open("rb") as handle:
                start = handle.read(4096)
        except FileNotFoundError:
            raise SourceError(f"There is no file {self.path}.") from None
        except IsADirectoryError:
            raise SourceError(f"{self.path} is a folder, not a table.") from None
        except OSError as problem:
            raise SourceError(f"{self.path} cannot be read: {problem.strerror}.") from problem
        if not start:
            raise SourceError(f"{self.path} is empty.", remedy="It needs a line of column names and at least one row.")
        if self._format in SEPARATORS:
            for magic, meaning in _MAGIC.items():
                if start.startswith(magic):
                    raise SourceError(
                        f"{self.path} is {meaning}, not UTF-8 text as its ending says.",
                        remedy="Give it the ending of its format, or save it as UTF-8 text.",
                    )
            if b"\0" in start:
                raise SourceError(f"{self.path} is a binary file, not a table in UTF-8 text as its ending says.")
            try:
                codecs.getincrementaldecoder("utf-8")().decode(start)
            except UnicodeDecodeError as problem:
                raise not_text(self.path, 1 + start.count(b"\n", 0, problem.start)) from problem

    def _read_header(self) -> list[str]:
        if self._format not in SEPARATORS:
            return self._explained(lambda: self._scan().collect_schema().names())
        try:
            # What follows the header is looked at later, by a reader that says on which line it is no text.
            with self.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as handle:
                names = next(csv.reader(handle, delimiter=SEPARATORS[self._format]), [])
            "".join(names).encode()
        except (UnicodeEncodeError, csv.Error) as problem:
            raise not_text(self.path, 1) from problem
        if not names:
            raise SourceError(f"{self.path} does not begin with a line of column names.")
        return names

    @staticmethod
    def kind(table: pl.DataFrame) -> pl.DataFrame:
        """What the table of a file becomes as a frame: one of polars."""
        return table

    def read(self, columns: list[str]) -> pl.DataFrame:
        """The named columns; those of a text file hold text, as categories where values repeat."""
        if self._format not in SEPARATORS:
            return self._explained(lambda: at_once(lambda: self._scan().select(columns).collect()))
        sample = self._read_coded(columns, stop=_SAMPLE_BYTES)
        repeats = [
            name
            for name, column in zip(columns, sample.columns, strict=True)
            if 2 * (len(column.texts) + column.has_missing) <= sample.rows
        ]
        coded = self._read_coded(repeats)
        series = {name: column.series(name) for name, column in zip(repeats, coded.columns, strict=True)}
        if len(series) < len(columns):
            series |= self._read_texts([name for name in columns if name not in series], coded.rows)
        return pl.DataFrame({name: series[name] for name in columns})

    def _scan(self) -> pl.LazyFrame:
        if self._format == ".parquet":
            return pl.scan_parquet(self.path, glob=False)
        return pl.scan_ipc(self.path, glob=False)

    def _read_coded(self, columns: list[str], *, stop: int | None = None) -> CodedText:
        numbers = [self.columns.index(name) for name in columns]
        return read_text(self.path, SEPARATORS[self._format], len(self.columns), numbers, stop=stop)

    def _read_texts(self, columns: list[str], rows: int) -> dict[str, pl.Series]:
        """Columns in which nearly every value is another: a dictionary would only be in the way."""
        numbers = sorted(self.columns.index(name) for name in columns)
        with contextlib.suppress(pl.exceptions.PolarsError):
            table = at_once(
                lambda: pl.read_csv(
                    self.path, separator=SEPARATORS[self._format], columns=numbers, infer_schema=False, glob=False
                )
            )
            if table.height == rows:
                return {self.columns[number]: series for number, series in zip(numbers, table, strict=True)}
        raise SourceError(
            f"{self.path} has a quote inside a value that is not in quotes; not all programs read it alike.",
            remedy="Put that value in quotes, and write each quote inside it twice.",
        )

    def _explained(self, read: Callable[[], _T]) -> _T:
        try:
            return read()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
            raise SourceError(f"{self.path} cannot be read: {str(problem).splitlines()[0].rstrip('.')}.") from problem
        except OSError as problem:
            raise SourceError(f"{self.path} cannot be read: {problem.strerror or problem}.") from problem


def write_table(file: BinaryIO, ending: str, table: pl.DataFrame) -> None:
    """Write a table in the binary format of `ending`."""
    if ending == ".parquet":
        table.write_parquet(file)
    else:
        table.write_ipc(file)
