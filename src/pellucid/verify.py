"""Judging tables by what is written in them, without trusting whoever wrote them (G9).

`check_groups` judges a release of any program; `verify` compares one of ours with what it has to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import polars as pl

from .errors import CheckFailedError, listed
from .microdata import as_text

__all__ = ["Check", "Expected", "check_anatomy", "check_groups", "verify", "verify_anatomy"]

_COUNT = "pellucid: rows"
"""A column name that no table has by chance."""


@dataclass(frozen=True)
class Check:
    """What a released table says about its groups: facts that everybody who has the table can compute."""

    diversity: int
    rows: int
    groups: int
    smallest_group: int
    average_group: float
    sensitive_values: int
    worst_frequency: Fraction
    """The largest share of one sensitive value in a group."""
    groups_not_diverse: int

    @property
    def diverse(self) -> bool:
        """Whether every group is l-diverse (Def. 2)."""
        return self.groups_not_diverse == 0

    def as_dict(self) -> dict[str, Any]:
        """The facts as plain numbers."""
        return {
            "diverse": self.diverse,
            "diversity": self.diversity,
            "rows": self.rows,
            "groups": self.groups,
            "smallest_group": self.smallest_group,
            "average_group": round(self.average_group, 3),
            "sensitive_values": self.sensitive_values,
            "worst_frequency": round(float(self.worst_frequency), 6),
            "worst_frequency_exact": str(self.worst_frequency),
            "groups_not_diverse": self.groups_not_diverse,
        }


@dataclass(frozen=True, eq=False)
class Expected:
    """What a release must hold, said by the microdata and not by the release."""

    diversity: int
    columns: tuple[str, ...]
    """All published columns, in order."""
    sensitive: str
    nullable: frozenset[str]
    """The columns in which a missing value is a category."""
    sensitive_values: pl.Series
    sensitive_counts: tuple[int, ...]

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that hold QI values."""
        return tuple(name for name in self.columns if name != self.sensitive)

    def as_text(self) -> Expected:
        """The same for a text file."""
        return replace(self, sensitive_values=as_text(self.sensitive_values))


def check_groups(table: pl.LazyFrame, groups: Sequence[str], sensitive: str, diversity: int) -> Check:
    """Judge a table whose groups are the rows with the same values in `groups`; a missing value is a value."""
    return _judge(_count(table, [*groups, sensitive]), groups, sensitive, diversity)


def check_anatomy(qi: pl.LazyFrame, sensitive_table: pl.LazyFrame, group: str, sensitive: str, diversity: int) -> Check:
    """Judge the two tables of an anatomy: both must have the same groups, of the same sizes."""
    in_qi, counts = _count(qi, [group]), _count(sensitive_table, [group, sensitive])
    in_sensitive = counts.group_by(group).agg(pl.col(_COUNT).sum())
    if not in_qi.sort(group).equals(in_sensitive.sort(group)):
        raise CheckFailedError(
            f"The two tables do not belong together: the groups by {group!r} have different sizes in them."
        )
    return _judge(counts, [group], sensitive, diversity)


def verify(table: pl.LazyFrame, expected: Expected) -> Check:
    """Compare what was written with what had to be written; raise if anything differs."""
    _require_columns(table, expected.columns)
    counts = _count(table, expected.columns)
    _require_no_invented_nulls(counts, expected)
    _require_sensitive(counts, expected)
    return _require_diverse(_judge(counts, expected.quasi_identifiers, expected.sensitive, expected.diversity))


def verify_anatomy(qi: pl.LazyFrame, sensitive_table: pl.LazyFrame, group: str, expected: Expected) -> Check:
    """Compare the two tables of an anatomy with what had to be written; raise if anything differs."""
    _require_columns(qi, (*expected.quasi_identifiers, group))
    _require_columns(sensitive_table, (group, expected.sensitive))
    _require_no_invented_nulls(_count(qi, [*expected.quasi_identifiers, group]), expected)
    _require_sensitive(_count(sensitive_table, [group, expected.sensitive]), expected)
    return _require_diverse(check_anatomy(qi, sensitive_table, group, expected.sensitive, expected.diversity))


def _count(table: pl.LazyFrame, columns: Sequence[str]) -> pl.DataFrame:
    return table.group_by(columns).agg(pl.len().alias(_COUNT)).collect(engine="streaming")


def _judge(counts: pl.DataFrame, groups: Sequence[str], sensitive: str, diversity: int) -> Check:
    if counts.is_empty():
        return Check(diversity, 0, 0, 0, 0.0, 0, Fraction(0), 0)
    size, largest = pl.col(_COUNT).sum().cast(pl.Int64), pl.col(_COUNT).max().cast(pl.Int64)
    sizes = counts.group_by(groups).agg(size=size, largest=largest)
    rows = int(counts[_COUNT].sum())
    return Check(
        diversity=diversity,
        rows=rows,
        groups=sizes.height,
        smallest_group=sizes["size"].to_numpy().min().item(),
        average_group=rows / sizes.height,
        sensitive_values=counts[sensitive].n_unique(),
        worst_frequency=max(Fraction(c, n) for n, c in sizes.select("size", "largest").unique().iter_rows()),
        groups_not_diverse=sizes.filter(diversity * pl.col("largest") > pl.col("size")).height,
    )


def _require_columns(table: pl.LazyFrame, expected: Sequence[str]) -> None:
    found = table.collect_schema().names()
    if found != list(expected):
        raise CheckFailedError(f"The release has the columns {listed(found)} and should have {listed(expected)}.")


def _require_no_invented_nulls(table: pl.DataFrame, expected: Expected) -> None:
    invented = [s.name for s in table if s.has_nulls() and s.name not in expected.nullable]
    if invented:
        raise CheckFailedError(f"The release has missing values in {listed(invented)}, where the source has none.")


def _require_sensitive(counts: pl.DataFrame, expected: Expected) -> None:
    """As many rows as people, and each sensitive value as often as in the source."""
    found = counts.group_by(pl.col(expected.sensitive).alias("value")).agg(
        pl.col(_COUNT).sum().cast(pl.Int64).alias("count")
    )
    rows = int(found["count"].sum())
    if rows != sum(expected.sensitive_counts):
        raise CheckFailedError(f"The release has {rows} rows and should have {sum(expected.sensitive_counts)}.")
    wanted = pl.DataFrame({"value": expected.sensitive_values, "count": expected.sensitive_counts})
    if not found.sort("value").equals(wanted.sort("value")):
        raise CheckFailedError(
            f"The values of {expected.sensitive!r} are not as frequent in the release as in the source."
        )


def _require_diverse(check: Check) -> Check:
    if not check.diverse:
        raise CheckFailedError(
            f"{check.groups_not_diverse} of {check.groups} groups of the release are not {check.diversity}-diverse."
        )
    return check
