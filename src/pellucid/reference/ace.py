"""Ace (Section 3.2), line for line with Fig. 5."""

from collections.abc import Iterable

from pellucid.reference.assign import Draw, assign
from pellucid.reference.row import Group, Penalty, Row, group, is_diverse
from pellucid.reference.slice import slice_buckets

# ruff: noqa: E741  (l is the paper's name)


def ace(T: Iterable[Row], l: int, penalty: Penalty, draw: Draw) -> list[Group]:
    """Return the partition of T that Ace decides; no group at all if T is not l-eligible.

    Proof: docs/proofs/ace.md, Theorem 2.
    """
    T = group(T)
    if not T or not is_diverse(T, l):  # line 1
        return []
    U = assign(T, l, draw)  # line 2
    U_refined = slice_buckets(U, penalty)  # line 3
    return [group(t for L in B for t in L) for B in U_refined]  # line 4
