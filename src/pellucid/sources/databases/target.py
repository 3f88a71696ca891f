"""New tables in a database as a target: made, filled, read back and committed in one transaction, or not at all (G9).

The manifest is the one row of a table beside them, because a file beside a database could not appear together with
them. An SQLite or DuckDB file that does not exist yet is made under a temporary name, as other files are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as StillRunning
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ...errors import PolicyError, TargetError
from ...runs import at_once, uninterrupted
from ...settings import Recoding
from ...typed import as_text
from ..targets import Coded, ReleaseKind, Staging, require_place
from .address import Address, Database, parts_of, quoted
from .session import Session, connected, engine_of, explained

__all__ = ["DatabaseTarget", "fingerprint"]

_ROWS = 50_000
_MANIFEST = "manifest"


class DatabaseTarget:
    """The tables that a release is written to; there must not be any of these names."""

    kind: ReleaseKind = "tables"
    files: tuple[Path, ...] = ()

    def __init__(self, database: Database, recoding: Recoding) -> None:
        self._address = database.located()
        if database.table is None:
            raise PolicyError(
                f"{self._address.name} is a database; which new table is to be made in it?",
                remedy="Name it: --target-table, or table in [target].",
            )
        *self._schema, self.name = parts_of(database.table)
        parts = ("",) if recoding == "mbr" else ("_qi", "_sensitive")
        self.tables = tuple(self.name + part for part in parts)
        self.manifest = f"{self.name}_{_MANIFEST}"
        self.database = self._address.name

    def require_writable(self, source: Path | None) -> None:
        """Refuse what could not be written, or is there, before any work is done: by making it, and taking it back."""
        if self._is_new():
            assert self._address.path is not None  # noqa: S101 - for the type checker
            engine_of(self._address)
            require_place(self._address.path, source)
            return
        with explained(self._address, TargetError, "written"):
            session = connected(self._address, writable=True)
            try:
                session.run(lambda: self._rehearse(session))
            finally:
                session.close()

    def _is_new(self) -> bool:
        return self._address.path is not None and not self._address.path.exists()

    def _rehearse(self, session: Session) -> None:
        for table in (*self.tables, self.manifest):
            name = self.place_of(table)
            if session.exists(name):
                raise TargetError(
                    f"{self.database} has a table {table!r} already.",
                    remedy="Choose another name (--target-table): a table is never replaced or added to.",
                )
            session.create(name, pl.Schema({_MANIFEST: pl.String}))

    def place_of(self, table: str) -> tuple[str, ...]:
        """The name of a table with its schema."""
        return (*self._schema, table)

    def shown(self, values: pl.Series) -> pl.Series:
        """Values as this database holds them."""
        shown: pl.Series = engine_of(self._address).shown(values)
        return shown

    def staged(self, staging: Staging) -> _Staged:
        """The transaction."""
        address = self._address
        if self._is_new() and address.path is not None:
            temporary = staging.add(address.path, new=True)
            temporary.unlink()  # for DuckDB, an empty file is none of its own
            address = replace(address, path=temporary)
        with explained(self._address, TargetError, "written"):
            staged = _Staged(self, self._address, connected(address, writable=True))
        staging.attach(staged)
        return staged


class _Staged:
    def __init__(self, target: DatabaseTarget, address: Address, session: Session) -> None:
        self._target = target
        self._address = address
        self._session = session
        self._read: list[pl.DataFrame] = []

    def write(self, tables: Sequence[Coded], tell: Callable[[float], None]) -> None:
        """Make and fill each table."""
        for table, name in zip(tables, self._target.tables, strict=True):
            schema = pl.Schema({column.name: column.values.dtype for column in table.columns})
            pieces = _Pieces(table, self._session, tell)
            self._make(name, schema, pieces, look=pieces.tell)
            tell(1.0)

    def _make(
        self, table: str, schema: pl.Schema, rows: Iterable[pl.DataFrame], look: Callable[[], None] = lambda: None
    ) -> None:
        session, name = self._session, self._target.place_of(table)

        def make() -> None:
            session.create(name, schema)
            session.fill(name, rows)

        with explained(self._address, TargetError, "written"):
            session.run(make, look=look)

    def read_back(self) -> list[pl.DataFrame]:
        """What stands in the tables now, seen from within the transaction."""
        with explained(self._address, TargetError, "written"):
            self._read = [self._session.run(partial(self._table, name)) for name in self._target.tables]
        return self._read

    def _table(self, name: str) -> pl.DataFrame:
        relation = quoted(*self._target.place_of(name))
        return self._session.read(relation, self._session.columns(relation))

    def fingerprints(self) -> Mapping[str, Mapping[str, Any]]:
        """The fingerprint of each table by its name."""
        return at_once(lambda: dict(zip(self._target.tables, map(fingerprint, self._read), strict=True)))

    def add_manifest(self, text: str) -> None:
        """Put the manifest into a table of its own."""
        row = pl.DataFrame({_MANIFEST: [text]})
        self._make(self._target.manifest, row.schema, [row])

    def commit(self) -> None:
        """Publish the tables. Ctrl-C comes too late here: whoever hears that nothing was written can rely on it."""
        with explained(self._address, TargetError, "written"):
            try:
                uninterrupted(self._session.commit)
            except StillRunning:
                raise self._unknown() from None
            except self._session.errors as problem:
                if self._session.lost:  # perhaps only the answer
                    raise self._unknown() from problem
                raise
        self.close()

    def _unknown(self) -> TargetError:
        return TargetError(
            f"{self._address.name} does not say whether the release was written.",
            remedy=f"See whether it has a table {self._target.manifest!r}: all tables are there, or none is.",
        )

    def close(self) -> None:
        """Take back what was not committed."""
        self._session.close()


class _Pieces:
    """A table in pieces of some thousand rows."""

    def __init__(self, table: Coded, session: Session, tell: Callable[[float], None]) -> None:
        self._table = table
        self._session = session
        self._tell = tell
        self._done = 0.0

    def tell(self) -> None:
        """Say which share of the table was asked for."""
        self._tell(self._done)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        rows = len(self._table.columns[0].codes)
        for start in range(0, rows, _ROWS):
            if self._session.ended:
                return  # nobody waits for the rest any more
            part = slice(start, start + _ROWS)
            yield pl.DataFrame(
                {each.name: each.values.gather(pl.Series(each.codes[part])) for each in self._table.columns}
            )
            self._done = min(1.0, (start + _ROWS) / rows)


def fingerprint(table: pl.DataFrame) -> dict[str, Any]:
    """The number of rows, and the SHA-256 of the table as CSV text with its lines sorted by their bytes.

    The rows of a table have no order, so that none may count. `LC_ALL=C sort release.csv | sha256sum` says the same of
    a release in a CSV file.
    """
    header = as_csv([pl.Series([name]) for name in table.columns])
    lines = pl.concat([header, as_csv([as_text(column) for column in table])])
    if lines.str.contains("\n", literal=True).any():
        lines = lines.str.split("\n").explode()
    digest = hashlib.sha256()
    for piece in lines.sort().to_frame().iter_slices(_ROWS):
        digest.update("".join(f"{line}\n" for line in piece.to_series()).encode())
    return {"rows": table.height, "sha256_of_sorted_csv": digest.hexdigest()}


def as_csv(columns: Sequence[pl.Series]) -> pl.Series:
    """The lines of a CSV file: values in quotes where they need them, missing ones as nothing."""
    cells = {}
    for number, texts in enumerate(columns):
        quoted_text = '"' + texts.str.replace_all('"', '""', literal=True) + '"'
        plain = ~texts.str.contains(r'[,"\n\r]|^$')
        cells[str(number)] = pl.select(pl.when(plain).then(texts).otherwise(quoted_text).fill_null("")).to_series()
    return pl.DataFrame(cells).select(line=pl.concat_str(pl.all(), separator=",")).to_series()
