"""Proposition 1 enumerated on small tables: nobody is at more than 1/l with Tailor, Ace and Hybrid, as fractions.

For Weave see `test_exhaustive_weave.py`; here its kernel is judged.

A random little table stands for its family: the people of E, and how often each sensitive value occurs. One pass
over all tables of a family judges every release that any of them can have. A checker that finds no
violation anywhere proves nothing, so on the very same families it must find those of the algorithms that are not
transparent, in the same run, and of versions of the transparent ones that each break one rule of the guarantee.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from pellucid import _native, reference
from pellucid.adversary.exact import every_release, tables_over, tables_with
from pellucid.adversary.instances import Assignment
from pellucid.adversary.outcomes import (
    KNOWN,
    Algorithm,
    Instance,
    by_keys,
    deterministic,
    mask,
)
from pellucid.reference import Group
from tests.property.broken import PUBLIC_KEYS, best_of_all_draws, in_a_file_sorted_by_value
from tests.property.families import SEED, Family, families

TRANSPARENT = ("tailor", "ace", "hybrid")
OTHERS = ("mondrian", "mondrian-relaxed", "opt-gen")
CI_FAMILIES = 800
SLOW_FAMILIES = 100_000


@dataclass
class Verdict:
    """What the checker saw of an algorithm."""

    families: int = 0
    tables: int = 0
    """How many (table, release of it) there were."""
    releases: int = 0
    violations: int = 0
    first: str = ""

    def add(self, family: Family, tables: Iterator[Assignment], algorithm: Algorithm, values: Collection[int]) -> None:
        """Judge all releases of a family: nobody may be tied to one of the values with more than 1/l."""
        self.families += 1
        found = every_release(family.external, tables, algorithm, family.diversity)
        for (recoding, release), beliefs in found.items():
            self.releases += 1
            self.tables += beliefs.instances
            worst = max((p for (_, value), p in beliefs.posteriors().items() if value in values), default=Fraction(0))
            if worst * family.diversity > 1:
                self.violations += 1
                self.first = self.first or f"{family}: risk {worst} in {recoding} {release}"


def judge(algorithm: Algorithm, several: Iterator[Family]) -> Verdict:
    verdict = Verdict()
    for family in several:
        verdict.add(family, tables_with(family.counts, len(family.external)), algorithm, family.counts)
    return verdict


@cache
def violations(number: int, seed: int) -> Mapping[str, int]:
    """How often the checker finds fault with the algorithms that are not transparent, on the small ones of these."""
    small = list(families(number, seed=seed, most_people=6))
    found = {name: judge(KNOWN[name], iter(small)).violations for name in OTHERS}
    return {**found, "mask": judge_mask(small).violations}


def judge_mask(several: Sequence[Family]) -> Verdict:
    """Mask promises to protect one value; the others do not count here."""
    verdict = Verdict()
    for family in several:
        if len(family.counts) ** family.rows > 729:
            continue  # it changes sensitive values, so that any table may be the true one
        protected = [min(family.counts)]
        tables = tables_over(sorted(family.counts), family.rows, len(family.external))
        verdict.add(family, tables, mask(family.diversity, protected), protected)
    return verdict


@pytest.mark.parametrize("name", TRANSPARENT)
def test_transparent(name: str) -> None:
    verdict = judge(KNOWN[name], families(CI_FAMILIES))
    assert verdict.violations == 0, verdict.first
    assert verdict.releases > CI_FAMILIES
    assert verdict.tables > 30 * CI_FAMILIES
    assert all(violations(CI_FAMILIES // 5, SEED).values()), "A checker that finds no violation proves nothing."


@pytest.mark.slow
@pytest.mark.parametrize("name", TRANSPARENT)
def test_transparent_for_hours(name: str) -> None:
    verdict = judge(KNOWN[name], families(SLOW_FAMILIES, seed=SEED + 1))
    assert verdict.violations == 0, verdict.first
    assert all(violations(SLOW_FAMILIES // 100, SEED + 1).values()), "A checker that finds no violation proves nothing."


@pytest.mark.parametrize("name", [*OTHERS, "mask"])
def test_the_same_checker_finds_what_is_not_transparent(name: str) -> None:
    assert violations(CI_FAMILIES // 5, SEED)[name] > 0


def native(name: str, **options: bool) -> Algorithm:
    """The kernel that publishes, with every order of keys that can make a difference."""

    def run(instance: Instance, keys: Sequence[int]) -> list[Group]:
        rows = instance.rows
        members, starts = getattr(_native, name)(
            [np.array(column, dtype=np.uint8) for column in zip(*(t.qi for t in rows), strict=True)],
            [np.array(line, dtype=np.int64) for line in instance.positions],
            np.array([t.sensitive for t in rows], dtype=np.uint8),
            max(t.sensitive for t in rows) + 1,
            instance.diversity,
            *(() if name == "tailor" else (np.array(keys, dtype=np.uint64),)),
            penalty="perimeter",
            threads=1,
            **options,
        )
        return [tuple(rows[row] for row in group) for group in np.split(members, starts[1:-1])]

    if name == "tailor":
        return deterministic(lambda instance: run(instance, ()))
    return by_keys(run)


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {}) for name in TRANSPARENT), ("weave", {"ordered": True}), ("weave", {"ordered": False})],
)
def test_transparent_as_published(name: str, options: dict[str, bool]) -> None:
    """The native kernels themselves, not the plain Python that they are compared with elsewhere."""
    verdict = judge(native(name, **options), families(CI_FAMILIES // 4, seed=SEED + 2, most_people=6))
    assert verdict.violations == 0, verdict.first
    assert verdict.releases > CI_FAMILIES // 4


# Versions that break one rule each.


def ace_with_a_public_seed(instance: Instance) -> Sequence[Group]:
    """Breaks G4: everybody can replay the draws."""
    draw = reference.smallest_keys(PUBLIC_KEYS)
    return reference.ace(instance.rows, instance.diversity, instance.penalty, draw)


def hybrid_with_a_public_seed(instance: Instance) -> Sequence[Group]:
    """Breaks G4 as well."""
    draw = reference.smallest_keys(PUBLIC_KEYS)
    return reference.hybrid(instance.rows, instance.diversity, instance.penalty, draw)


BROKEN = {
    "tailor, row numbers as identifiers (G2)": in_a_file_sorted_by_value(KNOWN["tailor"]),
    "ace, row numbers as identifiers (G2)": in_a_file_sorted_by_value(KNOWN["ace"]),
    "hybrid, row numbers as identifiers (G2)": in_a_file_sorted_by_value(KNOWN["hybrid"]),
    "ace, public seed (G4)": deterministic(ace_with_a_public_seed),
    "hybrid, public seed (G4)": deterministic(hybrid_with_a_public_seed),
    "ace, best of all draws (G7)": best_of_all_draws(KNOWN["ace"]),
    "hybrid, best of all draws (G7)": best_of_all_draws(KNOWN["hybrid"]),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_the_same_checker_finds_a_broken_rule(rule: str) -> None:
    verdict = judge(BROKEN[rule], families(CI_FAMILIES // 5, most_people=6))
    assert verdict.violations > 0
