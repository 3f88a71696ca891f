"""What databases have in common: one transaction that is read from or written to, and that Ctrl-C ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

import polars as pl

from ...errors import MissingExtraError, PellucidError, SourceError
from ...runs import at_once, interruptible
from .address import Address, Database, parts_of, quoted

__all__ = [
    "MOST_DIGITS",
    "Column",
    "Session",
    "connected",
    "engine_of",
    "explained",
    "reading",
    "too_long",
]

MOST_DIGITS = 38
"""Of a decimal."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Column:
    """A column of a table or a query."""

    name: str
    type: str
    """As the database calls it."""
    usable: bool = True
    """Whether its values can be compared with each other, and are understood."""


def too_long(column: Column, digits: int) -> SourceError:
    """The error for numbers of too many digits."""
    return SourceError(
        f"The column {column.name!r} needs numbers of {digits} digits; {MOST_DIGITS} are the most.",
        remedy="Round them with a query, or drop the column.",
    )


class Session(ABC):
    """A connection with one transaction. Nothing of it stays but what `commit` leaves."""

    errors: ClassVar[tuple[type[Exception], ...]]
    """What the driver raises."""

    def __init__(self) -> None:
        self._busy = False
        self.ended = False
        """Whether somebody asked it to stop."""

    def run(self, work: Callable[[], _T], *, look: Callable[[], None] = lambda: None) -> _T:
        """What `work` returns; Ctrl-C ends it. `look` is called now and then meanwhile."""

        def body() -> _T:
            self._busy = True
            try:
                return work()
            finally:
                self._busy = False

        def end() -> None:
            self.ended = True
            self.interrupt()

        return interruptible(body, end, look)

    def close(self) -> None:
        """Take everything back that was not committed. What does not stop is left to the end of the process."""
        if not self._busy:
            self.disconnect()

    @property
    def lost(self) -> bool:
        """Whether the database went away, so that nobody knows what it did last. One in a file does not."""
        return False

    def relation(self, database: Database) -> str:
        """What stands behind FROM."""
        if database.query is not None:
            return f"({database.query.strip().rstrip(';')}\n) AS query"
        return quoted(*parts_of(database.table or ""))

    @staticmethod
    @abstractmethod
    def why(problem: Exception) -> str:
        """What the driver has to say, in a line."""

    @staticmethod
    @abstractmethod
    def shown(values: pl.Series) -> pl.Series:
        """Values as the database holds them."""

    @abstractmethod
    def tables(self) -> list[str]:
        """The names of tables and views."""

    @abstractmethod
    def exists(self, name: tuple[str, ...]) -> bool:
        """Whether there is a table or a view of this name."""

    @abstractmethod
    def columns(self, relation: str) -> list[Column]:
        """The columns of a table or a query."""

    @abstractmethod
    def read(self, relation: str, columns: Sequence[Column]) -> pl.DataFrame:
        """These columns."""

    @abstractmethod
    def create(self, name: tuple[str, ...], schema: pl.Schema) -> None:
        """Make a new table; there must not be one of this name."""

    @abstractmethod
    def fill(self, name: tuple[str, ...], pieces: Iterable[pl.DataFrame]) -> None:
        """Put rows into it, in their order."""

    @abstractmethod
    def commit(self) -> None:
        """Make everything stay."""

    @abstractmethod
    def interrupt(self) -> None:
        """End whatever runs, from another thread."""

    @abstractmethod
    def disconnect(self) -> None:
        """Close the connection."""


def engine_of(address: Address) -> Any:
    """The kind of session that this database needs; its driver may have to be installed."""
    if address.engine == "sqlite":
        from .sqlite import Sqlite  # noqa: PLC0415 - a driver is loaded when it is needed

        return Sqlite
    try:
        if address.engine == "duckdb":
            from .duckdb import DuckDB  # noqa: PLC0415

            return DuckDB
        from .postgresql import PostgreSQL  # noqa: PLC0415
    except ImportError:
        driver = {"duckdb": "DuckDB needs duckdb", "postgresql": "PostgreSQL needs psycopg"}[address.engine]
        raise MissingExtraError(f"{driver}, which is not installed.", extra=address.engine) from None
    return PostgreSQL


def connected(address: Address, *, writable: bool) -> Session:
    """A new session; one that is not writable cannot change anything."""
    session: Session = at_once(lambda: engine_of(address)(address, writable=writable))
    return session


@contextmanager
def reading(address: Address) -> Iterator[Session]:
    """A session to read from."""
    if address.path is not None and not address.path.is_file():
        raise SourceError(f"There is no file {address.path}.")
    with explained(address, SourceError, "read"):
        session = connected(address, writable=False)
        try:
            yield session
        finally:
            session.close()


@contextmanager
def explained(address: Address, error: type[PellucidError], verb: Literal["read", "written"]) -> Iterator[None]:
    """Turn whatever the driver raises into an error that names the database."""
    engine = engine_of(address)
    try:
        yield
    except engine.errors as problem:
        why = engine.why(problem).rstrip(".")
        remedy = "A password belongs into ~/.pgpass or the environment (PGPASSWORD)." if "password" in why else ""
        if verb == "written":
            remedy = remedy or "Nothing was left there."
        raise error(f"{address.name} cannot be {verb}: {why}.", remedy=remedy) from problem
