"""`--register`: a warning of people who were published before, and nothing of it in what is published."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.command_line import Runner

PUBLISH = ("anonymize", "source.csv", "-q", "age,place", "-s", "disease", "-l", "2", "--identifier", "name")


def test_the_same_people_again(pellucid: Runner, folder: Path) -> None:
    first = pellucid(*PUBLISH, "-o", "first.csv", "--register", "register", "--json")
    assert first.err == ""
    assert first.json["earlier_releases"] == {"overlaps": [], "not_comparable": 0}
    again = pellucid(*PUBLISH, "-o", "again.csv", "--register", "register", "--json")
    assert again.status == 0
    assert again.err.startswith("pellucid: Warning: People of this table are in earlier releases: ")
    assert again.err.count("\n") == 1
    [overlap] = again.json["earlier_releases"]["overlaps"]
    assert (overlap["source"], overlap["target"]) == ("source.csv", "first.csv")
    assert overlap["shared"] == overlap["people"] == again.json["check"]["rows"]
    assert pellucid(*PUBLISH, "-o", "quiet.csv", "--register", "register", "--quiet").err == ""
    assert pellucid(*PUBLISH, "-o", "without.csv", "--json").json["earlier_releases"] is None


def test_what_is_no_register(pellucid: Runner, folder: Path) -> None:
    (folder / "register").write_text("my notes")
    run = pellucid(*PUBLISH, "-o", "out.csv", "--register", "register")
    run.refused(5, "The register register cannot be used")
    assert not (folder / "out.csv").exists()
