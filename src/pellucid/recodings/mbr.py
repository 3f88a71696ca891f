"""The MBR function (section 2.1): each QI value becomes the tightest interval that holds those of its group.

An attribute without an order publishes the set of values that occur in the group instead, one with a hierarchy their
lowest common ancestor. Whichever it is, it depends on the group's QI values alone (Def. 1). Groups with the same box
are one in the release: their tuples cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from ..microdata import Attribute, Microdata
from ..packing import Integers, number_combinations, sorted_pairs
from ..partition import Partition
from ..policy import Intervals
from ..runs import side_by_side
from . import labels
from .released import Column, ReleasedTable

__all__ = ["mbr"]


@dataclass(frozen=True)
class _Side:
    """What the groups' boxes are on one attribute."""

    cell_of_group: Integers
    """Which of the cells 0, 1, .. each group has; cells are numbered in the order of their values."""
    cells: int
    columns: Callable[[Integers], list[Column]]
    """Given the cell of each released row, the released columns."""


def mbr(microdata: Microdata, partition: Partition, intervals: Intervals = "text") -> ReleasedTable:
    """The generalization decided by the partition and the MBR function, with intervals as text or as two columns."""
    sides = side_by_side(lambda attribute: _side(attribute, partition, intervals), microdata.attributes)
    group_of_box, box_of_group = number_combinations(
        [side.cell_of_group for side in sides], [side.cells for side in sides]
    )
    boxes, sensitive = sorted_pairs(
        np.repeat(box_of_group, partition.sizes), microdata.sensitive.codes[partition.members]
    )
    rows_of_box = np.bincount(boxes)
    columns = side_by_side(
        lambda side: side.columns(np.repeat(side.cell_of_group[group_of_box], rows_of_box)),
        sides,
    )
    released = {attribute.name: made for attribute, made in zip(microdata.attributes, columns, strict=True)}
    released |= {values.name: [Column(values.name, values, sensitive)] for values in microdata.sensitive.columns}
    return ReleasedTable(tuple(column for name in microdata.columns for column in released[name]))


def _side(attribute: Attribute, partition: Partition, intervals: Intervals) -> _Side:
    codes = attribute.codes[partition.members]
    if attribute.style == "set":
        return _set_side(attribute, codes, partition)
    starts = partition.starts[:-1]
    low, high = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
    if attribute.style == "ancestor":
        return _ancestor_side(attribute, low, high)
    return _interval_side(attribute, low, high, intervals)


def _interval_side(
    attribute: Attribute, low_of_group: Integers, high_of_group: Integers, intervals: Intervals
) -> _Side:
    name, values, ends = attribute.name, attribute.values, attribute.ends
    group_of_cell, cell_of_group = number_combinations([low_of_group, high_of_group], [len(values)] * 2)
    low, high = low_of_group[group_of_cell], high_of_group[group_of_cell]

    def as_text(cell_of_row: Integers) -> list[Column]:
        return [Column(name, labels.intervals(values, pl.Series(low), pl.Series(high), ends=ends), cell_of_row)]

    def as_bounds(cell_of_row: Integers) -> list[Column]:
        return [
            Column(f"{name}_min", values, low[cell_of_row]),
            Column(f"{name}_max", ends, high[cell_of_row]),
        ]

    return _Side(cell_of_group, len(group_of_cell), as_text if intervals == "text" else as_bounds)


def _ancestor_side(attribute: Attribute, low_of_group: Integers, high_of_group: Integers) -> _Side:
    """The lowest node over a group's smallest and largest value is the lowest over all of them (`hierarchies`)."""
    assert attribute.subtrees is not None  # noqa: S101 - for the type checker
    low, high = attribute.subtrees.widened(low_of_group, high_of_group)
    group_of_cell, cell_of_group = number_combinations([low, high], [len(attribute.values)] * 2)
    names = attribute.subtrees.ancestors(low_of_group[group_of_cell], high_of_group[group_of_cell])
    return _Side(cell_of_group, len(group_of_cell), lambda cell_of_row: [Column(attribute.name, names, cell_of_row)])


def _set_side(attribute: Attribute, codes: Integers, partition: Partition) -> _Side:
    groups, members = sorted_pairs(partition.group_of_member(), codes)
    first = np.ones(len(groups), dtype=bool)
    first[1:] = (groups[1:] != groups[:-1]) | (members[1:] != members[:-1])
    label_of_group = labels.sets(attribute.values, pl.Series(groups[first]), pl.Series(members[first]))
    cells = label_of_group.unique().sort()
    cell_of_group = cells.search_sorted(label_of_group).to_numpy()
    return _Side(cell_of_group, len(cells), lambda cell_of_row: [Column(attribute.name, cells, cell_of_row)])
