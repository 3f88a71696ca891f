"""PostgreSQL: tables come and go by COPY, in pieces of CSV text."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl
import psycopg

from ...errors import SourceError, TargetError, listed
from ...typed import as_text
from ..moments import no_moment
from .address import Address, quoted
from .session import MOST_DIGITS, Column, Session, too_long

__all__ = ["PostgreSQL"]

_BYTES = 2**23
_LONGEST_NAME = 63
_CANCEL_SECONDS = 0.5
_LOOK_SECONDS = 1
"""How often the server looks whether anybody still waits for a query."""
_NUMBERS: dict[str, Any] = {
    "smallint": pl.Int16,
    "integer": pl.Int32,
    "bigint": pl.Int64,
    "real": pl.Float64,
    "double precision": pl.Float64,
}
_MOMENTS = {
    "date": "%Y-%m-%d",
    "timestamp without time zone": "%Y-%m-%d %H:%M:%S%.f",
    "timestamp with time zone": "%Y-%m-%d %H:%M:%S%.f%#z",
    "time without time zone": "%H:%M:%S%.f",
}
_TEXTS = {"text", "character varying", "character", "name", "uuid", "citext"}
_OTHERS = {"numeric", "boolean"}
_ENUM = "enum"
_TYPE = f"CASE typtype WHEN 'e' THEN '{_ENUM}' ELSE format_type(oid, NULL) END"


class PostgreSQL(Session):
    """A transaction in PostgreSQL."""

    errors = (psycopg.Error,)

    def __init__(self, address: Address, *, writable: bool) -> None:
        super().__init__()
        self._connection: Any = psycopg.connect(address.conninfo, client_encoding="UTF8")
        try:
            self._connection.read_only = not writable
            self._connection.execute("SET LOCAL DateStyle TO 'ISO'")
            self._connection.execute("SET LOCAL TimeZone TO 'UTC'")
            with contextlib.suppress(psycopg.Error), self._connection.transaction():  # not every server can do it
                self._connection.execute(f"SET LOCAL client_connection_check_interval TO '{_LOOK_SECONDS}s'")
        except BaseException:
            self._connection.close()
            raise

    @property
    def lost(self) -> bool:  # noqa: D102
        return bool(self._connection.broken)

    @staticmethod
    def why(problem: Exception) -> str:
        """What the server says. The one thing that must be unique in new tables without constraints is their names."""
        if isinstance(problem, psycopg.errors.UniqueViolation):
            return "somebody else made a table of the same name in the meantime"
        said = getattr(getattr(problem, "diag", None), "message_primary", None) or str(problem)
        return str(said).strip().splitlines()[0]

    @staticmethod
    def shown(values: pl.Series) -> pl.Series:
        """What it has a type for as it is, everything else as text."""
        dtype = values.dtype
        kept = dtype.is_numeric() or dtype in (pl.Boolean, pl.Date) or _in_microseconds(dtype)
        return values if kept else as_text(values)

    def tables(self) -> list[str]:  # noqa: D102
        found = (
            "SELECT CASE WHEN pg_table_is_visible(c.oid) THEN relname ELSE nspname || '.' || relname END AS name"
            " FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind IN ('r', 'v', 'm', 'f', 'p')"
            " AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY name"
        )
        return [name for (name,) in self._connection.execute(found)]

    def exists(self, name: tuple[str, ...]) -> bool:  # noqa: D102
        return bool(self._connection.execute("SELECT to_regclass(%s) IS NOT NULL", [quoted(*name)]).fetchone()[0])

    def columns(self, relation: str) -> list[Column]:  # noqa: D102
        known = {*_NUMBERS, *_MOMENTS, *_TEXTS, *_OTHERS, _ENUM}
        found = self._of_query(relation) if relation.startswith("(") else self._of_table(relation)
        return [Column(name, kind, kind in known) for name, kind in found]

    def _of_table(self, relation: str) -> list[tuple[str, str]]:
        """Names and types without a look at the table: whoever may read some columns may know of the others."""
        found = (  # nothing in it comes from outside
            "WITH RECURSIVE held (name, number, type) AS ("  # noqa: S608
            "SELECT attname, attnum, atttypid FROM pg_attribute"
            " WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped"
            " UNION ALL SELECT name, number, typbasetype FROM held JOIN pg_type ON oid = type WHERE typtype = 'd')"
            f" SELECT name, {_TYPE} FROM held JOIN pg_type ON oid = type WHERE typtype <> 'd' ORDER BY number"
        )
        return list(self._connection.execute(found.encode(), [relation]))

    def _of_query(self, relation: str) -> list[tuple[str, str]]:
        described = self._connection.execute(f"SELECT * FROM {relation} LIMIT 0".encode()).description  # noqa: S608
        found = f"SELECT oid, {_TYPE} FROM pg_type WHERE oid = ANY(%s)"  # noqa: S608
        types = dict(self._connection.execute(found.encode(), [[column.type_code for column in described]]))
        return [(column.name, types[column.type_code]) for column in described]

    def read(self, relation: str, columns: Sequence[Column]) -> pl.DataFrame:
        """By COPY; texts stand in quotes, so that what has none is a missing value."""
        texts = [f"c{number}" for number, column in enumerate(columns) if column.type not in _NUMBERS]
        force = f", FORCE_QUOTE ({', '.join(texts)})" if texts else ""
        chosen = ", ".join(
            f"{quoted(column.name)}{'::text' if f'c{number}' in texts else ''} AS c{number}"
            for number, column in enumerate(columns)
        )
        copy = f"COPY (SELECT {chosen} FROM {relation}) TO STDOUT (FORMAT csv{force})"  # noqa: S608 - quoted
        schema = {f"c{number}": _NUMBERS.get(column.type, pl.String) for number, column in enumerate(columns)}
        pieces = [pl.DataFrame(schema=schema)]
        with self._connection.cursor() as cursor, cursor.copy(copy.encode()) as rows:
            for text in _in_pieces(rows):
                table = pl.read_csv(io.BytesIO(text), has_header=False, schema=schema)
                pieces.append(table.select(_parsed(table[f"c{n}"], column) for n, column in enumerate(columns)))
        table = pl.concat(pieces[1:] or pieces)
        return pl.DataFrame({column.name: _exact(table[f"c{n}"], column) for n, column in enumerate(columns)})

    def create(self, name: tuple[str, ...], schema: pl.Schema) -> None:  # noqa: D102
        long = [part for part in (*name, *schema) if len(part.encode()) > _LONGEST_NAME]
        if long:
            raise TargetError(
                f"PostgreSQL cuts names off after {_LONGEST_NAME} bytes: {listed(long)}.",
                remedy="Choose a shorter name, or rename the column in the source.",
            )
        columns = ", ".join(f"{quoted(column)} {_type(dtype)}" for column, dtype in schema.items())
        self._connection.execute(f"CREATE TABLE {quoted(*name)} ({columns})".encode())

    def fill(self, name: tuple[str, ...], pieces: Iterable[pl.DataFrame]) -> None:  # noqa: D102
        copy = f"COPY {quoted(*name)} FROM STDIN (FORMAT csv)"
        with self._connection.cursor() as cursor, cursor.copy(copy.encode()) as rows:
            for piece in pieces:
                rows.write(piece.write_csv(include_header=False, quote_style="non_numeric").encode())

    def commit(self) -> None:  # noqa: D102
        self._connection.commit()

    def interrupt(self) -> None:  # noqa: D102
        with contextlib.suppress(psycopg.Error):
            self._connection.cancel_safe(timeout=_CANCEL_SECONDS)

    def disconnect(self) -> None:  # noqa: D102
        self._connection.close()


def _in_pieces(rows: Iterable[bytes]) -> Iterator[bytes]:
    """Whole rows, some megabytes at a time."""
    held: list[bytes] = []
    size = 0
    for row in rows:
        held.append(bytes(row))
        size += len(row)
        if size >= _BYTES:
            yield b"".join(held)
            held.clear()
            size = 0
    if held:
        yield b"".join(held)


def _parsed(texts: pl.Series, column: Column) -> pl.Series:
    """The values of a piece; those of a numeric column stay texts until all of them are there."""
    if column.type == "boolean":
        return texts == "true"
    if column.type not in _MOMENTS:
        return texts
    form = _MOMENTS[column.type]
    if column.type == "date":
        found = texts.str.to_date(form, strict=False)
    elif column.type.startswith("time "):
        found = texts.str.to_time(form, strict=False)
    else:
        found = texts.str.to_datetime(form, time_unit="us", strict=False)
    if found.null_count() != texts.null_count():
        raise no_moment(column.name, column.type)
    return found


def _exact(values: pl.Series, column: Column) -> pl.Series:
    """Numeric values as decimals with as many places as the longest of them has."""
    if column.type != "numeric":
        return values
    if values.str.contains("[NI]").any():
        raise SourceError(
            f"The column {column.name!r} holds NaN or infinite numbers.",
            remedy="Turn them into null or leave such rows out with a query, or drop the column.",
        )
    parts = values.str.strip_prefix("-").str.splitn(".", 2).struct.unnest()
    places = int(parts["field_1"].str.len_bytes().max() or 0)  # type: ignore[arg-type]
    digits = int(parts["field_0"].str.strip_prefix("0").str.len_bytes().max() or 0) + places  # type: ignore[arg-type]
    if digits > MOST_DIGITS:
        raise too_long(column, digits)
    return values.cast(pl.Decimal(MOST_DIGITS, places))


def _in_microseconds(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.Datetime) and dtype.time_unit == "us"


def _type(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Decimal):
        return f"numeric({dtype.precision}, {dtype.scale})"
    if isinstance(dtype, pl.Datetime):
        return "timestamp" if dtype.time_zone is None else "timestamptz"
    types: dict[Any, str] = {
        pl.Boolean: "boolean",
        pl.Date: "date",
        pl.Float32: "real",
        pl.Float64: "double precision",
        pl.Int8: "smallint",
        pl.Int16: "smallint",
        pl.UInt8: "smallint",
        pl.Int32: "integer",
        pl.UInt16: "integer",
        pl.Int64: "bigint",
        pl.UInt32: "bigint",
        pl.UInt64: "numeric",
        pl.Int128: "numeric",
        pl.UInt128: "numeric",
    }
    return types.get(dtype, "text")
