"""Definitions 9 to 12 and line 8 of Fig. 6, read word for word: every subset is tried, every inequality is a fraction.

The reference sorts, and the native kernels take shortcuts that follow from more thought. Here is what both must be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from pellucid import _native
from pellucid.reference.assign import next_bucket
from pellucid.reference.row import Group, Penalty, Row, group, is_diverse, largest_count
from pellucid.reference.slice import Columns, canonical_division, divisions
from pellucid.reference.tailor import canonical_l_cut, l_cuts

# ruff: noqa: E741, N803  (the paper's names)


def precede(G_a: Sequence[Row], G_b: Sequence[Row], i: int) -> bool:
    """Condition 3 of Defs. 9 and 11, for tuples of one group or of one column."""
    return all(t_a.qi[i] < t_b.qi[i] or (t_a.qi[i] == t_b.qi[i] and t_a.id < t_b.id) for t_a, t_b in product(G_a, G_b))


def halves(G: Group) -> Iterator[tuple[Group, Group]]:
    """Condition 1: every way to make two groups of one, neither of them empty."""
    for size in range(1, len(G)):
        for some in combinations(G, size):
            yield some, tuple(t for t in G if t not in some)


def every_l_cut(G: Group, l: int, i: int) -> list[tuple[Group, Group]]:
    """Def. 9."""
    least = l * largest_count(G)
    return [(a, b) for a, b in halves(G) if len(a) >= least and len(b) >= least and precede(a, b, i)]


def every_division(B: Columns[Row], i: int) -> list[tuple[Columns[Row], Columns[Row]]]:
    """Def. 11: both parts are buckets with the signature of B, so that they have as many tuples of every column."""
    of_columns = [[(a, b) for a, b in halves(L) if precede(a, b, i)] for L in B]
    ways = [tuple(zip(*way, strict=True)) for way in product(*of_columns)]
    return [(B_a, B_b) for B_a, B_b in ways if len(set(map(len, B_a))) == 1]


def canonical(on_dimension: Sequence[Sequence[tuple[Fraction, int]]]) -> tuple[int, int]:
    """Defs. 10 and 12, of cuts by their perimeter and size of the first part: the dimension, and the number on it."""
    smallest = min(perimeter for cuts in on_dimension for perimeter, _ in cuts)
    i = next(i for i, cuts in enumerate(on_dimension) if any(perimeter == smallest for perimeter, _ in cuts))
    size, number = min((size, n) for n, (perimeter, size) in enumerate(on_dimension[i]) if perimeter == smallest)
    assert on_dimension[i].count((smallest, size)) == 1  # "uniquely decided"
    return i, number


def equation_4(T: Sequence[Row]) -> Penalty:
    """h_p, with the domains of T; no extent counts where a domain has a single value."""

    def h(G: Sequence[Row]) -> Fraction:
        sides = zip(zip(*(t.qi for t in G), strict=True), zip(*(t.qi for t in T), strict=True), strict=True)
        return len(G) * sum(
            (Fraction(max(mine) - min(mine), max(all_) - min(all_)) for mine, all_ in sides if len(set(all_)) > 1),
            Fraction(),
        )

    return h  # type: ignore[return-value]  # the reference adds and compares, and fractions do


@st.composite
def small(draw: st.DrawFn) -> tuple[Group, int]:
    """A few people with many ties, and an l that the table allows twice, where there is one."""
    size = draw(st.integers(2, 8))
    point = st.tuples(*[st.integers(0, draw(st.sampled_from([0, 1, 2, 9]))) for _ in range(draw(st.integers(1, 3)))])
    values = draw(st.integers(1, 8))
    G = group(
        Row(row, draw(point), draw(st.integers(0, values - 1)))
        for row in draw(st.lists(st.integers(0, 20), min_size=size, max_size=size, unique=True))
    )
    return G, draw(st.integers(1, max(1, len(G) // largest_count(G) // 2)))


@given(table=small())
def test_definitions_9_and_10(table: tuple[Group, int]) -> None:
    G, l = table
    if not is_diverse(G, 2 * l):
        return
    d, h = len(G[0].qi), equation_4(G)
    cuts = [every_l_cut(G, l, i) for i in range(d)]
    assert sum(map(len, cuts)) == d * (len(G) + 1 - 2 * l * largest_count(G))  # as section 3.1.1 counts them
    assert list(l_cuts(G, l)) == [cut for on_i in cuts for cut in sorted(on_i, key=lambda parts: len(parts[0]))]
    i, number = canonical([[(h(a) + h(b), len(a)) for a, b in on_i] for on_i in cuts])  # type: ignore[misc]
    assert canonical_l_cut(G, l, h) == cuts[i][number]


@given(data=st.data())
def test_definitions_11_and_12(data: st.DataObject) -> None:
    G, _ = data.draw(small())
    alpha = data.draw(st.integers(1, len(G)))
    columns = len(G) // alpha
    dealt = data.draw(st.permutations(G))
    B = tuple(group(dealt[column * alpha : (column + 1) * alpha]) for column in range(columns))
    d, h = len(G[0].qi), equation_4(G)
    ways = [every_division(B, i) for i in range(d)]
    assert list(divisions(B)) == [way for on_i in ways for way in sorted(on_i, key=lambda parts: len(parts[0][0]))]
    if alpha < 2:
        return
    perimeters = [
        [(h([t for L in a for t in L]) + h([t for L in b for t in L]), len(a[0]) * columns) for a, b in on_i]
        for on_i in ways
    ]
    i, number = canonical(perimeters)  # type: ignore[arg-type]
    assert canonical_division(B, h) == ways[i][number]


@given(data=st.data())
def test_line_8_of_figure_6(data: st.DataObject) -> None:
    """alpha is the largest of all that satisfy the inequalities, and beta the smallest that has one."""
    most = data.draw(st.sampled_from([1, 2, 12]))  # with few of each value, beta has to grow
    counts = data.draw(st.lists(st.integers(1, most), min_size=1, max_size=8))
    l = data.draw(st.integers(1, sum(counts) // max(counts)))
    v = sorted(range(len(counts)), key=lambda value: (-counts[value], value))
    n = [counts[value] for value in v] + [0]
    found = [
        (v[:beta], alpha)
        for beta in range(l, len(counts) + 1)
        for alpha in range(sum(counts), 0, -1)
        if alpha <= n[beta - 1]
        and n[0] - alpha <= Fraction(sum(counts) - alpha * beta, l)
        and n[beta] <= Fraction(sum(counts) - alpha * beta, l)
    ]
    assert next_bucket(dict(enumerate(counts)), l) == found[0]
    assert _native.assign_plan(counts, l)[0] == found[0]
