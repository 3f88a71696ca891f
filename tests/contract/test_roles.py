"""Every column has a role, and nothing is passed through silently (G12)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from pellucid import PolicyError
from tests.contract.publishing import Publisher, frames, people


def test_a_column_without_a_role_is_an_error_that_names_it(publish: Publisher) -> None:
    table = people().with_columns(income=pl.lit(5), address=pl.lit("x"))
    with pytest.raises(PolicyError, match=r"Every column needs a role, and 'income', 'address' has none"):
        publish(table, identifier="name")


def test_the_identifier_without_a_role_is_an_error(publish: Publisher) -> None:
    with pytest.raises(PolicyError, match="'name' has none"):
        publish(people())


@pytest.mark.parametrize(
    "options", [{"drop": ["name", "income"]}, {"drop_others": True}, {"drop": ["income"], "identifier": "name"}]
)
def test_only_quasi_identifiers_and_the_sensitive_column_are_published(
    publish: Publisher, options: dict[str, Any], tmp_path: Path
) -> None:
    table = people().with_columns(income=pl.int_range(pl.len()) + 777_000)
    release = publish(table, **options)
    published = {
        name.removesuffix("_min").removesuffix("_max") for released in frames(release) for name in released.columns
    }
    assert published == {"age", "place", "disease"} | ({"group_id"} if publish.recoding == "anatomy" else set())
    release.write(tmp_path / "out.csv")
    text = "".join(file.read_text() for file in tmp_path.glob("out*csv"))
    assert "person" not in text
    assert "777" not in text


def test_an_index_column_of_a_file_is_not_passed_through(csv_file: Callable[[str], Path]) -> None:
    """pandas writes its index as a column without a name: it needs a role like any other."""
    file = csv_file(people().to_pandas().to_csv())
    publish = Publisher("hybrid", "text")
    with pytest.raises(PolicyError, match="'' has none"):
        publish(file, identifier="name")
    assert publish(file, identifier="name", drop=[""]).table.columns == ["age", "disease", "place"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quasi_identifiers": ["age", "age"]}, "quasi_identifiers lists 'age' more than once"),
        ({"quasi_identifiers": ["age", "disease"]}, "'disease' is given more than one role"),
        ({"identifier": "age"}, "'age' is given more than one role"),
        ({"identifier": "disease"}, "'disease' is given more than one role"),
        ({"drop": ["place", "name"]}, "'place' is given more than one role"),
        ({"drop": ["name"], "identifier": "name"}, "'name' is given more than one role"),
        ({"quasi_identifiers": []}, "quasi_identifiers is an empty list"),
        ({"quasi_identifiers": None}, "lacks quasi-identifiers"),
        ({"sensitive": None}, "lacks sensitive"),
        ({"quasi_identifiers": "age"}, "must be a list of column names"),
        ({"quasi_identifiers": 5}, "must be a list of column names"),
        ({"quasi_identifiers": [1, 2]}, "must be a list of column names, and holds 1"),
        ({"sensitive": 5}, "must be a column name, or a list of column names, not 5"),
        ({"algorithm": "hybird"}, "Did you mean 'hybrid'"),
        ({"recoding": "generalization"}, "recoding must be one of 'mbr', 'anatomy'"),
        ({"intervals": "txt"}, "Did you mean 'text'"),
        ({"missing": "ignore"}, "missing must be one of"),
        ({"penalty": "area"}, "penalty must be one of"),
        ({"orders": {"name": ["a"]}}, "'name', which is not a quasi-identifier and not the sensitive column"),
        ({"sensitive_order": ["flu", "flu"]}, r"order in \[attributes.disease\] lists 'flu' more than once"),
        ({"orders": {"place": ["Ulm", "Ulm"]}}, "lists 'Ulm' more than once"),
    ],
)
def test_a_policy_that_makes_no_sense(publish_hybrid: Publisher, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        publish_hybrid(people(), **{"identifier": None, **options})


@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive", "identifier", "drop"])
def test_a_role_without_a_column_suggests_what_was_meant(publish_hybrid: Publisher, role: str) -> None:
    options: dict[str, Any] = {
        "identifier": "name",
        role: ["plaice", "age"] if role in ("quasi_identifiers", "drop") else "plaice",
    }
    if role == "drop":
        options["drop"] = ["plaice"]
    with pytest.raises(PolicyError, match=r"no column named 'plaice'\. Did you mean 'place'"):
        publish_hybrid(people(), **options)


@pytest.mark.parametrize(("recoding", "taken"), [("bounds", "age_min"), ("bounds", "age_max"), ("anatomy", "group_id")])
@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_made_columns_do_not_collide(recoding: str, taken: str, role: str) -> None:
    table = people().rename({"place" if role == "quasi-identifier" else "disease": taken})
    options = {"quasi_identifiers": ["age", taken]} if role == "quasi-identifier" else {"sensitive": taken}
    with pytest.raises(PolicyError, match=f"two columns named '{taken}'"):
        Publisher("hybrid", recoding)(table, identifier="name", **options)


def test_pandas_frames_are_asked_for_roles_too(publish_hybrid: Publisher) -> None:
    frame = people().to_pandas()
    frame["more"] = pd.Series(range(60))
    with pytest.raises(PolicyError, match="'more' has none"):
        publish_hybrid(frame, identifier="name")
