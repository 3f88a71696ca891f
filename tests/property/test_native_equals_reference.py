"""The native kernels return the very partition of the reference, which shares no code with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import _native, reference

Partition = set[frozenset[int]]


@dataclass(frozen=True)
class Table:
    """Arguments of a kernel, small enough for the reference."""

    codes: list[np.ndarray[Any, Any]]
    positions: list[np.ndarray[Any, Any]]
    sensitive: np.ndarray[Any, Any]
    values: int
    keys: np.ndarray[Any, Any]
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
        positions: list[list[int]] = [p.tolist() for p in self.positions]

        def perimeter(rows: Sequence[reference.Row]) -> int:  # Eq. 4
            spans = (
                max(p[t.qi[i]] for t in rows) - min(p[t.qi[i]] for t in rows) for i, p in enumerate(positions)
            )
            return len(rows) * sum(spans)

        return perimeter


@st.composite
def tables(draw: st.DrawFn, most_rows: int = 60) -> Table:
    n = draw(st.integers(1, most_rows))
    d = draw(st.integers(1, 6))
    # Hypothesis chooses the shape; a seeded generator fills the many cells.
    fill = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    largest_range = ((1 << 63) - 1) // n // d
    codes, positions = [], []
    for _ in range(d):
        width = draw(st.sampled_from([np.uint8, np.uint16, np.uint32]))
        domain = draw(st.sampled_from([1, 2, 3, 10, 200] + [5_000] * (width is not np.uint8)))
        column = (domain * fill.random(n) ** draw(st.sampled_from([1, 1, 4]))).astype(width)
        step = draw(st.sampled_from([1, 1, 3, largest_range // domain]))
        kind = draw(st.sampled_from(["regular", "regular", "irregular", "ties", "constant"]))
        at = {
            "regular": np.arange(domain) * step,
            "irregular": np.cumsum(fill.integers(0, step, domain, endpoint=True)),
            "ties": np.arange(domain) // 2 * step,
            "constant": np.full(domain, step),
        }[kind]
        codes.append(column)
        positions.append(at.astype(np.int64))
    values = draw(st.integers(1, 12))
    skew = draw(st.sampled_from([0, 0, 1, 2]))
    weights = 1 / np.arange(1, values + 1) ** skew
    width = draw(st.sampled_from([np.uint8, np.uint16, np.uint32]))
    sensitive = fill.choice(values, n, p=weights / weights.sum()).astype(width)
    sensitive = fill.permutation(values)[sensitive].astype(width)
    keys = fill.integers(0, draw(st.sampled_from([2, 2**64 - 1])), n, dtype=np.uint64)
    feasible = n // int(np.bincount(sensitive).max())
    diversity = draw(st.integers(1, feasible))
    penalty = draw(st.sampled_from(["perimeter", "perimeter", "perimeter", "discernibility"]))
    return Table(codes, positions, sensitive, values, keys, diversity, penalty)


def native(name: str, table: Table, threads: int = 1) -> list[list[int]]:
    kernel: Callable[..., Any] = getattr(_native, name)
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
    )
    assert starts[0] == 0
    assert starts[-1] == len(members) == len(table.sensitive)
    return [group.tolist() for group in np.split(members, starts[1:-1])]


def expected(name: str, table: Table) -> list[reference.Group]:
    rows, penalty = table.rows(), table.penalty_function()
    if name == "tailor":
        return reference.tailor(rows, table.diversity, penalty)
    draw = reference.smallest_keys(table.keys.tolist())
    algorithm = {"ace": reference.ace, "hybrid": reference.hybrid}[name]
    return algorithm(rows, table.diversity, penalty, draw)


def as_set(groups: list[list[int]]) -> Partition:
    return {frozenset(group) for group in groups}


def check(name: str, table: Table) -> None:
    groups = native(name, table)
    assert all(group == sorted(group) for group in groups)
    assert sorted(row for group in groups for row in group) == list(range(len(table.sensitive)))
    assert as_set(groups) == {frozenset(t.id for t in group) for group in expected(name, table)}
    assert native(name, table, threads=4) == groups


@pytest.mark.parametrize("name", ["tailor", "ace", "hybrid"])
@settings(deadline=None, max_examples=150)
@given(table=tables())
def test_same_partition(name: str, table: Table) -> None:
    check(name, table)
