"""Real tables, with hierarchies, through policy files: published by the command line and by the library.

The data stand beside the repository (`../shared/data`) or these tests are skipped. Releases are judged by somebody who
did not write them: the `csv` module, pandas, and a reader of labels of their own.
"""

from __future__ import annotations

import csv
import json
import random
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

import pellucid as library
from pellucid import Hierarchy, trees
from pellucid.cli import app
from tests.e2e.command_line import Runner

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real tables are not beside the repository")

Build = Callable[[pl.Series], Hierarchy]

ADULT = """
quasi_identifiers = ["age", "workclass", "education", "marital_status", "race", "sex", "native_country",
                     "hours_per_week"]
sensitive = "occupation"
diversity = 6
drop_others = true
missing = "category"

[attributes.age]
hierarchy = "age.csv"
[attributes.hours_per_week]
hierarchy = "hours_per_week.csv"
[attributes.marital_status]
hierarchy = "marital_status.csv"
[attributes.education]
order = ["Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college",
         "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"]
"""
MARITAL = """Married-civ-spouse;Married;*
Married-AF-spouse;Married;*
Married-spouse-absent;Married;*
Never-married;Single;*
Divorced;Single;*
Separated;Single;*
Widowed;Single;*
"""
DIABETES = """
quasi_identifiers = ["race", "gender", "age", "time_in_hospital", "num_medications", "payer_code"]
sensitive = "diag_1"
diversity = 13
drop_others = true
missing = "category"

[attributes.age]
order = ["[0-10)", "[10-20)", "[20-30)", "[30-40)", "[40-50)", "[50-60)", "[60-70)", "[70-80)", "[80-90)", "[90-100)"]
[attributes.num_medications]
hierarchy = "num_medications.csv"
[attributes.time_in_hospital]
grid = 3
[attributes.diag_1]
hierarchy = "diag_1.csv"
"""
NIST = """
quasi_identifiers = ["PUMA", "AGEP", "SEX", "RAC1P", "EDU", "INDP", "POVPIP"]
sensitive = "PINCP_DECILE"
diversity = 5
drop_others = true

[attributes.PUMA]
hierarchy = "PUMA.csv"
[attributes.AGEP]
hierarchy = "AGEP.csv"
style = "range"
[attributes.EDU]
order = ["N", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]
[attributes.INDP]
hierarchy = "INDP.csv"
[attributes.POVPIP]
hierarchy = "POVPIP.csv"
"""


@dataclass(frozen=True)
class Case:
    """A table, its policy, and how its hierarchies are built: by the command line, and by the library."""

    table: str
    policy: str
    hierarchies: Mapping[str, tuple[str, Build]]

    @property
    def path(self) -> Path:
        return DATA / self.table


_NIST_HIERARCHIES: Mapping[str, tuple[str, Build]] = {
    "PUMA": ("--prefix 5,2", lambda column: trees.by_prefix(column, 5, 2)),
    "AGEP": ("--width 5,10,20", lambda column: trees.by_width(column, 5, 10, 20)),
    "INDP": (
        "--prefix 3,2 --digits 4 --apart N",
        lambda column: trees.by_prefix(column, 3, 2, digits=4, apart=["N"]),
    ),
    "POVPIP": ("--frequency 8,2 --apart N", lambda column: trees.by_frequency(column, 8, 2, apart=["N"])),
}
CASES = {
    "adult": Case(
        "adult/adult_48842.parquet",
        ADULT,
        {
            "age": (
                "--breaks 18,25,35,45,55,65 --breaks 25,45,65",
                lambda column: trees.by_breaks(column, [18, 25, 35, 45, 55, 65], [25, 45, 65]),
            ),
            "hours_per_week": ("--frequency 6,3", lambda column: trees.by_frequency(column, 6, 3)),
        },
    ),
    "diabetes": Case(
        "diabetes/diabetes130_patients.parquet",
        DIABETES,
        {
            "num_medications": ("--width 5,10,20", lambda column: trees.by_width(column, 5, 10, 20)),
            "diag_1": ("--icd 9", lambda column: trees.by_icd(column, edition=9)),
        },
    ),
    **{f"nist-{part}": Case(f"nist/{part}2019.parquet", NIST, _NIST_HIERARCHIES) for part in ("ma", "national", "tx")},
}


def texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Every value as a text, a missing one as an empty text, as in a CSV file."""
    return frame.astype(object).where(frame.notna(), "").astype(str)


class Judge:
    """What the source held, and what a release of it may say."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.settings = tomllib.loads(case.policy)
        self.qi: list[str] = self.settings["quasi_identifiers"]
        self.sensitive: str = self.settings["sensitive"]
        frame = pd.read_parquet(case.path)
        self.source = texts(frame[[name for name in frame.columns if name in (*self.qi, self.sensitive)]])
        self.folder = folder
        self._meanings: dict[tuple[str, str], frozenset[str]] = {}

    def judge(self, released: pd.DataFrame) -> None:
        """Everybody is in it once, in a group that is l-diverse, under labels that are true of them."""
        assert list(released.columns) == list(self.source.columns)
        assert Counter(released[self.sensitive]) == Counter(self.source[self.sensitive])
        groups: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for *box, value in released[[*self.qi, self.sensitive]].itertuples(index=False):
            groups[tuple(box)][value] += 1
        assert len(groups) > 50
        for values in groups.values():
            assert self.settings["diversity"] * max(values.values()) <= values.total()
        for name in self.qi:
            self._judge_labels(name, Counter(released[name]))
        for box in random.Random(1).sample(sorted(groups), 50):
            self._judge_box(box, groups[box])

    def _judge_labels(self, name: str, labels: Counter[str]) -> None:
        """As many people lie under a label as rows say that they do, or more (Hall's condition)."""
        people = Counter(self.source[name])
        values = list(people)
        means = np.array([[value in self.meaning(name, label) for value in values] for label in labels], dtype=float)
        assert means.any(axis=0).all(), "a value that no label stands for"
        lies_within = means @ (1 - means).T == 0
        rows = np.array(list(labels.values())) @ lies_within
        assert (rows <= means @ np.array(list(people.values()))).all(), name

    def _judge_box(self, box: tuple[str, ...], values: Counter[str]) -> None:
        """There are people in the box, with these sensitive values."""
        inside = np.ones(len(self.source), dtype=bool)
        for name, label in zip(self.qi, box, strict=True):
            inside &= self.source[name].isin(self.meaning(name, label)).to_numpy()
        assert values <= Counter(self.source[self.sensitive][inside]), box

    @cached_property
    def domains(self) -> dict[str, list[str]]:
        """All values that occur, in the order of the policy where it gives one; a missing value is empty and first."""
        found = {}
        for name in self.qi:
            values = set(self.source[name])
            attribute = self.settings["attributes"].get(name, {})
            if "order" in attribute:
                order = ["", *attribute["order"]]
            elif "hierarchy" in attribute:
                order = ["", *(row[0] for row in self.lines(name))]
            else:
                order = sorted(values, key=lambda value: int(value) if value.isdecimal() else -1)
            assert values <= set(order)
            found[name] = [value for value in order if value in values]
        return found

    def lines(self, name: str) -> list[list[str]]:
        with (self.folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.reader(file, delimiter=";"))

    def meaning(self, name: str, label: str) -> frozenset[str]:
        """The values of the source that a label may stand for."""
        if (name, label) not in self._meanings:
            self._meanings[name, label] = frozenset(self._meant(name, label))
        return self._meanings[name, label]

    def _meant(self, name: str, label: str) -> Iterator[str]:
        domain, attribute = self.domains[name], self.settings["attributes"].get(name, {})
        if "hierarchy" in attribute and "style" not in attribute:
            under = {row[0] for row in self.lines(name) if label in row}
            assert under or label == "", (name, label)
            everything = label == self.lines(name)[0][-1]
            yield from (value for value in domain if value in under or (value == "" and (everything or label == "")))
            return
        inside = [
            json.loads(part) if part.startswith('"') else part
            for part in re.findall(r'"(?:[^"\\]|\\.)*"|[^\[\]{},\s][^\[\]{},"]*', label)
        ]
        ends = ["" if part == "null" else part for part in inside]
        if label.startswith("{"):
            yield from ends
        elif label.startswith("["):
            low, high = ends
            if "grid" in attribute:
                yield from (value for value in domain if int(low) <= int(value) <= int(high))
            else:
                yield from domain[domain.index(low) : domain.index(high) + 1]
        else:
            yield json.loads(label) if label.startswith('"') else label


