"""Names and values as they occur in the world: with commas, quotes, line ends, and looks that deceive."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from pellucid import TargetError
from tests.contract.publishing import ENDINGS, Publisher, frames, people

NAMES = [
    "with space",
    "with,comma",
    'with "quotes"',
    '"',
    "two\nlines",
    "tab\tin it",
    "carriage\r\nreturn",
    " ",
    "",
    "Диагноз",
    "病名",
    "=1+1",
    "[1, 2]",
    "{}",
    "a" * 300,
    "null",
    "group",
    "pellucid: rows",
    "*",
    "^.*$",
]
VALUES = [
    "=1+1",
    "@SUM(A1)",
    "[1, 2]",
    "[1, 2",
    "{a, b}",
    "",
    "null",
    '"',
    '""',
    "a,b",
    "a\nb",
    "a\r\nb",
    "\r",
    " a ",
    "\t",
    "02139",
    "1e5",
    "NaN",
    "Straße",
    "病",
    "\\",
    "'",
    "#1",
    "\N{GRINNING FACE}",
]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("name", NAMES)
def test_column_names(publish_hybrid: Publisher, name: str, ending: str, tmp_path: Path) -> None:
    """A name goes through as it is, whether it is that of a quasi-identifier or of the sensitive column."""
    as_qi = people().rename({"age": name})
    as_sensitive = people().rename({"disease": name})
    written = publish_hybrid(as_qi, quasi_identifiers=[name, "place"], identifier="name").write(tmp_path / f"q{ending}")
    assert written.check.rows == 60
    written = publish_hybrid(as_sensitive, sensitive=name, identifier="name").write(tmp_path / f"s{ending}")
    assert written.check.rows == 60
    if ending == ".csv":
        with written.files[-1].open(encoding="utf-8", newline="") as handle:
            assert name in next(csv.reader(handle))


@pytest.mark.parametrize("name", NAMES)
def test_column_names_of_text_files(name: str, tmp_path: Path) -> None:
    """The same name is found in the header of a file."""
    source = tmp_path / "source.csv"
    with source.open("w", encoding="utf-8", newline="") as handle:
        rows = people().rename({"disease": name})
        csv.writer(handle).writerows([rows.columns, *rows.rows()])
    release = Publisher("hybrid", "text")(source, sensitive=name, identifier="name")
    assert release.table.columns == ["age", name, "place"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("diversity", [1, 2])
def test_values(publish: Publisher, diversity: int, ending: str, tmp_path: Path) -> None:
    """Values stay what they are, in frames and in files; the multiset of sensitive values is that of the source."""
    table = pl.DataFrame({"id": range(len(VALUES)), "place": VALUES, "disease": VALUES[::-1]})
    release = publish(table, quasi_identifiers=["place"], diversity=diversity, identifier="id")
    if ending == ".xlsx":
        with pytest.raises(TargetError, match="An Excel cell cannot hold"):
            release.write(tmp_path / "out.xlsx")
        return
    written = release.write(tmp_path / f"out{ending}")
    assert Counter(frames(release)[-1]["disease"].to_list()) == Counter(VALUES)
    if ending == ".csv":
        with written.files[-1].open(encoding="utf-8", newline="") as handle:
            assert Counter(row["disease"] for row in csv.DictReader(handle)) == Counter(VALUES)
    if publish.recoding == "anatomy":
        assert Counter(release.qi_table["place"].to_list()) == Counter(VALUES)


def test_looks_like_a_label(publish_text: Publisher) -> None:
    """A value that looks like an interval, a set or a quoted text stands in quotes when it is published alone."""
    table = pl.DataFrame({"id": range(4), "place": ["[1, 2]", "{a, b}", '"', "=1+1"], "disease": list("abcd")})
    release = publish_text(table, quasi_identifiers=["place"], diversity=1, identifier="id")
    alone = {'"[1, 2]"', '"{a, b}"', '"\\""', "=1+1"}
    if publish_text.algorithm in ("hybrid", "tailor"):  # which cut down to single tuples when l = 1
        assert set(release.table["place"]) == alone


def test_quotes_inside_a_set(publish_text: Publisher) -> None:
    table = pl.DataFrame({"id": range(4), "place": ["[1, 2]", "null", "", "a"], "disease": list("abcd")})
    release = publish_text(table, quasi_identifiers=["place"], diversity=4, identifier="id")
    assert set(release.table["place"]) == {'{"", "[1, 2]", a, "null"}'}


def test_codes_with_leading_zeros_stay(publish: Publisher, csv_file: Callable[[str], Path], tmp_path: Path) -> None:
    """02139 is no number: read from a text file it is published as it was."""
    file = csv_file("zip,disease\n02139,01\n10001,02\n02139,02\n10001,01\n")
    release = publish(file, quasi_identifiers=["zip"])
    release.write(tmp_path / "out.csv")
    assert set(frames(release)[-1]["disease"]) == {"01", "02"}
    text = "".join(path.read_text() for path in tmp_path.glob("out*csv"))
    assert "02139" in text
    assert ",2139" not in text


def test_numbers_and_dates_of_text_files_are_ordered(csv_file: Callable[[str], Path]) -> None:
    """9 is less than 10, and intervals of numbers and dates are published as such."""
    file = csv_file("age,born,disease\n9,2020-02-29,a\n10,2019-12-31,b\n")
    release = Publisher("hybrid", "text")(file, quasi_identifiers=["age", "born"])
    assert release.table.rows() == [("[9, 10]", "[2019-12-31, 2020-02-29]", d) for d in "ab"]


@pytest.mark.parametrize(
    ("values", "label"),
    [
        (["1", "2.50"], "[1.0, 2.5]"),
        (["1", "x"], "{1, x}"),
        (["1", "NaN"], "{1, NaN}"),
        (["2020-02-29", "2021-02-29"], "{2020-02-29, 2021-02-29}"),
        (["2020-01-01T10:00", "2020-01-02 11:00:01"], "[2020-01-01 10:00:00, 2020-01-02 11:00:01]"),
        (["99999999999999999999", "1"], "{1, 99999999999999999999}"),
        (["1e400", "1"], "{1, 1e400}"),
        (["0000-12-31", "2020-02-01"], "{0000-12-31, 2020-02-01}"),
        (["0000-12-31 10:00", "2020-02-01 10:00"], '{"0000-12-31 10:00", "2020-02-01 10:00"}'),
        (["-0", "5"], "[0.0, 5.0]"),
        (["-0", "0.0"], "0.0"),
        (["0.0", "-0"], "0.0"),
        (["+5", "5"], "{+5, 5}"),
    ],
)
def test_types_of_text_files(csv_file: Callable[[str], Path], values: list[str], label: str) -> None:
    """A column is what all of its values are; one that is none of numbers, dates and times is text."""
    rows = "\n".join(f"{value},{disease}" for value, disease in zip(values, "ab", strict=True))
    release = Publisher("hybrid", "text")(csv_file(f"age,disease\n{rows}\n"), quasi_identifiers=["age"])
    assert set(release.table["age"]) == {label}


def test_order_of_the_policy(publish_text: Publisher) -> None:
    table = pl.DataFrame({"id": range(4), "school": ["high", "none", "primary", "none"], "disease": list("abcd")})
    release = publish_text(
        table,
        quasi_identifiers=["school"],
        diversity=4,
        identifier="id",
        orders={"school": ["none", "primary", "high", "university"]},
    )
    assert set(release.table["school"]) == {"[none, high]"}
