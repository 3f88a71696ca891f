"""The risk of releases with ancestors, sets and steps: the adversary knows the program, so the program is run."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid
from pellucid import CheckFailedError
from pellucid.adversary import disclosure_risk
from tests.property.trees import trees


@settings(max_examples=12)
@given(
    rows=trees(most_values=6),
    seed=st.integers(0, 2**32 - 1),
    style=st.sampled_from(["ancestor", "set", "range"]),
    grid=st.sampled_from([{}, {"age": 10}]),
    recoding=st.sampled_from(["mbr", "anatomy"]),
)
def test_risk_is_what_running_the_program_on_every_table_says(
    rows: list[tuple[str, ...]], seed: int, style: Any, grid: dict[str, Any], recoding: str
) -> None:
    fill = np.random.default_rng(seed)
    values = fill.permutation(["flu", "flu", "cold", "cold", "gout"]).tolist()
    table = pl.DataFrame(
        {
            "name": range(5),
            "age": fill.integers(20, 50, 5),
            "place": pl.Series(fill.choice(np.array([row[0] for row in rows], dtype=object), 5), dtype=pl.String),
            "disease": values,
        }
    )
    roles: dict[str, Any] = {"quasi_identifiers": ["age", "place"], "sensitive": "disease", "diversity": 2}
    columns: dict[str, Any] = {"hierarchies": {"place": rows}, "styles": {"place": style}, "grids": grid}

    def published(values: tuple[str, ...]) -> list[Any]:
        release = pellucid.anonymize(
            table.with_columns(pl.Series("disease", values)),
            identifier="name",
            algorithm="tailor",
            recoding=recoding,  # type: ignore[arg-type]
            **roles,
            **columns,
        )
        tables = [release.table] if recoding == "mbr" else [release.qi_table, release.sensitive_table]
        return [table.rows() for table in tables]

    seen = published(tuple(values))
    fitting = [other for other in sorted(set(itertools.permutations(values))) if published(other) == seen]
    believed = [Counter(other[person] for other in fitting) for person in range(5)]
    release = pellucid.anonymize(
        table,
        identifier="name",
        algorithm="tailor",
        recoding=recoding,  # type: ignore[arg-type]
        **roles,
        **columns,
    )
    found = disclosure_risk(
        release.table if recoding == "mbr" else (release.qi_table, release.sensitive_table),
        table.drop("disease"),
        identifier="name",
        algorithm="tailor",
        **roles,
        **columns,
    )
    assert found.instances == len(fitting)
    assert found.maximum <= Fraction(1, 2)
    for person in range(5):
        expected = {value: Fraction(times, len(fitting)) for value, times in believed[person].items()}
        assert dict(found.of(person).posterior) == expected


def test_another_hierarchy_is_refused() -> None:
    table = pl.DataFrame({"name": [1, 2], "place": ["Bonn", "Ulm"], "disease": ["flu", "cold"]})
    roles: dict[str, Any] = {"quasi_identifiers": ["place"], "sensitive": "disease", "diversity": 2}
    rows = [("Bonn", "Germany"), ("Ulm", "Germany")]
    release = pellucid.anonymize(table, identifier="name", algorithm="tailor", hierarchies={"place": rows}, **roles)
    with pytest.raises(CheckFailedError, match="'Germany' in 'place', which is no ancestor of anybody's value"):
        disclosure_risk(
            release.table,
            table.drop("disease"),
            identifier="name",
            algorithm="tailor",
            hierarchies={"place": [("Bonn", "*"), ("Ulm", "*")]},
            **roles,
        )
