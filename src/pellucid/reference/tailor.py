"""Tailor (Section 3.1), line for line with Fig. 3."""

from collections.abc import Iterable, Iterator

from pellucid.reference.row import Group, P, Penalty, Row, group, is_diverse, largest_count

# ruff: noqa: E741  (l is the paper's name)


def cuts(G: tuple[P, ...], least: int) -> Iterator[tuple[tuple[P, ...], tuple[P, ...]]]:
    """Yield every cut of G with `least` tuples on both sides: smaller dimensions first, then smaller |G_a| first."""
    n, d = len(G), len(G[0].qi)
    for i in range(d):
        # "In case two tuples have the same value on A_i^q, the tuple with a smaller identifier precedes."
        ordered = sorted(G, key=lambda t: (t.qi[i], t.id))
        for k in range(least, n - least + 1):
            yield group(ordered[:k]), group(ordered[k:])


def best_cut(G: tuple[P, ...], least: int, penalty: Penalty) -> tuple[tuple[P, ...], tuple[P, ...]]:
    """Return the cut with the smallest perimeter, and the first of equals: conditions 1 and 2 of Def. 10.

    Proof: docs/proofs/tailor.md, Lemma 2.
    """

    def perimeter(cut: tuple[tuple[P, ...], tuple[P, ...]]) -> int:
        G_a, G_b = cut
        return penalty(G_a) + penalty(G_b)

    return min(cuts(G, least), key=perimeter)  # `min` returns the first of equals


def l_cuts(G: Group, l: int) -> Iterator[tuple[Group, Group]]:
    """Yield every l-cut {G_a, G_b} of G (Def. 9). Of the sensitive values only c plays a part.

    Proof: docs/proofs/tailor.md, Lemma 2.
    """
    return cuts(G, l * largest_count(G))


def canonical_l_cut(G: Group, l: int, penalty: Penalty) -> tuple[Group, Group]:
    """Return the canonical l-cut of G (Def. 10).

    Proof: docs/proofs/tailor.md, Lemma 2.
    """
    return best_cut(G, l * largest_count(G), penalty)


def tailor(T: Iterable[Row], l: int, penalty: Penalty) -> list[Group]:
    """Return the partition P of T that Tailor decides; no group at all if T is not l-eligible.

    Proof: docs/proofs/tailor.md, Lemma 3.
    """
    T = group(T)
    if not T or not is_diverse(T, l):  # line 1
        return []
    G_0 = T  # line 2
    P = [G_0]
    while any(is_diverse(G, 2 * l) for G in P):  # line 3
        G = next(G for G in P if is_diverse(G, 2 * l))
        G_a, G_b = canonical_l_cut(G, l, penalty)  # line 4
        P.remove(G)  # line 5
        P += [G_a, G_b]
    return P  # line 6
