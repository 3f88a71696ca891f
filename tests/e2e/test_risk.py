"""`pellucid risk` as its users see it."""

from __future__ import annotations

import importlib
import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.e2e.command_line import Runner

T9 = [("Ann", 21, 1), ("Bob", 27, 1), ("Cate", 32, 1), ("Don", 32, 0), ("Ed", 54, 0), ("Fred", 60, 0), ("Gill", 60, 0)]
ROLES = ("-q", "Age", "-s", "Disease", "-l", "2", "--identifier", "Name")


@pytest.fixture
def appendix(folder: Path) -> Path:
    """The release and the external source of the electronic appendix, where Mask protects dyspepsia."""
    (folder / "t9.csv").write_text(
        "Name,Age,Disease\n" + "".join(f"{name},{age},{['flu', 'dyspepsia'][ill]}\n" for name, age, ill in T9)
    )
    (folder / "people.csv").write_text("Name,Age\n" + "".join(f"{name},{age}\n" for name, age, _ in T9))
    (folder / "t10.csv").write_text(
        'Age,Disease\n"[21, 27]",flu\n"[21, 27]",dyspepsia\n32,dyspepsia\n32,flu\n' + '"[54, 60]",flu\n' * 3
    )
    return folder


def test_the_attack_on_mask(pellucid: Runner, appendix: Path) -> None:
    words = ("risk", "t10.csv", "--external", "people.csv", *ROLES, "--algorithm", "mask", "--protected", "dyspepsia")
    run = pellucid(*words)
    assert run.status == 0
    assert run.err == "pellucid: 128 tables fit this release; the algorithm is run on each of them.\n"
    assert "8 possible tables lead to this release." in run.out
    ann = next(line for line in run.out.splitlines() if "Ann" in line)
    assert "7/12 (58.3%)" in ann
    assert "dyspepsia" in ann
    found = json.loads(pellucid(*words, "--json").out)["risk"]
    assert found["instances"] == 8
    assert pellucid(*words, "--anonymity", "3").status == 4


def test_what_mask_publishes_it_can_have_published(pellucid: Runner, appendix: Path) -> None:
    mask = ("--algorithm", "mask", "--protected", "dyspepsia")
    made = pellucid("anonymize", "t9.csv", "-o", "out.csv", *ROLES, *mask)
    assert made.status == 0
    assert "mask is not transparent" in made.err
    assert "mask changes sensitive values" in made.err
    assert "2 rows have another Disease than in the source" in made.out or "1 rows have another" in made.out
    assert pellucid("risk", "out.csv", "--external", "people.csv", *ROLES, *mask).status == 0


def test_a_protected_value_that_the_release_does_not_show(pellucid: Runner, appendix: Path) -> None:
    """It was replaced wherever it was, or is misspelt: nobody can tell, and the person is asked."""
    rows = ["A,20,hiv", "B,21,hiv", "C,30,flu", "D,33,cold", "E,41,cold", "F,42,flu"]
    (appendix / "six.csv").write_text("\n".join(["Name,Age,Disease", *rows, ""]))
    mask = ("--algorithm", "mask", "--protected", "hiv")
    assert pellucid("anonymize", "six.csv", "-o", "out.csv", *ROLES, *mask).status == 0
    assert "hiv" not in (appendix / "out.csv").read_text()
    words = ("risk", "out.csv", "--external", "six.csv", *ROLES, *mask)
    run = pellucid(*words)
    assert run.status == 0, run.err
    said = " ".join(run.err.split())
    assert "The release does not show 'hiv' (--protected): taken as replaced by mask wherever it was." in said
    found = pellucid(*words, "--json").json["risk"]
    assert found["unseen"] == ["hiv"]
    assert all("hiv" in dict(person["posterior"]) for person in found["people"])


def test_settings_from_a_policy_file(pellucid: Runner, appendix: Path) -> None:
    """The order of the sensitive values is part of Weave, and comes from the policy."""
    (appendix / "policy.toml").write_text(
        'quasi_identifiers = ["Age"]\nsensitive = "Disease"\ndiversity = 2\nidentifier = "Name"\nalgorithm = "weave"\n'
        '[attributes.Disease]\norder = ["flu", "gout", "dyspepsia", "ulcer"]\n'
    )
    (appendix / "four.csv").write_text("Name,Age,Disease\nA,1,flu\nB,2,gout\nC,3,dyspepsia\nD,4,ulcer\n")
    (appendix / "all.csv").write_text("Name,Age\nA,1\nB,2\nC,3\nD,4\n")
    assert pellucid("anonymize", "four.csv", "-o", "out.csv", "--policy", "policy.toml").status == 0
    run = pellucid("risk", "out.csv", "--external", "all.csv", "--policy", "policy.toml")
    assert run.status == 0
    assert "0 of 4 people are at more than that." in run.out
    found = json.loads(pellucid("risk", "out.csv", "--external", "all.csv", "--policy", "policy.toml", "--json").out)
    assert found["risk"]["maximum"] == "1/2"


def test_the_order_of_sensitive_values_as_a_file(pellucid: Runner, folder: Path) -> None:
    """Along the order a, b, c, d Weave may pair a with b. Without an order it never does so on these counts."""
    people = zip("ABCDEF", (1, 2, 50, 51, 90, 91), "abacdc", strict=True)
    (folder / "six.csv").write_text("Name,Age,Disease\n" + "".join(f"{n},{age},{ill}\n" for n, age, ill in people))
    (folder / "order.txt").write_text("a\nb\nc\nd\n")
    order = ("--sensitive-order", "order.txt")
    assert pellucid("anonymize", "six.csv", "-o", "out.csv", *ROLES, *order).status == 0
    words = ("risk", "out.csv", "--external", "six.csv", *ROLES, "--algorithm", "weave")
    known = pellucid(*words, *order)
    assert (known.status, "The largest risk is 1/2" in known.out) == (0, True)
    unknown = pellucid(*words)
    assert (unknown.status, "cannot have produced this release" in " ".join(unknown.err.split())) == (4, True)


