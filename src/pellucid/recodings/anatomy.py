"""Anatomy (section 2.1, Table VI): one table with the exact QI values, another with the sensitive values.

Both say which group a tuple belongs to and nothing ties a row of one to a row of the other. A group's number is its
rank by what is published of it, so that numbers carry nothing else (G5).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import polars as pl

from ..microdata import Attribute, Microdata
from ..packing import Integers, number_combinations, sorted_pairs
from ..partition import Partition
from . import labels
from .released import Column, ReleasedTable

__all__ = ["GROUP_ID", "Anatomy", "anatomy", "exact_values"]

GROUP_ID: Final = "group_id"


class Anatomy(NamedTuple):
    """The two tables of a release by anatomy."""

    qi: ReleasedTable
    sensitive: ReleasedTable


def anatomy(microdata: Microdata, partition: Partition) -> Anatomy:
    """The anatomy of the microdata decided by the partition."""
    attributes = {attribute.name: attribute for attribute in microdata.attributes}
    row_of_person, person_of_row = number_combinations(
        [attribute.codes for attribute in attributes.values()],
        [len(attribute.values) for attribute in attributes.values()],
    )
    persons = person_of_row[partition.members]
    sensitive = microdata.sensitive.codes[partition.members]
    number_of_group = _numbers(partition, persons, sensitive)
    group_of_member = np.repeat(number_of_group, partition.sizes)
    numbers = pl.Series(GROUP_ID, np.arange(1, len(partition) + 1))

    groups, persons = sorted_pairs(group_of_member, persons)
    qi = [
        Column(name, exact_values(attributes[name]), attributes[name].codes[row_of_person][persons])
        for name in microdata.columns
        if name in attributes
    ]
    qi_table = ReleasedTable((*qi, Column(GROUP_ID, numbers, groups)))

    groups, values = sorted_pairs(group_of_member, sensitive)
    shown = {column.name: Column(column.name, column, values) for column in microdata.sensitive.columns}
    sensitive_columns = [shown[name] for name in microdata.columns if name in shown]
    return Anatomy(qi_table, ReleasedTable((Column(GROUP_ID, numbers, groups), *sensitive_columns)))


def exact_values(attribute: Attribute) -> pl.Series:
    """The values as they are; steps of a grid as intervals."""
    if attribute.ends is attribute.values:
        return attribute.values
    codes = pl.Series(range(len(attribute.values)), dtype=pl.UInt32)
    return labels.intervals(attribute.values, codes, codes, ends=attribute.ends)


def _numbers(partition: Partition, persons: Integers, sensitive: Integers) -> Integers:
    """The rank of each group among all, by its QI values first and its sensitive values second."""
    content = {"group": np.arange(len(partition), dtype=np.uint32)}
    lists: dict[str, pl.Series] = {}
    for name, codes in (("qi", persons), ("sensitive", sensitive)):
        groups, sorted_codes = sorted_pairs(partition.group_of_member(), codes)
        entries = pl.DataFrame({"group": groups, "code": sorted_codes})
        lists[name] = entries.group_by("group", maintain_order=True).agg("code")["code"]
    order = pl.DataFrame(content).with_columns(**lists).sort("qi", "sensitive")["group"].to_numpy()
    numbers = np.empty(len(order), dtype=np.uint32)
    numbers[order] = np.arange(len(order), dtype=np.uint32)
    return numbers
