"""Ties are ties (G3): perimeters are compared exactly, where floating-point numbers would see a difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid import Policy, reference
from pellucid.algorithms import hybrid, tailor
from pellucid.draws import SeededDraws, SystemDraws
from pellucid.microdata import Microdata, encode

TABLES = range(16)
DIVERSITY = 2


def microdata(seed: int) -> Microdata:
    """Forty people with widths in tenths or in sixths and thirds, which floats cannot hold, and many ties."""
    fill = np.random.default_rng(seed)
    widths = (10, 10, 10) if seed % 2 else (6, 3, 10)
    qi = {name: fill.integers(0, width, 40, endpoint=True) for name, width in zip("abc", widths, strict=True)}
    table = pl.DataFrame({"id": np.arange(40), **qi, "s": fill.integers(0, 40, 40)})
    policy = Policy(quasi_identifiers=tuple(qi), sensitive="s", diversity=DIVERSITY, identifier="id")
    return encode(table, policy, SystemDraws(), untyped=False)


def rows_of(table: Microdata) -> list[reference.Row]:
    codes = zip(*(a.codes.tolist() for a in table.attributes), strict=True)
    values = table.sensitive.codes.tolist()
    return [reference.Row(row, qi, value) for row, (qi, value) in enumerate(zip(codes, values, strict=True))]


def equation_4(
    table: Microdata, number: Callable[[int, int], Fraction] | Callable[[int, int], float]
) -> reference.Penalty:
    """h_p as it stands in the paper, with fractions or with floats."""
    lines = [a.ticks.tolist() for a in table.attributes]

    def h(group: Sequence[Any]) -> int:
        spans = (
            number(line[max(t.qi[i] for t in group)] - line[min(t.qi[i] for t in group)], line[-1])
            for i, line in enumerate(lines)
        )
        return len(group) * sum(spans)  # type: ignore[return-value]

    return h


def decided(groups: Sequence[reference.Group]) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(t.id for t in group) for group in groups)


@pytest.mark.parametrize("seed", TABLES)
def test_tailor_compares_exactly(seed: int) -> None:
    table = microdata(seed)
    exact = reference.tailor(rows_of(table), DIVERSITY, equation_4(table, Fraction))
    assert tailor(table, diversity=DIVERSITY, draws=SystemDraws()).as_sets() == decided(exact)


@pytest.mark.parametrize("seed", TABLES)
def test_hybrid_compares_exactly(seed: int) -> None:
    table, draws = microdata(seed), SeededDraws(b"for this test only")
    keys = draws.keys("Assign", len(table)).tolist()
    exact = reference.hybrid(rows_of(table), DIVERSITY, equation_4(table, Fraction), reference.smallest_keys(keys))
    assert hybrid(table, diversity=DIVERSITY, draws=draws).as_sets() == decided(exact)


def test_floats_would_decide_otherwise() -> None:
    """The tables above tell the difference: with floats some of them get another partition."""
    different = 0
    for seed in TABLES:
        table = microdata(seed)
        exact = reference.tailor(rows_of(table), DIVERSITY, equation_4(table, Fraction))
        floats = reference.tailor(rows_of(table), DIVERSITY, equation_4(table, lambda width, domain: width / domain))
        different += decided(exact) != decided(floats)
    assert different >= 3
