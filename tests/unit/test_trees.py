"""Hierarchies that follow from values: examples, and what is refused."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pellucid
from pellucid import Hierarchy, HierarchyError, trees


def rows(tree: Hierarchy) -> list[str]:
    return tree.text.splitlines()


def test_widths() -> None:
    assert rows(trees.by_width([23, 7, 20, None], 5, 10)) == [
        "7;[5, 9];[0, 9];*",
        "20;[20, 24];[20, 29];*",
        "23;[20, 24];[20, 29];*",
    ]
    assert rows(trees.by_width([0.3, 0.29, -0.0, float("nan")], 0.1, 1)) == [
        "0.0;[0, 0.1);[0, 1);*",
        "0.29;[0.2, 0.3);[0, 1);*",
        "0.3;[0.3, 0.4);[0, 1);*",
    ]
    assert rows(trees.by_width([4, 5], 1, 2)) == ["4;4;[4, 5];*", "5;5;[4, 5];*"]


def test_breaks_do_not_say_how_far_values_go() -> None:
    assert rows(trees.by_breaks(["9", "18", "64", "117", "unknown"], [18, 30, 65], [18], apart=["unknown"])) == [
        "9;< 18;< 18;*",
        "18;[18, 29];>= 18;*",
        "64;[30, 64];>= 18;*",
        "117;>= 65;>= 18;*",
        "unknown;unknown;unknown;*",
    ]


def test_frequencies() -> None:
    assert rows(trees.by_frequency([1] * 8 + [2, 3, 4, 5] + [6] * 4, 4, 2)) == [
        "1;< 2;< 2;*",
        "2;[2, 5];>= 2;*",
        "3;[2, 5];>= 2;*",
        "4;[2, 5];>= 2;*",
        "5;[2, 5];>= 2;*",
        "6;>= 6;>= 2;*",
    ]
    assert rows(trees.by_frequency([1] * 7 + [2] * 9, 2)) == ["1;< 2;*", "2;>= 2;*"]
    assert rows(trees.by_frequency([7, 7, 7], 3)) == ["7;*"]


def test_calendar() -> None:
    assert rows(trees.by_calendar([dt.date(2024, 12, 30), dt.date(2024, 2, 29)], "month", "quarter", "year")) == [
        "2024-02-29;2024-02;2024-Q1;2024;*",
        "2024-12-30;2024-12;2024-Q4;2024;*",
    ]
    assert rows(trees.by_calendar(["2024-12-30 10:00", "2024-12-31"], "day", "week")) == [
        "2024-12-30 10:00;2024-12-30;2025-W01;*",
        "2024-12-31;2024-12-31;2025-W01;*",
    ]


def test_prefixes() -> None:
    assert rows(trees.by_prefix(["10115", "02139", "10243"], 3, 2)) == [
        "02139;021**;02***;*",
        "10115;101**;10***;*",
        "10243;102**;10***;*",
    ]
    assert rows(trees.by_prefix([2139, 10115], 3, digits=5)) == ["2139;021**;*", "10115;101**;*"]
    assert rows(trees.by_prefix(["62", "62.01", "621"], 3, 2)) == [
        "62;62;62*;*",
        "62.01;62.*;62*;*",
        "621;621*;62*;*",
    ]


def test_icd_9() -> None:
    """Codes with a point or without, with the zeros that they start with or without, of external causes, and of V."""
    codes = ["250.83", "250.8", "250", "8", "38.4", "0389", "E888.1", "E8889", "V57", "v57.89", "999"]
    assert rows(trees.by_icd(codes, edition=9)) == [
        "8;8;008*;001-139 Infections and parasites;*",
        "38.4;038.4*;038*;001-139 Infections and parasites;*",
        "0389;038.9*;038*;001-139 Infections and parasites;*",
        "250;250;250*;240-279 Endocrine, nutrition, metabolism, immunity;*",
        "250.8;250.8*;250*;240-279 Endocrine, nutrition, metabolism, immunity;*",
        "250.83;250.8*;250*;240-279 Endocrine, nutrition, metabolism, immunity;*",
        "999;999;999*;800-999 Injury and poisoning;*",
        "E888.1;E888.1*;E888*;E000-E999 External causes;*",
        "E8889;E888.9*;E888*;E000-E999 External causes;*",
        "V57;V57;V57*;V01-V91 Contact with health services;*",
        "v57.89;V57.8*;V57*;V01-V91 Contact with health services;*",
    ]


def test_icd_10() -> None:
    assert rows(trees.by_icd(["E11.65", "E1190", "I10", "C7A.00", "O9A.2"], edition=10)) == [
        "C7A.00;C7A.0*;C7A*;C00-D49 Neoplasms;*",
        "E11.65;E11.6*;E11*;E00-E90 Endocrine, nutrition, metabolism;*",
        "E1190;E11.9*;E11*;E00-E90 Endocrine, nutrition, metabolism;*",
        "I10;I10;I10*;I00-I99 Circulation;*",
        "O9A.2;O9A.2*;O9A*;O00-O9A Pregnancy and childbirth;*",
    ]


def test_levels_that_would_say_the_same_as_codes_are_left_out() -> None:
    assert rows(trees.by_icd(["401", "250"], edition=9)) == [
        "250;240-279 Endocrine, nutrition, metabolism, immunity;*",
        "401;390-459 Circulation;*",
    ]
    assert rows(trees.by_icd(["401.9", "250"], edition=9))[1] == "401.9;401*;390-459 Circulation;*"


@pytest.mark.parametrize("edition", [9, 10])
def test_chapters_follow_each_other(edition: Any) -> None:
    """Every category is in the chapter whose ends it lies between, and the ends are in it."""
    letters = "0123456789EV" if edition == 9 else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    chapters = set()
    for letter in letters:
        for number in range(1000 if letter == "E" and edition == 9 else 100):
            code = f"{letter}{number:03}" if letter == "E" and edition == 9 else f"{letter}{number:02}"
            try:
                [path] = trees.by_icd([code], edition=edition).paths
            except HierarchyError:
                continue
            first, last = path[1].split(" ")[0].split("-")
            assert first <= code <= last
            chapters.add((first, last))
    assert len(chapters) == {9: 19, 10: 22}[edition]
    for (_, end), (start, _) in zip(sorted(chapters), sorted(chapters)[1:], strict=False):
        assert end < start


@pytest.mark.parametrize(
    "column",
    [
        [3, 4, None],
        range(3, 5),
        np.array([3, 4]),
        pl.Series("a", ["4", "3"]),
        pl.Series("a", ["4", "3"], dtype=pl.Categorical),
        pd.Series([3, 4, 4]),
        pa.chunked_array([[3], [4, None]]),
    ],
)
def test_columns_of_all_libraries(column: Any) -> None:
    assert rows(trees.by_width(column, 2)) == ["3;[2, 3];*", "4;[4, 5];*"]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: trees.by_width([1]), "needs at least one level between the values and the root. Give the width"),
        (lambda: trees.by_breaks([1]), "needs at least one level between the values and the root. Give the breaks"),
        (lambda: trees.by_frequency([1]), "needs at least one level .* Give how many"),
        (lambda: trees.by_calendar(["2024-01-01"]), "needs at least one level .* Give the step"),
        (lambda: trees.by_prefix(["abc"]), "needs at least one level .* Give how many characters"),
        (lambda: trees.by_width([1], 0), "A width must be a number above 0, not 0"),
        (lambda: trees.by_width([1], float("inf")), "A width must be a number, not inf"),
        (lambda: trees.by_width([1], True), "A width must be a number, not True"),
        (lambda: trees.by_width([1], "5"), "A width must be a number, not '5'"),  # type: ignore[arg-type]
        (lambda: trees.by_width([1], 5, 12), "width 12 are not made of intervals of width 5. Each width must be"),
        (lambda: trees.by_width([1], 5, 5), "width 5 are not made of intervals of width 5"),
        (lambda: trees.by_breaks([1], []), "must be in order, .*: none. For example: 18, 30"),
        (lambda: trees.by_breaks([1], [3, 2.5]), "must be in order, .*: 3, 2.5. For example"),
        (lambda: trees.by_breaks([1], [3, 3]), "must be in order, .* none of them twice: 3, 3"),
        (lambda: trees.by_breaks([1], ["a"]), "A break must be a number, not 'a'"),  # type: ignore[list-item]
        (
            lambda: trees.by_breaks([1], [3, 5], [3, 4]),
            "The breaks 3, 4 do not join intervals between 3, 5: 4 cuts through one. Each level keeps some",
        ),
        (lambda: trees.by_frequency([1], 1), "There must be at least 2 intervals, not 1"),
        (lambda: trees.by_frequency([1], 2.5), "There must be at least 2 intervals, not 2.5"),  # type: ignore[arg-type]
        (lambda: trees.by_frequency([1], 4, 4), "4 intervals cannot be made by joining 4. Each level has fewer"),
        (lambda: trees.by_calendar(["2024-01-01"], "moth"), "one of 'day', .*, not 'moth'. Did you mean 'month'"),  # type: ignore[arg-type]
        (lambda: trees.by_calendar(["2024-01-01"], "week", "month"), "A week does not lie within one month"),
        (lambda: trees.by_calendar(["2024-01-01"], "year", "month"), "A year does not lie within one month"),
        (
            lambda: trees.by_calendar(["2024-01-01", "2024-02-30", "31.12.2024"], "year"),
            "'2024-02-30', '31.12.2024' are no date such as 2024-02-29. Mend",
        ),
        (lambda: trees.by_prefix(["abc"], 0), "A prefix must have at least 1 character, not 0"),
        (lambda: trees.by_prefix(["abc"], 2, 2), "Prefixes of 2 characters do not join prefixes of 2"),
        (lambda: trees.by_prefix(["abc", "ab"], 3), "A prefix of 3 characters hides nothing: the longest code has 3"),
        (
            lambda: trees.by_prefix(pl.Series("zip", [2139, 101, 10115]), 2),
            r"'101', '2139' in 'zip' are shorter than 5 digits. If leading zeros were .* \(--digits 5, digits=5\)",
        ),
        (lambda: trees.by_prefix(["25*", "250"], 2), r"'25\*' is the name of two things"),
        (lambda: trees.by_icd(["250", "x", "000", "V92"], edition=9), "'000', 'V92', 'x' are no code of ICD-9. Mend"),
        (lambda: trees.by_icd(["250", "E11"], edition=10), "'250' is no code of ICD-10"),
        (lambda: trees.by_icd(["A00", "D95", "T99"], edition=10), "'D95', 'T99' are no code of ICD-10"),
        (lambda: trees.by_icd(["A00"], edition=11), "There are editions 9 and 10 of the ICD here, not 11"),  # type: ignore[arg-type]
        (lambda: trees.by_width(["1", "N", "?"], 5), r"'\?', 'N' are no number. Mend .* may stand apart \(--apart\)"),
        (lambda: trees.by_width([1.0, float("inf")], 5), "'inf' is no number"),
        (lambda: trees.by_width(pl.Series("age", [None]), 5), "There are no values in 'age' to build"),
        (lambda: trees.by_width(["N"], 5, apart=["N"]), "There are no values to build .* those that stand apart"),
        (lambda: trees.by_width(5, 5), "is built from a column or a list of values: "),
        (lambda: trees.by_width([1, "N"], 5), "is built from a column or a list of values: [^\n]*$"),
        (lambda: trees.by_width([[1], [2]], 5), r"is built from single values, not from List"),
        (lambda: trees.by_calendar(pl.Series([2**31 - 1]).cast(pl.Date), "year"), r"dates of the years 1 to 9999"),
    ],
)
def test_what_is_refused(build: Callable[[], Hierarchy], message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        build()


def test_all_that_do_not_fit_are_listed_but_not_without_end() -> None:
    with pytest.raises(HierarchyError, match="'n39' and 60 more are no number"):
        trees.by_width([f"n{number:02}" for number in range(100)], 5)


def test_codes_of_a_text_file_are_not_numbers_where_the_policy_lists_them(tmp_path: Path) -> None:
    """250.00 and 250.0 are two codes, though both are one number."""
    source = tmp_path / "source.csv"
    source.write_text("name,code,disease\n1,250.00,a\n2,250.0,b\n3,401.9,a\n4,401.90,b\n", encoding="utf-8")
    codes = pl.read_csv(source, infer_schema=False)["code"]
    release = pellucid.anonymize(
        source,
        quasi_identifiers=["code"],
        sensitive="disease",
        diversity=2,
        identifier="name",
        hierarchies={"code": trees.by_prefix(codes, 3)},
    )
    assert sorted(release.table["code"]) == ["250*", "250*", "401*", "401*"]
    with pytest.raises(pellucid.MicrodataError, match=r"has no line for '250.0', '250.00'\. Add"):
        pellucid.anonymize(
            source,
            quasi_identifiers=["code"],
            sensitive="disease",
            diversity=2,
            identifier="name",
            hierarchies={"code": [("401.9", "*"), ("401.90", "*")]},
        )
