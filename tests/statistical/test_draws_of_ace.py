"""Ace with the operating system's generator draws as Lemma 6 needs it: every deal is equally likely (G4).

Each test is run on generators that are wrong in ways that happen, and rejects them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from pellucid import Policy
from pellucid.algorithms import ace
from pellucid.draws import Draws, Keys, SeededDraws, SystemDraws
from pellucid.microdata import Microdata, encode
from tests.paper.encoded import Encoded
from tests.paper.tables import T5
from tests.statistical.chi_square import fits, fits_equal_inclusion

L = 2


class SmallestRowFirst:
    """No randomness at all."""

    def keys(self, purpose: str, rows: int) -> Keys:
        return np.arange(rows, dtype=np.uint64)


class PublicSeed:
    """The same draws in every run."""

    def keys(self, purpose: str, rows: int) -> Keys:
        return SeededDraws(b"a seed that everybody has").keys(purpose, rows)


class ByteModulo:
    """A shuffle that picks the next of k rows by a random byte modulo k: the smaller rows are a bit more likely."""

    def keys(self, purpose: str, rows: int) -> Keys:
        left, keys = list(range(rows)), np.empty(rows, dtype=np.uint64)
        for turn, byte in enumerate(os.urandom(rows)):
            keys[left.pop(byte % len(left))] = turn
        return keys


class TwoBits:
    """Keys that are too short: rows share them, and then the smaller row is drawn."""

    def keys(self, purpose: str, rows: int) -> Keys:
        return np.frombuffer(os.urandom(rows), dtype=np.uint8).astype(np.uint64) >> np.uint64(6)


def counted(microdata: Microdata, draws: Draws, runs: int) -> Counter[frozenset[frozenset[int]]]:
    return Counter(ace(microdata, diversity=L, draws=draws, threads=1).as_sets() for _ in range(runs))


@pytest.fixture(scope="module")
def example_6() -> Microdata:
    return Encoded(T5).microdata


def outcomes_of_example_6() -> dict[frozenset[frozenset[int]], Fraction]:
    always = [{"Ann", "Bob"}, {"Ed", "Gill"}]
    names = Encoded(T5).names
    both = ([*always, {"Don", "Fred"}, {"Cate", "Hera"}], [*always, {"Cate", "Fred"}, {"Don", "Hera"}])
    return {
        frozenset(frozenset(names.index(name) for name in group) for group in groups): Fraction(1, 2) for groups in both
    }


def test_both_outcomes_of_example_6_are_equally_likely(example_6: Microdata) -> None:
    assert fits(counted(example_6, SystemDraws(), 2_000), outcomes_of_example_6())


@pytest.mark.parametrize("biased", [SmallestRowFirst, PublicSeed, TwoBits])
def test_example_6_rejects(example_6: Microdata, biased: Callable[[], Draws]) -> None:
    assert not fits(counted(example_6, biased(), 2_000), outcomes_of_example_6())


A, B, C = "a" * 6, "b" * 3, "c" * 3


@pytest.fixture(scope="module")
def twenty_outcomes() -> Microdata:
    """Six people have a: chance says which three of them go with the three who have b (Fig. 6: alpha = 3, twice)."""
    table = pl.DataFrame({"id": range(12), "x": range(12), "s": list(A + B + C)})
    policy = Policy(quasi_identifiers=("x",), sensitive="s", diversity=L, identifier="id")
    return encode(table, policy, SystemDraws(), untyped=False)


def first_bucket(microdata: Microdata, draws: Draws) -> frozenset[int]:
    """Who of those with a is in a group with somebody who has b."""
    value = microdata.sensitive.codes
    partition = ace(microdata, diversity=L, draws=draws, threads=1)
    return frozenset(int(row) for group in partition for row in group if value[row] == 0 and 1 in value[group])


EVERY_THREE = {frozenset(three): Fraction(1, 20) for three in combinations(range(6), 3)}


def test_all_twenty_deals_are_equally_likely(twenty_outcomes: Microdata) -> None:
    draws = SystemDraws()
    assert fits(Counter(first_bucket(twenty_outcomes, draws) for _ in range(4_000)), EVERY_THREE)


@pytest.mark.parametrize("biased", [SmallestRowFirst, PublicSeed, TwoBits])
def test_twenty_deals_reject(twenty_outcomes: Microdata, biased: Callable[[], Draws]) -> None:
    draws = biased()
    assert not fits(Counter(first_bucket(twenty_outcomes, draws) for _ in range(4_000)), EVERY_THREE)


@pytest.fixture(scope="module")
def hundred_of_a() -> Microdata:
    """A hundred people have a; chance says which fifty of them go with the fifty who have b."""
    table = pl.DataFrame({"id": range(200), "x": [0] * 200, "s": ["a"] * 100 + ["b"] * 50 + ["c"] * 50})
    policy = Policy(quasi_identifiers=("x",), sensitive="s", diversity=L, identifier="id")
    return encode(table, policy, SystemDraws(), untyped=False)


def inclusion_fits(microdata: Microdata, draws: Draws, runs: int = 2_000) -> bool:
    return fits_equal_inclusion((first_bucket(microdata, draws) for _ in range(runs)), 100, 50)


def test_everybody_is_drawn_equally_often(hundred_of_a: Microdata) -> None:
    assert inclusion_fits(hundred_of_a, SystemDraws())


@pytest.mark.parametrize("biased", [SmallestRowFirst, PublicSeed, TwoBits, ByteModulo])
def test_equal_inclusion_rejects(hundred_of_a: Microdata, biased: Callable[[], Draws]) -> None:
    assert not inclusion_fits(hundred_of_a, biased())
