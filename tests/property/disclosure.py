"""Proposition 1 for whole families of tables: every table that people of E can make with given counts, every draw.

This is a second, direct count beside `pellucid.adversary`, made to judge thousands of tables in a test. It also knows
an adversary who is told more than the paper's: who is in which group.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import factorial, prod
from typing import TypeAlias

from pellucid.adversary.external import External
from pellucid.adversary.outcomes import Algorithm, Instance
from pellucid.adversary.published import box_of, publish
from pellucid.reference import Group, Row

__all__ = ["VIEWS", "View", "as_listed", "every_table", "outcomes_of", "worst_risk"]

#: What the adversary sees of a partition.
View: TypeAlias = Callable[[Sequence[Group], External], Hashable]


def generalization(groups: Sequence[Group], external: External) -> Hashable:
    return publish(groups, external.ordered, "mbr")


def anatomy(groups: Sequence[Group], external: External) -> Hashable:
    return publish(groups, external.ordered, "anatomy")


def members(groups: Sequence[Group], external: External) -> Hashable:
    """More than any release: who is in which group, and which values the group has."""
    return frozenset((frozenset(t.id for t in G), tuple(sorted(t.sensitive for t in G))) for G in groups)


def as_listed(groups: Sequence[Group], external: External) -> Hashable:
    """Less than a release may say, if the rows of a group come in an order that says nothing: they come as they are."""
    boxes = (box_of([t.qi for t in G], external.ordered) for G in groups)
    values = (tuple(t.sensitive for t in G) for G in groups)
    return tuple(sorted(zip(boxes, values, strict=True)))


VIEWS: Mapping[str, View] = {"generalization": generalization, "anatomy": anatomy, "members": members}


def arrangements(numbers: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Every sequence with these numbers of each value, once."""
    if not numbers.total():
        yield ()
    for value in sorted(+numbers):
        for rest in arrangements(numbers - Counter([value])):
            yield (value, *rest)


def every_table(external: External, counts: Sequence[int], diversity: int) -> Iterator[Instance]:
    """Every table with counts[v] people of E who have v."""
    outsiders = len(external) - sum(counts)
    absent = -1
    for values in arrangements(Counter({absent: outsiders, **dict(enumerate(counts))})):
        rows = tuple(
            Row(person, external.points[person], value) for person, value in enumerate(values) if value != absent
        )
        yield Instance(rows, diversity, external.positions(tuple(t.id for t in rows)))


def outcomes_of(algorithm: Algorithm, table: Instance) -> list[tuple[Sequence[Group], int]]:
    """All outcomes, each with its probability in units of one over the number of orders of all holders."""
    ways = prod(factorial(n) for n in Counter(t.sensitive for t in table.rows).values()) ** 2
    result = []
    for groups, probability in algorithm(table):
        weight = probability * ways
        assert weight == int(weight)
        result.append((groups, int(weight)))
    return result


def worst_risk(
    algorithm: Algorithm,
    external: External,
    counts: Sequence[int],
    diversity: int,
    views: Iterable[str | View] = tuple(VIEWS),
) -> Fraction:
    """The largest disclosure risk of anybody, in any release of any table with these counts, for any of the views."""
    seeing = [VIEWS[view] if isinstance(view, str) else view for view in views]
    total: list[Counter[Hashable]] = [Counter() for _ in seeing]
    of: list[defaultdict[Hashable, Counter[tuple[int, int]]]] = [defaultdict(Counter) for _ in seeing]
    for table in every_table(external, counts, diversity):
        secret = [(t.id, t.sensitive) for t in table.rows]
        found: list[Counter[Hashable]] = [Counter() for _ in seeing]
        for groups, weight in outcomes_of(algorithm, table):
            assert groups, "The counts must be l-eligible."
            for see, number in zip(seeing, found, strict=True):
                number[see(groups, external)] += weight
        for everything, by_release, number in zip(total, of, found, strict=True):
            everything.update(number)
            for release, weight in number.items():
                beliefs = by_release[release]
                for fact in secret:
                    beliefs[fact] += weight
    return max(
        Fraction(max(beliefs.values()), everything[release])
        for everything, by_release in zip(total, of, strict=True)
        for release, beliefs in by_release.items()
    )
