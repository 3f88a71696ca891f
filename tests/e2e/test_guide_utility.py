"""docs/guide-utility.md: what it shows is what happens, and what it says is understood is understood."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import polars as pl

from pellucid.utility.evaluation import Source
from pellucid.utility.reading import read_release
from tests.e2e.command_line import Runner
from tests.e2e.test_readme import tables

GUIDE = (Path(__file__).parents[2] / "docs" / "guide-utility.md").read_text(encoding="utf-8")


def test_commands(pellucid: Runner, folder: Path) -> None:
    with Path("patients.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(tables()[0])
    [queries] = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    Path("queries.toml").write_text(queries, encoding="utf-8")
    [console] = re.findall(r"```console\n(.*?)```", GUIDE, re.DOTALL)
    ran = re.findall(r"^\$ pellucid (.*)\n((?:[^$].*\n|\n)*)", console, re.MULTILINE)
    assert len(ran) == 2
    for command, shown in ran:
        said = pellucid(*shlex.split(command))
        assert (said.status, said.out) == (0, shown)
    [example] = re.findall(r"^`(\{.*\})`", GUIDE, re.MULTILINE)
    Path("queries.json").write_text(example.replace("pneumonia", "flu"), encoding="utf-8")
    roles = ("-q", "age,sex,zipcode", "-s", "disease")
    assert pellucid("evaluate", "patients.csv", "published.csv", *roles, "--queries-file", "queries.json").status == 0


def test_labels_of_other_programs() -> None:
    people = pl.DataFrame({"age": [10, 25, 99], "zipcode": [13000, 13050, 13099], "town": [*"abc"], "ill": [*"xyz"]})
    source = Source.read(people, quasi_identifiers=["age", "zipcode", "town"], sensitive="ill")
    [listed] = re.findall(r"These are understood as intervals: (.*?)\. Rows that", GUIDE, re.DOTALL)
    intervals, rest = listed.split("; as sets: ")
    sets, everything = rest.split("; and for any value: ")
    labels = {"age": re.findall(r"`(.*?)`", intervals), "town": re.findall(r"`(.*?)`", sets)}
    assert labels["age"].pop(-1) == "age_max"
    assert labels["age"].pop(-1) == "age_min"
    assert labels["age"].pop(-1) == "130**"
    assert (len(labels["age"]), len(labels["town"])) == (10, 5)
    stars = re.findall(r"`(.*?)`", everything)
    assert stars == ["*", "*****", "NA"]
    for column, several in labels.items():
        for label in (*several, *stars):
            row = {"age": "*", "zipcode": "130**", "town": None, "ill": "x"} | {column: label}
            found = read_release(pl.DataFrame([row]), source.domains, source.sensitive)
            assert found.rows == 1, label
