"""What an algorithm may do with a table, and with which probability: Pr{G(T, l) = T*} of Prop. 1, exactly.

An `Algorithm` of this package is a function from an instance to all its outcomes: partitions (no group at all is
the empty result), each with its probability as a fraction. Of a deterministic algorithm there is one; those of a
randomized one are enumerated by giving it, instead of a source of randomness, a `Choices` that makes every choice in
turn. Whoever brings an algorithm of one's own writes one of these::

    deterministic(lambda instance: my_partition(instance.rows, instance.diversity))
    randomized(lambda instance, choices: my_partition(instance.rows, instance.diversity, draw=choices.sample))
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import factorial, prod
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from .. import reference
from ..reference import Group, Penalty, Positions, Row
from .external import perimeter

__all__ = [
    "KNOWN",
    "Algorithm",
    "Choices",
    "Instance",
    "Outcome",
    "ace",
    "by_keys",
    "deterministic",
    "hybrid",
    "mask",
    "mondrian",
    "opt_gen",
    "randomized",
    "relaxed_mondrian",
    "tailor",
    "weave",
    "weave_unordered",
]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Instance:
    """A possible microdata instance (Def. 4), as the algorithm gets it."""

    rows: tuple[Row, ...]
    """In the order of identifiers; `Row.id` is the person's rank in E."""
    diversity: int
    positions: Positions
    """Where the QI values stand (`penalties.weighted_positions`), for the domain of this very table."""

    @property
    def penalty(self) -> Penalty:
        """The perimeter of a group (Eq. 4)."""
        return perimeter(self.positions)


Outcome: TypeAlias = tuple[Sequence[Group], Fraction | int]
"""A partition and its probability. An algorithm that changes sensitive values returns the changed rows."""

Algorithm: TypeAlias = Callable[[Instance], Iterable[Outcome]]


class Choices:
    """Makes the choices of a randomized algorithm, which must be uniform and independent of each other."""

    def __init__(self, script: list[tuple[int, int]]) -> None:
        self._script = script
        self._made = 0
        self.ways = 1
        """One over the probability of what was chosen so far."""

    def _number_below(self, options: int) -> int:
        if options == 1:
            return 0
        if self._made == len(self._script):
            self._script.append((0, options))
        choice, _ = self._script[self._made]
        self._made += 1
        self.ways *= options
        return choice

    def one_of(self, options: Sequence[_T]) -> _T:
        """One of the options."""
        return options[self._number_below(len(options))]

    def sample(self, options: Sequence[_T], number: int) -> list[_T]:
        """That many of the options, without repetition. Their order means nothing, so each set is chosen once."""
        places = _combinations(len(options), number)
        return [options[place] for place in places[self._number_below(len(places))]]


@lru_cache(maxsize=1024)
def _combinations(options: int, number: int) -> tuple[tuple[int, ...], ...]:
    return tuple(itertools.combinations(range(options), number))


def randomized(run: Callable[[Instance, Choices], Sequence[Group]]) -> Algorithm:
    """Every outcome of a randomized algorithm, found by running it once for every sequence of choices."""

    def outcomes(instance: Instance) -> Iterator[Outcome]:
        script: list[tuple[int, int]] = []
        while True:
            choices = Choices(script)
            partition = run(instance, choices)
            yield partition, Fraction(1, choices.ways)
            # The next sequence: change the last choice that has another option left.
            while script and script[-1][0] + 1 == script[-1][1]:
                script.pop()
            if not script:
                return
            choice, options = script.pop()
            script.append((choice + 1, options))

    return outcomes


def deterministic(run: Callable[[Instance], Sequence[Group]]) -> Algorithm:
    """The one outcome of a deterministic algorithm."""
    return lambda instance: [(run(instance), 1)]


def by_keys(run: Callable[[Instance, Sequence[int]], Sequence[Group]]) -> Algorithm:
    """Every outcome of an algorithm that draws by one uniform key per row, as the native kernels do.

    "Remove alpha random tuples with value v" is "take those with the alpha smallest keys" (G4): only the order of
    the keys among the holders of one value counts, and all orders are equally likely. Orders that lead to the same
    partition are added up by whoever collects the outcomes.
    """

    def outcomes(instance: Instance) -> Iterator[Outcome]:
        holders: dict[int, list[int]] = defaultdict(list)
        for place, row in enumerate(instance.rows):
            holders[row.sensitive].append(place)
        probability = Fraction(1, prod(factorial(len(places)) for places in holders.values()))
        keys = [0] * len(instance.rows)
        for orders in itertools.product(*(itertools.permutations(places) for places in holders.values())):
            for order in orders:
                for key, place in enumerate(order):
                    keys[place] = key
            yield run(instance, keys), probability

    return outcomes


tailor = deterministic(lambda instance: reference.tailor(instance.rows, instance.diversity, instance.penalty))
ace = randomized(lambda i, choices: reference.ace(i.rows, i.diversity, i.penalty, choices.sample))
hybrid = randomized(lambda i, choices: reference.hybrid(i.rows, i.diversity, i.penalty, choices.sample))
weave = randomized(lambda i, choices: reference.weave(i.rows, i.diversity, i.penalty, choices.sample, ordered=True))
"""Weave for sensitive values whose order means something."""
weave_unordered = randomized(
    lambda i, choices: reference.weave(i.rows, i.diversity, i.penalty, choices.sample, ordered=False)
)
mondrian = deterministic(lambda i: reference.mondrian(i.rows, i.diversity, i.positions))
relaxed_mondrian = deterministic(lambda i: reference.mondrian(i.rows, i.diversity, i.positions, relaxed=True))
opt_gen = deterministic(lambda instance: reference.opt_gen(instance.rows, instance.diversity))


def mask(k: int, values: Iterable[int]) -> Algorithm:
    """Mask with these parameters k and V, on the k-anonymous partitions of Mondrian."""
    V = frozenset(values)  # noqa: N806 - the paper's name

    def run(instance: Instance, choices: Choices) -> Sequence[Group]:
        k_anonymous = partial(reference.anonymous_mondrian, k=k, positions=instance.positions)
        return reference.mask(instance.rows, instance.diversity, V, k_anonymous, choices.one_of)

    return randomized(run)


KNOWN: Mapping[str, Algorithm] = MappingProxyType(
    {
        "tailor": tailor,
        "ace": ace,
        "hybrid": hybrid,
        "weave": weave,
        "weave-unordered": weave_unordered,
        "mondrian": mondrian,
        "mondrian-relaxed": relaxed_mondrian,
        "opt-gen": opt_gen,
    }
)
"""The algorithms that can be named. Mask is not among them: it has parameters and changes sensitive values."""