@pytest.mark.parametrize("recoding", ["mbr", "anatomy"])
def test_settings_of_columns_on_the_command_line(pellucid: Runner, appendix: Path, recoding: str) -> None:
    """Whatever `anonymize` was told, `risk` can be told as well."""
    (appendix / "places.csv").write_text("Aix;France;*\nLyon;France;*\nBonn;Germany;*\nUlm;Germany;*\n")
    rows = ["A,21,Aix,flu", "B,24,Lyon,cold", "C,38,Bonn,flu", "D,39,Ulm,cold", "E,,Aix,gout"]
    (appendix / "five.csv").write_text("\n".join(["Name,Age,Place,Disease", *rows, ""]))
    roles = ("-q", "Age,Place", *ROLES[2:], "--algorithm", "weave", "--missing", "category", "--recoding", recoding)
    words = (*roles, "--hierarchy", "Place=places.csv", "--grid", "Age=10")
    assert pellucid("anonymize", "five.csv", "-o", "out.csv", *words).status == 0
    run = pellucid("risk", "out.csv", "--external", "five.csv", *words, "--json")
    assert run.status == 0
    assert 0 < Fraction(run.json["risk"]["maximum"]) <= Fraction(1, 2)
    assert run.json["risk"]["recoding"] == recoding


@pytest.mark.parametrize("words", [(), ("--recoding", "anatomy")])
def test_a_sample_is_published_as_the_policy_says(
    pellucid: Runner, appendix: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[object] = []
    command = importlib.import_module("pellucid.cli.risk")
    monkeypatch.setattr(command, "sampled_audit", lambda source, **options: heard.append(options["recoding"]))
    monkeypatch.setattr(command, "_show_sampled", lambda *_: None)
    (appendix / "policy.toml").write_text('recoding = "anatomy"\n')
    assert pellucid("risk", "--sample", "t9.csv", *ROLES, "--algorithm", "weave", *words).status == 0
    assert pellucid("risk", "--sample", "t9.csv", *ROLES, "--algorithm", "weave", "--policy", "policy.toml").status == 0
    assert heard == ["anatomy" if words else "mbr", "anatomy"]


@pytest.mark.parametrize("words", [("t10.csv",), ("--external", "people.csv"), ("t10.csv", "--external", "people.csv")])
def test_either_a_release_or_a_sample(pellucid: Runner, appendix: Path, words: tuple[str, ...]) -> None:
    """Nothing that was asked for is passed over in silence."""
    run = pellucid("risk", *words, "--sample", "t9.csv", *ROLES, "--algorithm", "tailor")
    assert run.status == 2
    assert "or --sample SOURCE alone for an estimate" in " ".join(run.err.split())


def test_no_control_character_of_a_table_reaches_the_terminal(pellucid: Runner, folder: Path) -> None:
    (folder / "two.csv").write_text("Name,Age,Disease\nA\x1b[2J,1,flu\nB,2,co\x1b[31mld\n")
    assert pellucid("anonymize", "two.csv", "-o", "out.csv", *ROLES, "--algorithm", "tailor").status == 0
    run = pellucid("risk", "out.csv", "--external", "two.csv", *ROLES, "--algorithm", "tailor")
    assert run.status == 0
    assert "\x1b" not in run.out
    assert "A\\u001b[2J" in run.out


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ((*ROLES,), 2, "risk needs the algorithm"),
        ((*ROLES[:-2], "--algorithm", "mondrian"), 2, "risk needs the column that names the person"),
        ((*ROLES, "--algorithm", "mondrain"), 2, "algorithm must be one of"),
        ((*ROLES, "--algorithm", "tailor", "--protected", "flu"), 2, "of the algorithm 'mask' alone"),
        ((*ROLES, "--algorithm", "mask"), 4, "cannot have produced this release"),
        ((*ROLES, "--algorithm", "mondrian", "--limit", "3"), 2, "the limit is 3 runs of the algorithm."),
        (("-q", "Age,Zip", *ROLES[2:], "--algorithm", "mondrian"), 2, "no column named 'Zip'"),
    ],
)
def test_refused(pellucid: Runner, appendix: Path, words: tuple[str, ...], status: int, message: str) -> None:
    run = pellucid("risk", "t10.csv", "--external", "people.csv", *words)
    assert run.status == status
    assert message in " ".join(run.err.split())
    assert "Traceback" not in run.err


def test_too_few_steps(pellucid: Runner, appendix: Path) -> None:
    """What is refused is what the person said, and nothing that the command line cannot set."""
    run = pellucid("risk", "--sample", "t9.csv", *ROLES, "--algorithm", "tailor", "--steps", 10)
    run.refused(2, "pellucid: steps (--steps) must be at least 400, not 10: every chain keeps 400 of its tables.")


def test_a_sampled_audit_of_mask_is_refused(pellucid: Runner, appendix: Path) -> None:
    mask = ("--algorithm", "mask", "--protected", "dyspepsia")
    run = pellucid("risk", "--sample", "t9.csv", *ROLES, *mask)
    assert run.status == 2
    assert "The sampled audit exchanges sensitive values" in run.err
