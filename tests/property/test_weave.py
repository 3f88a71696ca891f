"""What the proof of Weave (docs/proofs/weave.md) says about its pieces, and about whole runs of the kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid import _native, reference
from pellucid.reference.class_rule import MOST_VALUES, Classes, imbalance, rounds, rule_0, rule_2
from pellucid.reference.plan import plan_classes
from pellucid.reference.refine import by_smallest_id, left_to_right
from pellucid.reference.swaps import best_exchange, swap
from tests.property.mirror import Array, Mirror
from tests.property.test_native_equals_reference import Table, assert_equal_partitions, census, groups_of, native
from tests.property.test_native_equals_reference import small_tables as small_tables_of_codes

# ruff: noqa: E741  (l is the paper's name)

RULES = {True: reference.plan_by_rule_2, False: reference.plan_by_rule_0}


@st.composite
def eligible(draw: st.DrawFn) -> tuple[dict[int, int], int]:
    """Counts of at least one tuple per value, and an l that they allow."""
    n = draw(st.lists(st.integers(1, draw(st.sampled_from([3, 10, 300]))), min_size=1, max_size=30))
    values = draw(st.lists(st.integers(0, 60), min_size=len(n), max_size=len(n), unique=True))
    l = draw(st.integers(1, sum(n) // max(n)))
    return dict(zip(sorted(values), n, strict=True)), l


def planned(counts: dict[int, int], l: int, rule: reference.PlanRule) -> list[reference.Plan]:
    """All plans of a leaf with these counts."""
    plans = []
    while counts:
        plans.append(rule(counts, l))
        left = {v: n - plans[-1].a.get(v, 0) for v, n in counts.items()}
        assert sum(left.values()) <= sum(counts.values()) - l
        counts = {v: n for v, n in left.items() if n}
    return plans


@pytest.mark.parametrize("ordered", RULES)
class TestPlans:
    @given(case=eligible())
    def test_lemma_a_and_b(self, ordered: bool, case: tuple[dict[int, int], int]) -> None:
        """Disjoint classes, at least l; (P1) equal columns; (P2) an l-eligible rest."""
        counts, l = case
        left = Counter(counts)
        for plan in planned(counts, l, RULES[ordered]):
            assert len(plan.V) >= l
            assert len({v for V_i in plan.V for v in V_i}) == sum(len(V_i) for V_i in plan.V)
            assert plan.alpha >= 1
            assert all(sum(plan.a[v] for v in V_i) == plan.alpha for V_i in plan.V)  # (P1)
            assert plan.a.keys() <= {v for V_i in plan.V for v in V_i}
            assert all(0 <= a <= left[v] for v, a in plan.a.items())
            left.subtract(plan.a)
            assert l * max(left.values()) <= left.total()  # (P2)
        assert not left.total()

    @given(case=eligible())
    def test_native_plans_are_those_of_the_reference(self, ordered: bool, case: tuple[dict[int, int], int]) -> None:
        counts, l = case
        listed = [counts.get(v, 0) for v in range(max(counts) + 1)]
        assert _native.weave_plan(listed, l, ordered) == [
            ([[(v, plan.a[v]) for v in V_i if plan.a[v]] for V_i in plan.V], plan.alpha)
            for plan in planned(counts, l, RULES[ordered])
        ]


def skewed(values: int, seed: int) -> dict[int, int]:
    """Counts of many values, of which few are frequent."""
    fill = np.random.default_rng(seed)
    return dict(enumerate((1 + 60 * fill.random(values) ** 6).astype(int).tolist()))


def native_plans(counts: dict[int, int], l: int, *, ordered: bool) -> list[tuple[list[dict[int, int]], int]]:
    """The plans of the kernel: for each column how many tuples of which value, and alpha."""
    listed = [counts.get(v, 0) for v in range(max(counts) + 1)]
    return [([dict(column) for column in V], alpha) for V, alpha in _native.weave_plan(listed, l, ordered)]


def shown_of(plans: Sequence[reference.Plan]) -> list[tuple[list[dict[int, int]], int]]:
    """Plans of the reference in the same form."""
    return [([{v: plan.a[v] for v in V_i if plan.a[v]} for V_i in plan.V], plan.alpha) for plan in plans]


class TestManyValues:
    """More values than the search of rule 2 reaches across, and more than it searches at all."""

    def test_the_search_reaches_as_far_as_that_of_the_reference(self) -> None:
        counts = skewed(90, seed=17)  # found by trying: a reach of one place more or less would make other classes
        assert native_plans(counts, 2, ordered=True)[0] == shown_of([reference.plan_by_rule_2(counts, 2)])[0]

    @pytest.mark.parametrize("l", [2, 7])
    def test_with_too_many_values_there_is_no_search(self, l: int) -> None:
        counts = skewed(MOST_VALUES + 1, seed=3)
        assert native_plans(counts, l, ordered=True) == shown_of(planned(counts, l, reference.plan_by_rule_2))
        # With one value less there is one, which would take the reference hours.
        counts.popitem()
        [(columns, _), *_] = native_plans(counts, l, ordered=True)
        start = rounds(list(counts.values()), l)
        found = [next(i for i, column in enumerate(columns) if v in column) for v in counts]
        assert imbalance(list(counts.values()), found, l) < imbalance(list(counts.values()), start, l)


@pytest.mark.parametrize("ordered", RULES)
@given(
    counts=st.lists(st.integers(1, 2**32 - 1) | st.sampled_from([1, 2**32 - 1]), min_size=2, max_size=12),
    data=st.data(),
)
def test_native_plans_of_huge_counts(ordered: bool, counts: list[int], data: st.DataObject) -> None:
    """Too many tuples to count one by one, as the reference does: what its loops come to is checked instead.

    Here the imbalance of rule 2 does not fit in 63 bits unless counts are in coarser units.
    """
    l = data.draw(st.integers(1, sum(counts) // max(counts)))
    left = dict(enumerate(counts))
    for columns, alpha in native_plans(left, l, ordered=ordered):
        V, largest = expected_classes(left, l, ordered=ordered)
        assert alpha == largest
        assert [sum(a.values()) for a in columns] == [alpha] * len(V)  # (P1)
        rho = sum(left.values()) // l - alpha
        for V_i, shown in zip(V, columns, strict=True):
            assert shown.keys() <= set(V_i)
            assert 0 not in shown.values()
            a = {v: shown.get(v, 0) for v in V_i}
            assert all(left[v] - min(left[v], rho) <= a[v] <= left[v] for v in V_i)  # (P2)
            if len(V) == l:
                # One at a time is left, of the value that has most to be taken; the first in public order of equals.
                last = {v: (a[v] + 1, -v) for v in V_i if a[v] < left[v]}
                could = {v: (a[v], -v) for v in V_i if left[v] - a[v] < min(left[v], rho)}
                assert all(was > now for was in last.values() for now in could.values())
        for v, amount in ((v, amount) for a in columns for v, amount in a.items()):
            left[v] -= amount
        left = {v: n for v, n in left.items() if n}
    assert not left


def expected_classes(counts: dict[int, int], l: int, *, ordered: bool) -> tuple[Classes, int]:
    """The classes that a plan must have, and its alpha, found by halves."""
    for rule in (rule_2, rule_0) if ordered else (rule_0,):
        V = rule(counts, l)
        s = [sum(counts[v] for v in V_i) for V_i in V]
        low, high = 0, min(s)
        while low < high:
            alpha = (low + high + 1) // 2
            rho = (sum(counts.values()) - l * alpha) // l
            can_be_left = [sum(min(counts[v], rho) for v in V_i) for V_i in V]
            fits = all(most >= s_i - alpha for most, s_i in zip(can_be_left, s, strict=True))
            low, high = (alpha, high) if fits else (low, alpha - 1)
        if low:
            return V, low
    [(signature, alpha), *_] = _native.assign_plan([counts.get(v, 0) for v in range(max(counts) + 1)], l)
    return tuple((v,) for v in signature), alpha


class TestClasses:
    @given(case=eligible())
    def test_the_largest_alpha_is_found(self, case: tuple[dict[int, int], int]) -> None:
        """Lemma B, by trying every way to leave tuples for each alpha above that of the plan."""
        counts, l = case
        V = rule_0(counts, l)
        plan = plan_classes(V, counts, l)
        s = [sum(counts[v] for v in V_i) for V_i in V]
        for alpha in range(1 if plan is None else plan.alpha + 1, min(s) + 1):
            left = sum(counts.values()) - l * alpha
            most = [sum(max(r for r in range(counts[v] + 1) if l * r <= left) for v in V_i) for V_i in V]
            assert any(m < s_i - alpha for m, s_i in zip(most, s, strict=True))

    @given(case=eligible())
    def test_no_single_move_or_exchange_improves_rule_2(self, case: tuple[dict[int, int], int]) -> None:
        counts, l = case
        dv, V = sorted(counts), rule_2(counts, l)
        n = [counts[v] for v in dv]
        cls = [next(i for i, V_i in enumerate(V) if v in V_i) for v in dv]
        least = imbalance(n, cls, l)
        for p in range(len(n)):
            for i in range(l):
                assert imbalance(n, [*cls[:p], i, *cls[p + 1 :]], l) >= least
            for q in range(p):
                trial = list(cls)
                trial[p], trial[q] = cls[q], cls[p]
                assert imbalance(n, trial, l) >= least


@st.composite
def buckets(draw: st.DrawFn) -> tuple[reference.Unordered, reference.Penalty]:
    """The unordered columns of a bucket, and the perimeter."""
    x, alpha, d = draw(st.integers(1, 5)), draw(st.integers(1, 12)), draw(st.integers(1, 3))
    fill = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    points: list[list[int]] = fill.integers(0, draw(st.sampled_from([2, 5, 100])), (x * alpha, d)).tolist()
    people = [reference.Person(row, tuple(qi)) for row, qi in enumerate(points)]
    dealt = fill.permutation(x * alpha).tolist()
    columns = frozenset(frozenset(people[row] for row in dealt[i * alpha : (i + 1) * alpha]) for i in range(x))

    def perimeter(G: Sequence[reference.QuasiIdentified]) -> int:  # noqa: N803
        width: int = sum(max(line) - min(line) for line in zip(*(t.qi for t in G), strict=True))
        return len(G) * width

    return columns, perimeter


class TestRefiner:
    @given(bucket=buckets())
    def test_groups_are_transversals_that_cover_the_bucket(
        self, bucket: tuple[reference.Unordered, reference.Penalty]
    ) -> None:
        columns, penalty = bucket
        groups = reference.refine(columns, penalty)
        assert sorted(t for g in groups for t in g) == sorted(t for L in columns for t in L)
        for g in groups:
            assert all(len(L.intersection(g)) == 1 for L in columns)
            assert len(g) == len(columns)

    @given(bucket=buckets())
    def test_swaps_never_raise_the_perimeter(self, bucket: tuple[reference.Unordered, reference.Penalty]) -> None:
        columns, penalty = bucket
        groups = left_to_right(by_smallest_id(columns), penalty)
        after = swap(groups, penalty)
        assert sum(map(penalty, after)) <= sum(map(penalty, groups))
        assert (sum(map(penalty, after)) < sum(map(penalty, groups))) == (after != groups)
        for a, b in pairwise(groups):
            assert sum(map(penalty, best_exchange(a, b, penalty))) <= penalty(a) + penalty(b)


@given(table=small_tables_of_codes())
def test_ace_and_hybrid_are_the_same_algorithm_with_other_pieces(table: Table) -> None:
    """Remark 1: the plan of Assign and Slice alone, with Tailor's cuts or without any."""
    rows, penalty, l = table.rows(), table.penalty_function(), table.diversity
    draw = reference.smallest_keys(table.keys.tolist())

    def woven(cut: reference.Cutter) -> set[reference.Group]:
        by_slice: reference.Refiner = lambda columns: reference.refine_by_slice(columns, penalty)  # noqa: E731
        return set(reference.woven(rows, l, draw, cut=cut, plan=reference.plan_assign, refine=by_slice))

    assert woven(reference.never_cut) == set(reference.ace(rows, l, penalty, draw))
    assert woven(reference.tailor_cutter(l, penalty)) == set(reference.hybrid(rows, l, penalty, draw))


