"""Judging tables by what is written in them, without trusting whoever wrote them (G9).

`check_groups` judges a release of any program; `verify` compares one of ours with what it has to be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from .errors import CheckFailedError, listed
from .joint import combined, name_of
from .packing import Integers, number_combinations, pack
from .runs import side_by_side
from .texts import Coded, coded
from .typed import as_text

__all__ = [
    "Check",
    "Expected",
    "Tally",
    "check_anatomy",
    "check_groups",
    "tally",
    "verify",
    "verify_anatomy",
]


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
    worst_alone: Mapping[str, Fraction] = field(default_factory=dict)
    """Where several columns are one value: the largest share of one value of each of them in a group.

    Nothing bounds it.
    """

    @property
    def diverse(self) -> bool:
        """Whether every group is l-diverse (Def. 2)."""
        return self.groups_not_diverse == 0

    def as_dict(self) -> dict[str, Any]:
        """The facts as plain numbers."""
        facts = {
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
        if self.worst_alone:
            facts["worst_frequency_alone"] = {name: str(share) for name, share in self.worst_alone.items()}
        return facts


@dataclass(frozen=True, eq=False)
class Expected:
    """What a release must hold, said by the microdata and not by the release."""

    diversity: int
    columns: tuple[str, ...]
    """All published columns, in order."""
    sensitive: tuple[str, ...]
    """The sensitive column, or those that are one value."""
    nullable: frozenset[str]
    """The columns in which a missing value is a category."""
    sensitive_values: tuple[pl.Series, ...]
    """What each value is in each of these columns."""
    sensitive_counts: tuple[int, ...]
    protected: tuple[str, ...] | None = None
    """The sensitive values that no group may have too often, as texts; None for all (Def. 2)."""

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that hold QI values."""
        return tuple(name for name in self.columns if name not in self.sensitive)

    @property
    def value(self) -> str:
        """The name of the sensitive value."""
        return name_of(self.sensitive)

    def shown(self, how: Callable[[pl.Series], pl.Series]) -> Expected:
        """The same with values as a target holds them."""
        return replace(self, sensitive_values=tuple(how(column) for column in self.sensitive_values))


def check_groups(table: pl.DataFrame, groups: Sequence[str], sensitive: tuple[str, ...], diversity: int) -> Check:
    """Judge a table whose groups are the rows with the same values in `groups`; a missing value is a value.

    Of several `sensitive` columns, their combination is the value.
    """
    if table.is_empty():
        return Check(diversity, 0, 0, 0, 0.0, 0, Fraction(0), 0)
    columns = side_by_side(lambda name: coded(table[name]), (*groups, *sensitive))
    qi, alone = columns[: len(groups)], columns[len(groups) :]
    counted = tally([*qi, _together(alone)])
    size, largest = counted.sizes, counted.largest
    return Check(
        diversity=diversity,
        rows=table.height,
        groups=len(size),
        smallest_group=int(size.min()),
        average_group=table.height / len(size),
        sensitive_values=len(np.unique(counted.values)),
        worst_frequency=_worst(counted),
        # A larger l asks for no more, and would not fit into the numbers of arrays.
        groups_not_diverse=int(np.count_nonzero(min(diversity, table.height + 1) * largest > size)),
        worst_alone={name: _worst(tally([*qi, each])) for name, each in zip(sensitive, alone, strict=True)}
        if len(sensitive) > 1
        else {},
    )


def _together(columns: Sequence[Coded]) -> Coded:
    """Several columns as one: equal combinations have equal numbers."""
    if len(columns) == 1:
        return columns[0]
    codes, kinds = zip(*columns, strict=True)
    first, number = number_combinations(codes, kinds)
    return Coded(number, len(first))


def _worst(counted: Tally) -> Fraction:
    """The largest share of one value in a group."""
    size, largest = counted.sizes, counted.largest
    worst = np.lexsort((-largest, size))  # of the groups of one size, only the worst can be the worst of all
    first = worst[np.unique(size[worst], return_index=True)[1]]
    return max(Fraction(int(c), int(n)) for c, n in zip(largest[first], size[first], strict=True))


def check_anatomy(
    qi: pl.DataFrame, sensitive_table: pl.DataFrame, group: str, sensitive: tuple[str, ...], diversity: int
) -> Check:
    """Judge the two tables of an anatomy: both must have the same groups, of the same sizes."""
    in_qi, in_sensitive = (
        table.group_by(pl.col(group).cast(pl.String)).len().sort(group) for table in (qi, sensitive_table)
    )
    if not in_qi.equals(in_sensitive):
        raise CheckFailedError(
            f"The two tables do not belong together: the groups by {group!r} have different sizes in them."
        )
    return check_groups(sensitive_table, [group], sensitive, diversity)


