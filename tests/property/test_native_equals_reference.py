"""The native kernels return the very partition of the reference, which shares no code with them.

Tables too large for the reference are checked against a search for the best cut in numpy, which shares no code
with either. The kernels change their ways with the size of a group (`native/limits.hpp`); here the sizes at
which they do so are also made tiny, so that little tables go every way.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import _native, reference
from pellucid.reference.row import QuasiIdentified

Array: TypeAlias = np.ndarray[Any, Any]
WEAVES: dict[str, dict[str, bool]] = {
    "weave": {"ordered": True},
    "weave, unordered": {"ordered": False},
    "weave alone": {"ordered": True, "alone": True},
    "weave alone, unordered": {"ordered": False, "alone": True},
}
ALGORITHMS = ["tailor", "ace", "hybrid", *WEAVES]
#: Rows from which on a part is a task, attributes are spread over threads, and up to which a bucket is sliced
#: in the cache.
LIMITS = {"usual": (1 << 14, 1 << 17, 1 << 12), "tiny": (1, 1, 0), "mixed": (6, 9, 12)}


@contextlib.contextmanager
def limits(name: str) -> Iterator[None]:
    usual = _native._set_limits(*LIMITS[name])
    try:
        yield
    finally:
        _native._set_limits(*usual)


@dataclass(frozen=True)
class Table:
    """The arguments of a kernel."""

    codes: list[Array]
    positions: list[Array]
    sensitive: Array
    values: int
    keys: Array
    diversity: int
    penalty: str

    def rows(self) -> list[reference.Row]:
        columns = [c.tolist() for c in self.codes]
        return [
            reference.Row(row, tuple(c[row] for c in columns), value)
            for row, value in enumerate(self.sensitive.tolist())
        ]

    def penalty_function(self) -> reference.Penalty:
        if self.penalty == "discernibility":
            return lambda rows: len(rows) ** 2

        def perimeter(rows: Sequence[QuasiIdentified]) -> int:  # Eq. 4
            width = 0
            for i, position in enumerate(self.positions):
                codes = [t.qi[i] for t in rows]
                width += int(position[max(codes)]) - int(position[min(codes)])
            return len(rows) * width

        return perimeter


def fill_table(
    draw: st.DrawFn,
    rows: st.SearchStrategy[int],
    attributes: st.SearchStrategy[int],
    domains: Sequence[int],
) -> Table:
    n, d = draw(rows), draw(attributes)
    # Hypothesis chooses the shape; a seeded generator fills the many cells.
    fill = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    widest = ((1 << 63) - 1) // n // d  # for the range of positions of one attribute
    codes, positions = [], []
    for _ in range(d):
        domain = draw(st.sampled_from(domains))
        types = [t for t in (np.uint8, np.uint16, np.uint32) if domain - 1 <= np.iinfo(t).max]
        skew = draw(st.sampled_from([1, 1, 4]))
        codes.append((domain * fill.random(n) ** skew).astype(draw(st.sampled_from(types))))
        step = draw(st.sampled_from([1, 1, 3, widest // domain]))
        shape = draw(st.sampled_from(["regular", "irregular", "ties", "constant"]))
        position = {
            "regular": np.arange(domain) * step,
            "irregular": np.cumsum(fill.integers(0, step, domain, endpoint=True)),
            "ties": np.arange(domain) // 2 * step,
            "constant": np.full(domain, step),
        }[shape]
        positions.append(position.astype(np.int64))
    values = draw(st.integers(1, 12))
    weights = 1 / np.arange(1, values + 1) ** draw(st.sampled_from([0, 0, 1, 2]))
    held = fill.permutation(values)[fill.choice(values, n, p=weights / weights.sum())]
    feasible = n // int(np.bincount(held).max())
    return Table(
        codes=codes,
        positions=positions,
        sensitive=held.astype(draw(st.sampled_from([np.uint8, np.uint16, np.uint32]))),
        values=values + draw(st.sampled_from([0, 0, 5, 1000])),
        # Keys that are equal do not happen, but must not matter either.
        keys=fill.integers(0, draw(st.sampled_from([2, 2**64 - 1])), n, dtype=np.uint64),
        diversity=draw(st.integers(1, feasible)),
        penalty=draw(st.sampled_from(["perimeter"] * 5 + ["discernibility"])),
    )


@st.composite
def small_tables(draw: st.DrawFn) -> Table:
    return fill_table(draw, st.integers(1, 60), st.integers(1, 6), [1, 2, 3, 10, 200, 5_000])


@st.composite
def long_tables(draw: st.DrawFn) -> Table:
    return fill_table(draw, st.integers(61, 400), st.integers(1, 6), [2, 3, 10, 200])


@st.composite
def wide_tables(draw: st.DrawFn) -> Table:
    # From one 64-bit word per record to more words than are kept in place.
    return fill_table(draw, st.integers(1, 30), st.sampled_from([3, 7, 10, 12, 30, 70]), [2, 200, *[60_000] * 6])


@st.composite
def large_domains(draw: st.DrawFn) -> Table:
    return fill_table(draw, st.integers(1, 40), st.integers(1, 3), [2, 70_000])


@st.composite
def coarse_tables(draw: st.DrawFn) -> Table:
    """Many people have equal QI values, or values that stand at the same place, so that many cuts are equals."""
    n, d = draw(st.integers(1, 80)), draw(st.integers(1, 3))
    fill = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    combinations = fill.integers(0, 3, (draw(st.integers(1, 4)), d), dtype=np.uint8)
    choice = fill.integers(0, len(combinations), n)
    qi = combinations[choice]
    outliers = draw(st.sampled_from([0, 0, 1, 3]))
    qi[fill.integers(0, n, outliers)] = fill.integers(0, 4, (outliers, d))
    places = [[0, 1, 2, 3], [0, 1, 2, 3], [0, 5, 6, 20], [0, 0, 1, 1], [2, 2, 2, 2]]
    held = {
        "any": fill.integers(0, 6, n),
        "the QI tell": 2 * choice + fill.integers(0, 2, n),  # so that columns have one value each
        "nearly unique": fill.permutation(n) // 2,
        "some often": np.where(fill.random(n) < 0.2, 0, fill.permutation(n)),
    }[draw(st.sampled_from(["any", "the QI tell", "nearly unique", "some often"]))]
    feasible = n // int(np.bincount(held).max())
    return Table(
        codes=[np.ascontiguousarray(qi[:, i]) for i in range(d)],
        positions=[np.array(draw(st.sampled_from(places)), np.int64) for _ in range(d)],
        sensitive=held.astype(np.uint32),
        values=int(held.max()) + 1,
        keys=fill.integers(0, 2**64 - 1, n, dtype=np.uint64),
        diversity=draw(st.integers(1, min(feasible, 4))),
        penalty=draw(st.sampled_from(["perimeter"] * 5 + ["discernibility"])),
    )


def native(name: str, table: Table, threads: int = 1) -> tuple[Array, Array]:
    kernel: Callable[..., tuple[Array, Array]] = _native.weave if name in WEAVES else getattr(_native, name)
    keys = () if name == "tailor" else (table.keys,)
    members, starts = kernel(
        table.codes,
        table.positions,
        table.sensitive,
        table.values,
        table.diversity,
        *keys,
        penalty=table.penalty,
        threads=threads,
        **WEAVES.get(name, {}),
    )
    assert members.dtype == np.uint32
    assert starts.dtype == np.int64
    assert starts[0] == 0
    assert starts[-1] == len(members) == len(table.sensitive)
    return members, starts


def groups_of(partition: tuple[Array, Array]) -> list[list[int]]:
    members, starts = partition
    return [group.tolist() for group in np.split(members, starts[1:-1])]


def assert_equal_partitions(one: tuple[Array, Array], other: tuple[Array, Array]) -> None:
    np.testing.assert_array_equal(one[0], other[0])
    np.testing.assert_array_equal(one[1], other[1])


def expected(name: str, table: Table) -> list[reference.Group]:
    rows, penalty = table.rows(), table.penalty_function()
    if name == "tailor":
        return reference.tailor(rows, table.diversity, penalty)
    draw = reference.smallest_keys(table.keys.tolist())
    if name in WEAVES:
        weave = reference.weave_alone if "alone" in name else reference.weave
        return weave(rows, table.diversity, penalty, draw, ordered=WEAVES[name]["ordered"])
    algorithm = {"ace": reference.ace, "hybrid": reference.hybrid}[name]
    return algorithm(rows, table.diversity, penalty, draw)


def check_against_reference(name: str, table: Table) -> None:
    partition = native(name, table)
    assert {frozenset(group) for group in groups_of(partition)} == {
        frozenset(t.id for t in group) for group in expected(name, table)
    }
    check_invariants(name, table, partition)
    assert_equal_partitions(native(name, table, threads=4), partition)


def check_invariants(name: str, table: Table, partition: tuple[Array, Array]) -> None:
    groups = groups_of(partition)
    assert sorted(row for group in groups for row in group) == list(range(len(table.sensitive)))
    assert all(group == sorted(group) for group in groups)
    held = table.sensitive.tolist()
    for group in groups:
        c = max(Counter(held[row] for row in group).values())
        assert len(group) >= table.diversity * c  # Def. 2
        if name == "tailor":
            assert len(group) < 2 * table.diversity * c  # Fig. 3, line 3
        else:
            assert c == 1  # Slice leaves one tuple of each column


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("sizes", LIMITS)
class TestAgainstReference:
    @settings(deadline=None, max_examples=100)
    @given(table=small_tables())
    def test_small_tables(self, name: str, sizes: str, table: Table) -> None:
        with limits(sizes):
            check_against_reference(name, table)

    @settings(deadline=None, max_examples=3)
    @given(table=long_tables())
    def test_long_tables(self, name: str, sizes: str, table: Table) -> None:
        with limits(sizes):
            check_against_reference(name, table)

    @settings(deadline=None, max_examples=15)
    @given(table=wide_tables())
    def test_many_attributes(self, name: str, sizes: str, table: Table) -> None:
        with limits(sizes):
            check_against_reference(name, table)

    @settings(deadline=None, max_examples=15)
    @given(table=large_domains())
    def test_large_domains(self, name: str, sizes: str, table: Table) -> None:
        with limits(sizes):
            check_against_reference(name, table)

    @settings(deadline=None, max_examples=60)
    @given(table=coarse_tables())
    def test_coarse_tables(self, name: str, sizes: str, table: Table) -> None:
        with limits(sizes):
            check_against_reference(name, table)


# Found by trying: the last pass of the first still exchanges, and the second has others with more or fewer neighbours.
# In the others one value stands so far away that floats round the places of the rest, some up and some down; the domain
# of the last is too large for 16-bit ranks.
@pytest.mark.parametrize(
    ("shape", "away", "seed"),
    [
        ((400, 200, 8, 4), 0, 1),
        ((300, 50, 6, 3), 0, 3),
        ((300, 50, 6, 3), 2**40 + 2**16 - 25, 3),
        ((200, 70_000, 12, 6), 2**50 + 2**26 - 35_000, 1),
    ],
)
@pytest.mark.parametrize("sizes", LIMITS)
def test_swaps_of_large_buckets(sizes: str, shape: tuple[int, ...], away: int, seed: int) -> None:
    rows, domain, values, diversity = shape
    fill = np.random.default_rng(seed)
    table = Table(
        codes=[fill.integers(0, domain, rows).astype(np.uint8 if domain <= 256 else np.uint32) for _ in range(3)],
        positions=[np.concatenate([[0], away + np.arange(1, domain)])] * 3,
        sensitive=fill.integers(0, values, rows).astype(np.uint8),
        values=values,
        keys=fill.integers(0, 2**64 - 1, rows, dtype=np.uint64),
        diversity=diversity,
        penalty="perimeter",
    )
    with limits(sizes):
        check_against_reference("weave alone", table)


class Search:
    """The best cut by trying all of them, in numpy."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.at = [p[c] for p, c in zip(table.positions, table.codes, strict=True)]

    def widths(self, columns: list[Array], backwards: bool) -> Array:
        """Return the width of the box of the first 1, 2, ... tuples (the last, if backwards) of all columns."""
        step = -1 if backwards else 1
        total: Array = np.zeros(len(columns[0]), np.int64)
        for at in self.at:
            cells = np.array([at[column] for column in columns])[:, ::step]
            total += np.maximum.accumulate(cells.max(axis=0)) - np.minimum.accumulate(cells.min(axis=0))
        return total

    def best(self, columns: list[Array], least: int) -> tuple[list[Array], list[Array]]:
        n = len(columns[0])
        best: tuple[int, int, int] | None = None
        orders = []
        for i, codes in enumerate(self.table.codes):
            # `columns` are ascending, so that a stable sort leaves ties in the order of identifiers.
            orders.append([column[np.argsort(codes[column], kind="stable")] for column in columns])
            a, b = self.widths(orders[i], backwards=False), self.widths(orders[i], backwards=True)
            k = np.arange(least, n - least + 1)
            perimeter = k * a[k - 1] + (n - k) * b[n - k - 1]
            cut = int(perimeter.argmin())  # the first of equals
            if best is None or perimeter[cut] < best[0]:
                best = (int(perimeter[cut]), i, int(k[cut]))
        assert best is not None
        _, i, left = best
        return [np.sort(c[:left]) for c in orders[i]], [np.sort(c[left:]) for c in orders[i]]

    def tailor(self) -> list[Array]:
        undivided: list[Array] = [np.arange(len(self.table.sensitive))]
        leaves = []
        while undivided:
            group = undivided.pop()
            c = int(np.bincount(self.table.sensitive[group]).max())
            if len(group) < 2 * self.table.diversity * c:
                leaves.append(group)
                continue
            (a,), (b,) = self.best([group], self.table.diversity * c)
            undivided += [a, b]
        return leaves

    def ace(self, group: Array) -> list[Array]:
        keys = self.table.keys.tolist()
        rows = [reference.Row(int(row), (), int(self.table.sensitive[row])) for row in group]
        buckets = reference.assign(rows, self.table.diversity, reference.smallest_keys(keys))
        undivided = [[np.array([t.id for t in column]) for column in bucket] for bucket in buckets]
        groups = []
        while undivided:
            bucket = undivided.pop()
            if len(bucket[0]) == 1:
                groups.append(np.concatenate(bucket))
                continue
            undivided += self.best(bucket, 1)
        return groups


