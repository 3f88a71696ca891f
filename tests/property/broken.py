"""Algorithms that each break one rule of the guarantee, or one step of the proof of Weave: the checkers must find them.

Weave is put together here from pieces that may see everything: `LooseWeave`. Those of the program could not be broken
in these ways, because nothing that they must not know is handed to them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from pellucid import reference
from pellucid.adversary.outcomes import Algorithm, Choices, Instance, Outcome, deterministic, randomized
from pellucid.reference import Group, Penalty, Plan, QuasiIdentified, Row
from pellucid.reference.plan import plan_classes, rest_of_one_value, taken
from pellucid.reference.refine import left_to_right
from pellucid.reference.row import group, is_diverse
from pellucid.reference.slice import Columns, divisions, is_divisible
from pellucid.reference.swaps import swap
from pellucid.reference.weave import counts_of, without_value

# ruff: noqa: E741, N803  (l and G are the paper's names)

__all__ = [
    "BROKEN_WEAVES",
    "PUBLIC_KEYS",
    "ROWS_IN_THE_ORDER_OF_THE_COLUMNS",
    "LooseWeave",
    "best_of_all_draws",
    "in_a_file_sorted_by_value",
]


def in_a_file_sorted_by_value(algorithm: Algorithm) -> Algorithm:
    """Breaks G2: the row number is the identifier, and the file is sorted by the sensitive value.

    Half of the wards list their patients the other way round. (If all listed them alike, the order among the holders
    of one value would be that of the identifiers, and nothing else matters to Ace.)
    """

    def outcomes(instance: Instance) -> Iterator[Outcome]:
        file = sorted(instance.rows, key=lambda t: (t.sensitive, t.id if t.sensitive % 2 else -t.id))
        rows = tuple(Row(number, t.qi, t.sensitive) for number, t in enumerate(file))
        yield from algorithm(replace(instance, rows=rows))

    return outcomes


def _public_keys(people: int) -> list[int]:
    return random.Random(7).sample(range(1000), people)


PUBLIC_KEYS = _public_keys(20)


def best_of_all_draws(algorithm: Algorithm) -> Algorithm:
    """Breaks G7: of all draws, that with the smallest perimeter is published. It reads no sensitive value."""

    def run(instance: Instance) -> Sequence[Group]:
        penalty = instance.penalty

        def score(groups: Sequence[Group]) -> tuple[int, list[list[int]]]:
            # Equal perimeters: the first by identifiers.
            return sum(penalty(G) for G in groups), sorted([t.id for t in G] for G in groups)

        return min((groups for groups, _ in algorithm(instance)), key=score)

    return deterministic(run)


Cut: TypeAlias = Callable[[Group, int, Penalty], tuple[Sequence[Row], Sequence[Row]] | None]
PlanOfRows: TypeAlias = Callable[[Group, int], Plan]
DrawOf: TypeAlias = Callable[[Choices], reference.Draw]
#: Gets the columns in the order of the classes, with everybody's value.
RefineRows: TypeAlias = Callable[[Columns[Row], Penalty], Sequence[Sequence[Row]]]


def cut_of_tailor(G: Group, l: int, penalty: Penalty) -> tuple[Sequence[Row], Sequence[Row]] | None:
    people = {t.id: t for t in G}
    halves = reference.tailor_cutter(l, penalty)([without_value(t) for t in G], counts_of(G))
    return halves and tuple([people[t.id] for t in half] for half in halves)  # type: ignore[return-value]


def plan_of_counts(G: Group, l: int) -> Plan:
    return reference.plan_by_rule_2(counts_of(G), l)


def refine_sets(columns: Columns[Row], penalty: Penalty) -> Sequence[Sequence[Row]]:
    """The groups list their people in the order of the columns, by smallest identifier."""
    people = {t.id: t for L in columns for t in L}
    unordered = frozenset(frozenset(map(without_value, L)) for L in columns)
    return [[people[t.id] for t in g] for g in reference.refine(unordered, penalty)]


@dataclass(frozen=True)
class LooseWeave:
    """Weave, as long as no piece of it is replaced with a broken one."""

    cut: Cut = cut_of_tailor
    plan: PlanOfRows = plan_of_counts
    draw: DrawOf = lambda choices: choices.sample
    refine: RefineRows = refine_sets
    arrange: Callable[[Iterable[Row]], Group] = group

    def algorithm(self) -> Algorithm:
        """Every outcome."""
        return randomized(self._run)

    def _run(self, instance: Instance, choices: Choices) -> Sequence[Group]:
        if not is_diverse(instance.rows, instance.diversity):
            return []
        return [
            groups
            for leaf in self._leaves(instance.rows, instance)
            for groups in self._woven(leaf, instance, self.draw(choices))
        ]

    def _leaves(self, G: Group, instance: Instance) -> list[Group]:
        halves = self.cut(G, instance.diversity, instance.penalty)
        return [G] if halves is None else [leaf for half in halves for leaf in self._leaves(group(half), instance)]

    def _woven(self, leaf: Group, instance: Instance, draw: reference.Draw) -> Iterator[Group]:
        rest = leaf
        while rest:
            plan = self.plan(rest, instance.diversity)
            columns = []
            for V_i in plan.V:
                holders = ([t for t in rest if t.sensitive == v] for v in V_i)
                columns.append(group(t for v, among in zip(V_i, holders, strict=True) for t in draw(among, plan.a[v])))
            yield from (self.arrange(g) for g in self.refine(tuple(columns), instance.penalty))
            gone = {t for L in columns for t in L}
            rest = tuple(t for t in rest if t not in gone)


# Each of these is a violation by section 4 of the proof (docs/proofs/weave.md).


def mean_qi(G: Sequence[Row]) -> Fraction:
    return Fraction(sum(sum(t.qi) for t in G), len(G))


def classes_by_qi(G: Group, l: int) -> Plan:
    """Values whose holders have similar QI values go to different classes."""
    counts = counts_of(G)
    order = sorted(counts, key=lambda v: (mean_qi([t for t in G if t.sensitive == v]), v))
    V = tuple(tuple(sorted(order[i::l])) for i in range(l))
    return plan_classes(V, counts, l) or reference.plan_by_rule_2(counts, l)


def alpha_by_qi(G: Group, l: int) -> Plan:
    """The columns are shorter by one where the holders of the first class have large QI values."""
    plan, counts = plan_of_counts(G, l), counts_of(G)
    alpha = plan.alpha - 1
    if len(plan.V) > l or alpha < 1 or mean_qi([t for t in G if t.sensitive in plan.V[0]]) <= mean_qi(G):
        return plan
    rho = rest_of_one_value(counts, l, alpha)
    return Plan(plan.V, alpha, {v: a for V_i in plan.V for v, a in taken(V_i, counts, alpha, rho).items()})


def smallest_qi(choices: Choices) -> reference.Draw:
    """Those with the smallest QI values are drawn, so those with the largest remain."""
    return lambda rows, alpha: sorted(rows, key=lambda t: (t.qi, t.id))[:alpha]


def public_keys(choices: Choices) -> reference.Draw:
    """Everybody can replay the draws."""
    return reference.smallest_keys(PUBLIC_KEYS)


def in_class_order(columns: Columns[Row], penalty: Penalty) -> Sequence[Sequence[Row]]:
    """Swaps visit the columns in the order of their classes. Only ties tell."""
    return swap(left_to_right(columns, penalty), penalty)


def in_floats(columns: Columns[Row], penalty: Penalty) -> Sequence[Sequence[Row]]:
    """Slice by squared distances from the mean, added up class by class: how they are rounded breaks ties."""

    def distances(G: Sequence[QuasiIdentified]) -> float:
        places = [sum(t.qi) * 0.1 for t in G]
        mean = sum(places) / len(G)
        return sum((place - mean) ** 2 for place in places)

    return left_to_right(columns, distances)  # type: ignore[arg-type]  # a penalty is exact (G3)


def by_the_first_class(columns: Columns[Row], penalty: Penalty) -> Sequence[Sequence[Row]]:
    """Slice divides as is best for the column of the first class."""
    if not is_divisible(columns):
        return [[t for L in columns for t in L]]

    def of_first(division: tuple[Columns[Row], Columns[Row]]) -> int:
        return sum(penalty(half[0]) for half in division)

    a, b = min(divisions(columns), key=of_first)
    return [*by_the_first_class(a, penalty), *by_the_first_class(b, penalty)]


def cut_if_it_turns_out_well(G: Group, l: int, penalty: Penalty) -> tuple[Sequence[Row], Sequence[Row]] | None:
    """As Mondrian does: cut at the median if both halves happen to be l-eligible."""
    ordered = sorted(G, key=lambda t: (t.qi, t.id))
    a, b = group(ordered[: len(G) // 2]), group(ordered[len(G) // 2 :])
    return (a, b) if a and is_diverse(a, l) and is_diverse(b, l) else None


def better_of_two_rules(instance: Instance, choices: Choices) -> Sequence[Group]:
    """Both class rules are tried, and the release with the smaller perimeter is published."""
    tried = [
        reference.weave(instance.rows, instance.diversity, instance.penalty, choices.sample, ordered=ordered)
        for ordered in (False, True)
    ]
    return min(tried, key=lambda groups: sum(map(instance.penalty, groups)))


def better_of_two_draws(algorithm: Algorithm) -> Algorithm:
    """Breaks G7: two runs, of which the one with the smaller perimeter is published; the first if they are equal."""

    def outcomes(instance: Instance) -> Iterator[Outcome]:
        runs = [(sum(map(instance.penalty, groups)), groups, p) for groups, p in algorithm(instance)]
        for one, first, p in runs:
            for other, second, q in runs:
                yield (first if one <= other else second), p * q

    return outcomes


WEAVE = LooseWeave().algorithm()

ROWS_IN_THE_ORDER_OF_THE_COLUMNS = "rows in the order of the columns"
"""Shows in nothing but the order of the rows."""

BROKEN_WEAVES = {
    "classes from the holders' QI values": LooseWeave(plan=classes_by_qi).algorithm(),
    "alpha from the holders' QI values": LooseWeave(plan=alpha_by_qi).algorithm(),
    "columns visited in class order": LooseWeave(refine=in_class_order).algorithm(),
    "sums of floats in class order": LooseWeave(refine=in_floats).algorithm(),
    "a special first column in Slice": LooseWeave(refine=by_the_first_class).algorithm(),
    "remainder by QI": LooseWeave(draw=smallest_qi).algorithm(),
    "public seed": LooseWeave(draw=public_keys).algorithm(),
    "best of all draws": best_of_all_draws(WEAVE),
    "better of two draws": better_of_two_draws(WEAVE),
    "better of two class rules": randomized(better_of_two_rules),
    "cuts that turn out well": LooseWeave(cut=cut_if_it_turns_out_well).algorithm(),
    "row numbers as identifiers": in_a_file_sorted_by_value(WEAVE),
    ROWS_IN_THE_ORDER_OF_THE_COLUMNS: LooseWeave(arrange=tuple).algorithm(),
}
