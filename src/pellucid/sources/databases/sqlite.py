"""SQLite, with the library that comes with Python.

A column of SQLite holds whatever was put into it, so that its type is looked for in all its values. What it was
declared as says what SQLite has no type for: dates, times, true and false.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence

import polars as pl

from ...errors import SourceError
from ...typed import as_text, infer_type
from .address import Address, Database, quoted
from .session import Column, Session

__all__ = ["Sqlite"]

_ROWS = 50_000
_EXACT = 2**53
"""Up to here every whole number is a floating-point number."""
_WORDS = {int: "whole numbers", float: "numbers", str: "texts", bytes: "bytes"}
_QUERY = ("temp", "pellucid query")
_REAL = re.compile("REAL|FLOA|DOUB")
_NOT_UTF_8 = re.compile(r"Could not decode to UTF-8 column '(.*?)' with text", re.DOTALL)


class Sqlite(Session):
    """A transaction in SQLite."""

    errors = (sqlite3.Error, sqlite3.Warning)

    def __init__(self, address: Address, *, writable: bool) -> None:
        super().__init__()
        assert address.path is not None  # noqa: S101 - for the type checker
        uri = f"{address.path.absolute().as_uri()}?mode={'rwc' if writable else 'ro'}"
        self._connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        try:
            self._connection.execute("BEGIN IMMEDIATE" if writable else "BEGIN")
        except BaseException:
            self._connection.close()
            raise

    @staticmethod
    def why(problem: Exception) -> str:
        """What SQLite says; the value that is no text is not repeated."""
        found = _NOT_UTF_8.match(str(problem))
        return f"the column {found[1]!r} holds text that is not UTF-8" if found else str(problem)

    @staticmethod
    def shown(values: pl.Series) -> pl.Series:
        """Numbers, dates and truths as they are, everything else as text."""
        dtype = values.dtype
        kept = (
            (dtype.is_integer() and dtype not in (pl.UInt64, pl.Int128, pl.UInt128))
            or dtype.is_float()
            or dtype in (pl.Boolean, pl.Date, pl.Datetime("us"))
        )
        return values if kept else as_text(values)

    def relation(self, database: Database) -> str:
        """A query becomes a view of this connection alone: only then does SQLite say what its columns are."""
        if database.query is None:
            return super().relation(database)
        self._connection.execute(f"CREATE TEMP VIEW {quoted(_QUERY[1])} AS {database.query}")
        return quoted(*_QUERY)

    def tables(self) -> list[str]:  # noqa: D102
        found = (
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
        )
        return [name for (name,) in self._connection.execute(f"{found} ORDER BY name")]

    def exists(self, name: tuple[str, ...]) -> bool:  # noqa: D102
        return bool(self._declared(quoted(*name)))

    def columns(self, relation: str) -> list[Column]:  # noqa: D102
        return [Column(name, declared) for name, declared in self._declared(relation)]

    def _declared(self, relation: str) -> list[tuple[str, str]]:
        *schema, table = _split(relation)
        rows = self._connection.execute(f"PRAGMA {''.join(f'{part}.' for part in schema)}table_xinfo({table})")
        hidden = 1  # a column of a virtual table that is none of its values
        return [(row[1], row[2].upper()) for row in rows if row[6] != hidden]

    def read(self, relation: str, columns: Sequence[Column]) -> pl.DataFrame:  # noqa: D102
        names = ", ".join(quoted(column.name) for column in columns)
        cursor = self._connection.execute(f"SELECT {names} FROM {relation}")  # noqa: S608 - quoted
        found = [_Values(column) for column in columns]
        while rows := cursor.fetchmany(_ROWS):
            for values, piece in zip(found, zip(*rows, strict=True), strict=True):
                values.add(piece)
        return pl.DataFrame({values.name: values.series() for values in found})

    def create(self, name: tuple[str, ...], schema: pl.Schema) -> None:  # noqa: D102
        columns = ", ".join(f"{quoted(column)} {_type(dtype)}" for column, dtype in schema.items())
        self._connection.execute(f"CREATE TABLE {quoted(*name)} ({columns})")

    def fill(self, name: tuple[str, ...], pieces: Iterable[pl.DataFrame]) -> None:  # noqa: D102
        for piece in pieces:
            marks = ", ".join("?" * piece.width)
            rows = piece.with_columns(as_text(column) for column in piece if column.dtype.is_temporal()).iter_rows()
            self._connection.executemany(f"INSERT INTO {quoted(*name)} VALUES ({marks})", rows)  # noqa: S608 - quoted

    def commit(self) -> None:  # noqa: D102
        self._connection.execute("COMMIT")

    def interrupt(self) -> None:  # noqa: D102
        self._connection.interrupt()

    def disconnect(self) -> None:  # noqa: D102
        self._connection.close()


class _Values:
    """The values of a column, and their types, as they come."""

    def __init__(self, column: Column) -> None:
        self.name = column.name
        self._declared = column.type
        self._kinds: set[type] = set()
        self._pieces: list[pl.Series] = []

    def add(self, values: tuple[object, ...]) -> None:
        kinds = set(map(type, values)) - {type(None)}
        self._kinds |= kinds
        if bytes in self._kinds or (str in self._kinds and len(self._kinds) > 1):
            raise self._mixed()
        if kinds == {int, float}:
            values = tuple(None if value is None else self._float(value) for value in values)
        self._pieces.append(pl.Series(self.name, values, dtype=self._dtype(kinds), strict=True))

    def _mixed(self) -> SourceError:
        held = " and ".join(_WORDS[kind] for kind in _WORDS if kind in self._kinds)
        return SourceError(
            f"The column {self.name!r} holds {held}; a column needs values of one type.",
            remedy="Turn them into one with a query (--query 'SELECT CAST(.. AS TEXT) AS ..'), or drop the column.",
        )

    def _float(self, value: object) -> float:
        assert isinstance(value, int | float)  # noqa: S101 - for the type checker
        if isinstance(value, int) and abs(value) > _EXACT:
            raise self._mixed()
        return float(value)

    def _dtype(self, kinds: set[type]) -> type[pl.DataType]:
        if kinds:
            return pl.String if str in kinds else pl.Float64 if float in kinds else pl.Int64
        return pl.Null

    def series(self) -> pl.Series:
        """All values. Whole numbers among others are numbers like them; of nothing, what it was declared as."""
        if not self._kinds:
            declared = (
                pl.Int64 if "INT" in self._declared else pl.Float64 if _REAL.search(self._declared) else pl.String
            )
            return pl.Series(self.name, [None] * sum(map(len, self._pieces)), dtype=declared)
        if self._kinds == {int, float}:
            for piece in self._pieces:
                if piece.dtype == pl.Int64 and piece.abs().max() > _EXACT:  # type: ignore[operator]
                    raise self._mixed()
        dtype = self._dtype(self._kinds)
        values = pl.concat([piece.cast(dtype) for piece in self._pieces])
        if dtype == pl.Int64 and self._declared.startswith("BOOL") and values.drop_nulls().is_in([0, 1]).all():
            return values.cast(pl.Boolean)
        if dtype == pl.String and re.search("DATE|TIME", self._declared):
            typed = infer_type(values)
            return typed if typed.dtype.is_temporal() else values
        return values


def _split(relation: str) -> list[str]:
    return re.findall(r'"(?:[^"]|"")*"', relation)


def _type(dtype: pl.DataType) -> str:
    if dtype == pl.Boolean:
        return "BOOLEAN"
    if dtype.is_integer():
        return "INTEGER"
    if dtype.is_float():
        return "REAL"
    return "DATE" if dtype == pl.Date else "TIMESTAMP" if dtype == pl.Datetime else "TEXT"
