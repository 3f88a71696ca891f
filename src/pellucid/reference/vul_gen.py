"""Vul-Gen (Example 1), line for line with Fig. 1: what it publishes gives everybody away, and minimality has no part.

The paper's tables are parameters: the microdata T_1 of Table I, and the groups whose generalization is Table V.
"""

from collections.abc import Collection, Iterable, Sequence

from pellucid.reference.row import Group, Row, group


def vul_gen(T: Iterable[Row], T_1: Collection[Row], P: Sequence[Collection[int]]) -> list[Group]:
    """Return the partition of T that Vul-Gen decides; P holds the identifiers of each group of Table V."""
    T = group(T)
    if group(T_1) == T:  # line 1
        return [group(t for t in T if t.id in ids) for ids in P]
    # Line 2: any other generalization will do. One box is never Table V, which has two.
    return [T] if T else []
