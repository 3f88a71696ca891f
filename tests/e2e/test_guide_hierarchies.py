"""docs/guide-hierarchies.md: every command of the page runs, and says what the page says."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest

from pellucid import Hierarchy
from tests.e2e.command_line import Runner
from tests.e2e.test_readme import tables

GUIDE = (Path(__file__).parents[2] / "docs" / "guide-hierarchies.md").read_text(encoding="utf-8")


@pytest.fixture
def patients(folder: Path) -> None:
    """The ten patients of the README, as a file."""
    with Path("patients.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(tables()[0])


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def test_commands(pellucid: Runner, patients: None) -> None:
    Path("policy.toml").write_text("".join(blocks("toml")), encoding="utf-8")
    for block in blocks("console"):
        for command, shown in re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", block, re.MULTILINE):
            program, *words = shlex.split(command)
            if program == "cat":
                assert shown == Path(words[0]).read_text(encoding="utf-8")
            else:
                said = pellucid(*words)
                assert (said.status, said.out) == (0, shown)


def test_the_library_says_the_same(pellucid: Runner, patients: None) -> None:
    test_commands(pellucid, patients)
    released = Path("published.csv").read_bytes()
    Path("published.csv").unlink()
    known: dict[str, object] = {}
    for code in blocks("python"):
        exec(compile(code, "guide-hierarchies.md", "exec"), known)
    assert Path("published.csv").read_bytes() == released
    assert len(Hierarchy.read("every-age.csv").values) == 121


def test_examples_of_files_are_hierarchies() -> None:
    [example] = re.findall(r"(?:^    \S+;.*\n)+", GUIDE, re.MULTILINE)
    rows = [line.strip().split(";") for line in [*example.splitlines(), *re.findall(r"`(\S+;\S+;\*)`", GUIDE)]]
    assert Hierarchy.of(rows).values == ("Vienna", "Graz", "Monaco", "Lagos")
