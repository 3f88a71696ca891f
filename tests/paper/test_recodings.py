"""Table III and Table VI: MBR and anatomy of T1, decided by the same partition."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from pellucid.partition import Partition
from pellucid.recodings import anatomy, mbr
from tests.paper.encoded import Encoded, multiset
from tests.paper.tables import ANATOMY_QI, ANATOMY_SENSITIVE, PARTITION_OF_TABLE_III, T1, T2_STAR


@pytest.fixture
def t1() -> Encoded:
    return Encoded(T1)


@pytest.fixture
def partition(t1: Encoded) -> Partition:
    rows = [t1.names.index(name) for group in PARTITION_OF_TABLE_III for name in group]
    return Partition(np.array(rows, dtype=np.uint32), np.array([0, 2, 4, 8], dtype=np.int64))


def test_table_iii(t1: Encoded, partition: Partition) -> None:
    assert multiset(mbr(t1.microdata, partition).frame().rows()) == multiset(T2_STAR.rows)


def test_table_iii_as_bounds(t1: Encoded, partition: Partition) -> None:
    released = mbr(t1.microdata, partition, "bounds").frame()
    ends = ("Age_min", "Age_max", "Zipcode_min", "Zipcode_max")
    assert released.columns == [*ends, "Disease"]
    assert [released.schema[name] for name in ends] == [pl.Int64] * 4
    assert set(released.select(ends).rows()) == {
        (21, 27, 10000, 18000),
        (32, 32, 35000, 35000),
        (54, 60, 60000, 63000),
    }


def test_table_vi(t1: Encoded, partition: Partition) -> None:
    """The paper prints both tables in order of group and value, and so do we."""
    qi, sensitive = (table.frame() for table in anatomy(t1.microdata, partition))
    assert (tuple(qi.columns), tuple(qi.rows())) == (ANATOMY_QI.columns, ANATOMY_QI.rows)
    assert (tuple(sensitive.columns), tuple(sensitive.rows())) == (ANATOMY_SENSITIVE.columns, ANATOMY_SENSITIVE.rows)


def test_order_of_groups_and_members_does_not_matter(t1: Encoded, partition: Partition) -> None:
    """G5: what is published depends on the groups as sets."""
    members = np.array([7, 4, 6, 5, 1, 0, 3, 2], dtype=np.uint32)
    other = Partition(members, np.array([0, 4, 6, 8], dtype=np.int64))
    assert other.as_sets() == partition.as_sets()
    assert mbr(t1.microdata, other).frame().equals(mbr(t1.microdata, partition).frame())
    for mine, theirs in zip(anatomy(t1.microdata, other), anatomy(t1.microdata, partition), strict=True):
        assert mine.frame().equals(theirs.frame())
