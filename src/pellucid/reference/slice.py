"""Slice, the second half of Ace (Section 3.2), line for line with Fig. 8."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from pellucid.reference.row import P, Penalty, group

#: A bucket as Slice sees it: columns of equally many people. It cannot ask what their sensitive values are (Lemma 4).
Columns: TypeAlias = tuple[tuple[P, ...], ...]


def divisions(B: Columns[P]) -> Iterator[tuple[Columns[P], Columns[P]]]:
    """Yield every division {B_a, B_b} of B (Def. 11): smaller dimensions first, then smaller |B_a| first.

    Proof: docs/proofs/ace.md, Lemma 4.
    """
    alpha, d = len(B[0]), len(B[0][0].qi)
    for i in range(d):
        # "Sort the tuples in each column of B ...", ties by the identifier.
        columns = [sorted(L, key=lambda t: (t.qi[i], t.id)) for L in B]
        for r in range(1, alpha):
            yield tuple(group(L[:r]) for L in columns), tuple(group(L[r:]) for L in columns)


def canonical_division(B: Columns[P], penalty: Penalty) -> tuple[Columns[P], Columns[P]]:
    """Return the canonical division of B (Def. 12): the smallest perimeter, and the first of equals.

    Proof: docs/proofs/ace.md, Lemma 4.
    """

    def perimeter(division: tuple[Columns[P], Columns[P]]) -> int:
        B_a, B_b = division
        return penalty([t for L in B_a for t in L]) + penalty([t for L in B_b for t in L])

    return min(divisions(B), key=perimeter)  # `min` returns the first of equals: conditions 1 and 2


def is_divisible(B: Sequence[Sequence[object]]) -> bool:
    """Say whether each column of B has at least two tuples (Def. 11)."""
    return len(B[0]) >= 2


def slice_buckets(U: Iterable[Columns[P]], penalty: Penalty) -> list[Columns[P]]:
    """Return the refined bucket partition: every column of every bucket has one tuple.

    Proof: docs/proofs/ace.md, Lemma 5.
    """
    U = list(U)
    while any(is_divisible(B) for B in U):  # line 1
        B = next(B for B in U if is_divisible(B))
        B_a, B_b = canonical_division(B, penalty)  # line 2
        U.remove(B)  # line 3
        U += [B_a, B_b]
    return U  # line 4
