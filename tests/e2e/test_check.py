"""`pellucid check`: files of this program and of others."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.e2e.command_line import Runner

ROLES = ("-q", "age,place", "-s", "disease")
PUBLISH = ("anonymize", "source.csv", *ROLES, "-l", "2", "--identifier", "name", "-o")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".arrow"])
@pytest.mark.parametrize("options", [(), ("--intervals", "bounds"), ("--recoding", "anatomy")], ids=" ".join)
def test_own_releases(pellucid: Runner, folder: Path, ending: str, options: tuple[str, ...]) -> None:
    made = pellucid(*PUBLISH, f"out{ending}", *options, "--json").json
    run = pellucid("check", f"out{ending}", *ROLES, "-l", "2", "--json")
    assert (run.status, run.err) == (0, "")
    assert run.json == {"status": 0, "check": made["check"]}
    said = pellucid("check", f"out{ending}", *ROLES, "-l", "2")
    assert said.status == 0
    assert "is 2-diverse" in said.out


@pytest.mark.parametrize("name", ["out.csv", "out.qi.csv", "out.sensitive.csv"])
def test_an_anatomy_has_three_names(pellucid: Runner, folder: Path, name: str) -> None:
    made = pellucid(*PUBLISH, "out.csv", "--recoding", "anatomy", "--json").json
    for words in (ROLES, ("-s", "disease")):
        assert pellucid("check", name, *words, "-l", "2", "--json").json["check"] == made["check"]


def test_tables_of_two_anatomies_do_not_belong_together(pellucid: Runner, folder: Path) -> None:
    pellucid(*PUBLISH, "out.csv", "--recoding", "anatomy")
    lines = (folder / "out.qi.csv").read_text().splitlines(keepends=True)
    (folder / "out.qi.csv").write_text("".join(lines[:-1]))
    pellucid("check", "out.csv", *ROLES, "-l", "2").refused(4, "do not belong together")


OTHER = """Age Group,ZIP,Diagnosis
20-29,130**,flu
20-29,130**,cold
20-29,130**,gout
>=30,*,flu
>=30,*,flu
>=30,*,cold
"""


def test_a_file_of_another_program(pellucid: Runner, folder: Path) -> None:
    (folder / "other.csv").write_text(OTHER)
    run = pellucid("check", "other.csv", "-q", "Age Group,ZIP", "-s", "Diagnosis", "-l", "2", "--json")
    assert run.status == 4
    assert run.json["status"] == 4
    assert run.json["check"] == {
        "diverse": False,
        "diversity": 2,
        "rows": 6,
        "groups": 2,
        "smallest_group": 3,
        "average_group": 3.0,
        "sensitive_values": 3,
        "worst_frequency": 0.666667,
        "worst_frequency_exact": "2/3",
        "groups_not_diverse": 1,
    }
    said = pellucid("check", "other.csv", "-q", "Age Group,ZIP", "-s", "Diagnosis", "-l", "2")
    assert said.status == 4
    assert "is NOT 2-diverse: 1 of its groups are not" in said.out
    assert "66.7% of it (2/3)" in said.out
    assert pellucid("check", "other.csv", "-q", "Age Group,ZIP", "-s", "Diagnosis", "-l", "1").status == 0


@pytest.mark.parametrize(
    ("columns", "groups"), [("Age Group", 2), ("ZIP", 2), ("ZIP,Age Group", 2), ("Age Group,Diagnosis", None)]
)
def test_groups_are_the_rows_with_the_same_values(
    pellucid: Runner, folder: Path, columns: str, groups: int | None
) -> None:
    (folder / "other.csv").write_text(OTHER)
    run = pellucid("check", "other.csv", "-q", columns, "-s", "Diagnosis", "-l", "1", "--json")
    if groups is None:
        run.refused(2, "more than once")
    else:
        assert run.json["check"]["groups"] == groups


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_missing_value_is_a_value(pellucid: Runner, folder: Path, ending: str) -> None:
    """Rows without a QI value are a group of their own, and a missing disease counts like any other."""
    table = pl.DataFrame(
        {
            "age": [None, None, "1", "1", None],
            "place": ["x", "x", "x", "x", None],
            "disease": [None, None, "a", "b", "c"],
        }
    )
    file = folder / f"other{ending}"
    table.write_csv(file) if ending == ".csv" else table.write_parquet(file)
    check = pellucid("check", file.name, *ROLES, "-l", "2", "--json").json["check"]
    assert (check["rows"], check["groups"], check["groups_not_diverse"], check["sensitive_values"]) == (5, 3, 2, 4)
    assert check["worst_frequency_exact"] == "1"


def test_numbers_and_texts_of_binary_files(pellucid: Runner, folder: Path) -> None:
    table = pl.DataFrame({"age": [1.5, 1.5, 0.0, 0.0], "place": [True, True, False, False], "disease": [1, 2, 1, 2]})
    table.write_parquet(folder / "other.parquet")
    check = pellucid("check", "other.parquet", *ROLES, "-l", "2", "--json").json["check"]
    assert (check["groups"], check["diverse"]) == (2, True)


def test_columns_that_hold_no_single_values(pellucid: Runner, folder: Path) -> None:
    words = ("check", "other.parquet", "-q", "age", "-s", "disease", "-l", "2")
    for column in ([[1], [2]], [b"x", b"\xff"], [{"a": 1}, {"a": 2}]):
        pl.DataFrame({"age": column, "disease": ["flu", "cold"]}).write_parquet(folder / "other.parquet")
        pellucid(*words).refused(2, "'age' holds")
    pl.DataFrame({"age": [None, None], "disease": ["flu", "cold"]}).write_parquet(folder / "other.parquet")
    assert pellucid(*words).status == 0


def test_exactly_one_l_th_is_diverse_and_one_more_is_not(pellucid: Runner, folder: Path) -> None:
    for first, status in ((1000, 0), (1001, 4)):
        values = ["a"] * first + ["b"] * 1000 + ["c"] * (2000 - first)
        pl.DataFrame({"age": ["x"] * 3000, "disease": values}).write_csv(folder / "other.csv")
        assert pellucid("check", "other.csv", "-q", "age", "-s", "disease", "-l", "3").status == status


def test_a_group_id_is_enough(pellucid: Runner, folder: Path) -> None:
    pl.DataFrame({"group_id": [1, 1, 2, 2], "disease": list("abcc")}).write_csv(folder / "groups.csv")
    check = pellucid("check", "groups.csv", "-s", "disease", "-l", "2", "--json").json["check"]
    assert (check["groups"], check["groups_not_diverse"]) == (2, 1)


def test_the_source_is_no_release(pellucid: Runner, folder: Path) -> None:
    run = pellucid("check", "source.csv", *ROLES, "-l", "2", "--json")
    assert run.status == 4
    assert run.json["check"]["diverse"] is False


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("check", "out.csv", *ROLES), 2, "-l"),
        (("check", "out.csv", "-q", "age", "-l", "2"), 2, "-s"),
        (("check", "out.csv", "-s", "disease", "-l", "2"), 2, "-q"),
        (("check", "out.csv", *ROLES, "-l", "0"), 2, "at least 1"),
        (("check", "out.csv", *ROLES, "-l", "x"), 2, "-l"),
        (("check", "out.csv", "-q", "age,shoe", "-s", "disease", "-l", "2"), 5, "no column named 'shoe'"),
        (("check", "out.csv", "-q", "age,age", "-s", "disease", "-l", "2"), 2, "more than once"),
        (("check", "nothing.csv", *ROLES, "-l", "2"), 5, "There is no file nothing.csv"),
        (("check", ".", *ROLES, "-l", "2"), 5, "no format"),
        (("check", "/", *ROLES, "-l", "2"), 5, "no format"),
        (("check", "out.csv.manifest.json", *ROLES, "-l", "2"), 5, "no format"),
        (("check",), 2, "RELEASE"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_refused(pellucid: Runner, folder: Path, words: tuple[str, ...], status: int, message: str) -> None:
    pellucid(*PUBLISH, "out.csv")
    run = pellucid(*words)
    run.refused(status, message)
    assert run.out == ""


def test_errors_as_json(pellucid: Runner, folder: Path) -> None:
    run = pellucid("check", "nothing.csv", *ROLES, "-l", "2", "--json")
    run.refused(5)
    assert run.json["error"]["kind"] == "SourceError"


@pytest.mark.parametrize("line", ["20-29,130**", "20-29,130**,flu,x", ""])
def test_ragged_files(pellucid: Runner, folder: Path, line: str) -> None:
    (folder / "other.csv").write_text(OTHER + line + "\n")
    pellucid("check", "other.csv", "-q", "Age Group,ZIP", "-s", "Diagnosis", "-l", "2").refused(5, "values")


def test_an_empty_release(pellucid: Runner, folder: Path) -> None:
    """No rows, no group that is not diverse: the numbers say what there is to say."""
    (folder / "other.csv").write_text("age,place,disease\n")
    run = pellucid("check", "other.csv", *ROLES, "-l", "2", "--json")
    assert json.loads(run.out)["check"]["rows"] == 0


@pytest.mark.parametrize("diversity", [3, 2**31, 2**62, 2**63, 10**30])
def test_an_l_beyond_all_numbers(pellucid: Runner, folder: Path, diversity: int) -> None:
    """Two people with one disease are not diverse, however large l is."""
    (folder / "other.csv").write_text("age,disease\n1,flu\n1,flu\n")
    run = pellucid("check", "other.csv", "-q", "age", "-s", "disease", "-l", diversity, "--json")
    assert (run.status, run.json["check"]["groups_not_diverse"]) == (4, 1)
