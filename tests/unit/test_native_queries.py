"""The native counting of queries: what it takes and refuses, and its sums against plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid import _native

# Two groups: items 0 and 1 with values 0 and 1, item 2 with value 1. Two queries.
LINE = (np.array([0.0, 5.0]), np.array([4.0, 5.0]), 1.0, np.array([0.0, 3.0]), np.array([1.0, 9.0]))
SETS = (np.array([0, 2, 3]), np.array([0, 1, 2], np.uint32), 3, np.array([1, 0, 0, 1, 1, 1], np.uint8))


def arguments(**changes: Any) -> dict[str, Any]:
    """Arguments that are taken, but for the changes."""
    cells = np.array([0, 1, 1], np.uint32)
    usual = {
        "sides": [LINE, SETS],
        "cells": [cells, cells],
        "starts": np.array([0, 2, 3]),
        "value_starts": np.array([0, 2, 3]),
        "values": np.array([0, 1, 1], np.uint32),
        "kinds": 2,
        "asked": np.array([1, 0, 1, 1], np.uint8),
        "queries": 2,
        "threads": 1,
    }
    return usual | changes


def test_shares_of_intervals_and_sets() -> None:
    """Query 0 covers two of five numbers and one of two categories of item 0, and nothing of the others."""
    first, second = _native.count(**arguments()).tolist()
    assert first == pytest.approx(2 / 5 * 1 / 2 / 2 * 1)
    assert second == pytest.approx((2 / 5 + 1) / 2 * 2 + 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sides": [], "cells": []}, "one per attribute"),
        ({"sides": [LINE]}, "one per attribute"),
        ({"sides": [LINE[:3], SETS]}, "A side is"),
        ({"sides": [(LINE[0][:1], *LINE[1:]), SETS]}, "of one length"),
        ({"sides": [(*LINE[:3], LINE[3][:1], LINE[4]), SETS]}, "one per query"),
        ({"sides": [(LINE[0].astype(np.float32), *LINE[1:]), SETS]}, "right type"),
        ({"sides": [LINE, (np.array([0, 2]), *SETS[1:])]}, "starts must go"),
        ({"sides": [LINE, (np.array([0, 3, 3]), *SETS[1:])]}, "starts must increase"),
        ({"sides": [LINE, (*SETS[:2], 2, np.ones(4, np.uint8))]}, "members holds"),
        ({"sides": [LINE, (*SETS[:3], SETS[3][:3])]}, "asked must have"),
        ({"sides": [LINE, (*SETS[:3], SETS[3] * 2)]}, "zeros and ones"),
        ({"cells": [np.array([0, 1, 2], np.uint32)] * 2}, "cells holds"),
        ({"cells": [np.zeros(2, np.uint32)] * 2}, "cells must have"),
        ({"starts": np.array([], np.int64)}, "cells must have"),
        ({"starts": np.array([1, 2, 3])}, "starts must go"),
        ({"starts": np.array([0, 3])}, "as many groups"),
        ({"value_starts": np.array([0, 2, 4])}, "value_starts must go"),
        ({"values": np.array([0, 1, 2], np.uint32)}, "values holds"),
        ({"asked": np.ones(3, np.uint8)}, "asked must have"),
        ({"kinds": 0}, "values holds"),
        ({"threads": 0}, "threads"),
    ],
)
def test_bad_arrays_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _native.count(**arguments(**changes))


@given(seed=st.integers(0, 2**32 - 1), threads=st.sampled_from([1, 3]), data=st.data())
def test_sums(seed: int, threads: int, data: st.DataObject) -> None:
    """Over the groups: the mean of what is covered of the items, times how many values are asked for."""
    queries, groups, kinds = (data.draw(st.integers(1, most)) for most in (20, 9, 5))
    fill = np.random.default_rng(seed)
    starts = np.append(0, np.cumsum(fill.integers(1, 5, groups)))
    value_starts = np.append(0, np.cumsum(fill.integers(1, 5, groups)))
    sides: list[tuple[Any, ...]] = []
    cells, shares = [], []
    for unit in (0.0, 1.0, None):
        size = int(fill.integers(1, 6))
        cell = fill.integers(0, size, starts[-1]).astype(np.uint32)
        if unit is None:
            of_side = np.append(0, np.cumsum(fill.integers(1, 4, size)))
            members = fill.integers(0, kinds, of_side[-1]).astype(np.uint32)
            wanted = fill.integers(0, 2, (queries, kinds)).astype(np.uint8)
            sides.append((of_side, members, kinds, wanted.ravel()))
            share = np.add.reduceat(wanted[:, members], of_side[:-1], axis=1, dtype=float) / np.diff(of_side)
        else:
            low, start = (fill.integers(0, 9, n).astype(float) for n in (size, queries))
            high, end = low + fill.integers(0, 4, size), start + fill.integers(0, 9, queries)
            sides.append((low, high, unit, start, end))
            overlap = np.minimum(high, end[:, None]) - np.maximum(low, start[:, None])
            whole = np.where(high - low + unit > 0, high - low + unit, 1)
            share = np.where(overlap < 0, 0, np.where(high - low + unit > 0, (overlap + unit) / whole, 1))
        cells.append(cell)
        shares.append(share[:, cell])
    values = fill.integers(0, kinds, value_starts[-1]).astype(np.uint32)
    asked = fill.integers(0, 2, (queries, kinds)).astype(np.uint8)
    covered = np.add.reduceat(np.prod(shares, axis=0), starts[:-1], axis=1) / np.diff(starts)
    expected = (covered * np.add.reduceat(asked[:, values], value_starts[:-1], axis=1, dtype=float)).sum(axis=1)
    answers = _native.count(
        sides, cells, starts, value_starts, values, kinds, asked.ravel(), queries=queries, threads=threads
    )
    np.testing.assert_allclose(answers, expected, rtol=1e-12)
