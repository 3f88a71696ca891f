"""`secret_order` is a uniform permutation if the keys are uniform: the rows in the order of their keys."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pellucid.draws import SeededDraws, SystemDraws, secret_order

KEYS = st.integers(0, 2**64 - 1) | st.integers(0, 3).map(lambda first: first << 62) | st.integers(0, 40)


@given(keys=arrays.arrays(np.uint64, st.integers(1, 60), elements=KEYS, unique=True))
def test_rows_come_in_the_order_of_their_keys(keys: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> None:
    assert secret_order(keys).tolist() == sorted(range(len(keys)), key=keys.tolist().__getitem__)


@given(rows=st.integers(1, 500), seed=st.integers(0, 2**32 - 1), first_bits=st.integers(0, 2**20))
def test_keys_that_begin_alike_are_told_apart(rows: int, seed: int, first_bits: int) -> None:
    """Only the last bits differ, which the packed words do not hold: the order of the file must not show through."""
    last = np.random.default_rng(seed).permutation(rows).astype(np.uint64)
    keys = (np.uint64(first_bits) << np.uint64(40)) | last
    assert (last[secret_order(keys)] == np.arange(rows, dtype=np.uint64)).all()


@given(keys=arrays.arrays(np.uint64, st.integers(1, 300), elements=st.integers(0, 2)))
def test_equal_keys_still_make_a_permutation(keys: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> None:
    order = secret_order(keys)
    assert sorted(order.tolist()) == list(range(len(keys)))
    assert (np.diff(keys[order].astype(np.int64)) >= 0).all()


@given(rows=st.integers(1, 2000))
def test_system_keys(rows: int) -> None:
    """A new key for every row; no two calls agree."""
    draws = SystemDraws()
    one, other = draws.keys("Assign", rows), draws.keys("Assign", rows)
    assert one.dtype == np.uint64
    assert len(one) == rows
    assert len(set(one.tolist()) | set(other.tolist())) == 2 * rows


@given(seed=st.binary(min_size=16, max_size=64), rows=st.integers(1, 200), purpose=st.text(max_size=10))
def test_seeded_keys(seed: bytes, rows: int, purpose: str) -> None:
    """The same for the same seed and purpose, a prefix of those for more rows, and otherwise unrelated."""
    keys = SeededDraws(seed).keys(purpose, rows)
    assert (keys == SeededDraws(seed).keys(purpose, rows + 5)[:rows]).all()
    others = {
        *SeededDraws(seed).keys(purpose + "x", rows).tolist(),
        *SeededDraws(seed + b"x").keys(purpose, rows).tolist(),
    }
    assert not others & set(keys.tolist())
