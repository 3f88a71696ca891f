"""The attacks of the paper: Examples 1, 2 and 3, Lemma 1, Table VII, the minimality attack, the electronic appendix."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import pytest

from pellucid import CheckFailedError, PolicyError, reference
from pellucid.adversary import KNOWN, Instance, credibility, deterministic, disclosure_risk
from pellucid.adversary.credibility import is_minimal
from pellucid.adversary.exact import beliefs, instance_of
from pellucid.adversary.external import External
from pellucid.adversary.instances import ABSENT
from pellucid.adversary.outcomes import mask
from pellucid.adversary.published import publish
from pellucid.policy import Recoding
from pellucid.reference import Group, Row
from pellucid.reference.opt_gen import global_recodings
from tests.paper import tables

DISEASES = sorted({str(disease) for disease in tables.T1.column(tables.DISEASE)})
PEOPLE = [str(name) for name in tables.E1.column(tables.NAME)]
E1 = External.of_numbers([(int(age), int(zipcode)) for _, age, zipcode in tables.E1], PEOPLE)

attack = partial(
    disclosure_risk,
    external=tables.E1.frame(),
    quasi_identifiers=list(tables.QI),
    sensitive=tables.DISEASE,
    diversity=2,
    identifier=tables.NAME,
)
minimality_attack = partial(
    credibility,
    external=tables.E1.frame(),
    quasi_identifiers=list(tables.QI),
    sensitive=tables.DISEASE,
    diversity=2,
    identifier=tables.NAME,
    scheme="global",
)


def instance(table: tables.Table) -> Instance:
    disease = table.by_name(tables.DISEASE)
    assignment = [DISEASES.index(str(disease[name])) if name in disease else ABSENT for name in PEOPLE]
    return instance_of(E1, tuple(assignment), 2)


def names(groups: Sequence[Group]) -> set[frozenset[str]]:
    return {frozenset(PEOPLE[t.id] for t in G) for G in groups}


def test_example_1_vul_gen_gives_everybody_away() -> None:
    T_1 = instance(tables.T1).rows
    groups = [{0, 1}, {3, 4, 5, 6, 7, 8}]  # the ranks in E1 of Ann, Bob, and of Cate to Hera: not of Bruce
    vul_gen = deterministic(lambda i: reference.vul_gen(i.rows, T_1, groups))
    seen = attack(tables.T4_STAR.frame(), algorithm=vul_gen)
    assert seen.instances == 1
    disease = tables.T1.by_name(tables.DISEASE)
    for name in PEOPLE:
        expected = {disease[name]: Fraction(1)} if name in disease else {}
        assert seen.of(name).posterior == expected


def test_example_1_is_no_minimality_attack() -> None:
    """Table V is not a minimal generalization of T1: the second group can be divided."""
    rows = instance(tables.T1).rows
    published = [rows[:2], rows[2:]]
    assert not is_minimal(published, 2, "global")


def test_example_2_opt_gen_publishes_table_iii() -> None:
    groups = reference.opt_gen(instance(tables.T1).rows, 2)
    assert names(groups) == {frozenset(G) for G in tables.PARTITION_OF_TABLE_III}
    assert sum(map(reference.discernibility, groups)) == 24


def test_example_2_global_recoding_as_equal_values_alone_would_not_give_table_iii() -> None:
    """Why `reference.opt_gen` reads global recoding as boxes that do not overlap."""
    rows = instance(tables.T1).rows
    holders = [[t for t in rows if t.qi == point] for point in sorted({t.qi for t in rows})]
    scores = []
    for labels in itertools.product(range(len(holders)), repeat=len(holders)):
        if any(label > max((*labels[:i], -1)) + 1 for i, label in enumerate(labels)):
            continue  # every partition once: a new label is the next number
        groups = [
            tuple(t for members, mine in zip(holders, labels, strict=True) if mine == label for t in members)
            for label in sorted(set(labels))
        ]
        if all(2 * max(sum(t.sensitive == v for t in G) for v in range(len(DISEASES))) <= len(G) for G in groups):
            scores.append((sum(len(G) ** 2 for G in groups), reference.is_global(groups)))
    assert min(scores) == (22, False)
    assert scores.count((22, False)) == 3
    assert min(score for score, is_global in scores if is_global) == 24
    assert scores.count((24, True)) == 1


def test_global_recodings_of_a_line_are_its_cuts() -> None:
    """Of 13 points there are 27,644,437 partitions: those that overlap must not be gone through."""
    assert len(global_recodings(tuple((age,) for age in range(13)))) == 2**12


def test_example_2_the_reverse_engineering_attack() -> None:
    seen = attack(tables.T2_STAR.frame(), algorithm="opt-gen")
    assert seen.of("Ed").posterior == {"gastritis": 1}
    assert seen.of("Bruce").risk == 0
    assert seen.maximum == 1
    assert [person.identifier for person in seen.above] == ["Ed"]


def test_table_vii_is_a_possible_instance() -> None:
    """Possible instances need not have the size of T: Table VII has, if one publishes it, three people of nine."""
    rows = instance(tables.INSTANCE_VII).rows
    assert [PEOPLE[t.id] for t in rows] == ["Bruce", "Cate", "Fred"]
    whole = deterministic(lambda i: [i.rows])
    found = beliefs(E1, publish([rows], E1.ordered, "mbr"), whole, 3)
    assert found.posterior(PEOPLE.index("Bruce"))[DISEASES.index("bronchitis")] > 0
    # Bruce is the youngest of the box and must be in it; of those aged 60 one is, and one of Cate, Don and Ed, or two
    # of those aged 60: (3 * 3 + 3) ways to choose the people, 3! ways to say who has what.
    assert found.instances == (3 * 3 + 3) * 6


def test_example_3_the_credibility_of_ed() -> None:
    seen = minimality_attack(tables.T2_STAR.frame())
    assert seen.instances == 96  # |S+|
    quarter = dict.fromkeys(("gastritis", "flu", "dyspepsia", "diabetes"), Fraction(1, 4))
    assert seen.of("Ed").posterior == quarter
    assert seen.of("Bruce").posterior == {}


def test_the_minimality_attack_on_table_v() -> None:
    seen = minimality_attack(tables.T4_STAR.frame())
    assert seen.of("Cate").posterior == {"gastritis": 1}
    assert seen.of("Don").posterior == {"gastritis": 1}
    assert all(seen.of(name).risk < 1 for name in PEOPLE if name not in ("Cate", "Don"))


def test_lemma_1_opt_gen_is_minimal() -> None:
    """For every table with the people of Table I and its diseases, whoever has which: 5,040 of them."""
    T_1 = instance(tables.T1)
    counts = sorted(t.sensitive for t in T_1.rows)
    checked = 0
    for values in sorted(set(itertools.permutations(counts))):
        rows = [Row(t.id, t.qi, v) for t, v in zip(T_1.rows, values, strict=True)]
        groups = reference.opt_gen(rows, 2)
        if groups:
            assert is_minimal(groups, 2, "global")
            checked += 1
    assert checked == 5040


# The electronic appendix.

AGES = External.of_numbers([(int(age),) for _, age, _ in tables.T9], [str(name) for name, _, _ in tables.T9])
VALUES = ["dyspepsia", "flu"]
MASK = mask(k=2, values=[VALUES.index("dyspepsia")])


def values_of(table: tables.Table) -> tuple[int, ...]:
    return tuple(VALUES.index(str(disease)) for disease in table.column(tables.DISEASE))


def groups_of_appendix(table: tables.Table) -> list[Group]:
    rows = instance_of(AGES, values_of(table), 2).rows
    return [rows[:2], rows[2:4], rows[4:]]


def test_appendix_mask_publishes_t10() -> None:
    published = publish(groups_of_appendix(tables.P_PRIME), AGES.ordered, "mbr")
    outcomes = list(MASK(instance_of(AGES, values_of(tables.T9), 2)))
    # G+ is one of {Cate, Don} and {Ed, Fred, Gill}.
    assert [probability for _, probability in outcomes] == [Fraction(1, 2)] * 2
    assert sum(publish(groups, AGES.ordered, "mbr") == published for groups, _ in outcomes) == 1


def test_appendix_the_attack_on_mask() -> None:
    """5/8 if the eight instances count the same, as in the appendix; 7/12 by Proposition 1. Either exceeds 1/2.

    In four instances nothing was modified, and Mask publishes T10 for sure. In the other four it modified one group,
    and of the two groups that it may then copy only one gives T10: each counts half. Three of these four and two
    of the others give Ann dyspepsia: (3/2 + 2) / (4/2 + 4) = 7/12.
    """
    published = publish(groups_of_appendix(tables.P_PRIME), AGES.ordered, "mbr")
    found = beliefs(AGES, published, MASK, 2, domain=range(2))
    assert found.instances == 8
    assert found.total == 4 + 4 * Fraction(1, 2)
    ann = AGES.names.index("Ann")
    assert found.posterior(ann) == {0: Fraction(7, 12), 1: Fraction(5, 12)}

    def at_all(i: Instance) -> list[tuple[Sequence[Group], int]]:
        """Whatever Mask may publish, counted as if it were certain."""
        distinct = {publish(groups, AGES.ordered, "mbr"): groups for groups, _ in MASK(i)}
        return [(groups, 1) for groups in distinct.values()]

    equally = beliefs(AGES, published, at_all, 2, domain=range(2))
    assert equally.posterior(ann) == {0: Fraction(5, 8), 1: Fraction(3, 8)}


def test_appendix_by_name() -> None:
    """The same through the public function; with all values protected, Mask has no flu in three to leave alone."""
    seen = partial(
        disclosure_risk,
        external=tables.T9.frame().drop(tables.DISEASE),
        quasi_identifiers=["Age"],
        sensitive=tables.DISEASE,
        diversity=2,
        identifier=tables.NAME,
    )
    with pytest.raises(CheckFailedError, match="cannot have produced"):
        seen(tables.T10_STAR.frame(), algorithm="mask")
    found = seen(tables.T10_STAR.frame(), algorithm="mask", protected=["dyspepsia"])
    assert found.instances == 8
    assert found.of("Ann").posterior == {"dyspepsia": Fraction(7, 12), "flu": Fraction(5, 12)}
    assert found.unseen == ()
    # Mask may have replaced gout wherever it was: it cannot be told from a misspelt value, and the result names it.
    assert seen(tables.T10_STAR.frame(), algorithm="mask", protected=["gout"]).unseen == ("gout",)
    with pytest.raises(PolicyError, match="of the algorithm 'mask' alone"):
        seen(tables.T10_STAR.frame(), algorithm="mondrian", anonymity=3)


@pytest.mark.parametrize("name", ["tailor", "ace", "hybrid"])
@pytest.mark.parametrize("table", [tables.T1, tables.T3, tables.T5, tables.T8], ids=["T1", "T3", "T5", "T8"])
@pytest.mark.parametrize("recoding", ["mbr", "anatomy"])
def test_the_algorithms_of_the_paper_withstand(name: str, table: tables.Table, recoding: Recoding) -> None:
    algorithm = KNOWN[name]
    releases = {publish(groups, E1.ordered, recoding) for groups, _ in algorithm(instance(table))}
    for release in releases:
        assert beliefs(E1, release, algorithm, 2, recoding).maximum <= Fraction(1, 2)
