"""Missing values: an error, a category of their own, or reason to leave the row out; never anything silent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pellucid import MicrodataError
from tests.contract.publishing import Publisher, frames, people

NAN = float("nan")


def with_missing(column: str, *rows: int) -> pl.DataFrame:
    table = people()
    place = pl.int_range(pl.len()).is_in(list(rows))
    return table.with_columns(pl.when(place).then(None).otherwise(pl.col(column)).alias(column))


@pytest.mark.parametrize("column", ["age", "place", "disease", "name"])
def test_is_an_error_that_says_where_and_how_many(publish: Publisher, column: str) -> None:
    with pytest.raises(MicrodataError, match=rf"missing values: 3 in '{column}'\."):
        publish(with_missing(column, 0, 7, 30), identifier="name")


def test_error_names_every_column(publish_hybrid: Publisher) -> None:
    table = with_missing("age", 1).with_columns(disease=pl.lit(None, dtype=pl.String))
    with pytest.raises(MicrodataError, match="1 in 'age', 60 in 'disease'"):
        publish_hybrid(table, identifier="name")


def test_in_dropped_columns_do_not_matter(publish_hybrid: Publisher) -> None:
    assert publish_hybrid(with_missing("name", 0, 1, 2), drop=["name"]).check.rows == 60


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"age": [1.0, NAN, 2.0, 3.0], "place": "x", "disease": ["a", "b", "c", "d"]}),
        pl.DataFrame({"age": [1.0, None, 2.0, NAN], "place": "x", "disease": ["a", "b", "c", "d"]}),
        pl.DataFrame(
            {"age": [1.0, 2.0, 2.0, 3.0], "place": "x", "disease": pl.Series([1.0, NAN, 2.0, 3.0], dtype=pl.Float16)}
        ),
        pd.DataFrame({"age": [1.0, NAN, 2.0, 3.0], "place": "x", "disease": ["a", "b", "c", "d"]}),
        pd.DataFrame({"age": [1, 2, 3, 4], "place": "x", "disease": ["a", np.nan, "c", "d"]}),
        pd.DataFrame({"age": [1, 2, 3, 4], "place": ["x", None, "x", "x"], "disease": ["a", "b", "c", "d"]}),
        pd.DataFrame({"age": pd.array([1, None, 3, 4], "Int64"), "place": "x", "disease": list("abcd")}),
        pd.DataFrame({"age": [1, 2, 3, 4], "place": "x", "disease": pd.Categorical(["a", None, "c", "d"])}),
        pd.DataFrame({"age": pd.to_datetime(["2020-01-01", None, None, None]), "place": "x", "disease": list("abcd")}),
    ],
    ids=[
        "NaN",
        "NaN and null",
        "NaN in 16 bits",
        "pandas NaN",
        "pandas object",
        "pandas None",
        "pandas NA",
        "pandas category",
        "pandas NaT",
    ],
)
def test_not_a_number_is_missing(publish_hybrid: Publisher, frame: Any) -> None:
    with pytest.raises(MicrodataError, match="missing values"):
        publish_hybrid(frame)
    assert publish_hybrid(frame, missing="category").check.rows == 4


@pytest.mark.parametrize("column", ["age", "place", "disease"])
def test_as_a_category(publish: Publisher, column: str, tmp_path: Path) -> None:
    """Nobody is lost, nothing is invented, and null counts as one of the values of its group."""
    table = with_missing(column, *range(12))
    release = publish(table, identifier="name", missing="category")
    released = frames(release)
    assert Counter(released[-1]["disease"].to_list()) == Counter(table["disease"].to_list())
    if publish.recoding == "anatomy":
        assert Counter(released[0].select("age", "place").rows()) == Counter(table.select("age", "place").rows())
    for ending in (".csv", ".parquet"):
        assert release.write(tmp_path / f"out{ending}").check.rows == 60


def test_missing_sensitive_values_are_l_diverse_too(publish: Publisher) -> None:
    """Null is a value that somebody could be tied to: at most 1/l of a group, here judged without `check`."""
    table = with_missing("disease", *range(30))
    released = frames(publish(table, identifier="name", missing="category"))[-1]
    groups: dict[tuple[object, ...], list[object]] = {}
    for *group, value in released.select([c for c in released.columns if c != "disease"] + ["disease"]).rows():
        groups.setdefault(tuple(group), []).append(value)
    assert Counter(released["disease"].to_list())[None] == 30
    assert all(2 * values.count(None) <= len(values) for values in groups.values())


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([None, 5, 8, 9], {"[null, 5]", "[8, 9]"}),
        ([None, None, 8, 9], {None, "[8, 9]"}),
        (["null", None, "z", "z"], {'{null, "null"}', "z"}),
        ([None, None, "null", "null"], {None, "null"}),
    ],
    ids=["below the smallest", "alone", "text null in a set", "text null alone"],
)
def test_how_a_missing_value_is_published(values: list[Any], expected: set[str | None]) -> None:
    """A missing value stands before all others; published as null, or as null in a label; the text `null` in quotes."""
    table = pl.DataFrame({"id": range(4), "age": values, "disease": ["a", "b", "a", "b"]})
    release = Publisher("ace", "text")(table, quasi_identifiers=["age"], identifier="id", missing="category")
    assert set(release.table["age"].to_list()) == expected


@pytest.mark.parametrize("column", ["age", "place", "disease", "name"])
def test_dropped_rows_are_counted_for_the_curator_only(publish: Publisher, column: str, tmp_path: Path) -> None:
    table = with_missing(column, 0, 7, 30)
    release = publish(table, identifier="name", missing="drop")
    assert release.dropped_rows == 3
    assert release.check.rows == 57
    kept = table.drop_nulls()
    assert Counter(frames(release)[-1]["disease"].to_list()) == Counter(kept["disease"].to_list())
    manifest = json.loads(Path(release.write(tmp_path / "out.csv").manifest).read_text())
    assert "dropped" not in json.dumps(manifest)
    assert manifest["release"]["rows"] == 57


def test_a_row_that_misses_several_values_is_dropped_once(publish_hybrid: Publisher) -> None:
    table = people().with_columns(
        age=pl.when(pl.int_range(pl.len()) > 2).then("age"), disease=pl.when(pl.int_range(pl.len()) > 1).then("disease")
    )
    assert publish_hybrid(table, identifier="name", missing="drop").dropped_rows == 3


def test_nothing_left_is_an_error(publish: Publisher) -> None:
    table = people().with_columns(age=pl.lit(None, dtype=pl.Int64))
    with pytest.raises(MicrodataError, match="nothing is left"):
        publish(table, identifier="name", missing="drop")


@pytest.mark.parametrize("missing", ["error", "category"])
def test_a_missing_identifier_is_never_a_category(publish: Publisher, missing: str) -> None:
    with pytest.raises(MicrodataError, match=r"1 in 'name'\. Everybody needs an identifier.*missing drop"):
        publish(with_missing("name", 4), identifier="name", missing=missing)


def test_in_text_files_only_empty_fields_are_missing(
    publish_hybrid: Publisher, csv_file: Callable[[str], Path]
) -> None:
    """NaN, NA and null are what the file says, and an empty text in quotes is a text."""
    file = csv_file('age,place,disease\n1,NaN,null\n2,NA,""\n3,"",flu\n4,null,\n')
    with pytest.raises(MicrodataError, match=r"missing values: 1 in 'disease'\."):
        publish_hybrid(file)
    release = publish_hybrid(file, missing="category")
    assert sorted(frames(release)[-1]["disease"].to_list(), key=str) == ["", None, "flu", "null"]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".arrow"])
def test_missing_and_empty_stay_apart_in_files(publish_hybrid: Publisher, ending: str, tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [1, 1, 2, 2], "place": "x", "disease": ["", None, "", None]})
    written = publish_hybrid(table, missing="category").write(tmp_path / f"out{ending}")
    assert written.check.sensitive_values == 2
    assert written.check.worst_frequency <= 1 / 2