@given(table=small_tables_of_codes())
def test_no_piece_is_handed_who_has_what(table: Table) -> None:
    """Types say so; this looks at what comes."""
    assert [field.name for field in fields(reference.Person)] == ["id", "qi"]
    penalty, l = table.penalty_function(), table.diversity
    cutter, handed = reference.tailor_cutter(l, penalty), set[type]()

    def cut(
        people: Sequence[reference.Person], counts: Mapping[int, int]
    ) -> tuple[Sequence[reference.Person], Sequence[reference.Person]] | None:
        handed.update(map(type, people))
        assert {(type(v), type(n)) for v, n in counts.items()} == {(int, int)}
        return cutter(people, counts)

    def plan(counts: Mapping[int, int], l: int) -> reference.Plan:
        assert {(type(v), type(n)) for v, n in counts.items()} == {(int, int)}
        return reference.plan_by_rule_2(counts, l)

    def refine(columns: reference.Unordered) -> Sequence[tuple[reference.Person, ...]]:
        assert {type(columns), *map(type, columns)} == {frozenset}
        handed.update(type(t) for L in columns for t in L)
        return reference.refine(columns, penalty)

    draw = reference.smallest_keys(table.keys.tolist())
    groups = reference.woven(table.rows(), l, draw, cut=cut, plan=plan, refine=refine)
    assert handed == {reference.Person}
    assert set(groups) == set(reference.weave(table.rows(), l, penalty, draw))


