"""One row per person (G11)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from pellucid import MicrodataError
from tests.contract.publishing import Publisher, people


def test_people_who_occur_twice_are_an_error(publish: Publisher) -> None:
    table = people()
    twice = pl.concat([table, table[[3, 7, 7]]])
    with pytest.raises(MicrodataError, match=r"'name' does not tell people apart: 3 of 63 rows.*one row per person"):
        publish(twice, identifier="name")


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (pl.Int64, [1, 2, 1, 3]),
        (pl.Float64, [0.0, 1.0, -0.0, 2.0]),
        (pl.String, ["", "a", "", "b"]),
        (pl.Categorical, ["b", "a", "b", "c"]),
        (pl.Enum(["b", "a", "c"]), ["b", "a", "b", "c"]),
    ],
    ids=str,
)
def test_equal_identifiers_of_every_type(dtype: pl.DataType, values: list[object]) -> None:
    table = pl.DataFrame({"id": pl.Series(values, dtype=dtype), "age": [1, 2, 3, 4], "disease": list("abcd")})
    with pytest.raises(MicrodataError, match="1 of 4 rows"):
        Publisher("hybrid", "text")(table, quasi_identifiers=["age"], identifier="id")


def test_one_number_written_in_two_ways_is_one_person(csv_file: Callable[[str], Path]) -> None:
    file = csv_file("id,age,disease\n1,1,a\n1.0,2,b\n2.5,3,c\n3,4,d\n")
    with pytest.raises(MicrodataError, match="1 of 4 rows"):
        Publisher("hybrid", "text")(file, quasi_identifiers=["age"], identifier="id")


def test_codes_with_leading_zeros_are_different_people(csv_file: Callable[[str], Path]) -> None:
    file = csv_file("id,age,disease\n7,1,a\n07,2,b\n007,3,c\n0007,4,d\n")
    assert Publisher("hybrid", "text")(file, quasi_identifiers=["age"], identifier="id").check.rows == 4


def test_numbers_come_before_larger_numbers(csv_file: Callable[[str], Path], seed_file: Path) -> None:
    """In a text file too, 10 comes after 9: identifiers have the order of their type, whatever the source is."""
    rows = "\n".join(f"{number},1,{'abcd'[number % 4]}" for number in range(5, 21))
    table = pl.DataFrame(
        {"id": range(5, 21), "age": [1] * 16, "disease": ["abcd"[number % 4] for number in range(5, 21)]}
    )
    options = {"quasi_identifiers": ["age"], "identifier": "id", "seed_file": seed_file}
    publish = Publisher("tailor", "anatomy")
    one = publish(csv_file(f"id,age,disease\n{rows}\n"), **options)
    other = publish(table, **options)
    assert one.sensitive_table.rows() == other.sensitive_table.rows()


def test_without_identifier_equal_rows_are_different_people(publish: Publisher) -> None:
    table = people().drop("name")
    assert publish(pl.concat([table, table])).check.rows == 120
