"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006) for l-diversity and for k-anonymity. Not transparent.

A group is cut at the median of its widest attribute if both sides may be published, else of the next widest.
Whether they may is read from who has which sensitive value: that is the leak.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from pellucid.reference.row import Group, Row, group, is_diverse

# ruff: noqa: E741  (l is the paper's name)

#: ``positions[i][code]``: where a value of A_i^q stands, in integers that are weighted such that the width of T is
#: the same on every attribute. A difference of two of them is a normalised width.
Positions: TypeAlias = Sequence[Sequence[int]]

#: Whether a group may be published.
Publishable: TypeAlias = Callable[[Group], bool]


def by_width(G: Group, positions: Positions) -> list[int]:
    """Return the attributes, the widest normalised range in G first, the smaller dimension first of equals."""
    width = [at[max(t.qi[i] for t in G)] - at[min(t.qi[i] for t in G)] for i, at in enumerate(positions)]
    return sorted(range(len(width)), key=lambda i: -width[i])


def strict_cut(G: Group, i: int) -> tuple[Group, Group]:
    """Return the tuples up to the median of A_i^q and those above: equal values stay together.

    If nothing is above the median, the cut is below it instead; only if all values are equal a side is empty.
    """
    ordered = sorted(t.qi[i] for t in G)
    median = ordered[(len(ordered) - 1) // 2]
    if median == ordered[-1]:
        return group(t for t in G if t.qi[i] < median), group(t for t in G if t.qi[i] == median)
    return group(t for t in G if t.qi[i] <= median), group(t for t in G if t.qi[i] > median)


def relaxed_cut(G: Group, i: int) -> tuple[Group, Group]:
    """Return the two halves of G along A_i^q: equal values are told apart by the identifier."""
    ordered = sorted(G, key=lambda t: (t.qi[i], t.id))
    return group(ordered[: len(G) // 2]), group(ordered[len(G) // 2 :])


def partition(G: Group, publishable: Publishable, positions: Positions, *, relaxed: bool = False) -> list[Group]:
    """Return the groups that Mondrian cuts G into, left to right."""
    for i in by_width(G, positions):
        G_a, G_b = relaxed_cut(G, i) if relaxed else strict_cut(G, i)
        if G_a and G_b and publishable(G_a) and publishable(G_b):
            sides = (partition(side, publishable, positions, relaxed=relaxed) for side in (G_a, G_b))
            return [leaf for side in sides for leaf in side]
    return [G]


def mondrian(T: Iterable[Row], l: int, positions: Positions, *, relaxed: bool = False) -> list[Group]:
    """Return an l-diverse partition of T; no group at all if T is not l-eligible."""
    T = group(T)
    if not T or not is_diverse(T, l):
        return []
    return partition(T, lambda G: is_diverse(G, l), positions, relaxed=relaxed)


def anonymous_mondrian(T: Iterable[Row], k: int, positions: Positions, *, relaxed: bool = False) -> list[Group]:
    """Return a k-anonymous partition of T; no group at all if T has fewer than k tuples."""
    T = group(T)
    if len(T) < max(k, 1):
        return []
    return partition(T, lambda G: len(G) >= k, positions, relaxed=relaxed)
