"""A look at a table before anything is run: what its columns hold, and what they may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import polars as pl

from ..algorithms import Monitor
from ..errors import MicrodataError, SourceError
from ..packing import Integers
from ..policy import require_known
from ..runs import at_once
from ..sources import FileSource, Source, open_source
from .facts import Facts, Hashes, counted, mixed
from .suspicions import AGES, Suspicion, suspicions
from .words import topics_of

__all__ = ["SMALL_GROUP", "Column", "Combination", "Inspection", "JointValue", "Known", "Repeats", "Role", "inspect"]

Role = Literal["quasi-identifier", "sensitive", "identifier"]

SMALL_GROUP = 5
"""Rows that share their quasi-identifiers with fewer than this are counted."""

_FIRST_COLUMNS = 4
_CELLS_AT_ONCE = 2**25
"""How many values are in memory at the same time, if a column alone has not more."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """The roles that the curator knows already."""

    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    """Several are declared joint: their combination is the sensitive value."""
    identifier: str | None = None

    def role_of(self, name: str) -> Role | None:
        """The role that a column was given."""
        if name in self.quasi_identifiers:
            return "quasi-identifier"
        if name in self.sensitive:
            return "sensitive"
        return "identifier" if name == self.identifier else None


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: what was counted, and what it may be."""

    facts: Facts
    role: Role | None
    """The role that it was given; suspicions are then beside the point."""
    suspicions: tuple[Suspicion, ...]

    @property
    def name(self) -> str:
        """Its name."""
        return self.facts.name

    def may_be(self, kind: str) -> bool:
        """Whether it was given this role, or has none and is suspected of it."""
        return self.role == kind or (self.role is None and any(each.kind == kind for each in self.suspicions))

    @property
    def may_be_sensitive(self) -> bool:
        """Whether a largest l means something: its values may be secrets of several people."""
        names_people = any(each.kind in ("identifier", "row number", "free text") for each in self.suspicions)
        return self.facts.usable and (self.role == "sensitive" or (self.role is None and not names_people))

    @property
    def counts_rows(self) -> bool:
        """Whether its values are positions in the file."""
        return any(each.kind == "row number" for each in self.suspicions)

    def as_dict(self) -> dict[str, Any]:
        """The column as plain values."""
        facts = self.facts
        return {
            "name": facts.name,
            "type": facts.type,
            "distinct": facts.distinct,
            "missing": facts.missing,
            "low": _plain(facts.low),
            "high": _plain(facts.high),
            "numbers_but_for": list(facts.but_for),
            "missing_written_as": list(facts.missing_written_as),
            "dates_as_text": bool(facts.years_of_dates),
            "role": self.role,
            "suspicions": [each.as_dict() for each in self.suspicions],
            "largest_diversity": facts.largest_diversity if self.may_be_sensitive else None,
        }


@dataclass(frozen=True, kw_only=True)
class Combination:
    """What some columns together leave unique: whoever knows them of a person finds the row."""

    columns: tuple[str, ...]
    groups: int
    """How many different combinations of values there are."""
    unique_rows: int
    rows_in_small_groups: int
    """Rows that share their values with fewer than four others; those that share them with nobody among them."""

    def as_dict(self) -> dict[str, Any]:
        """The combination as plain values."""
        return {
            "columns": list(self.columns),
            "groups": self.groups,
            "unique_rows": self.unique_rows,
            f"rows_in_groups_below_{SMALL_GROUP}": self.rows_in_small_groups,
        }


