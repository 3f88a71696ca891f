"""Counts estimated from Tables III, VI and IX, by hand; and the measures of Table III."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

from pellucid.utility.evaluation import Source, evaluate
from pellucid.utility.metrics import (
    average_group,
    discernibility,
    global_certainty_penalty,
    kl_divergence,
    perimeter,
    widths,
)
from pellucid.utility.queries import Query, estimates
from pellucid.utility.query_file import read_queries
from pellucid.utility.reading import read_release
from pellucid.utility.released import Released, of_rows
from tests.paper.tables import ANATOMY_QI, ANATOMY_SENSITIVE, DISEASE, QI, T1, T2_STAR, T5, T6_STAR, Table

_TEXT = """
[[query]]
Age = { from = 25, to = 56 }
Disease = ["flu", "gastritis"]

[[query]]
Age = { from = 30, to = 54 }
Disease = ["gastritis", "flu"]

[[query]]
Age = { to = 23 }
Zipcode = { from = 10000, to = 13999 }
"""


def _source(table: Table) -> Source:
    return Source.read(table.frame(), quasi_identifiers=QI, sensitive=DISEASE)


def _queries(source: Source, folder: Path) -> list[Query]:
    file = folder / "queries.toml"
    file.write_text(_TEXT)
    return read_queries(file, [*source.domains, source.sensitive])


@pytest.fixture
def table_iii() -> Released:
    source = _source(T1)
    return read_release(T2_STAR.frame(), source.domains, source.sensitive)


def test_table_iii(table_iii: Released, tmp_path: Path) -> None:
    source = _source(T1)
    asked = _queries(source, tmp_path)
    exact = estimates(of_rows(source.microdata, source.domains, source.sensitive), asked)
    assert exact.tolist() == [3, 2, 1]
    # Of the ages 21, ..., 27 the first query covers 3, of 54, ..., 60 also 3; 32 is covered.
    first = 3 / 7 * 1 + 1 * 1 + 3 / 7 * 2
    second = 1 * 1 + 1 / 7 * 2
    third = 3 / 7 * 4000 / 8001 * 2
    assert estimates(table_iii, asked).tolist() == pytest.approx([first, second, third], rel=1e-14)


def test_table_vi(tmp_path: Path) -> None:
    source = _source(T1)
    anatomy = (ANATOMY_QI.frame(), ANATOMY_SENSITIVE.frame())
    said = read_release(anatomy, source.domains, source.sensitive)
    # Bob of group 1, both of group 2 and Ed of group 3 are between 25 and 56.
    first = 1 * 1 / 2 + 2 * 1 / 2 + 1 * 2 / 4
    second = 2 * 1 / 2 + 1 * 2 / 4
    third = 1 * 2 / 2
    assert estimates(said, _queries(source, tmp_path)).tolist() == [first, second, third]


def test_table_ix(tmp_path: Path) -> None:
    source = _source(T5)
    said = read_release(T6_STAR.frame(), source.domains, source.sensitive)
    first = 8 / 12 * 3 + 3 / 7 * 1
    second = 3 / 12 * 3 + 1 / 7 * 1
    third = 3 / 12 * 4000 / 25001 * 4
    assert estimates(said, _queries(source, tmp_path)).tolist() == pytest.approx([first, second, third], rel=1e-14)


def test_errors_of_table_iii(tmp_path: Path) -> None:
    file = tmp_path / "queries.toml"
    file.write_text(_TEXT)
    found = evaluate(T1.frame(), T2_STAR.frame(), quasi_identifiers=QI, sensitive=DISEASE, queries_file=file)
    expected = [abs(3 - 16 / 7) / 3, abs(2 - 9 / 7) / 2, abs(1 - 24000 / 56007) / 1]
    assert found.errors.each.tolist() == pytest.approx(expected, rel=1e-14)
    assert found.errors.workload == pytest.approx(sum(expected) / 3)


def test_measures_of_table_iii(table_iii: Released) -> None:
    # Ages go from 21 to 60 and zipcodes from 10000 to 63000.
    expected = 2 * (6 / 39 + 8000 / 53000) + 2 * 0 + 4 * (6 / 39 + 3000 / 53000)
    assert perimeter(table_iii) == pytest.approx(expected, rel=1e-14)
    assert global_certainty_penalty(table_iii) == pytest.approx(expected / (2 * 8), rel=1e-14)
    assert discernibility(table_iii, 8) == 2**2 + 2**2 + 4**2
    assert average_group(table_iii) == 8 / 3
    assert average_group(table_iii, 2) == 8 / 3 / 2
    age, zipcode = widths(table_iii)
    assert (age.exact, age.mean, age.median, age.domain) == (2 / 8, (2 * 7 + 2 * 1 + 4 * 7) / 8, 7, 40)
    assert zipcode.mean == (2 * 8001 + 2 * 1 + 4 * 3001) / 8


def test_divergence_of_table_iii(table_iii: Released) -> None:
    """Cate and Don are published as they are; the others are one of 7 * 8001 and of 7 * 3001 points."""
    found = kl_divergence(table_iii, _source(T1).microdata)
    assert found.value == pytest.approx((2 * math.log(7 * 8001) + 4 * math.log(7 * 3001)) / 8, rel=1e-14)
    assert found.standard_error == 0


def test_rows_that_are_left_out(tmp_path: Path) -> None:
    """Without the last group, each of its 4 people costs |T|, and their tuples are ruled out."""
    source = _source(T1)
    some = T2_STAR.frame().filter(pl.col("Age") != "[54, 60]")
    said = read_release(some, source.domains, source.sensitive)
    assert discernibility(said, 8) == 2**2 + 2**2 + 4 * 8
    assert math.isinf(kl_divergence(said, source.microdata).value)
    assert estimates(said, _queries(source, tmp_path)).tolist() == pytest.approx([3 / 7 + 1, 1, 24000 / 56007])
