"""Several small numbers in one 64-bit word: the fastest way to sort, count and compare combinations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Integers", "number_combinations", "pack", "sorted_pairs"]

Integers = npt.NDArray[np.integer]
_SMALL_TABLE = 2**16
Words = npt.NDArray[np.uint64]


def pack(columns: Sequence[Integers], sizes: Sequence[int]) -> tuple[Words, int]:
    """One word per row that orders rows as their columns do, lexicographically; and how many words are possible.

    Column i holds numbers below `sizes[i]`.
    """
    words = np.zeros(len(columns[0]), dtype=np.uint64)
    kinds = 1
    for column, size in zip(columns, sizes, strict=True):
        if kinds * size >= 2**63:
            distinct, number = np.unique(words, return_inverse=True)
            words, kinds = number.astype(np.uint64), len(distinct)
        words *= np.uint64(size)
        words += column
        kinds *= size
    return words, kinds


def number_combinations(columns: Sequence[Integers], sizes: Sequence[int]) -> tuple[Integers, Integers]:
    """Number the distinct combinations of columns in lexicographic order.

    Returns for each combination one row that has it, and for each row the number of its combination.
    """
    words, kinds = pack(columns, sizes)
    if kinds > max(_SMALL_TABLE, len(words)):
        _, first, number = np.unique(words, return_index=True, return_inverse=True)
        return first, number.astype(np.uint32)
    row_of_word = np.full(kinds, -1, dtype=np.int64)
    row_of_word[words] = np.arange(len(words))
    occurs = row_of_word >= 0
    number_of_word = np.cumsum(occurs, dtype=np.uint32) - np.uint32(1)
    return row_of_word[occurs], number_of_word[words]


def sorted_pairs(first: Integers, second: Integers) -> tuple[Integers, Integers]:
    """The pairs of two columns of numbers below 2**32, sorted: the multiset, and nothing of the order before."""
    bits = np.uint64(int(second.max(initial=0)).bit_length())
    pairs = first.astype(np.uint64)
    pairs <<= bits
    pairs |= second
    pairs.sort()
    mask = (np.uint64(1) << bits) - np.uint64(1)
    both = np.empty((2, len(pairs)), dtype=np.uint32)
    np.right_shift(pairs, bits, out=both[0], casting="same_kind")
    np.bitwise_and(pairs, mask, out=both[1], casting="same_kind")
    return both[0], both[1]
