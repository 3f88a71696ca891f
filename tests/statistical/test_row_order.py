"""Without an identifier, the distribution of the release does not depend on the order of the rows (G2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import numpy as np
import polars as pl
import pytest

from pellucid import Policy, draws, microdata, reference
from pellucid.algorithms import ALGORITHMS
from pellucid.draws import Keys, SystemDraws
from pellucid.recodings import anatomy
from tests.statistical.chi_square import fits, same_distribution

RUNS = 150
Outcome = tuple[tuple[tuple[object, ...], ...], tuple[tuple[int, str], ...]]

TIED_IN_A_CUT = pl.DataFrame({"y": [0] * 8, "z": [0] * 8, "s": list("aabbccdd")})
"""Everybody is alike: who lands on which side of Tailor's cuts is decided by ties alone."""

TIED_IN_A_DIVISION = pl.DataFrame({"y": [0, 2, 1, 1], "z": [1, 1, 0, 2], "s": list("aabb")})
"""Which b goes with which a is decided by a tie on y; either way the boxes have the same size."""

# By position, the order at the end would lead to another release than the order of the table.
CASES = {
    "cut": (TIED_IN_A_CUT, TIED_IN_A_CUT[[0, 4, 1, 5, 2, 6, 3, 7]]),
    "division": (TIED_IN_A_DIVISION, TIED_IN_A_DIVISION[[0, 1, 3, 2]]),
}
POLICY = Policy(quasi_identifiers=("y", "z"), sensitive="s", diversity=2, recoding="anatomy")


def released(table: pl.DataFrame, algorithm: str) -> Outcome:
    encoded = microdata.encode(table, POLICY, SystemDraws(), untyped=False)
    partition = ALGORITHMS[algorithm](encoded, diversity=2, draws=SystemDraws(), threads=1)
    qi, sensitive = anatomy(encoded, partition)
    return tuple(qi.frame().rows()), tuple(sensitive.frame().rows())


def outcomes(table: pl.DataFrame, algorithm: str) -> Counter[Outcome]:
    return Counter(released(table, algorithm) for _ in range(RUNS))


def by_position(keys: Keys) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """What is wrong: the row's place in the file breaks ties."""
    return np.arange(len(keys), dtype=np.int64)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_two_orders_of_the_file_give_the_same_distribution(case: str, algorithm: str) -> None:
    one, other = CASES[case]
    assert same_distribution(outcomes(one, algorithm), outcomes(other, algorithm))


@pytest.mark.parametrize(
    ("case", "algorithm"), [("cut", "tailor"), ("cut", "hybrid"), ("division", "ace"), ("division", "hybrid")]
)
def test_ties_by_position_are_rejected(monkeypatch: pytest.MonkeyPatch, case: str, algorithm: str) -> None:
    monkeypatch.setattr(microdata, "secret_order", by_position)
    one, other = CASES[case]
    assert not same_distribution(outcomes(one, algorithm), outcomes(other, algorithm))


def every_outcome_of_tailor() -> dict[tuple[str, ...], Fraction]:
    """The groups' values, over all orders that the secret keys can give."""
    counts = Counter[tuple[str, ...]]()
    for values in set(permutations("aabbccdd")):
        rows = [reference.Row(row, (0,), ord(value)) for row, value in enumerate(values)]
        groups = reference.tailor(rows, 2, lambda group: 0)
        counts[tuple(sorted("".join(sorted(chr(t.sensitive) for t in group)) for group in groups))] += 1
    return {outcome: Fraction(count, counts.total()) for outcome, count in counts.items()}


def groups_of(outcome: Outcome) -> tuple[str, ...]:
    texts: dict[int, str] = {}
    for group, value in outcome[1]:
        texts[group] = texts.get(group, "") + value
    return tuple(sorted("".join(sorted(text)) for text in texts.values()))


@pytest.mark.parametrize(
    ("order_of_ties", "right"), [(draws.secret_order, True), (by_position, False)], ids=["secret", "by position"]
)
def test_tailor_breaks_ties_uniformly(
    monkeypatch: pytest.MonkeyPatch, order_of_ties: Callable[[Keys], object], right: bool
) -> None:
    monkeypatch.setattr(microdata, "secret_order", order_of_ties)
    counted = Counter(groups_of(released(TIED_IN_A_CUT, "tailor")) for _ in range(800))
    assert fits(counted, every_outcome_of_tailor()) is right
