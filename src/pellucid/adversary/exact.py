"""Proposition 1, in exact fractions: what an adversary believes who knows E, the algorithm, l, and the release."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from ..errors import CheckFailedError, PolicyError, TooManyInstancesError
from ..policy import Recoding
from ..reference import Row
from .external import External, Person
from .instances import ABSENT, Assignment, Space, fewest_instances, possible_instances
from .outcomes import Algorithm, Instance
from .published import Published, publish

__all__ = [
    "LIMIT",
    "Beliefs",
    "Progress",
    "beliefs",
    "every_release",
    "instance_of",
    "require_few",
    "tables_over",
    "tables_with",
]

LIMIT = 1_000_000
"""How many runs of the algorithm an exact answer may take, unless told otherwise."""

Progress: TypeAlias = Callable[[int, int], None]
"""Hears how many instances have been looked at, and how many there are; (0, all) before the first."""


class Beliefs:
    """The sums of Prop. 1 for one release: Pr{G(T) = T*} over all instances, and over those where o has v."""

    def __init__(self) -> None:
        self.instances = 0
        """How many instances lead to the release with a probability above 0."""
        # Few probabilities occur, each for many instances: counting is much faster than adding fractions.
        self._instances: Counter[Fraction | int] = Counter()
        self._holders: dict[Fraction | int, Counter[tuple[Person, int]]] = defaultdict(Counter)

    def add(self, instance: Assignment, probability: Fraction | int) -> None:
        """Count an instance that leads to the release with this probability."""
        self.instances += 1
        self._instances[probability] += 1
        holders = self._holders[probability]
        for holder in enumerate(instance):
            holders[holder] += 1

    @property
    def total(self) -> Fraction:
        """The denominator of Prop. 1."""
        return sum((Fraction(probability) * times for probability, times in self._instances.items()), Fraction(0))

    def posteriors(self) -> dict[tuple[Person, int], Fraction]:
        """For each person and sensitive value, the belief that this person is in T and has it."""
        sums: dict[tuple[Person, int], Fraction] = defaultdict(Fraction)
        for probability, holders in self._holders.items():
            for holder, times in holders.items():
                sums[holder] += probability * times
        total = self.total
        return {holder: weight / total for holder, weight in sorted(sums.items()) if holder[1] != ABSENT}

    @property
    def maximum(self) -> Fraction:
        """The largest disclosure risk (Def. 3) of anybody."""
        return max(self.posteriors().values(), default=Fraction(0))

    def posterior(self, person: Person) -> dict[int, Fraction]:
        """What is believed about one person."""
        return {value: belief for (other, value), belief in self.posteriors().items() if other == person}


def instance_of(external: External, assignment: Assignment, diversity: int) -> Instance:
    """The table of an assignment, as an algorithm gets it."""
    rows = tuple(
        Row(person, external.points[person], value) for person, value in enumerate(assignment) if value != ABSENT
    )
    return Instance(rows, diversity, external.positions(tuple(t.id for t in rows)))


def beliefs(
    external: External,
    release: Published,
    algorithm: Algorithm,
    diversity: int,
    recoding: Recoding = "mbr",
    *,
    domain: Sequence[int] | None = None,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> Beliefs:
    """The beliefs of an adversary who sees this release.

    `domain` must be given, and only then, if the algorithm changes sensitive values (Mask): the values that people
    may have had before.
    """
    if domain is None:
        require_few(fewest_instances(release), limit, 1)
    space = possible_instances(external, release, recoding, domain=domain)
    instances = space.count(limit)
    require_few(instances, limit, 1)
    require_few(instances, limit, _outcomes_of_first(space, external, algorithm, diversity, limit // instances))
    result = Beliefs()
    for number, assignment in enumerate(space):
        if progress is not None:
            progress(number, instances)
        instance = instance_of(external, assignment, diversity)
        probability: Fraction | int = 0
        for groups, p in algorithm(instance):
            if domain is None and any(t.sensitive != assignment[t.id] for G in groups for t in G):
                raise PolicyError(
                    "The algorithm changes sensitive values: people may have had others than the release shows.",
                    remedy="Say so: changes_values=True.",
                )
            if publish(groups, external.ordered, recoding) == release:
                probability += p
        if probability:
            result.add(assignment, probability)
    if progress is not None:
        progress(instances, instances)
    if not result.instances:
        raise CheckFailedError(
            f"The algorithm cannot have produced this release with l = {diversity}: none of the {instances} tables that"
            " fit it leads to it.",
            remedy="Are the algorithm, l, and the columns and people of the external source those of the release?",
        )
    return result


def _outcomes_of_first(space: Space, external: External, algorithm: Algorithm, diversity: int, most: int) -> int:
    """How many outcomes the algorithm has on one of the instances, counted no further than needed."""
    instance = instance_of(external, next(iter(space)), diversity)
    return sum(1 for _ in itertools.islice(algorithm(instance), most + 1))


def require_few(instances: int, limit: int, outcomes: int) -> None:
    """Refuse what would take too long."""
    if limit < 1:
        raise PolicyError(f"limit must be at least 1, not {limit}.")
    if instances * outcomes <= limit:
        return
    each = f", each with at least {outcomes} outcomes of the algorithm's draws" if outcomes > 1 else ""
    shown = f"{instances:,}" if instances < 10**15 else f"10^{len(str(instances)) - 1}"
    raise TooManyInstancesError(
        f"At least {shown} tables fit this release{each}; the limit is {limit:,} runs of the algorithm.",
        remedy="Raise the limit, or use the sampled audit.",
    )


def every_release(
    external: External,
    tables: Iterable[Assignment],
    algorithm: Algorithm,
    diversity: int,
    recodings: Sequence[Recoding] = ("mbr", "anatomy"),
) -> dict[tuple[Recoding, Published], Beliefs]:
    """The beliefs for every release of every one of these tables, under each recoding.

    One run of the algorithm for each table judges all their releases at once, provided that `tables` holds, with a
    table, every other that can lead to the same release: see `tables_with` and `tables_over`.
    """
    result: dict[tuple[Recoding, Published], Beliefs] = defaultdict(Beliefs)
    for assignment in tables:
        seen: dict[tuple[Recoding, Published], Fraction | int] = {}
        for groups, probability in algorithm(instance_of(external, assignment, diversity)):
            if not groups:
                continue  # the empty result says nothing about anybody
            for recoding in recodings:
                release = recoding, publish(groups, external.ordered, recoding)
                seen[release] = seen.get(release, 0) + probability
        for release, probability in seen.items():
            result[release].add(assignment, probability)
    return dict(result)


def tables_with(counts: Mapping[int, int], people: int) -> Iterator[Assignment]:
    """Every table of some of these people with these sensitive values: who is in it, and who has which."""
    everybody = tuple(range(people))
    return iter(Space(people, (everybody,), None, {value: ((n,),) for value, n in counts.items()}, None))


def tables_over(domain: Sequence[int], rows: int, people: int) -> Iterator[Assignment]:
    """Every table with as many rows: for algorithms that change sensitive values."""
    everybody = tuple(range(people))
    return iter(Space(people, (everybody,), None, {domain[0]: ((rows,),)}, tuple(domain)))
