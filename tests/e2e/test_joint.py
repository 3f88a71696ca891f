"""Several sensitive columns from the command line: declared joint, or refused with the reason."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from tests.e2e.command_line import Runner

ROLES = ("-q", "age,place", "-s", "disease,treatment")
PUBLISH = ("anonymize", "treated.csv", *ROLES, "-l", "2", "--identifier", "name", "-o")


@pytest.fixture
def treated(folder: Path) -> Path:
    """Everybody has the same disease, and one of four treatments."""
    lines = [f"P{n:02},{20 + n},{'Ulm' if n % 3 else 'Bonn'},hiv,drug {n % 4}" for n in range(24)]
    file = folder / "treated.csv"
    file.write_text("\n".join(["name,age,place,disease,treatment", *lines]) + "\n")
    return file


@pytest.mark.usefixtures("treated")
@pytest.mark.parametrize("recoding", ["mbr", "anatomy"])
def test_declared_joint(pellucid: Runner, recoding: str) -> None:
    run = pellucid(*PUBLISH, "out.csv", "--joint", "--recoding", recoding)
    assert run.status == 0
    assert "Warning: only the combination of disease and treatment is protected." in run.err
    assert "a value of disease is up to 100.0% of a group" in run.err
    assert "no value of the combination of disease and treatment has more than 50.0% of a group" in run.out
    judged = pellucid("check", "out.csv", *ROLES, "--joint", "-l", "2")
    assert judged.status == 0
    assert "disease by itself: its most frequent value is up to 100.0% of a group" in judged.out
    as_json = pellucid("check", "out.csv", *ROLES, "--joint", "-l", "2", "--json").json["check"]
    assert as_json["worst_frequency_alone"]["disease"] == "1"
    assert pellucid("check", "out.csv", "-q", "age,place", "-s", "disease", "-l", "2").status == 4
    worth = pellucid("evaluate", "treated.csv", "out.csv", *ROLES, "--joint", "--queries", 20, "--json")
    assert worth.json["evaluation"]["rows"] == 24
    assert "weave" in pellucid("compare", "treated.csv", *ROLES, "--joint", "-l", "2", "--algorithms", "weave").out


@pytest.mark.usefixtures("treated")
def test_a_look_and_a_draft(pellucid: Runner, folder: Path) -> None:
    """The largest l of the combination, by itself and beside that of each column; the draft makes a release."""
    run = pellucid("inspect", "treated.csv", *ROLES, "--joint", "--html", "look.html")
    assert run.status == 0, run.err
    text = (
        "The combination of 'disease' and 'treatment' has 4 different values, and the largest l for it is 4 (1 for"
        " 'disease' alone, 4 for 'treatment' alone). Nobody is tied to the combination, but everybody of a group may"
        " have the same value in one of them."
    )
    page = html.unescape((folder / "look.html").read_text(encoding="utf-8"))
    for said in (run.out, page):
        assert text in " ".join(said.split())
    found = pellucid("inspect", "treated.csv", *ROLES, "--joint", "--json").json["inspection"]
    assert found["joint"] == {"columns": ["disease", "treatment"], "distinct": 4, "largest_diversity": 4}
    assert [each["largest_diversity"] for each in found["columns"]][-2:] == [1, 4]
    assert pellucid("inspect", "treated.csv", "-s", "disease", "--json").json["inspection"]["joint"] is None

    run = pellucid("init", "treated.csv", "-s", "treatment,disease", "--joint", "-q", "age,place")
    assert run.status == 0, run.err
    said = " ".join(run.out.split())
    assert "sensitive: treatment, disease (joint)" in said
    assert "l = 4; 4 is the largest that their combination allows (it reveals a count: for you alone)" in said
    assert pellucid("anonymize", "--policy", "pellucid.toml").status == 0
    policy = json.loads((folder / "treated.published.csv.manifest.json").read_text())["policy"]
    assert (policy["sensitive"], policy["joint"], policy["diversity"]) == (["treatment", "disease"], True, 4)
    proposal = pellucid("init", "treated.csv", *ROLES, "--joint", "-o", "again.toml", "--json").json["proposal"]
    assert (proposal["sensitive"], proposal["joint"]) == (["disease", "treatment"], True)


@pytest.mark.usefixtures("treated")
@pytest.mark.parametrize("command", ["inspect", "init"])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-s", "disease,treatment"), "several sensitive columns: 'disease', 'treatment'. Declare them joint (--joint"),
        (("-s", "disease", "--joint"), "joint is for several sensitive columns, and there is one. Name all of them"),
        (("--joint",), "joint is for several sensitive columns, and none is named. Name all of them"),
        (("-s", "disease,treatmnt", "--joint"), "no column named 'treatmnt'. Did you mean 'treatment'?"),
        (("-s", "disease,age", "--joint", "-q", "age"), "'age' is given more than one role."),
    ],
)
def test_a_look_is_refused_as_a_release_is(
    pellucid: Runner, folder: Path, command: str, words: tuple[str, ...], message: str
) -> None:
    pellucid(command, "treated.csv", *words).refused(2, message)
    assert not (folder / "pellucid.toml").exists()


@pytest.mark.usefixtures("treated")
def test_nothing_is_left_to_be_known(pellucid: Runner, folder: Path) -> None:
    everything = ("-s", "name,age,place,disease,treatment", "--joint")
    run = pellucid("init", "treated.csv", *everything)
    run.refused(2, "treated.csv has no column left that could be a quasi-identifier.")
    (folder / "empty.csv").write_text("age,place,gone\n" + "20,Ulm,\n30,Bonn,\n")
    run = pellucid("init", "empty.csv", "-s", "place,gone", "--joint")
    run.refused(2, "'gone' cannot be sensitive: no values at all")


@pytest.mark.usefixtures("treated")
def test_not_declared(pellucid: Runner, folder: Path) -> None:
    run = pellucid(*PUBLISH, "out.csv")
    run.refused(2, "several sensitive columns: 'disease', 'treatment'. Declare them joint (--joint")
    assert not (folder / "out.csv").exists()


@pytest.mark.usefixtures("treated")
def test_risk_names_the_combination(pellucid: Runner, folder: Path) -> None:
    lines = (folder / "treated.csv").read_text().splitlines(keepends=True)
    (folder / "treated.csv").write_text("".join(lines[:7]))
    assert pellucid(*PUBLISH, "out.csv", "--joint", "--algorithm", "tailor").status == 0
    known = ("--external", "treated.csv", "--identifier", "name", "--algorithm", "tailor", "-l", "2")
    run = pellucid("risk", "out.csv", *ROLES, "--joint", *known)
    assert run.status == 0
    assert "most likely disease, treatment" in " ".join(run.out.split())


@pytest.mark.usefixtures("treated")
def test_names_with_commas(pellucid: Runner, folder: Path) -> None:
    text = (folder / "treated.csv").read_text().replace("disease,treatment", '"disease, old",treatment', 1)
    (folder / "treated.csv").write_text(text)
    roles = ("-q", "age,place", "--identifier", "name", "-l", "2", "-o", "out.csv")
    alone = pellucid("anonymize", "treated.csv", *roles, "-s", "treatment", "--drop", '"disease, old"', "--json")
    assert alone.json["policy"]["sensitive"] == "treatment"
    one = pellucid("anonymize", "treated.csv", *roles, "-s", "disease, old", "--drop", "treatment", "-l", "1", "--json")
    assert one.json["policy"]["sensitive"] == "disease, old"
    both = pellucid("anonymize", "treated.csv", *roles, "-s", '"disease, old",treatment', "--joint", "--json")
    assert both.json["policy"]["sensitive"] == ["disease, old", "treatment"]
