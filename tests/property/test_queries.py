"""Estimates of COUNT queries are those of the slow reference, and say what they must where the answer is known."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.algorithms import ALGORITHMS
from pellucid.draws import SystemDraws
from pellucid.errors import NoResultError, NotEligibleError
from pellucid.microdata import Microdata, encode
from pellucid.partition import Partition
from pellucid.policy import Policy
from pellucid.recodings import anatomy, mbr
from pellucid.utility.domains import Domain, domains_of
from pellucid.utility.queries import estimates, relative_errors, workload
from pellucid.utility.query_file import read_queries
from pellucid.utility.reading import read_release
from pellucid.utility.released import Released, of_partition, of_rows
from tests.property.slow_queries import Interval, Item, answer, estimate

ages = st.integers(-3, 9)
weights = st.integers(0, 12).map(lambda quarters: quarters / 4 + 0.25)
towns = st.sampled_from(["Bree", "Dale", "Esgaroth", "[1, 2]", "a, b"])
diseases = st.sampled_from(["flu", "cold", "mumps"])
doses = st.integers(0, 4)


@dataclass(frozen=True)
class Case:
    """A table, a partition of it, and its rows as plain values, in the order of the microdata."""

    microdata: Microdata
    partition: Partition
    rows: list[dict[str, Any]]

    @property
    def domains(self) -> tuple[tuple[Domain, ...], Domain]:
        return domains_of(self.microdata, {})

    def groups(self, recoding: str) -> list[tuple[list[Item], list[Any]]]:
        """What the release says, in plain values."""
        said = []
        for members in self.partition:
            group = [self.rows[row] for row in members.tolist()]
            boxes = [_box([row]) for row in group] if recoding == "anatomy" else [_box(group)]
            said.append((boxes, [row["ill"] for row in group]))
        return said


def _box(group: Sequence[Mapping[str, Any]]) -> Item:
    sides: dict[str, Any] = {"town": frozenset(row["town"] for row in group)}
    for name in ("age", "weight"):
        values = [row[name] for row in group]
        sides[name] = Interval(min(values), max(values))
    return sides


@st.composite
def cases(draw: st.DrawFn, *, dense: bool = False) -> Case:
    """A table and any partition of it; in a dense one every age between the smallest and the largest occurs."""
    texts = draw(st.booleans())
    table = draw(st.lists(st.tuples(ages, weights, towns, diseases if texts else doses), min_size=1, max_size=14))
    # Some value is not whole, so the attribute is real.
    table.append((0, 0.5, "Bree", "flu" if texts else 1))
    if dense:
        line = sorted({row[0] for row in table})
        table = [(line.index(row[0]), *row[1:]) for row in table]
    frame = pl.DataFrame(table, schema=["age", "weight", "town", "ill"], orient="row")
    policy = Policy(quasi_identifiers=("age", "weight", "town"), sensitive="ill", diversity=1)
    microdata = encode(frame, policy, SystemDraws(), untyped=False)
    columns = [*microdata.attributes, microdata.sensitive]
    plain = {column.name: column.values.gather(pl.Series(column.codes)).to_list() for column in columns}
    members = draw(st.permutations(range(len(table))))
    cuts = sorted(draw(st.sets(st.integers(1, len(table)), max_size=5)) | {0, len(table)})
    partition = Partition(np.array(members, dtype=np.uint32), np.array(cuts, dtype=np.int64))
    return Case(microdata, partition, [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)])


def _between(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Interval]:
    return st.tuples(values, values).map(lambda ends: Interval(*sorted(ends)))


@st.composite
def queries(draw: st.DrawFn, case: Case) -> dict[str, Any]:
    choices: dict[str, st.SearchStrategy[Any]] = {
        "age": _between(st.integers(-5, 12)),
        "weight": _between(st.integers(0, 30).map(lambda eighths: eighths / 8)),
        "town": st.sets(st.sampled_from(sorted({row["town"] for row in case.rows}))).map(frozenset),
    }
    ills = sorted({row["ill"] for row in case.rows}, key=str)
    choices["ill"] = st.sets(st.sampled_from(ills)).map(frozenset) if isinstance(ills[0], str) else _between(doses)
    return {name: draw(choices[name]) for name in draw(st.sets(st.sampled_from(sorted(choices))))}


def _in_file(asked: Sequence[Mapping[str, Any]]) -> str:
    def written(predicate: Any) -> Any:
        return sorted(predicate) if isinstance(predicate, frozenset) else {"from": predicate.low, "to": predicate.high}

    return "\n".join(json.dumps({name: written(p) for name, p in query.items()}) for query in asked)


def _released_in_tables(case: Case, recoding: str, intervals: Any) -> Released:
    if recoding == "anatomy":
        return read_release([table.frame() for table in anatomy(case.microdata, case.partition)], *case.domains)
    return read_release(mbr(case.microdata, case.partition, intervals).frame(), *case.domains)


@settings(max_examples=150)
@given(case=cases(), recoding=st.sampled_from(["mbr", "anatomy"]), data=st.data())
def test_reference(case: Case, recoding: Any, data: st.DataObject) -> None:
    """From memory and from the tables that are published; 9 queries take two rounds of the kernel."""
    asked = data.draw(st.lists(queries(case), min_size=1, max_size=9))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "queries.jsonl"
        file.write_text(_in_file(asked), encoding="utf-8")
        wanted = read_queries(file, [*case.domains[0], case.domains[1]])
    exact = of_rows(case.microdata, *case.domains)
    assert estimates(exact, wanted).tolist() == [answer(case.rows, query) for query in asked]
    groups = case.groups(recoding)
    expected = [float(estimate(groups, "ill", query, real={"weight"})) for query in asked]
    for said in (
        of_partition(case.microdata, case.partition, *case.domains, recoding),
        _released_in_tables(case, recoding, data.draw(st.sampled_from(["text", "bounds"]))),
    ):
        for threads in (1, 3):
            assert estimates(said, wanted, threads=threads).tolist() == pytest.approx(expected, abs=1e-12)


@given(case=cases(), seed=st.integers(0, 99))
def test_groups_that_are_points_give_no_error(case: Case, seed: int) -> None:
    """Nothing is lost if everybody in a group has the same QI values, whatever the sensitive ones."""
    asked = workload(*case.domains, queries=20, dimensionality=3, seed=seed)
    exact = of_rows(case.microdata, *case.domains)
    alone = Partition(np.arange(len(case.rows), dtype=np.uint32), np.arange(len(case.rows) + 1, dtype=np.int64))
    for recoding in ("mbr", "anatomy"):
        said = of_partition(case.microdata, alone, *case.domains, recoding)
        errors = relative_errors(estimates(exact, asked), estimates(said, asked), len(case.rows))
        assert errors.tolist() == [0.0] * 20


@given(case=cases(), data=st.data())
def test_suppressing_everything_gives_the_uniform_answer(case: Case, data: st.DataObject) -> None:
    """With a star in every cell, each value of a domain is as likely as the others."""
    query = data.draw(queries(case))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "queries.json"
        file.write_text(_in_file([query]), encoding="utf-8")
        wanted = read_queries(file, [*case.domains[0], case.domains[1]])
    stars = pl.DataFrame([{"age": "*", "weight": "*", "town": "*", "ill": row["ill"]} for row in case.rows])
    matching = answer(case.rows, {name: p for name, p in query.items() if name == "ill"})
    share = Fraction(1)
    for name, asked in query.items():
        whole = [row[name] for row in case.rows]
        if name == "town":
            share *= Fraction(len(asked & set(whole)), len(set(whole)))
        elif name == "age":
            domain = range(min(whole), max(whole) + 1)
            share *= Fraction(sum(asked.low <= value <= asked.high for value in domain), len(domain))
        elif name == "weight" and len(set(whole)) > 1:
            low, high = max(asked.low, min(whole)), min(asked.high, max(whole))
            share *= Fraction(max(0, high - low)) / Fraction(max(whole) - min(whole))
        elif name == "weight":
            share *= asked.low <= whole[0] <= asked.high
    [estimated] = estimates(read_release(stars, *case.domains), wanted).tolist()
    assert estimated == pytest.approx(float(matching * share), abs=1e-12)


@settings(max_examples=25)
@given(case=cases(), diversity=st.integers(1, 3), name=st.sampled_from(list(ALGORITHMS)))
def test_every_algorithm_answers_the_whole_table(case: Case, diversity: int, name: str) -> None:
    """A query that asks for everything is answered with the number of rows."""
    try:
        partition = ALGORITHMS[name](case.microdata, diversity=diversity, draws=SystemDraws())
    except (NotEligibleError, NoResultError):
        return
    said = of_partition(case.microdata, partition, *case.domains)
    assert estimates(said, [{}]).tolist() == [len(case.rows)]
    assert relative_errors(np.array([4.0]), np.array([5.0]), 100).tolist() == [0.25]
