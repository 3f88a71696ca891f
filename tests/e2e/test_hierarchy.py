"""`pellucid hierarchy`: a file for every way to build one, and what is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from pellucid import Hierarchy, trees
from tests.e2e.command_line import Runner

DATES = [f"2024-{number % 12 + 1:02}-07" for number in range(48)]
CODES = [["250.83", "401.9", "V57", "unknown"][number % 4] for number in range(48)]


@pytest.fixture
def source(folder: Path) -> pl.DataFrame:
    """`source.csv` with dates and codes in it."""
    table = pl.read_csv("source.csv").with_columns(
        admitted=pl.Series(DATES), code=pl.Series(CODES), zipcode=pl.Series([2139, 10115, 10117] * 16)
    )
    table.write_csv("source.csv")
    return table


@pytest.mark.parametrize(
    ("column", "words", "tree"),
    [
        ("age", "--width 5,10", lambda column: trees.by_width(column, 5, 10)),
        ("age", "--width 2.5", lambda column: trees.by_width(column, 2.5)),
        ("age", "--breaks 25,30,40 --breaks 30", lambda column: trees.by_breaks(column, [25, 30, 40], [30])),
        ("age", "--frequency 6,2", lambda column: trees.by_frequency(column, 6, 2)),
        ("admitted", "--calendar month,quarter", lambda column: trees.by_calendar(column, "month", "quarter")),
        ("zipcode", "--prefix 3,2 --digits 5", lambda column: trees.by_prefix(column, 3, 2, digits=5)),
        ("code", "--icd 9 --apart unknown", lambda column: trees.by_icd(column, edition=9, apart=["unknown"])),
    ],
)
def test_files(pellucid: Runner, source: pl.DataFrame, column: str, words: str, tree: object) -> None:
    """They are what the library builds, and a release can be made with them."""
    assert callable(tree)
    expected = tree(source[column])
    said = pellucid("hierarchy", "source.csv", "--column", column, *words.split(), "-o", "tree.csv")
    assert said.status == 0
    assert said.out.startswith(f"Wrote tree.csv: {len(expected.values)} values of {column}, ")
    assert f"publish with: --hierarchy {column}=tree.csv" in said.out
    assert ("never for the sensitive column" in said.out) == ("--frequency" in words)
    assert Hierarchy.read("tree.csv") == expected
    shown = pellucid("hierarchy", "source.csv", "-c", column, *words.split())
    assert (shown.out, shown.err) == (Path("tree.csv").read_text(encoding="utf-8"), "")
    made = pellucid(
        *("anonymize", "source.csv", "-o", "out.csv", "-q", f"age,{column}" if column != "age" else "age"),
        *("-s", "disease", "-l", "2", "--identifier", "name", "--drop-others", "--hierarchy", f"{column}=tree.csv"),
    )
    assert made.status == 0, made.err


def test_levels_are_shown(pellucid: Runner, source: pl.DataFrame) -> None:
    assert pellucid("hierarchy", "source.csv", "-c", "age", "--breaks", "25,35", "-o", "age.csv").out == (
        "Wrote age.csv: 30 values of age, from themselves to *\n"
        "  level 0         30 names:  20, 21, 22, ..\n"
        "  level 1          3 names:  < 25, [25, 34], >= 35\n"
        "  level 2          1 name:   *\n"
        "Look at it, change what you like, and publish with: --hierarchy age=age.csv\n"
    )


def test_json(pellucid: Runner, source: pl.DataFrame) -> None:
    shown = pellucid("hierarchy", "source.csv", "-c", "zipcode", "--prefix", "2", "--digits", "5", "--json").json
    tree = trees.by_prefix(source["zipcode"], 2, digits=5)
    rows = [list(path) for path in tree.paths]
    assert shown == {"status": 0, "column": "zipcode", "hierarchy": tree.as_dict(), "rows": rows}
    assert [row[1] for row in rows] == ["02***", "10***", "10***"]
    written = pellucid("hierarchy", "source.csv", "-c", "age", "--width", "5", "-o", "age.csv", "--json").json
    assert written["file"] == "age.csv"
    assert written["hierarchy"]["sha256"] == Hierarchy.read("age.csv").sha256


def test_a_file_of_another_dialect(pellucid: Runner, folder: Path) -> None:
    Path("odd.csv").write_text("'größe';x\n1,5;a\n2,25;b\n?;c\n", encoding="windows-1252")
    words = ("--separator", ";", "--quote", "'", "--encoding", "windows-1252", "--decimal", ",", "--null", "?")
    shown = pellucid("hierarchy", "odd.csv", "-c", "größe", "--width", "1", *words)
    assert (shown.status, shown.out) == (0, "1.5;[1, 2);*\n2.25;[2, 3);*\n")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("-c age", 2, "Nothing says how to build the hierarchy. Give one of --width, --breaks, "),
        ("-c age --width 5 --icd 9", 2, "--width and --icd exclude each other. Give one of"),
        ("-c age --width 5 --digits 5", 2, "--digits says how long codes are. It goes with --prefix."),
        ("-c agee --width 5", 2, "source.csv has no column named 'agee'. Did you mean 'age'?"),
        ("-c xyz --width 5", 2, "has no column named 'xyz'. Its columns are 'name', 'age'"),
        ("-c age --width five", 2, "A width must be a number, not 'five'"),
        ("-c place --width 5", 2, "'Bonn', 'Köln', 'Ulm' in 'place' are no number"),
        ("-c zipcode --prefix 3", 2, "'2139' in 'zipcode' is shorter than 5 digits"),
        ("-c age --width 5 -o source.csv", 5, "The target source.csv is the source itself"),
        ("-c age --width 5 -o nowhere/age.csv", 5, "There is no folder nowhere"),
        ("-c age --width 5 -o .", 5, "is a folder"),
    ],
)
def test_refused(pellucid: Runner, source: pl.DataFrame, words: str, status: int, message: str) -> None:
    said = pellucid("hierarchy", "source.csv", *words.split())
    said.refused(status, message)
    assert said.out == ""
    assert [file.name for file in Path().iterdir()] == ["source.csv"]
