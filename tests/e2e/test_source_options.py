"""What commands are told about the file that a table is in: `--separator`, `--encoding`, `--decimal`, `--null`, ..."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.e2e.command_line import Runner

ROLES = ("-q", "age,place", "-s", "disease")
ANONYMIZE = (*ROLES, "-l", "2", "--identifier", "name")
SAID = ("--separator", ";", "--encoding", "windows-1252", "--decimal", ",", "--null", "NA,?")


@pytest.fixture
def hospital(folder: Path) -> Path:
    """The table of the other tests as a hospital exports it: ages are numbers with a decimal comma."""
    table = pl.read_csv(folder / "source.csv")
    lines = [";".join(table.columns)]
    for row in table.iter_rows(named=True):
        row |= {"age": f"{row['age']},5", "place": "Köln" if row["place"] == table["place"][0] else row["place"]}
        lines.append(";".join(str(row[name]) for name in table.columns))
    lines[5] = lines[5].replace(lines[5].split(";")[table.columns.index("place")], "NA")
    file = folder / "hospital.csv"
    file.write_bytes("\r\n".join([*lines, ""]).encode("windows-1252"))
    return file


def test_told_on_the_command_line(pellucid: Runner, hospital: Path, folder: Path) -> None:
    words = ("hospital.csv", "-o", "out.csv", *ANONYMIZE, "--missing", "drop")
    pellucid("anonymize", *words).refused(5, "They would mean 'Köln' in windows-1252")
    pellucid("anonymize", *words, *SAID[:4]).refused(5, "--decimal")
    run = pellucid("anonymize", *words, *SAID)
    assert run.status == 0, run.err
    assert "  source: read with separator ';', encoding 'windows-1252'" in run.out
    assert "1 rows with missing values were left out" in run.out
    released = (folder / "out.csv").read_text("utf-8")
    assert "Köln" in released
    assert "NA" not in released
    assert ".5, " in released
    assert pellucid("evaluate", "hospital.csv", "out.csv", *ROLES, *SAID).status == 0
    run = pellucid("compare", "hospital.csv", *ROLES, "-l", "2", "--algorithms", "tailor", *SAID)
    assert run.status == 0, run.err


def test_told_by_the_policy_file(pellucid: Runner, hospital: Path, folder: Path) -> None:
    """And overridden on the command line, each setting for itself."""
    source = '[source]\npath = "hospital.csv"\nencoding = "cp850"\ndecimal = ","\nnull = ["NA"]\n'
    (folder / "pellucid.toml").write_text('missing = "drop"\n' + source)
    words = ("-o", "out.csv", *ANONYMIZE, "--policy", "pellucid.toml", "--json")
    assert pellucid("anonymize", *words).json["source"] == {"separator": ";", "encoding": "cp850"}
    assert "K÷ln" in (folder / "out.csv").read_text("utf-8")
    run = pellucid("anonymize", *words, "--encoding", "windows-1252")
    assert run.json["source"] == {"separator": ";", "encoding": "windows-1252"}
    assert "Köln" in (folder / "out.csv").read_text("utf-8")
    run = pellucid("evaluate", "hospital.csv", "out.csv", *ROLES, "--policy", "pellucid.toml", "--encoding", "cp1252")
    assert run.status == 0, run.err
    (folder / "pellucid.toml").write_text('[source]\nseparator = "word"\nsheet = 0\n')
    run = pellucid("anonymize", "source.csv", *words)
    assert {(problem["line"], problem["setting"][-1]) for problem in run.json["error"]["problems"]} == {
        (2, "separator"),
        (3, "sheet"),
    }


def test_other_formats(pellucid: Runner, folder: Path) -> None:
    """Out as Excel and compressed, in again, checked."""
    for target in ("out.xlsx", "out.csv.gz", "out.tsv.xz"):
        assert pellucid("anonymize", "source.csv", "-o", target, *ANONYMIZE).status == 0
        assert pellucid("check", target, *ROLES, "-l", "2").status == 0
        assert pellucid("evaluate", "source.csv", target, *ROLES).status == 0
    assert pellucid("anonymize", "out.xlsx", "--sheet", "release", "-o", "again.csv", *ROLES, "-l", "2").status == 0
    pellucid("anonymize", "out.xlsx", "--sheet", "x", "-o", "o.csv", *ROLES, "-l", "2").refused(5, "'release'")
    pellucid("anonymize", "source.csv", "--sheet", "x", "-o", "o.csv", *ANONYMIZE).refused(2, "Excel files")
    (folder / "out.csv.gz").write_bytes((folder / "out.csv.gz").read_bytes()[:-9])
    pellucid("check", "out.csv.gz", *ROLES, "-l", "2").refused(5, "was cut off")


def test_anatomy_of_compressed_files(pellucid: Runner, folder: Path) -> None:
    assert pellucid("anonymize", "source.csv", "-o", "out.csv.gz", *ANONYMIZE, "--recoding", "anatomy").status == 0
    assert {file.name for file in folder.glob("out*")} == {
        "out.qi.csv.gz",
        "out.sensitive.csv.gz",
        "out.csv.gz.manifest.json",
    }
    manifest = json.loads((folder / "out.csv.gz.manifest.json").read_text())
    assert [file["name"] for file in manifest["files"]] == ["out.qi.csv.gz", "out.sensitive.csv.gz"]
    for name in ("out.csv.gz", "out.qi.csv.gz"):
        assert pellucid("check", name, "-q", "age,place", "-s", "disease", "-l", "2").status == 0
        assert pellucid("evaluate", "source.csv", name, *ROLES).status == 0


def test_a_foreign_release(pellucid: Runner, folder: Path) -> None:
    (folder / "theirs.csv").write_bytes("age;sex;ill\n1,5;ä;x\n1,5;ä;y\n".encode("iso-8859-15"))
    words = ("check", "theirs.csv", "-q", "age,sex", "-s", "ill", "-l", "2")
    pellucid(*words).refused(5, "--encoding")
    assert pellucid(*words, "--encoding", "iso-8859-15").status == 0


def test_risk_of_a_source_that_has_to_be_described(pellucid: Runner, folder: Path) -> None:
    table = "Name;Age;Disease\nAnn;21,5;flu\nBob;27,5;gout\nCate;32,5;flu\nJos\xe9;32,5;gout\n"
    (folder / "people.csv").write_bytes(table.encode("windows-1252"))
    roles = ("-q", "Age", "-s", "Disease", "-l", "2", "--identifier", "Name", "--algorithm", "tailor")
    told = ("--encoding", "windows-1252", "--decimal", ",")
    assert pellucid("anonymize", "people.csv", "-o", "out.csv", *roles, *told).status == 0
    words = ("risk", "out.csv", "--external", "people.csv", *roles)
    pellucid(*words).refused(5, "--encoding")
    run = pellucid(*words, *told)
    assert run.status == 0, run.err
    assert "José" in run.out
