"""Mask (Wong et al. 2007), line for line with Fig. 1 of the electronic appendix. Not transparent.

It makes a k-anonymous partition and then *changes* the sensitive values of the groups that would say too much.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

from pellucid.reference.row import Group, Row, group

# ruff: noqa: E741  (l is the paper's name)

#: ``choose(distributions)`` picks one of them, each with the same probability.
Choose: TypeAlias = Callable[[Sequence[list[int]]], list[int]]


def scaled(counts: Counter[int], size: int, l: int, V: Collection[int]) -> list[int] | None:
    """Return `size` sensitive values distributed like `counts`, in order; None if one of V would be too frequent.

    Where whole numbers do not divide, the largest remainders are rounded up; the smaller value goes first. A value of
    V is not rounded up to more than size/l: what line 4 finds fault with must not be made by line 9.
    """
    total = counts.total()
    whole = {v: size * n // total for v, n in counts.items()}
    missing = size - sum(whole.values())
    room = [v for v in counts if v not in V or l * (whole[v] + 1) <= size]
    if len(room) < missing:
        return None
    for v in sorted(room, key=lambda v: (-(size * counts[v] % total), v))[:missing]:
        whole[v] += 1
    return [v for v in sorted(whole) for _ in range(whole[v])]


def mask(
    T: Iterable[Row],
    l: int,
    V: Collection[int],
    k_anonymous: Callable[[Group], Sequence[Group]],
    choose: Choose,
) -> list[Group]:
    """Return the partition that Mask decides, with the sensitive values that it publishes.

    If some group has no distribution to copy, no group is returned at all. That of 3 tuples with 3 values does not fit
    a group of 4 for l = 3: whole tuples would give one of the values 2 of 4. G^+ is chosen from those that fit.
    """
    P = k_anonymous(group(T))  # line 1
    P_1: list[Group] = []  # line 2
    P_2: list[Group] = []
    for G in P:  # line 3
        counts = Counter(t.sensitive for t in G)
        if any(l * counts[v] > len(G) for v in V):  # line 4
            P_1.append(G)  # line 5
        else:
            P_2.append(G)  # line 6
    modified = []
    for G in P_1:  # line 7
        distributions = [scaled(Counter(t.sensitive for t in G_plus), len(G), l, V) for G_plus in P_2]
        fitting = [values for values in distributions if values is not None]
        if not fitting:
            return []
        values = choose(fitting)  # line 8
        # Line 9. Who gets which value does not matter: f agrees on isomorphic groups (Def. 1).
        modified.append(tuple(Row(t.id, t.qi, v) for t, v in zip(G, values, strict=True)))
    return modified + P_2  # line 10
