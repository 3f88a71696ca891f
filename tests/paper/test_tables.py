"""The data of `tables.py` are the paper's: what the paper says about its tables holds for them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from pellucid.verify import check_groups
from tests.paper import tables
from tests.paper.tables import DISEASE, E1, NAME, QI, T1, T3, T5, T8, Table


@pytest.mark.parametrize("table", [T1, T3, T5, T8, tables.INSTANCE_VII], ids=lambda table: table.title)
def test_everybody_in_the_microdata_is_in_the_voter_list(table: Table) -> None:
    assert {row[:3] for row in table} <= set(E1.rows)
    assert table.columns == (NAME, *QI, DISEASE)


def test_t3_and_t8_hold_the_diseases_of_t5() -> None:
    assert Counter(T3.column(DISEASE)) == Counter(T5.column(DISEASE)) == Counter(T8.column(DISEASE))


def test_t3_is_t5_with_ed_and_fred_swapped() -> None:
    before, after = T5.by_name(DISEASE), T3.by_name(DISEASE)
    assert {name for name in before if before[name] != after[name]} == {"Ed", "Fred"}


def test_t8_is_t5_with_the_columns_of_b1_swapped() -> None:
    before, after = T5.by_name(DISEASE), T8.by_name(DISEASE)
    assert {name for name in before if before[name] != after[name]} == {"Ann", "Bob", "Ed", "Gill"}


@pytest.mark.parametrize(
    ("release", "groups", "worst"),
    [
        (tables.T2_STAR, 3, Fraction(1, 2)),
        (tables.T4_STAR, 2, Fraction(1, 2)),
        (tables.T6_STAR, 3, Fraction(1, 2)),
        (tables.T7_STAR, 3, Fraction(1, 2)),
        (tables.T10_STAR, 3, Fraction(1)),
    ],
    ids=lambda value: value.title if isinstance(value, Table) else str(value),
)
def test_check_judges_the_papers_generalizations(release: Table, groups: int, worst: Fraction) -> None:
    """Tables III, V, IX and X are 2-diverse; in the appendix' Table III everybody of the last group has flu."""
    qi = [name for name in release.columns if name != DISEASE]
    check = check_groups(release.frame(), qi, (DISEASE,), 2)
    assert (check.rows, check.groups, check.worst_frequency) == (len(release.rows), groups, worst)
    assert check.diverse == (worst <= Fraction(1, 2))
    assert not check_groups(release.frame(), qi, (DISEASE,), 3).diverse


def test_figures_4_and_9_are_bucket_partitions_of_t5_and_t8() -> None:
    for figure, table in ((tables.U1, T5), (tables.U2, T8)):
        diseases = {name: value for bucket in figure for value, people in bucket.items() for name in people}
        assert diseases == table.by_name(DISEASE)
        assert all(len(set(map(len, bucket.values()))) == 1 for bucket in figure)
