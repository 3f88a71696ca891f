"""The databases of the tests, filled and looked at by their own drivers and nothing of pellucid."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import polars as pl

from pellucid import Database
from tests.databases.server import Server

__all__ = ["DuckDB", "Place", "PostgreSQL", "Sqlite"]


class Place(ABC):
    """A database."""

    texts: ClassVar[str]
    """The type of texts, numbers and dates."""
    numbers: ClassVar[str]
    dates: ClassVar[str]
    mark: ClassVar[str] = "?"
    """What stands for a value in a statement."""

    def __init__(self, address: str) -> None:
        self.address = address

    @abstractmethod
    def connection(self) -> Any:
        """A connection of the driver, on which every statement is a transaction."""

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement, and take what it gives."""
        with closing(self.connection()) as connection:
            found = connection.execute(statement)
            return list(found.fetchall()) if found.description else []

    @abstractmethod
    def names(self) -> set[str]:
        """The names of all tables."""

    def table(self, name: str) -> Database:
        """For pellucid: a table."""
        return Database(self.address, table=name)

    def query(self, text: str) -> Database:
        """For pellucid: a query."""
        return Database(self.address, query=text)

    def put(self, name: str, table: pl.DataFrame) -> None:
        """Make a table of texts, numbers and dates."""
        kinds = {pl.String: self.texts, pl.Int64: self.numbers, pl.Float64: "DOUBLE PRECISION", pl.Date: self.dates}
        columns = ", ".join(f"{_quoted(column)} {kinds[type(dtype)]}" for column, dtype in table.schema.items())
        self.run(f'CREATE TABLE "{name}" ({columns})')
        statement = f'INSERT INTO "{name}" VALUES ({", ".join([self.mark] * table.width)})'
        with closing(self.connection()) as connection:
            connection.execute("BEGIN")
            connection.cursor().executemany(statement, [[self.value(value) for value in row] for row in table.rows()])
            connection.execute("COMMIT")

    def value(self, value: Any) -> Any:
        """A value as the driver takes it."""
        return value

    def rows(self, name: str) -> list[tuple[Any, ...]]:
        """All rows of a table."""
        return self.run(f'SELECT * FROM "{name}"')


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Sqlite(Place):
    """An SQLite file."""

    texts, numbers, dates = "TEXT", "INTEGER", "DATE"

    def __init__(self, file: Path) -> None:
        super().__init__(f"sqlite:///{file}")
        self.file = file

    def connection(self) -> Any:
        connection = sqlite3.connect(self.file, isolation_level=None)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    def names(self) -> set[str]:
        return {name for (name,) in self.run("SELECT name FROM sqlite_schema")} if self.file.exists() else set()

    def value(self, value: Any) -> Any:
        return value if value is None or isinstance(value, int | float | str) else str(value)


class DuckDB(Place):
    """A DuckDB file."""

    texts, numbers, dates = "VARCHAR", "BIGINT", "DATE"

    def __init__(self, file: Path) -> None:
        super().__init__(f"duckdb:///{file}")
        self.file = file

    def connection(self) -> Any:
        return duckdb.connect(str(self.file))

    def names(self) -> set[str]:
        return {name for (name,) in self.run("SELECT table_name FROM duckdb_tables()")} if self.file.exists() else set()


class PostgreSQL(Place):
    """An empty database of the server."""

    texts, numbers, dates = "text", "bigint", "date"
    mark = "%s"

    def __init__(self, server: Server) -> None:
        super().__init__(server.address)
        self.server = server
        self.run("DROP SCHEMA public CASCADE")
        self.run("CREATE SCHEMA public")

    def connection(self) -> Any:
        return self.server.connection()

    def names(self) -> set[str]:
        found = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')"
        return {name for (name,) in self.run(found)}
