"""Families of small tables for exhaustive enumeration: people, and how often each sensitive value occurs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pellucid.adversary.external import External

__all__ = ["SEED", "Family", "families"]

SEED = 20100113
OUTSIDERS = {4: (60, 30, 10), 5: (75, 24, 1), 6: (96, 4, 0), 7: (1, 0, 0), 8: (1, 0, 0)}
"""How often there are 0, 1 and 2 people in E who are not in the table, by its size: the larger, the rarer."""


@dataclass(frozen=True)
class Family:
    external: External
    counts: dict[int, int]
    diversity: int

    @property
    def rows(self) -> int:
        return sum(self.counts.values())

    def __str__(self) -> str:
        return f"people {self.external.points}, counts {self.counts}, l = {self.diversity}"


def families(number: int, *, seed: int = SEED, most_people: int = 8) -> Iterator[Family]:
    """Families of l-eligible tables of 4 to 8 people and 2 to 4 values; small ones are more frequent."""
    choose = random.Random(seed)
    made = 0
    while made < number:
        diversity = choose.choice((2, 2, 3))
        rows = choose.choices((4, 5, 6, 7, 8), (400, 350, 240, 6, 4))[0]
        outsiders = choose.choices((0, 1, 2), OUTSIDERS[rows])[0]
        values = choose.randint(2, 4)
        counts = Counter(choose.randrange(values) for _ in range(rows))
        if diversity * max(counts.values()) > rows or rows + outsiders > most_people:
            continue
        attributes = choose.randint(1, 2)
        # Few values make ties, which identifiers break (G2); many make boxes that differ from person to person.
        domain = choose.choice((2, 3, 10))
        people = [tuple(choose.randrange(domain) for _ in range(attributes)) for _ in range(rows + outsiders)]
        made += 1
        yield Family(External.of_numbers(people), dict(counts), diversity)
