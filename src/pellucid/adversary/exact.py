"""Proposition 1, in exact fractions: what an adversary believes who knows E, the algorithm, l, and the release."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from ..errors import CheckFailedError, TooManyInstancesError
from ..policy import Recoding
from ..reference import Row
from .external import External, Person
from .instances import ABSENT, Assignment, Space, fewest_instances, possible_instances
from .outcomes import Algorithm, Instance
from .published import Published, publish

__all__ = ["LIMIT", "Beliefs", "Progress", "beliefs", "every_release", "instance_of", "require_few"]

LIMIT = 1_000_000
"""How many runs of the algorithm an exact answer may take, unless told otherwise."""

Progress: TypeAlias = Callable[[int, int], None]
"""Hears how many instances have been looked at, and how many there are; (0, all) before the first."""


@dataclass
class Beliefs:
    """The sums of Prop. 1 for one release: Pr{G(T) = T*} over all instances, and over those where o has v."""

    total: Fraction | int = 0
    of: dict[tuple[Person, int], Fraction | int] = field(default_factory=dict)
    instances: int = 0
    """How many instances lead to the release with a probability above 0."""

    def add(self, instance: Assignment, probability: Fraction | int) -> None:
        """Count an instance that leads to the release with this probability."""
        self.total += probability
        self.instances += 1
        for person, value in enumerate(instance):
            if value != ABSENT:
                self.of[person, value] = self.of.get((person, value), 0) + probability

    @property
    def maximum(self) -> Fraction:
        """The largest disclosure risk (Def. 3) of anybody."""
        return Fraction(max(self.of.values(), default=0)) / self.total

    def posterior(self, person: Person) -> dict[int, Fraction]:
        """For each sensitive value, the belief that this person is in T and has it."""
        return {
            value: Fraction(weight) / self.total
            for (other, value), weight in sorted(self.of.items())
            if other == person
        }


def instance_of(external: External, assignment: Assignment, diversity: int) -> Instance:
    """The table of an assignment, as an algorithm gets it."""
    rows = tuple(
        Row(person, external.points[person], value) for person, value in enumerate(assignment) if value != ABSENT
    )
    return Instance(rows, diversity, external.positions(tuple(t.id for t in rows)))


def releases(
    algorithm: Algorithm, instance: Instance, external: External, recoding: Recoding
) -> Iterator[tuple[Published, Fraction | int]]:
    """Everything that the algorithm may publish of an instance; a release may come more than once."""
    for groups, probability in algorithm(instance):
        yield publish(groups, external.ordered, recoding), probability


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
        probability: Fraction | int = sum(
            p for seen, p in releases(algorithm, instance, external, recoding) if seen == release
        )
        if probability:
            result.add(assignment, probability)
    if progress is not None:
        progress(instances, instances)
    if not result.total:
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
    if instances * outcomes <= limit:
        return
    each = f", each with at least {outcomes} outcomes of the algorithm's draws" if outcomes > 1 else ""
    shown = f"{instances:,}" if instances < 10**15 else f"10^{len(str(instances)) - 1}"
    raise TooManyInstancesError(
        f"At least {shown} tables fit this release{each}; the limit is {limit:,} runs of the algorithm.",
        remedy="Raise the limit, or use the sampled audit.",
    )


def every_release(
    external: External, counts: Mapping[int, int], algorithm: Algorithm, diversity: int, recoding: Recoding = "mbr"
) -> dict[Published, Beliefs]:
    """The beliefs for every release of every table that has these sensitive values and people of E.

    All tables that can lead to the same release have the same sensitive values, so one pass over them all, with one
    run of the algorithm for each, judges all their releases at once. (Not for algorithms that change values.)
    """
    rows = sum(counts.values())
    result: dict[Published, Beliefs] = defaultdict(Beliefs)
    for people in itertools.combinations(range(len(external)), rows):
        kinds = Space(len(external), (people,), None, {v: ((n,),) for v, n in counts.items()}, None)
        for assignment in kinds:
            found: dict[Published, Fraction | int] = {}
            for seen, p in releases(algorithm, instance_of(external, assignment, diversity), external, recoding):
                found[seen] = found.get(seen, 0) + p
            for seen, p in found.items():
                result[seen].add(assignment, p)
    result.pop((), None)  # the empty result says nothing about anybody
    return dict(result)
