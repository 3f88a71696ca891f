"""Weave is transparent (docs/proofs/weave.md), enumerated on small tables: nobody is at more than 1/l, as fractions.

A family of tables is judged at once: every table that the people of E can make with given counts, and everything that
chance can do with each. Two adversaries look: that of the paper, who sees the release (as generalization or as
anatomy), and one who is also told who is in which group. The same check must find what is wrong with Weave if one step
of the proof is broken.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice
from typing import TypeAlias

import pytest

from pellucid import reference
from pellucid.adversary.external import External
from pellucid.adversary.outcomes import KNOWN, Algorithm, Choices, Instance, randomized
from pellucid.reference import Group, Unordered
from pellucid.reference.refine import Transversal
from pellucid.reference.weave import leaves
from tests.property.broken import BROKEN_WEAVES, ROWS_IN_THE_ORDER_OF_THE_COLUMNS, LooseWeave
from tests.property.disclosure import VIEWS, View, as_listed, every_table, outcomes_of, worst_risk

CI_FAMILIES = 60
SLOW_FAMILIES = 20_000
SEED = 20110610


@dataclass(frozen=True)
class Tables:
    """All tables of some of the people of E in which counts[v] people have v."""

    external: External
    counts: tuple[int, ...]
    diversity: int

    def __str__(self) -> str:
        return f"people {self.external.points}, counts {self.counts}, l = {self.diversity}"


def spread(choose: random.Random, people: int, attributes: int) -> External:
    """People somewhere. Few different values make ties, many make boxes that differ."""
    domain = choose.choice((2, 3, 10))
    return External.of_numbers([tuple(choose.randrange(domain) for _ in range(attributes)) for _ in range(people)])


Shape: TypeAlias = tuple[tuple[int, ...], int, int, int]

#: Tailor cuts them, into leaves in which Slice has a choice; in those of the second one chance has one too.
CUT: Shape = ((2, 2, 2, 2), 2, 0, 2)
CUT_AND_DRAWN: Shape = ((2, 2, 2, 2, 1), 2, 0, 1)
#: Where it shows whether columns are visited in the order of their classes.
THREES: Shape = ((3, 3, 3), 3, 0, 1)
#: Counts, l, outsiders, and how often. Most have more values than l, so that classes hold several of them, or a count
#: that leaves a rest for a second bucket.
SHAPES: tuple[Shape, ...] = (
    ((1, 1, 1, 1), 2, 0, 4),  # Tailor cuts it
    ((1, 1, 1, 1), 2, 1, 4),
    ((2, 1, 1), 2, 0, 6),
    ((2, 1, 1), 2, 1, 6),
    ((2, 1, 1), 2, 2, 2),
    ((2, 2), 2, 1, 6),
    ((2, 2), 2, 2, 4),
    ((2, 2, 1), 2, 0, 10),
    ((2, 2, 1), 2, 1, 5),
    ((2, 1, 1, 1), 2, 0, 10),
    ((2, 1, 2, 1), 2, 0, 8),
    ((3, 1, 2), 2, 0, 10),
    ((3, 1, 1, 1), 2, 0, 8),
    ((3, 3), 2, 0, 6),
    ((3, 3), 2, 1, 4),
    ((2, 2, 2), 2, 0, 8),
    ((2, 2, 2), 3, 0, 6),
    ((1, 2, 1, 1, 1), 3, 0, 4),
    ((2, 2, 1, 1), 3, 0, 8),
    ((2, 2, 2, 1), 3, 0, 2),
    ((3, 2, 2), 2, 0, 4),
    CUT,
)
SLOW_SHAPES: tuple[Shape, ...] = (
    CUT_AND_DRAWN,
    ((2, 2, 2, 2), 2, 1, 1),
    ((2, 2, 1, 1, 1, 1), 2, 0, 1),
    ((3, 3, 2), 2, 0, 1),
    ((3, 2, 2, 1), 2, 0, 1),
    ((3, 3, 3), 2, 0, 1),
    ((3, 3, 2, 1), 3, 0, 1),
    ((3, 3, 3), 3, 1, 1),
    ((2, 2, 2, 2), 4, 0, 1),
)


def tables(number: int, *, seed: int, shapes: Sequence[Shape] = SHAPES) -> list[Tables]:
    """That many families, of each shape at least one."""
    choose = random.Random(seed)
    drawn = choose.choices(shapes, [often for *_, often in shapes], k=number - len(shapes))
    return [family(choose, shape, choose.randint(1, 2)) for shape in (*shapes, *drawn)]


def family(choose: random.Random, shape: Shape, attributes: int) -> Tables:
    """A family of this shape."""
    counts, diversity, outsiders, _ = shape
    return Tables(spread(choose, sum(counts) + outsiders, attributes), counts, diversity)


def ci_tables() -> list[Tables]:
    """Those that are judged whenever the tests run; for one attribute, 3, 3, 3 would show nothing."""
    choose = random.Random(SEED)
    return [*tables(CI_FAMILIES, seed=SEED), *(family(choose, THREES, 2) for _ in range(3))]


def violations(
    algorithm: Algorithm, several: Iterable[Tables], views: Iterable[str | View] = tuple(VIEWS)
) -> Iterator[str]:
    """The check: for whom among these people the algorithm says too much, in some release of some table."""
    for family in several:
        worst = worst_risk(algorithm, family.external, family.counts, family.diversity, views)
        if worst > Fraction(1, family.diversity):
            yield f"{family}: risk {worst}"


# Pieces of Weave that remember what they did: the same buckets occur in many tables.


def remembering_weave(*, ordered: bool, swaps: bool, cuts: bool) -> Algorithm:
    """Weave, with or without its swaps and Tailor's cuts, for sensitive values with or without an order."""
    rule = reference.plan_by_rule_2 if ordered else reference.plan_by_rule_0
    remembered = lru_cache(maxsize=None)(lambda counts, diversity: rule(dict(counts), diversity))

    def plan(counts: Mapping[int, int], l: int) -> reference.Plan:  # noqa: E741
        found: reference.Plan = remembered(tuple(sorted(counts.items())), l)
        return found

    @lru_cache(maxsize=64)
    def refiner(positions: tuple[tuple[int, ...], ...]) -> Callable[[Unordered], Sequence[Transversal]]:
        penalty = Instance((), 1, positions).penalty
        return lru_cache(maxsize=None)(
            partial(reference.refine if swaps else reference.refine_by_slice, penalty=penalty)
        )

    @lru_cache(maxsize=64)
    def cutter(l: int, positions: tuple[tuple[int, ...], ...]) -> reference.Cutter:  # noqa: E741
        cut = reference.tailor_cutter(l, Instance((), 1, positions).penalty) if cuts else reference.never_cut
        remembered = lru_cache(maxsize=None)(lambda people, counts: cut(people, dict(counts)))
        return lambda people, counts: remembered(tuple(people), tuple(sorted(counts.items())))

    @randomized
    def run(instance: Instance, choices: Choices) -> Sequence[Group]:
        positions = tuple(map(tuple, instance.positions))
        return reference.woven(
            instance.rows,
            instance.diversity,
            choices.sample,
            cut=cutter(instance.diversity, positions),
            plan=plan,
            refine=refiner(positions),
        )

    return run


