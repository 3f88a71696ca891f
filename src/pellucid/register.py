"""A register of what was published: a file of the curator's own that remembers whose data are in which release.

Several releases of tables that share people are not protected: whoever has both can compare them. A register makes
that visible before it happens. It is an SQLite file. Of every release it holds the time, the policy's hash, the names
of source and target, how many people there were, and 8 bytes for each of them: BLAKE2b of the identifier, or without
one of the quasi-identifiers, under a key that is drawn when the register is made and stands in it.

The key keeps hashes of one register from meaning anything elsewhere. It does not make the file harmless: whoever has
it can ask whether somebody is in one of the tables. So only its owner may read it, nothing of it is published (G8), and
it holds no values. Two people have the same 8 bytes with a probability of 2**-64: with 5 million people on each side,
once in 700,000 comparisons somebody is counted who is not there.

A release is noted before it appears and confirmed when it is in place. So there is no release that the register does
not know, whatever fails in between; one that was noted and never confirmed may have been published, and counts.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from .errors import RegisterError
from .passwords import require_file_name
from .policy import Policy
from .runs import at_once
from .typed import as_text

__all__ = ["Overlap", "People", "Register", "Remembered"]

Hashes = npt.NDArray[np.uint64]

_APPLICATION: Final = 0x70656C72
"""Marks an SQLite file as a register."""
_FORMAT: Final = 1
_KEY_BYTES: Final = 32
_SCHEMA: Final = """
CREATE TABLE key (bytes BLOB NOT NULL);
CREATE TABLE release (
    number INTEGER PRIMARY KEY, noted TEXT NOT NULL, published INTEGER NOT NULL, source TEXT, target TEXT NOT NULL,
    policy_sha256 TEXT NOT NULL, people INTEGER NOT NULL, known_by TEXT NOT NULL);
CREATE TABLE part (
    release INTEGER NOT NULL REFERENCES release, number INTEGER NOT NULL, hashes BLOB NOT NULL,
    PRIMARY KEY (release, number));
