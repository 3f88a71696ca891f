"""A release, judged by somebody who reads the files with nothing but Python's csv module."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid
from pellucid.algorithms import ALGORITHMS, CHANGES_VALUES
from tests.property.strategies import DTYPES, columns

QI = ["age", "place"]
KEEP_VALUES = [name for name in ALGORITHMS if name not in CHANGES_VALUES]


@st.composite
def people(draw: st.DrawFn) -> tuple[pl.DataFrame, int]:
    """A table of persons, and an l that it allows."""
    rows = draw(st.integers(1, 40))
    table = pl.DataFrame(
        [
            pl.Series("name", draw(st.permutations(range(rows))), dtype=pl.Int64),
            draw(columns("age", rows, dtype="Int16")),
            draw(columns("place", rows, dtype="String")),
            draw(columns("disease", rows, dtype="String")),
        ]
    )
    feasible = rows // max(Counter(table["disease"].to_list()).values())
    return table, draw(st.integers(1, min(4, feasible)))


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def require_diverse(groups: Iterable[list[str]], diversity: int) -> None:
    for values in groups:
        assert diversity * max(Counter(values).values()) <= len(values)


@pytest.mark.parametrize("algorithm", KEEP_VALUES)
@settings(max_examples=25)
@given(drawn=people())
def test_generalization(algorithm: str, drawn: tuple[pl.DataFrame, int]) -> None:
    table, diversity = drawn
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "out.csv")
        pellucid.anonymize(
            table,
            quasi_identifiers=QI,
            sensitive="disease",
            diversity=diversity,
            identifier="name",
            algorithm=algorithm,  # type: ignore[arg-type]
            intervals="bounds",
        ).write(target)
        rows = read(target)
        assert sorted(path.name for path in Path(folder).iterdir()) == ["out.csv", "out.csv.manifest.json"]

    assert all(list(row) == ["age_min", "age_max", "place", "disease"] for row in rows)
    assert Counter(row["disease"] for row in rows) == Counter(table["disease"].to_list())
    groups = defaultdict(list)
    for row in rows:
        groups[(row["age_min"], row["age_max"], row["place"])].append(row["disease"])
    require_diverse(groups.values(), diversity)
    ages = table["age"].to_list()
    for low, high, _ in groups:
        assert int(low) in ages
        assert int(high) in ages
        assert int(low) <= int(high)
    # Everybody's age lies in an interval, and an interval holds as many people as it has rows.
    for low, high, _ in groups:
        inside = sum(int(low) <= age <= int(high) for age in ages)
        assert inside >= sum(len(values) for group, values in groups.items() if group[:2] == (low, high))
    assert all(any(int(low) <= age <= int(high) for low, high, _ in groups) for age in ages)


@pytest.mark.parametrize("algorithm", KEEP_VALUES)
@settings(max_examples=25)
@given(drawn=people())
def test_anatomy(algorithm: str, drawn: tuple[pl.DataFrame, int]) -> None:
    table, diversity = drawn
    with tempfile.TemporaryDirectory() as folder:
        pellucid.anonymize(
            table,
            quasi_identifiers=QI,
            sensitive="disease",
            diversity=diversity,
            identifier="name",
            algorithm=algorithm,  # type: ignore[arg-type]
            recoding="anatomy",
        ).write(Path(folder, "out.csv"))
        qi, sensitive = read(Path(folder, "out.qi.csv")), read(Path(folder, "out.sensitive.csv"))

    exact = Counter((str(age), place) for age, place in table.select(QI).rows())
    assert Counter((row["age"], row["place"]) for row in qi) == exact
    assert Counter(row["disease"] for row in sensitive) == Counter(table["disease"].to_list())
    assert Counter(row["group_id"] for row in qi) == Counter(row["group_id"] for row in sensitive)
    groups = defaultdict(list)
    for row in sensitive:
        groups[row["group_id"]].append(row["disease"])
    require_diverse(groups.values(), diversity)
    assert sorted(map(int, groups)) == list(range(1, len(groups) + 1))


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=4)
@given(data=st.data())
def test_every_type_goes_all_the_way(dtype: str, ending: str, data: st.DataObject) -> None:
    """As quasi-identifier and as sensitive column; what is written holds the same values."""
    table = pl.DataFrame([data.draw(columns(name, 12, dtype=dtype, nulls=True)) for name in ("q", "s")])
    diversity = 12 // table["s"].value_counts()["count"].to_numpy().max()
    for recoding, name in (("mbr", "out"), ("anatomy", "out.sensitive")):
        with tempfile.TemporaryDirectory() as folder:
            pellucid.anonymize(
                table,
                quasi_identifiers=["q"],
                sensitive="s",
                diversity=int(diversity),
                missing="category",
                recoding=recoding,  # type: ignore[arg-type]
                intervals="bounds",
            ).write(Path(folder, f"out{ending}"))
            written = Path(folder, name + ending)
            column = (pl.read_parquet if ending == ".parquet" else pl.read_ipc)(written)["s"]
            assert Counter(column.to_list()) == Counter(table["s"].to_list())
