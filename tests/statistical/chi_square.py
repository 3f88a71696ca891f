"""Pearson's chi-square test, with the error level that all statistical tests share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

import numpy as np
from scipy import stats

__all__ = ["ERROR", "fits", "fits_equal_inclusion", "same_distribution"]

ERROR = 1e-6
"""How often a test fails although nothing is wrong. Less than one run of all tests in 50,000 fails by chance."""


_OFTEN = 20
"""How often an outcome must be seen in both series together; rarer ones count as one."""

_Outcome = TypeVar("_Outcome", bound=Hashable)


def fits(observed: Mapping[_Outcome, int], expected: Mapping[_Outcome, Fraction]) -> bool:
    """Whether outcomes that were counted could have these exact probabilities, at the error level."""
    if not set(observed) <= set(expected):
        return False
    runs = sum(observed.values())
    wanted = np.array([float(probability) * runs for probability in expected.values()])
    assert wanted.min() >= 20, "more runs are needed for the approximation by chi-square"
    counted = np.array([observed.get(outcome, 0) for outcome in expected])
    return bool(stats.chisquare(counted, wanted).pvalue > ERROR)


def fits_equal_inclusion(chosen: Iterable[Iterable[int]], population: int, size: int) -> bool:
    """Whether samples of `size` out of `population` could be simple random ones, at the error level.

    The inclusions of one sample have covariance p(1-p)/(N-1) * (N*I - 1), so that the sum of the standardised squares,
    times (N-1)/N, is chi-square with N-1 degrees of freedom.
    """
    counts, runs = np.zeros(population), 0
    for sample in chosen:
        members = list(sample)
        assert len(members) == size
        counts[members] += 1
        runs += 1
    share = size / population
    statistic = ((counts - runs * share) ** 2).sum() / (runs * share * (1 - share)) * (population - 1) / population
    return bool(stats.chi2.sf(statistic, population - 1) > ERROR)


def same_distribution(first: Mapping[_Outcome, int], second: Mapping[_Outcome, int]) -> bool:
    """Whether two series of outcomes could come from one distribution, at the error level."""
    outcomes = [o for o in {**first, **second} if first.get(o, 0) + second.get(o, 0) >= _OFTEN]
    table = np.array([[series.get(outcome, 0) for outcome in outcomes] for series in (first, second)], dtype=float)
    rare = [sum(series.values()) - row.sum() for series, row in zip((first, second), table, strict=True)]
    if sum(rare) >= _OFTEN:
        table = np.column_stack([table, rare])
    return table.shape[1] < 2 or bool(stats.chi2_contingency(table, correction=False).pvalue > ERROR)