@pytest.fixture(scope="module", params=CASES)
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, Path]:
    """A folder with the policy file and the hierarchies, as the command line builds them."""
    case, folder = CASES[request.param], tmp_path_factory.mktemp(request.param)
    for column, (words, _) in case.hierarchies.items():
        made = CliRunner().invoke(
            app, ["hierarchy", str(case.path), "-c", column, *words.split(), "-o", str(folder / f"{column}.csv")]
        )
        assert made.exit_code == 0, made.output
    (folder / "marital_status.csv").write_text(MARITAL, encoding="utf-8")
    source = f'[source]\npath = "{case.path.as_posix()}"\n[target]\npath = "published.csv"\n'
    (folder / "pellucid.toml").write_text(case.policy + source, encoding="utf-8")
    return case, folder


def test_command_line(pellucid: Runner, published: tuple[Case, Path]) -> None:
    case, folder = published
    policy = tomllib.loads(case.policy)
    made = pellucid("anonymize", "--policy", folder / "pellucid.toml")
    assert (made.status, made.err) == (0, "")
    roles = ("-q", ",".join(policy["quasi_identifiers"]), "-s", policy["sensitive"], "-l", policy["diversity"])
    assert pellucid("check", folder / "published.csv", *roles).status == 0
    with (folder / "published.csv").open(newline="", encoding="utf-8") as file:
        Judge(case, folder).judge(pd.DataFrame(csv.DictReader(file)))
    manifest = json.loads((folder / "published.csv.manifest.json").read_text(encoding="utf-8"))
    for column in case.hierarchies:
        tree = Hierarchy.read(folder / f"{column}.csv")
        assert manifest["policy"]["hierarchies"][column] == tree.as_dict()
    assert (manifest["sensitive_order"] == "hierarchy") == (policy["sensitive"] in case.hierarchies)


def test_more_than_is_feasible(pellucid: Runner, published: tuple[Case, Path]) -> None:
    """One above the largest feasible l, nothing is released (G6); of the diabetes patients, 13 is the largest."""
    case, folder = published
    values = pd.read_parquet(case.path)[tomllib.loads(case.policy)["sensitive"]].fillna("")
    feasible = len(values) // values.value_counts().max()
    assert feasible == 13 or case is not CASES["diabetes"]
    words = ("--policy", folder / "pellucid.toml", "-o", folder / "none.csv")
    pellucid("anonymize", *words, "-l", feasible + 1).refused(3, f"The largest l that this table allows is {feasible}.")
    assert not (folder / "none.csv").exists()


def test_library(published: tuple[Case, Path]) -> None:
    """A frame of pandas, and hierarchies that the library builds: the same ones."""
    case, folder = published
    frame = pl.read_parquet(case.path)
    hierarchies = {column: build(frame[column]) for column, (_, build) in case.hierarchies.items()}
    for column, tree in hierarchies.items():
        assert Hierarchy.read(folder / f"{column}.csv") == tree
    release = library.anonymize(
        frame.to_pandas(),
        hierarchies=hierarchies,
        policy=folder / "pellucid.toml",
    )
    written = release.write(folder / "published.parquet")
    assert written.check.diverse
    read = pd.read_parquet(folder / "published.parquet")
    assert list(read.columns) == list(release.table.columns)
    Judge(case, folder).judge(texts(read))
