"""DuckDB: tables come and go as Arrow streams."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import duckdb
import polars as pl

from ...typed import as_text, in_the_calendar
from ..moments import no_moment
from .address import Address, quoted
from .session import MOST_DIGITS, Column, Session, too_long
from .streams import Stream

__all__ = ["DuckDB"]

_USABLE = re.compile(
    r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*|BOOLEAN|VARCHAR|UUID|ENUM\(.*|DATE|TIME"
    r"|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?)"
)
_PIECE = "pellucid_piece"
_LOST = {"TIME": "{} = TIME '24:00:00'", "TIMESTAMP_S": "NOT isfinite({})"}
"""What would be read as another value, or as a missing one; of these types alone is the table asked twice."""


class DuckDB(Session):
    """A transaction in DuckDB."""

    errors = (duckdb.Error,)

    def __init__(self, address: Address, *, writable: bool) -> None:
        super().__init__()
        self._connection: Any = duckdb.connect(str(address.path), read_only=not writable)
        self._connection.execute("BEGIN")

    @staticmethod
    def why(problem: Exception) -> str:  # noqa: D102
        return str(problem).strip().splitlines()[0]

    @staticmethod
    def shown(values: pl.Series) -> pl.Series:
        """Everything as it is, but texts without their dictionary."""
        return as_text(values) if isinstance(values.dtype, pl.Categorical | pl.Enum) else values

    def tables(self) -> list[str]:  # noqa: D102
        found = (
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = current_database()"
        )
        rows = self._connection.execute(f"{found} ORDER BY ALL").fetchall()
        return [name if schema == "main" else f"{schema}.{name}" for schema, name in rows]

    def exists(self, name: tuple[str, ...]) -> bool:  # noqa: D102
        *schema, table = name
        found = (
            "SELECT 1 FROM information_schema.tables WHERE table_catalog = current_database()"
            " AND lower(table_schema) = lower(?) AND lower(table_name) = lower(?)"
        )
        return bool(self._connection.execute(found, [schema[-1] if schema else "main", table]).fetchall())

    def columns(self, relation: str) -> list[Column]:  # noqa: D102
        rows = self._connection.execute(f"DESCRIBE FROM {relation}").fetchall()
        return [Column(row[0], row[1], _USABLE.fullmatch(row[1]) is not None) for row in rows]

    def read(self, relation: str, columns: Sequence[Column]) -> pl.DataFrame:  # noqa: D102
        names = ", ".join(quoted(column.name) for column in columns)
        table = pl.DataFrame(Stream(self._connection.sql(f"SELECT {names} FROM {relation}")))  # noqa: S608 - quoted
        for column, values in zip(columns, table, strict=True):
            if column.type in _LOST and self._has(relation, _LOST[column.type].format(quoted(column.name))):
                raise no_moment(column.name, column.type)
            _require_usual(values, column)
        return table

    def _has(self, relation: str, what: str) -> bool:
        found = f"SELECT 1 FROM {relation} WHERE {what} LIMIT 1"  # noqa: S608 - quoted
        return bool(self._connection.execute(found).fetchall())

    def create(self, name: tuple[str, ...], schema: pl.Schema) -> None:  # noqa: D102
        self._from(pl.DataFrame(schema=schema), f"CREATE TABLE {quoted(*name)} AS FROM")

    def fill(self, name: tuple[str, ...], pieces: Iterable[pl.DataFrame]) -> None:  # noqa: D102
        for piece in pieces:
            self._from(piece, f"INSERT INTO {quoted(*name)} FROM")

    def _from(self, piece: pl.DataFrame, statement: str) -> None:
        self._connection.register(_PIECE, Stream(piece))
        try:
            self._connection.execute(f"{statement} {_PIECE}")
        finally:
            self._connection.unregister(_PIECE)

    def commit(self) -> None:  # noqa: D102
        self._connection.execute("COMMIT")

    def interrupt(self) -> None:  # noqa: D102
        self._connection.interrupt()

    def disconnect(self) -> None:  # noqa: D102
        self._connection.close()


def _require_usual(values: pl.Series, column: Column) -> None:
    """Refuse what others than DuckDB have no value for: they would fail on it later, or change it."""
    if isinstance(values.dtype, pl.Decimal):
        whole = values.to_physical()
        low, high = int(whole.min() or 0), int(whole.max() or 0)  # type: ignore[arg-type]
        if column.type == "UHUGEINT" and low < 0:  # beyond 2^127, which DuckDB hands out as negative numbers
            low %= 2**128
        digits = max(len(str(abs(end))) for end in (low, high))
        if digits > MOST_DIGITS:
            raise too_long(column, digits)
    if not in_the_calendar(values):
        raise no_moment(column.name, column.type)
