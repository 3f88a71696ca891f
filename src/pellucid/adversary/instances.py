"""The possible microdata instances (Def. 4) that a release leaves: who can be in it, with which sensitive value.

Listing all (w + 1)^|E| tables is out of the question, and almost none of them fits. An instance fits if, for every
sensitive value, the people who have it can stand in the published groups that show it, each in one whose
box holds their QI values. People who fit into the same groups are of one *kind*. So the search first decides how
many people of each kind have each value, by backtracking, and only then who they are. The first step also
counts the instances before any is looked at.

What is found is every instance that can lead to the release, and some that cannot: the algorithm decides that.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import TypeAlias

from ..errors import CheckFailedError, TooManyInstancesError
from ..policy import Recoding
from .external import External, Person, Point
from .published import Cell, Published, Shape

__all__ = ["ABSENT", "Assignment", "Space", "fewest_instances", "possible_instances"]

ABSENT = -1
"""In place of a sensitive value: this person of E is not in the table."""

Assignment: TypeAlias = tuple[int, ...]
"""An instance: for every person of E the sensitive value, or `ABSENT`."""

_Amounts: TypeAlias = tuple[int, ...]
"""How many people of each kind."""

_MOST_STATES = 200_000


@dataclass(frozen=True)
class Space:
    """All instances that fit a release, not listed yet."""

    people: int
    kinds: tuple[tuple[Person, ...], ...]
    """People of E who fit into the same groups."""
    exactly: tuple[int, ...] | None
    """How many of each kind are in the table, where the release says so."""
    choices: Mapping[int, tuple[_Amounts, ...]]
    """For every sensitive value, how many people of each kind may have it."""
    domain: tuple[int, ...] | None
    """If the algorithm changes sensitive values: those that anybody may have had before."""

    def count(self, limit: int) -> int:
        """How many instances there are. Stops above `limit`: then it is a number that they exceed."""
        total = 0
        for amounts in self._amounts():
            total += self._ways(amounts)
            if total > limit:
                break
        return total

    def _ways(self, amounts: Mapping[int, _Amounts]) -> int:
        ways = 1
        for kind, people in enumerate(self.kinds):
            taken = [amount[kind] for amount in amounts.values()]
            ways *= factorial(len(people)) // factorial(len(people) - sum(taken))
            for number in taken:
                ways //= factorial(number)
        if self.domain is not None:
            ways *= len(self.domain) ** sum(sum(amount) for amount in amounts.values())
        return ways

    def _amounts(self) -> Iterator[dict[int, _Amounts]]:
        """Every way to say how many people of each kind have each value."""
        room = tuple(len(people) for people in self.kinds)
        chosen: dict[int, _Amounts] = {}

        def choose(values: Sequence[int], room: _Amounts, taken: _Amounts) -> Iterator[dict[int, _Amounts]]:
            if not values:
                if self.exactly is None or taken == self.exactly:
                    yield dict(chosen)
                return
            for amount in self.choices[values[0]]:
                if all(a <= r for a, r in zip(amount, room, strict=True)):
                    chosen[values[0]] = amount
                    left = tuple(r - a for a, r in zip(amount, room, strict=True))
                    yield from choose(values[1:], left, tuple(t + a for t, a in zip(taken, amount, strict=True)))

        return choose(tuple(self.choices), room, (0,) * len(room))

    def __iter__(self) -> Iterator[Assignment]:
        for amounts in self._amounts():
            assignment = [ABSENT] * self.people
            for _ in self._fill(0, amounts, assignment):
                yield from self._before(assignment)

    def _fill(self, kind: int, amounts: Mapping[int, _Amounts], assignment: list[int]) -> Iterator[None]:
        """Write every way into `assignment`, one after the other."""
        if kind == len(self.kinds):
            yield
            return
        people = self.kinds[kind]
        numbers = Counter({value: amount[kind] for value, amount in amounts.items()})
        numbers[ABSENT] = len(people) - numbers.total()
        for values in _arrangements(+numbers):
            for person, value in zip(people, values, strict=True):
                assignment[person] = value
            yield from self._fill(kind + 1, amounts, assignment)

    def _before(self, assignment: Sequence[int]) -> Iterator[Assignment]:
        """What the values may have been before the algorithm changed them."""
        if self.domain is None:
            yield tuple(assignment)
            return
        present = [person for person, value in enumerate(assignment) if value != ABSENT]
        before = list(assignment)
        for values in itertools.product(self.domain, repeat=len(present)):
            for person, value in zip(present, values, strict=True):
                before[person] = value
            yield tuple(before)


def _arrangements(numbers: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Every sequence with these numbers of each value, once."""
    # The most frequent one takes the places that are left: of a large register, nearly all people are absent.
    (most, _), *others = numbers.most_common()
    sequence = [most] * numbers.total()

    def place(number: int, free: Sequence[int]) -> Iterator[tuple[int, ...]]:
        if number == len(others):
            yield tuple(sequence)
            return
        value, times = others[number]
        for places in itertools.combinations(free, times):
            for at in places:
                sequence[at] = value
            left = free if number + 1 == len(others) else [at for at in free if at not in places]
            yield from place(number + 1, left)
            for at in places:
                sequence[at] = most

    return place(0, range(len(sequence)))