# Lemma C, on the kernel that publishes.


def mirror_of(table: Table, ordered: bool) -> Mirror:
    leaves = map(np.array, groups_of(native("tailor", table)))
    return Mirror(table.sensitive, table.keys, leaves, diversity=table.diversity, ordered=ordered)


def shown(values: Array, partition: tuple[Array, Array]) -> list[int]:
    """The values of every group, sorted, which with its people are all that is published."""
    members, starts = partition
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    found: list[int] = values[members][np.lexsort((values[members], group))].tolist()
    return found


@pytest.mark.parametrize("name", ["weave", "weave, unordered"])
@given(table=small_tables_of_codes(), seed=st.integers(0, 2**32 - 1))
def test_lemma_c_mirrored_runs_look_the_same(name: str, table: Table, seed: int) -> None:
    keys = np.random.default_rng(seed).permutation(len(table.keys)).astype(np.uint64)
    table = replace(table, keys=keys)
    before = native(name, table)
    values, keys = mirror_of(table, name == "weave").exchanged(*before, seed)
    after = native(name, replace(table, sensitive=values, keys=keys))
    assert_equal_partitions(after, before)
    assert shown(values, after) == shown(table.sensitive, before)


def test_lemma_c_at_full_size() -> None:
    table = census(600_000, seed=6, diversity=8)
    before = native("weave", table, threads=2)
    values, keys = mirror_of(table, ordered=True).exchanged(*before, seed=7)
    assert (values != table.sensitive).mean() > 1 / 2
    after = native("weave", replace(table, sensitive=values, keys=keys), threads=2)
    assert_equal_partitions(after, before)
    assert shown(values, after) == shown(table.sensitive, before)
    # With draws that do not go with the values, the release is another one.
    other = native("weave", replace(table, sensitive=values), threads=2)
    assert shown(values, other) != shown(table.sensitive, before)