def census(n: int, seed: int, diversity: int) -> Table:
    """Return a table with long runs, rare extreme values, one large domain, and values that depend on them."""
    random = np.random.default_rng(seed)
    age = np.minimum(random.gamma(6, 8, n), 95).astype(np.uint8)
    sex = random.integers(0, 2, n).astype(np.uint8)
    place = (random.zipf(1.4, n) % 57).astype(np.uint16)
    income = (random.lognormal(0, 1, n) * 1000 + 10 * age).astype(np.uint32)
    codes: list[Array] = [age, sex, place, income]
    ranges = [int(c.max()) for c in codes]
    weights = [max(1, 2**20 // r) for r in ranges]
    values = 40
    held = (age // 12 + random.integers(0, values, n) ** 2 // values).clip(0, values - 1).astype(np.uint8)
    return Table(
        codes=codes,
        positions=[np.arange(r + 1, dtype=np.int64) * w for r, w in zip(ranges, weights, strict=True)],
        sensitive=held,
        values=values,
        keys=random.integers(0, 2**64 - 1, n, dtype=np.uint64),
        diversity=diversity,
        penalty="perimeter",
    )


@pytest.mark.parametrize("sizes", LIMITS)
class TestAgainstSearch:
    @pytest.mark.parametrize(("seed", "diversity"), [(1, 1), (2, 3)])
    def test_tailor(self, sizes: str, seed: int, diversity: int) -> None:
        table = census(6_000, seed, diversity)
        with limits(sizes):
            groups = groups_of(native("tailor", table, threads=4))
        assert {tuple(g) for g in groups} == {tuple(g.tolist()) for g in Search(table).tailor()}

    def test_hybrid(self, sizes: str) -> None:
        table = census(3_000, seed=3, diversity=2)
        with limits(sizes):
            groups = groups_of(native("hybrid", table, threads=4))
        search = Search(table)
        found = (group for leaf in search.tailor() for group in search.ace(leaf))
        assert {tuple(g) for g in groups} == {tuple(sorted(g.tolist())) for g in found}

    def test_ace(self, sizes: str) -> None:
        table = census(3_000, seed=4, diversity=4)
        with limits(sizes):
            groups = groups_of(native("ace", table, threads=4))
        found = Search(table).ace(np.arange(3_000))
        assert {tuple(g) for g in groups} == {tuple(sorted(g.tolist())) for g in found}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_threads_and_sizes_make_no_difference(name: str) -> None:
    table = census(200_000, seed=5, diversity=5)
    partition = native(name, table)
    check_invariants(name, table, partition)
    for threads in (2, 7):
        assert_equal_partitions(native(name, table, threads=threads), partition)
    with limits("tiny"):
        assert_equal_partitions(native(name, table, threads=3), partition)
