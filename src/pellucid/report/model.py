"""What a report says: facts and words, ready to be shown. The templates only lay them out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..sources.targets import ReleaseKind
from ..verify import Check
from .charts import Bars, Columns

__all__ = [
    "Asked",
    "Attribute",
    "Cell",
    "Command",
    "Curator",
    "File",
    "Guarantee",
    "Published",
    "QueryErrors",
    "Report",
    "Sample",
    "Setting",
]

Command: TypeAlias = tuple[str, ...]
"""A command in pieces that should not be broken between lines."""


@dataclass(frozen=True)
class Setting:
    """One line of the policy."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class Asked:
    """The policy."""

    quasi_identifiers: tuple[str, ...]
    sensitive: str
    """What nobody must be tied to a value of, in words."""
    joint: tuple[str, ...]
    """Where that is a combination: its columns."""
    diversity: int
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class Guarantee:
    """What protects the people in the table, for readers who do not read proofs."""

    holds: bool
    algorithm: str
    proof: str
    changes_values: bool
    """Whether sensitive values of the release may be others than those of the source."""


@dataclass(frozen=True)
class File:
    """A file or a table of the release."""

    name: str
    size: int
    """The bytes of a file, the rows of a table."""
    sha256: str


@dataclass(frozen=True)
class Cell:
    """What stands in a column of some rows, one below the other."""

    text: str | None
    rows: int


@dataclass(frozen=True)
class Sample:
    """Some rows of a table, in blocks that belong together."""

    title: str
    columns: tuple[str, ...]
    blocks: tuple[tuple[tuple[str | None, ...], ...], ...]
    more: int = 0
    """How many rows of these blocks are not shown."""

    @property
    def merged(self) -> tuple[tuple[tuple[Cell, ...], ...], ...]:
        """The rows of each block, where what all of them have in a column stands in the first one alone."""
        return tuple(_merged(block) for block in self.blocks)


def _merged(block: tuple[tuple[str | None, ...], ...]) -> tuple[tuple[Cell, ...], ...]:
    alike = [len(set(column)) == 1 for column in zip(*block, strict=True)]
    if all(alike):
        alike[-1] = False  # how many rows there are must be seen
    first = [Cell(text, len(block) if same else 1) for text, same in zip(block[0], alike, strict=True)]
    others = [tuple(Cell(text, 1) for text, same in zip(row, alike, strict=True) if not same) for row in block[1:]]
    return (tuple(first), *others)


@dataclass(frozen=True)
class Attribute:
    """How precisely the release says the values of one quasi-identifier."""

    name: str
    kind: Literal["interval", "set"]
    exact: float
    """The share of rows whose value is published as it is."""
    widths: Columns | None
    """None if all of them are."""


@dataclass(frozen=True)
class Published:
    """The release: everything here can be computed from the released tables (G8)."""

    check: Check
    sample: tuple[Sample, ...]
    group_sizes: Columns
    diversities: Columns
    """How many groups are l-diverse for which l and none above."""
    sensitive: Bars
    attributes: tuple[Attribute, ...]
    widths: Bars
    stepped: tuple[str, ...]
    """The quasi-identifiers whose values are those of a grid in the policy."""


@dataclass(frozen=True)
class QueryErrors:
    """How far counts estimated from the release are from those of the source."""

    queries: int
    dimensionality: int
    selectivity: float
    average: float
    median: float
    within: float
    """Of 95 % of the queries."""
    worst: float
    spread: Columns
    command: Command


@dataclass(frozen=True)
class Curator:
    """What reads the source: for the curator, not for release."""

    dropped_rows: int
    changed_values: int
    before: Sample
    after: tuple[Sample, ...]
    errors: QueryErrors


@dataclass(frozen=True)
class Report:
    """A report; without the curator's part, it may be published with the release."""

    title: str
    asked: Asked
    guarantee: Guarantee
    published: Published
    kind: ReleaseKind
    files: tuple[File, ...]
    verify: Command
    """The command that judges the release."""
    reproduce: Command
    """The command that made it; SOURCE stands for the source, and nothing for what no command can say."""
    repeatable: bool
    """Whether whoever has the source gets the same release from it."""
    curator: Curator | None = None
