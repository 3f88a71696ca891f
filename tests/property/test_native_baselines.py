"""Native Mondrian and Mask make the very groups of the reference, which shares no code with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import _native, reference
from pellucid.reference import Row


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], list[list[int]], int]:
    """Rows, positions, and how many sensitive values there are."""
    rows = draw(st.integers(1, 80))
    attributes = draw(st.sampled_from([1, 2, 3, 4, 9, 14, 22]))  # in one word, or in several, or in many
    fill = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    positions, columns = [], []
    for _ in range(attributes):
        domain = draw(st.sampled_from([1, 2, 3, 10, 5_000, 40_000]))
        columns.append((domain * fill.random(rows) ** draw(st.sampled_from([1, 3]))).astype(int).tolist())
        positions.append(np.cumsum(fill.integers(0, 5, domain)).tolist())
    values = draw(st.integers(1, 9))
    sensitive = (values * fill.random(rows) ** draw(st.sampled_from([1, 2]))).astype(int).tolist()
    points = list(zip(*columns, strict=True))
    return [Row(row, points[row], sensitive[row]) for row in range(rows)], positions, values


def arrays(rows: Sequence[Row], positions: Sequence[Sequence[int]], values: int, diversity: int) -> list[Any]:
    return [
        [np.array(column, dtype=np.uint16) for column in zip(*(t.qi for t in rows), strict=True)],
        [np.array(line, dtype=np.int64) for line in positions],
        np.array([t.sensitive for t in rows], dtype=np.uint8),
        values,
        diversity,
    ]


@settings(deadline=None, max_examples=200)
@given(table=tables(), diversity=st.integers(1, 6), relaxed=st.booleans(), threads=st.sampled_from([1, 4]))
def test_mondrian(table: tuple[list[Row], list[list[int]], int], diversity: int, relaxed: bool, threads: int) -> None:
    rows, positions, values = table
    expected = reference.mondrian(rows, diversity, positions, relaxed=relaxed)
    if not expected:
        return  # the caller has refused it: not eligible
    before = _native._set_limits(2, 2, 2)
    try:
        members, starts = _native.mondrian(
            *arrays(rows, positions, values, diversity), relaxed=relaxed, threads=threads
        )
    finally:
        _native._set_limits(*before)
    groups = [group.tolist() for group in np.split(members, starts[1:-1])]
    assert {frozenset(group) for group in groups} == {frozenset(t.id for t in G) for G in expected}
    assert all(group == sorted(group) for group in groups)


@settings(deadline=None, max_examples=200)
@given(table=tables(), diversity=st.integers(1, 4), k=st.integers(1, 9), data=st.data())
def test_mask(table: tuple[list[Row], list[list[int]], int], diversity: int, k: int, data: st.DataObject) -> None:
    rows, positions, values = table
    if len(rows) < k:
        return
    protected = data.draw(st.sets(st.integers(0, values - 1)))
    keys = np.random.default_rng(data.draw(st.integers(0, 99))).integers(2**64, size=len(rows), dtype=np.uint64)
    made = _native.mask(
        *(*arrays(rows, positions, values, diversity), keys),
        anonymity=k,
        protected=sorted(protected),
        threads=1,
    )
    k_anonymous = partial(reference.anonymous_mondrian, k=k, positions=positions)
    if made is None:
        assert not reference.mask(rows, diversity, protected, k_anonymous, lambda fitting: fitting[0])
        return
    members, starts, shown = made
    partition = [tuple(rows[row] for row in group.tolist()) for group in np.split(members, starts[1:-1])]
    assert {frozenset(G) for G in partition} == {frozenset(G) for G in k_anonymous(rows)}
    loud = [G for G in partition if any(diversity * sum(t.sensitive == v for t in G) > len(G) for v in protected)]
    # The choice for a group is the place of its first row's key among all keys.
    places = iter([int(keys[G[0].id]) for G in loud])

    def choose(fitting: Sequence[list[int]]) -> list[int]:
        return fitting[next(places) * len(fitting) >> 64]

    expected = reference.mask(rows, diversity, protected, lambda _: partition, choose)
    assert {(t.id, t.sensitive) for G in expected for t in G} == set(enumerate(shown.tolist()))
    for rows_of_group in np.split(members, starts[1:-1]):
        found = Counter(shown[rows_of_group].tolist())
        assert all(diversity * found[v] <= len(rows_of_group) for v in protected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({2: np.array([0, 9], dtype=np.uint8)}, "too large"),
        ({0: [np.array([0, 7], dtype=np.uint8)]}, "too large"),
        ({0: [np.array([0], dtype=np.uint8)]}, "for every row"),
        ({1: [np.array([3, 1], dtype=np.int64)]}, "decrease"),
        ({0: []}, "at least one attribute"),
        ({0: [np.array([0.5, 1.0])]}, "contiguous array"),
    ],
    ids=["sensitive", "codes", "length", "positions", "nothing", "type"],
)
def test_bad_arrays_are_refused(change: dict[int, object], message: str) -> None:
    good: list[Any] = [
        [np.array([0, 1], dtype=np.uint8)],
        [np.array([0, 1], dtype=np.int64)],
        np.array([0, 1], dtype=np.uint8),
        2,
        1,
    ]
    for place, value in change.items():
        good[place] = value
    with pytest.raises(ValueError, match=message):
        _native.mondrian(*good, relaxed=False, threads=1)
