"""A table, a view or a query as a source: read-only, and only the columns that are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from ...errors import PolicyError, SourceError, listed
from .address import Database, parts_of, quoted
from .session import Column, Session, reading

__all__ = ["DatabaseSource", "anatomy_in"]


class DatabaseSource:
    """A table in a database."""

    untyped = False
    """Its columns have types."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._address = database.located()
        self.path = self._address.path
        self.name = str(database)
        with reading(self._address) as session:
            self.columns = [column.name for column in session.run(lambda: self._columns(session))]

    @staticmethod
    def kind(table: pl.DataFrame) -> pl.DataFrame:
        """What the table becomes as a frame: one of polars."""
        return table

    def read(self, columns: list[str]) -> pl.DataFrame:
        """The named columns."""
        with reading(self._address) as session:
            return session.run(lambda: self._read(session, columns))

    def _read(self, session: Session, names: Sequence[str]) -> pl.DataFrame:
        relation = session.relation(self._database)
        found = {column.name: column for column in session.columns(relation)}
        columns = [found[name] for name in names]
        for column in columns:
            if not column.usable:
                raise SourceError(
                    f"The column {column.name!r} of {self.name} is of type {column.type}, whose values pellucid cannot"
                    " compare.",
                    remedy="Turn it into text or numbers with a query (--query), or drop it.",
                )
        try:
            return session.read(relation, columns)
        except pl.exceptions.PolarsError as problem:
            raise SourceError(f"{self.name} cannot be read: {str(problem).splitlines()[0].rstrip('.')}.") from problem

    def _columns(self, session: Session) -> list[Column]:
        table = self._database.table
        if table is None and self._database.query is None:
            raise PolicyError(
                f"{self.name} is a database; which of its tables is meant?",
                remedy=f"Name it (--table), or give a query (--query). It has {_listed(session)}.",
            )
        if table is not None and not session.exists(parts_of(table)):
            raise SourceError(f"{self._address.name} has no table {table!r}.", remedy=f"It has {_listed(session)}.")
        return session.columns(session.relation(self._database))


def anatomy_in(database: Database) -> tuple[Database, Database] | None:
    """The two tables of an anatomy, given the name that it was written under or one of its tables."""
    if database.table is None:
        return None
    *schema, table = parts_of(database.table)
    stem = table.removesuffix("_qi").removesuffix("_sensitive")
    both = [(*schema, f"{stem}_{part}") for part in ("qi", "sensitive")]
    with reading(database.located()) as session:
        if (stem == table and session.exists((*schema, table))) or not all(map(session.exists, both)):
            return None
    qi, sensitive = (replace(database, table=quoted(*name)) for name in both)
    return qi, sensitive


def _listed(session: Session) -> str:
    return listed(session.tables()) or "no tables"
