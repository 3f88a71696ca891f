"""Several sensitive columns from the command line: declared joint, or refused with the reason."""

from __future__ import annotations

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
