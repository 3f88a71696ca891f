"""Hybrid (Section 3.3), line for line with Fig. 10."""

from collections.abc import Iterable

from pellucid.reference.ace import ace
from pellucid.reference.assign import Draw
from pellucid.reference.row import Group, Penalty, Row
from pellucid.reference.tailor import tailor

# ruff: noqa: E741  (l is the paper's name)


def hybrid(T: Iterable[Row], l: int, penalty: Penalty, draw: Draw) -> list[Group]:
    """Return the partition of T that Hybrid decides; no group at all if T is not l-eligible.

    Proof: docs/proofs/hybrid.md, Theorem 3.
    """
    P = tailor(T, l, penalty)  # lines 1-5
    partition: list[Group] = []  # line 6
    for G_i in P:  # line 7
        partition += ace(G_i, l, penalty, draw)  # lines 8-9
    return partition  # line 10