@dataclass(frozen=True, kw_only=True)
class JointValue:
    """Several sensitive columns that are one value: their combination."""

    columns: tuple[str, ...]
    distinct: int
    """How many different combinations there are; a missing value is one like any other."""
    largest_diversity: int
    """The largest l for which the table is eligible (Def. 2) if the combination is the sensitive value."""

    def as_dict(self) -> dict[str, Any]:
        """The value as plain values."""
        return {
            "columns": list(self.columns),
            "distinct": self.distinct,
            "largest_diversity": self.largest_diversity,
        }


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """Rows that may be about one person."""

    identifiers: Mapping[str, int]
    """For each column that names people: how many rows repeat a value that occurs before."""
    identical_rows: int
    """How many rows are the same as one before, in all columns but those that count the rows."""

    def as_dict(self) -> dict[str, Any]:
        """The repeats as plain values."""
        return {"identifiers": dict(self.identifiers), "identical_rows": self.identical_rows}


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a look at a table found. It holds counts of the source: for the curator, not for release."""

    source: str
    source_unlike: Mapping[str, str]
    """How a file is read, where that is not how pellucid writes such files."""
    rows: int
    columns: tuple[Column, ...]
    combination: Combination | None
    """Of the quasi-identifiers that were given, or else of those suspected; None if there are none."""
    joint: JointValue | None
    """Of the sensitive columns that were declared joint; None if there are none."""
    repeats: Repeats

    def __getitem__(self, name: str) -> Column:
        """The column with this name."""
        return next(column for column in self.columns if column.name == name)

    def that_may_be(self, kind: str) -> list[Column]:
        """The columns that have this role or are suspected of it."""
        return [column for column in self.columns if column.may_be(kind)]

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "source": self.source,
            "source_unlike": dict(self.source_unlike),
            "rows": self.rows,
            "columns": [column.as_dict() for column in self.columns],
            "quasi_identifiers": None if self.combination is None else self.combination.as_dict(),
            "joint": None if self.joint is None else self.joint.as_dict(),
            "repeats": self.repeats.as_dict(),
        }

    def report(self) -> str:
        """A page about it, as HTML, for the curator alone."""
        from ..report import inspection_page  # noqa: PLC0415 - pages are made where they are asked for

        return inspection_page(self)


def inspect(
    source: object,
    *,
    quasi_identifiers: Iterable[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    joint: bool | None = None,
    identifier: str | None = None,
    monitor: Monitor | None = None,
) -> Inspection:
    """Look at a table before anything is run: its columns, what they may be, who could be found in it.

    `source` is the path of a file, or a data frame. The roles that are known already may be named; for all other
    columns the result says what they are suspected to be, and why. Several `sensitive` columns must be declared
    `joint`, as for a release. The result holds counts of the source and is for the curator alone. No row is changed,
    and nothing is published.
    """
    table = open_source(source)
    others = tuple(quasi_identifiers or ())
    given = {"quasi_identifiers": others, "sensitive": sensitive, "joint": joint, "identifier": identifier}
    require_known(given, table.columns)
    known = Known(
        quasi_identifiers=others,
        sensitive=(sensitive,) if isinstance(sensitive, str) else tuple(sensitive or ()),
        identifier=identifier,
    )
    tell = monitor or (lambda stage, share: None)  # noqa: ARG005
    looking = _Looking(table.columns, known)
    tell("inspect", 0.0)
    for block in _blocks(table, looking):
        rows = table.read(block)
        looking.require_as_many(rows.height, table.name)
        for name in block:
            at_once(partial(looking.at, rows[name], untyped=table.untyped))
            tell("inspect", len(looking.columns) / len(table.columns))
    return at_once(lambda: looking.result(table))


def _blocks(table: Source, looking: _Looking) -> Iterator[list[str]]:
    """Of a file some columns at a time: a few first, and as many as memory allows when the rows are known.

    Whatever else is read at once: only a file has the same rows in the same order when it is read again.
    """
    start, width = 0, _FIRST_COLUMNS if isinstance(table, FileSource) else len(table.columns)
    while start < len(table.columns):
        yield table.columns[start : start + width]
        start, width = start + width, max(1, _CELLS_AT_ONCE // max(1, looking.rows))


class _Looking:
    """Looks at one column after the other, and keeps two words per row of them, and one more of joint columns."""

    def __init__(self, names: Sequence[str], known: Known) -> None:
        self.rows = 0
        self.columns: list[Column] = []
        self._known = known
        self._age_is_named = any(topic.what in AGES for name in names for topic, _ in topics_of(name))
        self._combined: list[str] = []
        self._combinations: Hashes
        self._joint: Hashes | None = None
        self._whole_rows: Hashes

    def require_as_many(self, rows: int, source: str) -> None:
        """The rows of every read are the same: otherwise somebody writes to the source."""
        if rows == 0:
            raise MicrodataError("The table has no rows.", remedy="There is nothing to look at.")
        if not self.columns:
            self.rows = rows
            self._combinations, self._whole_rows = (np.zeros(rows, dtype=np.uint64) for _ in range(2))
            if len(self._known.sensitive) > 1:
                self._joint = np.zeros(rows, dtype=np.uint64)
        elif rows != self.rows:
            raise SourceError(
                f"{source} had {self.rows:,} rows, and then {rows:,}: somebody writes to it.",
                remedy="Look at a copy that stays as it is.",
            )

    def at(self, column: pl.Series, *, untyped: bool) -> None:
        """Count a column and judge it."""
        facts, alike = counted(column, untyped=untyped)
        found = suspicions(facts, age_is_named=self._age_is_named)
        seen = Column(facts=facts, role=self._known.role_of(facts.name), suspicions=found)
        self.columns.append(seen)
        if facts.distinct and not seen.counts_rows:
            self._whole_rows = mixed(self._whole_rows, alike)
        asked = not self._known.quasi_identifiers or seen.role == "quasi-identifier"
        if facts.distinct and asked and seen.may_be("quasi-identifier"):
            self._combinations = mixed(self._combinations, alike)
            self._combined.append(facts.name)
        if self._joint is not None and seen.role == "sensitive":
            self._joint = mixed(self._joint, alike)

    def result(self, source: Source) -> Inspection:
        """What was found."""
        return Inspection(
            source=source.name,
            source_unlike=source.unlike if isinstance(source, FileSource) else {},
            rows=self.rows,
            columns=tuple(self.columns),
            combination=self._combination() if self._combined else None,
            joint=None if self._joint is None else self._joint_value(self._joint),
            repeats=Repeats(
                identifiers={
                    column.name: column.facts.present - column.facts.distinct
                    for column in self.columns
                    if column.may_be("identifier") and not column.facts.all_different and not _is_shared(column)
                },
                identical_rows=self.rows - len(_sizes(self._whole_rows)),
            ),
        )

    def _combination(self) -> Combination:
        sizes = _sizes(self._combinations)
        return Combination(
            columns=tuple(self._combined),
            groups=len(sizes),
            unique_rows=int(np.count_nonzero(sizes == 1)),
            rows_in_small_groups=int(sizes[sizes < SMALL_GROUP].sum()),
        )

    def _joint_value(self, hashes: Hashes) -> JointValue:
        sizes = _sizes(hashes)
        return JointValue(
            columns=self._known.sensitive, distinct=len(sizes), largest_diversity=self.rows // int(sizes.max())
        )


def _is_shared(column: Column) -> bool:
    """Whether it was not given as identifier, and holds names or addresses, which many people share."""
    shared = ("names of persons", "addresses")
    return column.role is None and not column.facts.near_unique and any(s.what in shared for s in column.suspicions)


def _sizes(hashes: Hashes) -> Integers:
    """How many rows there are of each kind."""
    hashes = np.sort(hashes)
    starts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
    return np.diff(np.append(starts, len(hashes)))


def _plain(end: object) -> object:
    """One end of a range as JSON has it."""
    return end if end is None or isinstance(end, int | float) else str(end)
