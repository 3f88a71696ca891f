"""Examples 4 and 5: Tailor on T5 with l = 2, its cuts one by one, Table IX, and the table that looks the same."""

from __future__ import annotations

import pytest

import pellucid
from pellucid import reference
from pellucid.algorithms import tailor
from pellucid.draws import SystemDraws
from pellucid.recodings import mbr
from pellucid.reference.row import is_diverse, largest_count
from pellucid.reference.tailor import canonical_l_cut, l_cuts
from tests.paper.encoded import Encoded, multiset
from tests.paper.tables import DISEASE, NAME, QI, T3, T5, T6_STAR, Table

G2 = frozenset({"Ann", "Bob", "Cate", "Don"})
G3 = frozenset({"Ed", "Fred", "Gill", "Hera"})
G4 = frozenset({"Ed", "Fred"})
G5 = frozenset({"Gill", "Hera"})


@pytest.fixture
def t5() -> Encoded:
    return Encoded(T5)


def group_of(encoded: Encoded, people: frozenset[str]) -> reference.Group:
    return tuple(t for t in encoded.rows if encoded.names[t.id] in people)


def test_first_iteration_has_one_possible_cut_on_each_dimension(t5: Encoded) -> None:
    """c = 2, so each part needs at least l * c = 4 tuples: G2 and G3 are the only possibility on Age and Zipcode."""
    table = tuple(t5.rows)
    assert is_diverse(table, 2)
    assert is_diverse(table, 4)
    assert largest_count(table) == 2
    assert [(t5.people(a), t5.people(b)) for a, b in l_cuts(table, 2)] == [(G2, G3), (G2, G3)]
    a, b = canonical_l_cut(table, 2, t5.penalty)
    assert (t5.people(a), t5.people(b)) == (G2, G3)


def test_second_iteration_cuts_g3_and_leaves_g2(t5: Encoded) -> None:
    assert not is_diverse(group_of(t5, G2), 4)
    assert is_diverse(group_of(t5, G3), 4)
    a, b = canonical_l_cut(group_of(t5, G3), 2, t5.penalty)
    assert (t5.people(a), t5.people(b)) == (G4, G5)


def test_no_group_is_4_diverse_at_the_end(t5: Encoded) -> None:
    assert not any(is_diverse(group_of(t5, people), 4) for people in (G2, G4, G5))


def test_partition_of_example_4(t5: Encoded) -> None:
    assert t5.partition(reference.tailor(t5.rows, 2, t5.penalty)) == {G2, G4, G5}
    assert t5.partition(tailor(t5.microdata, diversity=2, draws=SystemDraws())) == {G2, G4, G5}


@pytest.mark.parametrize("table", [T5, T3], ids=lambda table: table.title)
def test_table_ix(table: Table) -> None:
    """Example 5: T3 has a partition isomorphic to that of T5, so that both become Table IX."""
    release = pellucid.anonymize(
        table.frame(), quasi_identifiers=QI, sensitive=DISEASE, diversity=2, identifier=NAME, algorithm="tailor"
    )
    assert multiset(release.table.rows()) == multiset(T6_STAR.rows)


def test_partition_of_example_5_is_isomorphic() -> None:
    t3 = Encoded(T3)
    partition = tailor(t3.microdata, diversity=2, draws=SystemDraws())
    assert t3.partition(partition) == {G2, G4, G5}
    assert multiset(mbr(t3.microdata, partition).frame().rows()) == multiset(T6_STAR.rows)