VARIANTS = {
    f"rule {2 if ordered else 0}{', swaps' if swaps else ''}{', leaves of Tailor' if cuts else ''}": {
        "ordered": ordered,
        "swaps": swaps,
        "cuts": cuts,
    }
    for ordered in (True, False)
    for swaps in (True, False)
    for cuts in (True, False)
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_transparent(variant: str) -> None:
    assert list(violations(remembering_weave(**VARIANTS[variant]), ci_tables())) == []


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_transparent_for_hours(variant: str) -> None:
    several = tables(SLOW_FAMILIES, seed=SEED + 1) + tables(SLOW_FAMILIES // 100, seed=SEED + 2, shapes=SLOW_SHAPES)
    assert next(violations(remembering_weave(**VARIANTS[variant]), several), None) is None


@pytest.mark.parametrize("rule", BROKEN_WEAVES)
def test_the_same_check_finds_a_broken_rule(rule: str) -> None:
    views = [as_listed] if rule == ROWS_IN_THE_ORDER_OF_THE_COLUMNS else VIEWS
    assert next(violations(BROKEN_WEAVES[rule], reversed(ci_tables()), views), None) is not None


def test_rows_in_the_order_of_their_values_say_nothing() -> None:
    in_order_of_values = LooseWeave(arrange=lambda rows: tuple(sorted(rows, key=lambda t: t.sensitive)))
    assert list(violations(in_order_of_values.algorithm(), tables(len(SHAPES), seed=SEED), [as_listed])) == []


# The check is about Weave, and about leaves that were really cut.


def distribution(algorithm: Algorithm, table: Instance) -> Counter[frozenset[Group]]:
    """How often each partition comes out."""
    found: Counter[frozenset[Group]] = Counter()
    for groups, weight in outcomes_of(algorithm, table):
        found[frozenset(groups)] += weight
    return found


@pytest.mark.parametrize("ordered", [True, False])
def test_pieces_that_remember_make_weave(ordered: bool) -> None:
    remembering = remembering_weave(ordered=ordered, swaps=True, cuts=True)
    weave = KNOWN["weave" if ordered else "weave-unordered"]
    for several in ci_tables():
        for table in islice(every_table(several.external, several.counts, several.diversity), 0, None, 50):
            assert distribution(remembering, table) == distribution(weave, table)


def test_pieces_that_see_everything_make_weave_if_none_is_broken() -> None:
    for several in ci_tables():
        for table in islice(every_table(several.external, several.counts, several.diversity), 0, None, 50):
            assert distribution(LooseWeave().algorithm(), table) == distribution(KNOWN["weave"], table)


@pytest.mark.parametrize("shape", [CUT, CUT_AND_DRAWN], ids=str)
def test_transparent_in_leaves_that_were_cut(shape: Shape) -> None:
    several = family(random.Random(SEED), shape, 2)
    sliced, drawn = False, False
    for table in islice(every_table(several.external, several.counts, several.diversity), 0, None, 50):
        parts = leaves(table.rows, reference.tailor_cutter(several.diversity, table.penalty))
        assert len(parts) > 1
        outcomes = outcomes_of(KNOWN["weave"], table)
        sliced |= any(len(groups) > len(parts) for groups, _ in outcomes)
        drawn |= len(outcomes) > 1
    assert sliced
    assert drawn == (shape == CUT_AND_DRAWN)
    weave = remembering_weave(ordered=True, swaps=True, cuts=True)
    assert list(violations(weave, [several])) == []