def verify(table: pl.DataFrame, expected: Expected) -> Check:
    """Compare what was written with what had to be written; raise if anything differs."""
    _require_columns(table, expected.columns)
    _require_no_invented_nulls(table, expected)
    _require_sensitive(table, expected)
    check = check_groups(table, expected.quasi_identifiers, expected.sensitive, expected.diversity)
    return _require_diverse(check, table, expected.quasi_identifiers, expected)


def verify_anatomy(qi: pl.DataFrame, sensitive_table: pl.DataFrame, group: str, expected: Expected) -> Check:
    """Compare the two tables of an anatomy with what had to be written; raise if anything differs."""
    _require_columns(qi, (*expected.quasi_identifiers, group))
    _require_columns(sensitive_table, (group, *(name for name in expected.columns if name in expected.sensitive)))
    _require_no_invented_nulls(qi, expected)
    _require_sensitive(sensitive_table, expected)
    check = check_anatomy(qi, sensitive_table, group, expected.sensitive, expected.diversity)
    return _require_diverse(check, sensitive_table, [group], expected)


class Tally(NamedTuple):
    """How often each sensitive value occurs in each group; the entries of a group stand together."""

    starts: Integers
    """Where the entries of each group start."""
    values: Integers
    counts: Integers

    @property
    def sizes(self) -> Integers:
        """How many rows each group has."""
        return np.add.reduceat(self.counts, self.starts)

    @property
    def largest(self) -> Integers:
        """How many rows of each group have its most frequent sensitive value."""
        return np.maximum.reduceat(self.counts, self.starts)


def tally(columns: Sequence[Coded]) -> Tally:
    """Count the values of the last column in the groups by all others: for one row at least."""
    codes, kinds = zip(*columns, strict=True)
    bits = (kinds[-1] - 1).bit_length()
    pairs, _ = pack(codes, (*kinds[:-1], 1 << bits))
    pairs.sort()
    runs = _edges(pairs)
    values = pairs if len(runs) > len(pairs) else pairs[runs[:-1]]
    groups = values >> np.uint64(bits)
    values &= np.uint64((1 << bits) - 1)
    return Tally(_edges(groups)[:-1], values, np.diff(runs))


def _edges(words: Integers) -> Integers:
    """Where runs of equal words start, and where the last one ends."""
    edge = np.ones(len(words) + 1, dtype=bool)
    np.not_equal(words[1:], words[:-1], out=edge[1:-1])
    return np.flatnonzero(edge)


def _require_columns(table: pl.DataFrame, expected: Sequence[str]) -> None:
    if table.columns != list(expected):
        raise CheckFailedError(
            f"The release has the columns {listed(table.columns)} and should have {listed(expected)}."
        )


def _require_no_invented_nulls(table: pl.DataFrame, expected: Expected) -> None:
    invented = [s.name for s in table if s.has_nulls() and s.name not in expected.nullable]
    if invented:
        raise CheckFailedError(f"The release has missing values in {listed(invented)}, where the source has none.")


def _require_sensitive(table: pl.DataFrame, expected: Expected) -> None:
    """As many rows as people, and each sensitive value as often as in the source."""
    rows = sum(expected.sensitive_counts)
    if table.height != rows:
        raise CheckFailedError(f"The release has {table.height} rows and should have {rows}.")
    values = combined(table[list(expected.sensitive)], expected.sensitive)[expected.value]
    codes, kinds = coded(values)
    row_of_code = np.zeros(kinds, dtype=np.int64)
    row_of_code[codes] = np.arange(len(codes))
    count = np.bincount(codes, minlength=kinds)
    found = pl.DataFrame({"value": values.gather(row_of_code), "count": count}).filter(pl.col("count") > 0)
    value = combined(
        pl.DataFrame(dict(zip(expected.sensitive, expected.sensitive_values, strict=True))), expected.sensitive
    )[expected.value]
    found = found.with_columns(pl.col("value").cast(value.dtype))
    wanted = pl.DataFrame({"value": value, "count": expected.sensitive_counts})
    wanted = wanted.filter(pl.col("count") > 0)  # Mask may take the last of a value away
    if not found.sort("value").equals(wanted.sort("value")):
        raise CheckFailedError(f"The values of {expected.value!r} are not as frequent in the release as in the source.")


def _require_diverse(check: Check, table: pl.DataFrame, groups: Sequence[str], expected: Expected) -> Check:
    wrong = check.groups_not_diverse
    if wrong and expected.protected is not None:
        values = combined(table, expected.sensitive)
        of_protected = values.filter(as_text(values[expected.value]).is_in(expected.protected))
        times = of_protected.group_by(*groups, expected.value).agg(_times=pl.len())
        sizes = table.group_by(groups).agg(_size=pl.len())
        both = times.join(sizes, on=list(groups), nulls_equal=True)
        wrong = both.filter(expected.diversity * pl.col("_times") > pl.col("_size")).select(groups).n_unique()
    if wrong:
        raise CheckFailedError(f"{wrong} of {check.groups} groups of the release are not {check.diversity}-diverse.")
    return check
