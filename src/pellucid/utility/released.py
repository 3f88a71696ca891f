"""What a release says, as far as counting goes: groups of tuples, each with its items and its sensitive values.

A generalization's group has one item, its box. An anatomy's group has as many as tuples, each of them a point. In
both cases all that is known is that some tuple of the group has each of the values: so each is spread evenly over
the items (LeFevre et al. 2006a), and one formula estimates counts from either.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..hierarchies import Subtrees
from ..microdata import Attribute, Microdata
from ..packing import Integers, number_combinations, sorted_pairs
from ..partition import Partition
from ..policy import Recoding
from .domains import Categories, Domain, Line, Numbers

__all__ = [
    "Intervals",
    "Released",
    "Sets",
    "Side",
    "grouped",
    "is_point",
    "of_partition",
    "of_rows",
    "points",
    "width",
]

Starts = npt.NDArray[np.int64]
Numbering = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Intervals:
    """The distinct sides of items on a line: cell c goes from `low[c]` to `high[c]`, in positions of the domain."""

    low: Numbers
    high: Numbers

    def __len__(self) -> int:
        return len(self.low)


@dataclass(frozen=True, eq=False)
class Sets:
    """The distinct sides of items among categories: cell c is the codes `members[starts[c]:starts[c + 1]]`."""

    starts: Starts
    members: Numbering

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Starts:
        """How many categories each set has."""
        return np.diff(self.starts)


Side = Intervals | Sets


@dataclass(frozen=True, eq=False, kw_only=True)
class Released:
    """Group g has the items `starts[g]` to `starts[g + 1]` and the values `values[value_starts[g]:..[g + 1]]`."""

    domains: tuple[Domain, ...]
    sensitive: Domain
    sides: tuple[Side, ...]
    """For every QI attribute, the distinct sides of items."""
    cells: tuple[Numbering, ...]
    """For every QI attribute, which of them each item has."""
    starts: Starts
    value_starts: Starts
    values: Numbering
    """Codes of the sensitive domain."""

    @property
    def rows(self) -> int:
        """How many tuples the release has."""
        return len(self.values)

    @property
    def sizes(self) -> Starts:
        """How many tuples each group has."""
        return np.diff(self.value_starts)

    @property
    def rows_per_item(self) -> Numbers:
        """How many tuples each item stands for."""
        items = np.diff(self.starts)
        return np.repeat(self.sizes / items, items)


def of_partition(
    microdata: Microdata,
    partition: Partition,
    domains: tuple[Domain, ...],
    sensitive: Domain,
    recoding: Recoding = "mbr",
) -> Released:
    """What the recoding of a partition says, without writing it first."""
    values = partition.published(microdata).sensitive.codes[partition.members]
    if recoding == "anatomy":
        return grouped(
            domains,
            sensitive,
            sides=[points(domain) for domain in domains],
            cells=[attribute.codes[partition.members] for attribute in microdata.attributes],
            groups=partition.group_of_member(),
            owners=partition.group_of_member(),
            values=values,
        )
    sides, cells = zip(
        *(
            _intervals(attribute, partition, domain) if isinstance(domain, Line) else _sets(attribute.codes, partition)
            for attribute, domain in zip(microdata.attributes, domains, strict=True)
        ),
        strict=True,
    )
    # Groups with the same box are one: nobody can tell their tuples apart.
    group_of_box, box_of_group = number_combinations(cells, [len(side) for side in sides])
    return grouped(
        domains,
        sensitive,
        sides=sides,
        cells=[cell[group_of_box] for cell in cells],
        groups=np.arange(len(group_of_box)),
        owners=np.repeat(box_of_group, partition.sizes),
        values=values,
    )


def of_rows(microdata: Microdata, domains: tuple[Domain, ...], sensitive: Domain) -> Released:
    """The microdata themselves: every combination of QI values is a group of its own. Estimates from it are exact."""
    row_of_point, point_of_row = number_combinations(
        [attribute.codes for attribute in microdata.attributes],
        [len(attribute.values) for attribute in microdata.attributes],
    )
    return grouped(
        domains,
        sensitive,
        sides=[points(domain) for domain in domains],
        cells=[attribute.codes[row_of_point] for attribute in microdata.attributes],
        groups=np.arange(len(row_of_point)),
        owners=point_of_row,
        values=microdata.sensitive.codes,
    )


def points(domain: Domain) -> Side:
    """The sides of items that are single values: cell c is the value with code c."""
    if isinstance(domain, Line):
        return Intervals(domain.positions, domain.positions)
    codes = np.arange(len(domain.texts) + 1, dtype=np.int64)
    return Sets(codes, codes[:-1].astype(np.uint32))


def grouped(
    domains: tuple[Domain, ...],
    sensitive: Domain,
    *,
    sides: Sequence[Side],
    cells: Sequence[Integers],
    groups: Integers,
    owners: Integers,
    values: Integers,
) -> Released:
    """Put together items, the group of each item in ascending order, and values, the group of each in any order."""
    number = int(groups[-1]) + 1 if len(groups) else 0
    _, sorted_values = sorted_pairs(owners.astype(np.uint32), values.astype(np.uint32))
    return Released(
        domains=domains,
        sensitive=sensitive,
        sides=tuple(sides),
        cells=tuple(np.ascontiguousarray(cell, dtype=np.uint32) for cell in cells),
        starts=_starts(groups, number),
        value_starts=_starts(owners, number),
        values=np.ascontiguousarray(sorted_values, dtype=np.uint32),
    )


def _starts(owners: Integers, number: int) -> Starts:
    return np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=number))]).astype(np.int64)


def _intervals(attribute: Attribute, partition: Partition, domain: Line) -> tuple[Side, Integers]:
    codes = attribute.codes[partition.members]
    low = np.minimum.reduceat(codes, partition.starts[:-1])
    high = np.maximum.reduceat(codes, partition.starts[:-1])
    if attribute.style == "ancestor" and attribute.subtrees is not None:
        return _ancestors(attribute.subtrees, low, high, domain)
    group_of_cell, cell_of_group = number_combinations([low, high], [len(domain.texts)] * 2)
    at = domain.positions
    return Intervals(at[low[group_of_cell]], at[high[group_of_cell]]), cell_of_group


def _ancestors(subtrees: Subtrees, low: Integers, high: Integers, domain: Line) -> tuple[Side, Integers]:
    """An ancestor stands for all values under it, whether they occur or not."""
    names = subtrees.ancestors(low, high).to_list()
    cells = {name: number for number, name in enumerate(dict.fromkeys(names))}
    first, last = np.array([domain.nodes[name] for name in cells]).T
    return Intervals(first.copy(), last.copy()), np.array([cells[name] for name in names], dtype=np.uint32)


def _sets(codes: Integers, partition: Partition) -> tuple[Side, Integers]:
    groups, members = sorted_pairs(partition.group_of_member(), codes[partition.members].astype(np.uint32))
    first = np.ones(len(groups), dtype=bool)
    first[1:] = (groups[1:] != groups[:-1]) | (members[1:] != members[:-1])
    groups, members = groups[first], members[first]
    ends = np.searchsorted(groups, np.arange(len(partition) + 1)).tolist()
    cells: dict[bytes, int] = {}
    words = members.astype("<u4").tobytes()
    cell_of_group = np.array(
        [cells.setdefault(words[4 * a : 4 * b], len(cells)) for a, b in itertools.pairwise(ends)],
        dtype=np.uint32,
    )
    sizes = [len(word) // 4 for word in cells]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Sets(starts, np.frombuffer(b"".join(cells), dtype="<u4").astype(np.uint32)), cell_of_group


def is_point(side: Side) -> npt.NDArray[np.bool_]:
    """Which sides are a single value."""
    single: npt.NDArray[np.bool_] = side.low == side.high if isinstance(side, Intervals) else side.sizes == 1
    return single


def width(side: Side, domain: Domain) -> Numbers:
    """How far each side goes: the distance of its ends, on the order of codes where the domain has no order.

    That order is the one in which the program's own penalty measures categories (`microdata`).
    """
    if isinstance(side, Intervals):
        return side.high - side.low
    assert isinstance(domain, Categories)  # noqa: S101 - for the type checker
    first = np.minimum.reduceat(side.members, side.starts[:-1])
    last = np.maximum.reduceat(side.members, side.starts[:-1])
    return (last - first).astype(np.float64)
