"""README.md: what it shows is what happens."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from tests.e2e.command_line import Runner

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def tables() -> list[list[list[str]]]:
    """The tables of the page, as rows of cells."""
    found = re.findall(r"(?:^\|.*\|\n)+", README, re.MULTILINE)
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "---" not in line]
        for table in found
    ]


def test_ten_rows_are_published_as_shown(pellucid: Runner, folder: Path) -> None:
    patients, published, *_ = tables()
    [command] = re.findall(r"^    pellucid (anonymize patients\.csv .+)$", README, re.MULTILINE)
    with (folder / "patients.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(patients)
    for _ in range(3):  # nothing is left to chance
        assert pellucid(*command.split()).status == 0
        with (folder / "published.csv").open(newline="", encoding="utf-8") as file:
            assert list(csv.reader(file)) == published
