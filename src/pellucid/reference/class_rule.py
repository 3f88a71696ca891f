"""Class rules of Weave: which sensitive values share a column. They read counts and the public order, nothing else.

A column holds a class of values. The longer the columns are, the more Slice can choose from, and they are as long as
the totals of the classes are alike. Rule 2 also wants every class to be spread evenly along the public order, so that
a column looks like any other. Rule 0 is for values whose order means nothing.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

# ruff: noqa: E741  (l is the paper's name)

#: Classes V_1, ..., V_l: disjoint sets of values that together are all values present, each in public order.
Classes: TypeAlias = tuple[tuple[int, ...], ...]

#: How much more the whole totals weigh than any prefix of the order.
TOTALS = 1000
#: How often the search of rule 2 goes through the values.
SWEEPS = 12
#: How far apart two values may stand, in places, that the search lets change classes.
REACH = 64
#: With more values than these, rule 2 does without the search.
MOST_VALUES = 1024


def rule_0(counts: Mapping[int, int], l: int) -> Classes:
    """Return classes of almost equal totals: the largest count goes to the smallest class, and so on (LPT).

    Of equal counts the first value in public order goes first; of equal totals it goes to the first class.

    Proof: docs/proofs/weave.md, Lemma C (ii).
    """
    classes: list[list[int]] = [[] for _ in range(l)]
    for v in sorted(counts, key=lambda v: (-counts[v], v)):
        min(classes, key=lambda V: sum(counts[u] for u in V)).append(v)  # `min` returns the first of equals
    return as_classes(classes)


def rule_2(counts: Mapping[int, int], l: int) -> Classes:
    """Return classes of almost equal totals, each spread evenly along the public order.

    Proof: docs/proofs/weave.md, Lemma C (ii).
    """
    return searched(tuple(sorted(counts.items())), l)


@lru_cache(maxsize=4096)
def searched(counts: tuple[tuple[int, int], ...], l: int) -> Classes:
    """Return rule 2's classes for (value, count) pairs in public order."""
    dv = [v for v, _ in counts]
    n = in_units([count for _, count in counts], l)
    cls = rounds(n, l)
    if len(dv) <= MOST_VALUES:
        cls = improve(n, cls, l)
    return as_classes([[v for v, i in zip(dv, cls, strict=True) if i == j] for j in range(l)])


def as_classes(classes: Sequence[Sequence[int]]) -> Classes:
    """Return the classes, the values of each in public order."""
    return tuple(tuple(sorted(V)) for V in classes)


def in_units(n: Sequence[int], l: int) -> list[int]:
    """Return the counts in units of the smallest power of two with which everything below fits in 63 bits (G3).

    Only a group of more than some ten million tuples has a unit other than 1.
    """
    shift = 0
    while 8 * l * (TOTALS + len(n)) * (sum(n) >> shift) ** 2 >= 2**63:
        shift += 1
    return [count >> shift for count in n]


def rounds(n: Sequence[int], l: int) -> list[int]:
    """Return where the search starts: of every l consecutive values, one goes to each class.

    Inside such a round the largest count goes to the class with the smallest total so far, the next largest to the next
    smallest, and so on. Ties: the first value in public order, the first class.
    """
    cls = [0] * len(n)
    total = [0] * l
    for start in range(0, len(n), l):
        places = sorted(range(start, min(start + l, len(n))), key=lambda p: (-n[p], p))
        smallest_first = sorted(range(l), key=lambda i: (total[i], i))
        for p, i in zip(places, smallest_first, strict=False):
            cls[p] = i
            total[i] += n[p]
    return cls


def imbalance(n: Sequence[int], cls: Sequence[int], l: int) -> int:
    """Return what rule 2 minimises: the squares of D_i(p), summed over classes i and prefixes p of the order.

    D_i(p) is l times the count in class i of the first p values, minus the count of the first p values. It is 0 if
    class i has just its share of the prefix. For the last p, where the prefix is all values, squares weigh `TOTALS`.
    """
    k = len(n)
    D = [0] * l
    result = 0
    for p in range(k):
        for i in range(l):
            D[i] += (l if cls[p] == i else 0) * n[p] - n[p]
        result += (TOTALS if p + 1 == k else 1) * sum(x * x for x in D)
    return result


def improve(n: Sequence[int], cls: Sequence[int], l: int) -> list[int]:
    """Return a local minimum of the imbalance: value after value makes its best single change.

    A change moves the value to another class, or has it change classes with another value that is at most `REACH`
    places away. Only a change for the better is made. Of equally good ones it is a move before an exchange, a move
    to the first class, an exchange with the first value in public order.
    """
    cls = list(cls)
    for _ in range(SWEEPS):
        before = list(cls)
        for p in range(len(n)):
            trials = [(p, p, i, i) for i in range(l) if i != cls[p]]
            nearby = range(max(0, p - REACH), min(len(n), p + REACH + 1))
            trials += [(p, q, cls[q], cls[p]) for q in nearby if cls[q] != cls[p]]
            best, least = cls, imbalance(n, cls, l)
            for at_p, at_q, new_p, new_q in trials:
                trial = list(cls)
                trial[at_q] = new_q
                trial[at_p] = new_p
                if (this := imbalance(n, trial, l)) < least:
                    best, least = trial, this
            cls = best
        if cls == before:
            break
    return cls