"""
_PART: Final = 2**20
"""How many hashes stand in one part."""
_AT_ONCE: Final = 2**17
_PATIENCE_SECONDS: Final = 30.0


@dataclass(frozen=True, eq=False)
class People:
    """Whom a table is about, as the register knows them."""

    known_by: str
    """What the hashes are made of: the identifier, or the quasi-identifiers by their names."""
    rows: int
    hashes: Hashes
    """One for each row, sorted, so that they say nothing of the order of rows."""

    @property
    def identified(self) -> bool:
        """Whether each hash is a person, and not a combination of quasi-identifiers that several may have."""
        return self.known_by == _IDENTIFIER


_IDENTIFIER: Final = "identifier"


@dataclass(frozen=True)
class Overlap:
    """An earlier release that holds people of this table."""

    noted: str
    """When it was published, in UTC."""
    published: bool
    """False if the run ended before it was known whether it was."""
    source: str | None
    target: str
    policy_sha256: str
    people: int
    """How many people it holds."""
    shared: int
    """How many of the people of this table are among them."""

    def as_dict(self) -> dict[str, Any]:
        """The facts by name."""
        return dict(vars(self))


@dataclass(frozen=True)
class Remembered:
    """What a register says about a table that is to be published."""

    overlaps: tuple[Overlap, ...] = ()
    """The most people first."""
    not_comparable: int = 0
    """How many earlier releases were remembered by other columns."""
    people: int = 0
    identified: bool = True

    def as_dict(self) -> dict[str, Any]:
        """The facts by name."""
        return {"overlaps": [overlap.as_dict() for overlap in self.overlaps], "not_comparable": self.not_comparable}

    def __bool__(self) -> bool:
        return bool(self.overlaps or self.not_comparable)

    def __str__(self) -> str:
        """Why the curator should think again, in a paragraph."""
        said = []
        for overlap in self.overlaps[:3]:
            maybe = "" if overlap.published else ", which may not have appeared"
            said.append(f"{overlap.shared:,} of {self.people:,} in {overlap.target!r} ({overlap.noted[:10]}{maybe})")
        if more := self.overlaps[3:]:
            said.append(f"some in {len(more)} more")
        text = ""
        if said:
            found = (
                "People of this table are in earlier releases"
                if self.identified
                else "Rows of this table have the quasi-identifiers of earlier releases, maybe of the same people"
            )
            text = (
                f"{found}: {', '.join(said)}. Several releases of the same people are not protected: whoever has them"
                " can compare them, and the bound of 1/l is for one alone."
            )
        if self.not_comparable:
            text += (
                f" {self.not_comparable} earlier {'release was' if self.not_comparable == 1 else 'releases were'}"
                " remembered by other columns than this table, so that nobody can say whether they share people."
            )
        return text.strip()


class Register:
    """The register in a file, which is made if there is none."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Refuse a file that is no register, or cannot be written, before any work is done."""
        require_file_name(path)
        self.path = Path(path)
        with self._open() as register:
            row = register.execute("SELECT bytes FROM key").fetchall()
        keys = [key for (key,) in row if isinstance(key, bytes) and len(key) == _KEY_BYTES]
        if len(keys) != 1:
            raise self._damaged("it has no key")
        self._key = keys[0]

    def people(self, rows: pl.DataFrame, policy: Policy) -> People:
        """Whom these rows of the source are about. Rows that the policy leaves out are not published."""
        return at_once(lambda: self._people(rows, policy))

    def _people(self, rows: pl.DataFrame, policy: Policy) -> People:
        if policy.missing == "drop":
            rows = rows.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None)).drop_nulls()
        columns = policy.quasi_identifiers if policy.identifier is None else (policy.identifier,)
        columns = tuple(sorted(columns))
        known_by = json.dumps(columns, ensure_ascii=False) if policy.identifier is None else _IDENTIFIER
        parts = [self._hashed(part[list(columns)]) for part in rows.iter_slices(_AT_ONCE)]
        return People(known_by, rows.height, np.sort(np.concatenate(parts)))

    def _hashed(self, rows: pl.DataFrame) -> Hashes:
        keyed = hashlib.blake2b(key=self._key, digest_size=8)
        digests = []
        for text in _lines(rows):
            one = keyed.copy()
            one.update(text.encode("utf-8", "surrogatepass"))
            digests.append(one.digest())
        return np.frombuffer(b"".join(digests), dtype="<u8")

    @contextlib.contextmanager
    def noted(self, people: People, *, source: str | None, target: str, policy_sha256: str) -> Iterator[Remembered]:
        """Note a release that appears inside the block; what is yielded says which earlier ones share people with it.

        It is noted before and confirmed after. If the block fails, nothing was published and the note is taken back.
        """
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        facts = (now, source, target, policy_sha256, people.rows, people.known_by)
        number, remembered = at_once(lambda: self._note(people, facts))
        try:
            yield remembered
        except BaseException:
            with contextlib.suppress(RegisterError):
                self._forget(number)
            raise
        self._confirm(number)

    def _note(self, people: People, facts: Sequence[object]) -> tuple[int, Remembered]:
        with self._open() as register:
            register.execute("BEGIN IMMEDIATE")  # of two runs at once, the second one sees what the first one noted
            remembered = self._compared(register, people)
            noted = register.execute(
                "INSERT INTO release (noted, published, source, target, policy_sha256, people, known_by)"
                " VALUES (?, 0, ?, ?, ?, ?, ?)",
                facts,
            )
            number = int(noted.lastrowid or 0)
            hashes = np.unique(people.hashes)
            for part, first in enumerate(range(0, len(hashes), _PART)):
                some = hashes[first : first + _PART].astype("<u8").tobytes()
                register.execute("INSERT INTO part VALUES (?, ?, ?)", (number, part, some))
            register.execute("COMMIT")
            return number, remembered

    def _compared(self, register: sqlite3.Connection, people: People) -> Remembered:
        overlaps, not_comparable = [], 0
        earlier = register.execute(
            "SELECT number, noted, published, source, target, policy_sha256, people, known_by FROM release"
        ).fetchall()
        for number, noted, published, source, target, sha256, there, known_by in earlier:
            if known_by != people.known_by:
                not_comparable += 1
            elif shared := self._shared(register, number, people.hashes):
                overlaps.append(Overlap(noted, bool(published), source, target, sha256, there, shared))
        overlaps.sort(key=lambda overlap: -overlap.shared)
        return Remembered(tuple(overlaps), not_comparable, people.rows, people.identified)

    def _shared(self, register: sqlite3.Connection, number: int, hashes: Hashes) -> int:
        """How many of these rows are in a release. Both are sorted: each part is compared with a stretch of them."""
        shared = 0
        parts = register.execute("SELECT hashes FROM part WHERE release = ? ORDER BY number", (number,))
        for (blob,) in parts:
            part = np.frombuffer(blob, dtype="<u8")
            first, last = np.searchsorted(hashes, part[0]), np.searchsorted(hashes, part[-1], side="right")
            within = hashes[first:last]
            shared += int(np.count_nonzero(part[np.searchsorted(part, within)] == within))
        return shared

    def _confirm(self, number: int) -> None:
        """The release is in place. If this fails it stays noted, and counts as one that may have been published."""
        with contextlib.suppress(RegisterError), self._open() as register:
            register.execute("UPDATE release SET published = 1 WHERE number = ?", (number,))

    def _forget(self, number: int) -> None:
        with self._open() as register:
            register.execute("BEGIN IMMEDIATE")
            register.execute("DELETE FROM part WHERE release = ?", (number,))
            register.execute("DELETE FROM release WHERE number = ?", (number,))
            register.execute("COMMIT")

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with contextlib.closing(
                sqlite3.connect(self.path, timeout=_PATIENCE_SECONDS, isolation_level=None)
            ) as register:
                register.execute("PRAGMA synchronous = FULL")
                self._require_register(register)
                yield register
        except OSError as problem:
            raise RegisterError(f"The register {self.path} cannot be opened: {problem.strerror}.") from problem
        except (sqlite3.Error, ValueError, IndexError) as problem:
            raise self._damaged(str(problem)) from problem

    def _require_register(self, register: sqlite3.Connection) -> None:
        if _marks(register) == (0, 0):
            register.execute("BEGIN IMMEDIATE")
            if not register.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in _SCHEMA.split(";"):
                    register.execute(statement)
                register.execute("INSERT INTO key VALUES (?)", (secrets.token_bytes(_KEY_BYTES),))
                register.execute(f"PRAGMA application_id = {_APPLICATION}")
                register.execute(f"PRAGMA user_version = {_FORMAT}")
            register.execute("COMMIT")
        if _marks(register) != (_APPLICATION, _FORMAT):
            raise RegisterError(
                f"{self.path} is no register of this version of pellucid.",
                remedy="Name another file: one that does not exist is made.",
            )

    def _damaged(self, why: str) -> RegisterError:
        return RegisterError(
            f"The register {self.path} cannot be used: {why.rstrip('.')}.",
            remedy="Nothing was published. Put back a copy of it, wait for another run that uses it, or start a new"
            " register under another name: that one does not know what was published before.",
        )


def _marks(register: sqlite3.Connection) -> tuple[int, ...]:
    """What an SQLite file says that it is."""
    return tuple(register.execute(f"PRAGMA {mark}").fetchone()[0] for mark in ("application_id", "user_version"))


def _lines(rows: pl.DataFrame) -> list[str]:
    """One text per row: of several columns, with the length of each before it, so that no two rows have the same."""
    if rows.width == 1:
        return as_text(rows.to_series()).fill_null("").to_list()
    table = pl.DataFrame([as_text(column).rename(str(number)) for number, column in enumerate(rows)])
    measured = [pl.format("{}:{}", pl.col(name).str.len_bytes(), pl.col(name)).fill_null("-") for name in table.columns]
    return table.select(pl.concat_str(measured)).to_series().to_list()
