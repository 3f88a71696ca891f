"""Mask (Wong et al. 2007), line for line with Fig. 1 of the electronic appendix. Not transparent.

It makes a k-anonymous partition and then *changes* the sensitive values of the groups that would say too much.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

from pellucid.reference.row import Group, Row, group

# ruff: noqa: E741  (l is the paper's name)

#: ``choose(groups)`` picks one of them, each with the same probability.
Choose: TypeAlias = Callable[[Sequence[Group]], Group]


def scaled(counts: Counter[int], size: int) -> list[int]:
    """Return `size` sensitive values distributed like `counts`, in order.

    Where whole numbers do not divide, the largest remainders are rounded up; the smaller value goes first.
    """
    total = counts.total()
    whole = {v: size * n // total for v, n in counts.items()}
    remainder = sorted(counts, key=lambda v: (-(size * counts[v] % total), v))
    for v in remainder[: size - sum(whole.values())]:
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

    If no group may stay as it is, there is no distribution to copy, and no group is returned at all.
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
    if not P_2:
        return []
    modified = []
    for G in P_1:  # line 7
        G_plus = choose(P_2)  # line 8
        values = scaled(Counter(t.sensitive for t in G_plus), len(G))
        # Line 9. Who gets which value does not matter: f agrees on isomorphic groups (Def. 1).
        modified.append(tuple(Row(t.id, t.qi, v) for t, v in zip(G, values, strict=True)))
    return modified + P_2  # line 10
