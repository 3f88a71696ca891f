"""Tables in files: CSV, TSV, Parquet and Arrow (Feather).

Text files are read as text, every value, and typed afterwards from all distinct values of a column
(`microdata`): a type guessed from the first rows would fail on the last one, and would turn the zip code
``02139`` into the number 2139.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from ..errors import SourceError, listed

__all__ = ["ENDINGS", "SEPARATORS", "FileSource", "format_of", "write_table"]

SEPARATORS = {".csv": ",", ".tsv": "\t"}
_ARROW = (".arrow", ".feather", ".ipc")
ENDINGS = (*SEPARATORS, ".parquet", *_ARROW)
_SAMPLE_ROWS = 10_000
_CHUNK_BYTES = 2**24
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

    def _read_header(self) -> list[str]:
        if self._format not in SEPARATORS:
            return self._explained(lambda: self._scan().collect_schema().names())
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as handle:
                names = next(csv.reader(handle, delimiter=SEPARATORS[self._format]), [])
        except (UnicodeDecodeError, csv.Error) as problem:
            raise _not_text(self.path) from problem
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
            return self._explained(lambda: self._scan().select(columns).collect())
        sample = self._explained(lambda: self._read_text(columns, n_rows=_SAMPLE_ROWS))
        repeats = [name for name in columns if 2 * sample[name].n_unique() <= sample.height]
        # A dictionary for each column: a shared one would make every column's codes as wide as the widest.
        types = {name: pl.Categorical(pl.Categories.random()) for name in repeats}
        table = self._explained(lambda: self._read_text(columns, types=types))
        self._refuse_ragged(table)
        return table

    def _scan(self) -> pl.LazyFrame:
        if self._format == ".parquet":
            return pl.scan_parquet(self.path, glob=False)
        return pl.scan_ipc(self.path, glob=False)

    def _read_text(
        self, columns: list[str], *, n_rows: int | None = None, types: Mapping[str, Any] | None = None
    ) -> pl.DataFrame:
        numbers = [self.columns.index(name) for name in columns]
        table = pl.read_csv(
            self.path,
            separator=SEPARATORS[self._format],
            columns=numbers,
            n_rows=n_rows,
            schema_overrides=dict(types or {}),
            infer_schema=False,
            glob=False,
        )
        return table.rename(dict(zip(table.columns, columns, strict=True)))

    def _refuse_ragged(self, table: pl.DataFrame) -> None:
        """Refuse a row that is too short or too long: polars fills it up, or cuts it where not all columns are read.

        Rows are looked at one by one only where the last column has missing values, as after a row that is too short,
        or where the number of separators is not that of a table.
        """
        last = self.columns[-1]
        ends = table[last] if last in table.columns else self._explained(lambda: self._read_text([last]))[last]
        if not ends.has_nulls() and (
            table.width == len(self.columns) or self._separators() == (table.height + 1) * (len(self.columns) - 1)
        ):
            return
        with self.path.open(encoding="utf-8-sig", newline="") as handle:
            rows = csv.reader(handle, delimiter=SEPARATORS[self._format])
            for row in rows:
                if len(row) != len(self.columns):
                    raise SourceError(
                        f"{self.path}, line {rows.line_num}: {len(row)} values, but the header names"
                        f" {len(self.columns)} columns.",
                        remedy="Mend that line; a comma inside a value needs quotes around the value.",
                    )

    def _separators(self) -> int:
        """How many separators stand outside quotes."""
        separator, quotes, count = SEPARATORS[self._format].encode(), 0, 0
        with self.path.open("rb") as handle:
            while chunk := handle.read(_CHUNK_BYTES):
                pieces = chunk.split(b'"')
                count += sum(piece.count(separator) for piece in pieces[quotes % 2 :: 2])
                quotes += len(pieces) - 1
        return count

    def _explained(self, read: Callable[[], _T]) -> _T:
        try:
            return read()
        except pl.exceptions.PolarsError as problem:
            text = str(problem)
            if "utf-8" in text.lower() or "utf8" in text.lower():
                raise _not_text(self.path) from problem
            if "more fields" in text:
                raise SourceError(
                    f"{self.path} has a line with more values than the header has columns.",
                    remedy="Mend that line; a comma inside a value needs quotes around the value.",
                ) from problem
            raise SourceError(f"{self.path} cannot be read: {text.splitlines()[0].rstrip('.')}.") from problem
        except OSError as problem:
            raise SourceError(f"{self.path} cannot be read: {problem.strerror or problem}.") from problem


def _not_text(path: Path) -> SourceError:
    return SourceError(f"{path} is not UTF-8 text.", remedy="Save it with the encoding UTF-8.")


def write_table(path: Path, ending: str, parts: Iterable[pl.DataFrame]) -> None:
    """Write the parts of a table, one below the other, in the format of `ending`."""
    if ending in SEPARATORS:
        with path.open("wb") as handle:
            for number, part in enumerate(parts):
                part.write_csv(handle, separator=SEPARATORS[ending], include_header=number == 0)
        return
    table = pl.concat(parts)
    if ending == ".parquet":
        table.write_parquet(path)
    else:
        table.write_ipc(path)
