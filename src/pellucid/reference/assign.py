"""Assign, the first half of Ace (Section 3.2), line for line with Fig. 6."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from pellucid.reference.row import Group, Row, group

# ruff: noqa: E741  (l is the paper's name)

#: A bucket, as its columns: sets of equally many tuples. Which column is which means nothing.
Bucket: TypeAlias = tuple[Group, ...]

#: ``draw(rows, alpha)`` picks alpha of the rows, which all have one sensitive value. The guarantee needs
#: every choice to be equally likely, independent of everything else, and secret.
Draw: TypeAlias = Callable[[Sequence[Row], int], Iterable[Row]]


def smallest_keys(keys: Sequence[int]) -> Draw:
    """Draw the tuples with the smallest keys; ``keys`` has one secret random number for every Row.id.

    Proof: docs/proofs/ace.md, Lemma 6.
    """
    return lambda rows, alpha: sorted(rows, key=lambda t: (keys[t.id], t.id))[:alpha]


def find_alpha(n: Sequence[int], l: int, beta: int) -> int | None:
    """Return alpha of line 8, the largest positive integer that satisfies the three inequalities, if any.

    ``n`` holds n_1 >= n_2 >= ... >= n_w.
    """
    S_t = sum(n)
    n_1 = n[0]
    n_beta = n[beta - 1]
    n_next = n[beta] if beta < len(n) else 0  # n_(beta+1)
    for alpha in range(n_beta, 0, -1):  # alpha <= n_beta
        if l * (n_1 - alpha) <= S_t - alpha * beta and l * n_next <= S_t - alpha * beta:
            return alpha
    return None


def next_bucket(counts: Mapping[int, int], l: int) -> tuple[list[int], int]:
    """Return signature v_1, ..., v_beta and alpha of the next bucket (lines 5-9), from counts alone.

    Proof: docs/proofs/ace.md, Lemma 6.
    """
    # Lines 5-6. "Ties are resolved by a total ordering on A^s": the smaller code goes first.
    v = sorted(counts, key=lambda value: (-counts[value], value))
    n = [counts[value] for value in v]
    beta = l  # line 7
    while (alpha := find_alpha(n, l, beta)) is None:  # line 8
        # Line 9 says "goto Line 7", which would set beta back to l for ever; alpha is sought again.
        beta += 1
    return v[:beta], alpha


def assign(T: Iterable[Row], l: int, draw: Draw) -> list[Bucket]:
    """Return a bucket partition U of T, which must be l-eligible.

    Proof: docs/proofs/ace.md, Lemma 6.
    """
    U: list[Bucket] = []  # line 1
    S_t = set(T)  # line 3
    while S_t:  # line 4
        signature, alpha = next_bucket(Counter(t.sensitive for t in S_t), l)  # lines 5-9
        columns = []  # line 10
        for v_i in signature:  # line 11
            holders = group(t for t in S_t if t.sensitive == v_i)
            L = group(draw(holders, alpha))  # line 12
            S_t -= set(L)
            columns.append(L)
        U.append(tuple(columns))
    return U  # line 13