def fewest_instances(release: Published) -> int:
    """A number of instances that there are at the least: the same people in the same groups, their values exchanged."""
    fewest = 1
    for cell in release:
        fewest *= factorial(len(cell.values))
        for times in Counter(cell.values).values():
            fewest //= factorial(times)
    return fewest


def possible_instances(
    external: External, release: Published, recoding: Recoding, *, domain: Sequence[int] | None = None
) -> Space:
    """The instances of `external` that fit the release.

    `domain` is given for an algorithm that changes sensitive values: then the published ones say nothing about who
    had what before, and everybody in the table may have had any value of the domain.
    """
    fitting: dict[tuple[frozenset[int], Point | None], list[Person]] = defaultdict(list)
    for person, point in enumerate(external.points):
        fits = frozenset(number for number, cell in enumerate(release) if _fits(point, cell, external.ordered))
        fitting[fits, point if recoding == "anatomy" else None].append(person)
    fitting = {key: people for key, people in fitting.items() if key[0]}
    _require_enough_people(release, fitting, len(external))
    kinds = tuple(tuple(people) for people in fitting.values())
    kinds_of_cell = [
        [kind for kind, (fits, _) in enumerate(fitting) if number in fits] for number in range(len(release))
    ]
    sizes = [len(people) for people in kinds]
    shown: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, cell in enumerate(release):
        for value, times in Counter(cell.values if domain is None else [0] * len(cell.values)).items():
            shown[value].append((number, times))
    choices = {
        value: tuple(_amounts_for([(kinds_of_cell[number], times) for number, times in places], sizes))
        for value, places in sorted(shown.items())
    }
    exactly = None
    if recoding == "anatomy":
        published = Counter(point for cell in release for point in cell.points)
        exactly = tuple(published[point] for _, point in fitting if point is not None)
    space = Space(len(external), kinds, exactly, choices, None if domain is None else tuple(domain))
    if space.count(0) == 0:
        raise CheckFailedError(
            "No table of people of the external source fits the release: some groups can only be filled with"
            " people who are needed in others.",
            remedy="Is everybody of the table in the external source, with the same values?",
        )
    return space


def _fits(point: Point, cell: Cell, ordered: Sequence[Shape]) -> bool:
    if cell.points:
        return point in cell.points
    return all(
        side[0] <= code <= side[1] if has_order else code in side
        for code, side, has_order in zip(point, cell.sides, ordered, strict=True)
    )


def _require_enough_people(
    release: Published, fitting: Mapping[tuple[frozenset[int], Point | None], list[Person]], everybody: int
) -> None:
    needed = sum(len(cell.values) for cell in release)
    if needed > everybody:
        raise CheckFailedError(
            f"The release has {needed} rows, but the external source only {everybody} people.",
            remedy="The external source must hold everybody who is in the table; it may hold more.",
        )
    for number, cell in enumerate(release):
        people = sum(len(people) for (fits, _), people in fitting.items() if number in fits)
        if people < len(cell.values):
            raise CheckFailedError(
                f"A group of the release has {len(cell.values)} rows, but only {people} people of the external source"
                " fit into it.",
                remedy="Does the external source hold everybody, with the same columns and values as the table?",
            )


def _amounts_for(places: Sequence[tuple[Sequence[int], int]], sizes: Sequence[int]) -> list[_Amounts]:
    """Every way to fill places with people, as the number of people of each kind.

    Each entry of `places` says which kinds fit, and how many people are needed.
    """
    found: set[_Amounts] = {(0,) * len(sizes)}
    for kinds, times in places:
        found = {grown for amounts in found for grown in _spread(amounts, kinds, times, sizes)}
        if len(found) > _MOST_STATES:
            raise TooManyInstancesError(
                f"The groups of the release overlap so much that even counting the possible tables takes more than"
                f" {_MOST_STATES} steps.",
                remedy="Use the sampled audit (`pellucid.adversary.audit`) instead.",
            )
    return sorted(found)


def _spread(amounts: _Amounts, kinds: Sequence[int], times: int, sizes: Sequence[int]) -> Iterator[_Amounts]:
    if not kinds:
        if times == 0:
            yield amounts
        return
    first, *rest = kinds
    for number in range(min(times, sizes[first] - amounts[first]), -1, -1):
        grown = (*amounts[:first], amounts[first] + number, *amounts[first + 1 :])
        yield from _spread(grown, rest, times - number, sizes)
