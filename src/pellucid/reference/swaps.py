"""Swaps, the last step of Weave: two groups of a bucket exchange their people of one column if that makes them smaller.

Slice decides about many people at once. Swaps look at single ones: of two groups that stand near each other, whose
boxes would shrink the most if the two people of one column changed places?
"""

from collections.abc import Sequence

from pellucid.reference.row import P, Penalty

#: How often the groups are gone through, if there is something to exchange until then.
PASSES = 6
#: How many groups after a group are its neighbours.
NEIGHBOURS = 64


def swap(groups: Sequence[tuple[P, ...]], penalty: Penalty) -> list[tuple[P, ...]]:
    """Return the groups of a bucket after all swaps.

    Every group holds one person of each column, in the order of the columns' smallest identifiers. Its neighbours
    are the next groups as Slice left them, from left to right, and after the last the first; no group meets
    itself, and none meets another twice in its turn.

    Proof: docs/proofs/weave.md, Lemma C (iv).
    """
    swapped = list(groups)
    s = len(swapped)
    for _ in range(PASSES):
        before = list(swapped)
        for a in range(s):
            for d in range(1, min(NEIGHBOURS, s - 1) + 1):
                b = (a + d) % s
                swapped[a], swapped[b] = best_exchange(swapped[a], swapped[b], penalty)
        if swapped == before:
            break
    return swapped


def best_exchange(a: tuple[P, ...], b: tuple[P, ...], penalty: Penalty) -> tuple[tuple[P, ...], tuple[P, ...]]:
    """Return the groups with the exchange in one column that lowers their penalty the most, or as they are.

    Ties: no exchange, else the first column.
    """

    def exchanged(c: int) -> tuple[tuple[P, ...], tuple[P, ...]]:
        return (*a[:c], b[c], *a[c + 1 :]), (*b[:c], a[c], *b[c + 1 :])

    def total(groups: tuple[tuple[P, ...], tuple[P, ...]]) -> int:
        return penalty(groups[0]) + penalty(groups[1])

    return min([(a, b), *map(exchanged, range(len(a)))], key=total)  # `min` returns the first of equals
