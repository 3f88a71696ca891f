"""Opt-Gen (Example 2), line for line with Fig. 2. Not transparent: Example 2 is the attack on it.

*Global recoding* is read as a recoding of the domain: the boxes of different groups do not overlap, which also keeps
tuples with equal QI values together (Section 1). Equal values staying together alone is less, and Example 2
would not come out: Table I would then have three partitions of discernibility 22, with overlapping boxes, instead of
the one of 24 that is Table III.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from pellucid.reference.row import Group, Row, group, is_diverse

# ruff: noqa: E741  (l is the paper's name)

#: QI values, one for every attribute.
Point: TypeAlias = tuple[int, ...]
Recoding: TypeAlias = tuple[tuple[Point, ...], ...]


def discernibility(G: Sequence[Row]) -> int:
    """Return |G|^2, the penalty that Fig. 2 minimizes."""
    return len(G) ** 2


def overlap(A: Sequence[Point], B: Sequence[Point]) -> bool:
    """Say whether the boxes (MBRs) of two sets of QI values have a point in common."""
    return all(
        min(a) <= max(b) and min(b) <= max(a) for a, b in zip(zip(*A, strict=True), zip(*B, strict=True), strict=True)
    )


def is_global(P: Sequence[Group]) -> bool:
    """Say whether P obeys global recoding: no two of its boxes overlap."""
    boxes = [[t.qi for t in G] for G in P]
    return not any(overlap(A, B) for i, A in enumerate(boxes) for B in boxes[:i])


@lru_cache(maxsize=256)
def global_recodings(points: tuple[Point, ...]) -> tuple[Recoding, ...]:
    """Return every partition of these distinct points into sets whose boxes do not overlap."""

    def apart(part: list[Point], others: list[list[Point]]) -> bool:
        return not any(overlap(part, other) for other in others if other is not part)

    def extend(parts: list[list[Point]], left: Sequence[Point]) -> Iterator[Recoding]:
        # Boxes only grow: those that overlap now will.
        if not left:
            yield tuple(tuple(part) for part in parts)
            return
        first, *rest = left
        for part in parts:
            part.append(first)
            if apart(part, parts):
                yield from extend(parts, rest)
            part.pop()
        if apart([first], parts):
            yield from extend([*parts, [first]], rest)

    return tuple(extend([], points))


def opt_gen(T: Iterable[Row], l: int, penalty: Callable[[Group], int] = discernibility) -> list[Group]:
    """Return the partition of T that Opt-Gen decides; no group at all if there is none.

    Fig. 2 does not say which of several best partitions is returned. Here it is the first of them in an order
    that is made from the QI values alone.
    """
    T = group(T)
    if not T:
        return []
    holders = {point: [t for t in T if t.qi == point] for point in sorted({t.qi for t in T})}
    S_p = []  # line 1
    for recoding in global_recodings(tuple(holders)):
        P = [group(t for point in part for t in holders[point]) for part in recoding]
        if all(is_diverse(G, l) for G in P):
            S_p.append(P)
    if not S_p:  # line 2
        return []
    return min(S_p, key=lambda P: sum(penalty(G) for G in P))  # lines 3-4
