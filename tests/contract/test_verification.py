"""What was written is read back and judged before it is published (G9): whatever is changed in between is found."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from pellucid import CheckFailedError, PellucidError
from tests.contract.publishing import RECODINGS, Publisher, files_in, frames

Lines = list[list[str]]
Change = Callable[[Lines], Lines]

# Ace makes groups of two out of them, one of each of two diseases that are equally frequent.
PEOPLE = pl.DataFrame(
    {
        "name": range(12),
        "age": [1, 2, 3, 4, 5, 6, 21, 22, 23, 24, 25, 26],
        "place": ["Ulm"] * 6 + ["Bonn"] * 6,
        "disease": ["flu", "cold"] * 3 + ["gout", "mumps"] * 3,
    }
)


@dataclass
class Meddler:
    """Changes the temporary file, once it is written and before it is read back."""

    folder: Path
    change: Callable[[Path], None]
    which: str = ""
    found: int = 0

    def __call__(self, stage: str, share: float) -> None:
        if stage == "verify" and not self.found:
            for file in sorted(self.folder.glob(".out*.part")):
                if self.which in file.name:
                    self.change(file)
                    self.found += 1


def in_csv(change: Change) -> Callable[[Path], None]:
    def apply(file: Path) -> None:
        with file.open(encoding="utf-8", newline="") as handle:
            lines = list(csv.reader(handle))
        with file.open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle, lineterminator="\n").writerows(change(lines))

    return apply


def write(recoding: str, folder: Path, change: Callable[[Path], None], which: str = "", ending: str = ".csv") -> str:
    """What is said about a release that somebody changed on its way."""
    meddler = Meddler(folder, change, which)
    release = Publisher("ace", recoding)(PEOPLE, identifier="name", monitor=meddler)
    with pytest.raises(PellucidError) as refused:
        release.write(folder / f"out{ending}")
    assert meddler.found
    assert isinstance(refused.value, CheckFailedError), refused.value
    assert release.check.diverse
    return str(refused.value)


def replaced(column: str, row: int, value: str) -> Change:
    def change(lines: Lines) -> Lines:
        lines[row][lines[0].index(column)] = value
        return lines

    return change


def swapped(column: str, one: int, other: int) -> Change:
    def change(lines: Lines) -> Lines:
        place = lines[0].index(column)
        lines[one][place], lines[other][place] = lines[other][place], lines[one][place]
        return lines

    return change


def without_header(change: Change) -> Change:
    return lambda lines: [lines[0], *change(lines[1:])]


CHANGES: dict[str, tuple[Change, str]] = {
    "a sensitive value is another": (replaced("disease", 1, "gout"), "not as frequent"),
    "a sensitive value is new": (replaced("disease", 3, "plague"), "not as frequent"),
    "a sensitive value is missing": (replaced("disease", 3, ""), "'disease'"),
    "a row is missing": (without_header(lambda rows: rows[:-1]), "11 rows and should have 12"),
    "a row is there twice": (without_header(lambda rows: [rows[0], *rows]), "13 rows and should have 12"),
    "a row is there twice and another is missing": (
        without_header(lambda rows: [rows[0], *rows[:-1]]),
        "not as frequent",
    ),
    "all rows are missing": (without_header(lambda rows: []), "0 rows and should have 12"),
    "a column is new": (lambda lines: [[*line, "x"] for line in lines], "has the columns"),
    "an index column is new": (lambda lines: [[str(n), *line] for n, line in enumerate(lines)], "has the columns"),
    "a column is missing": (lambda lines: [line[1:] for line in lines], "has the columns"),
    "a column has another name": (lambda lines: [["who", *lines[0][1:]], *lines[1:]], "has the columns"),
    "columns are in another order": (lambda lines: [line[::-1] for line in lines], "has the columns"),
    "the header is missing": (lambda lines: lines[1:], "has the columns"),
}


@pytest.mark.parametrize("recoding", RECODINGS)
@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_found(recoding: str, what: str, tmp_path: Path) -> None:
    change, message = CHANGES[what]
    refused = write(recoding, tmp_path, in_csv(change), which="sensitive" if recoding == "anatomy" else "")
    assert message in refused
    assert files_in(tmp_path) == {}


QI_CHANGES: dict[str, Change] = {
    "a quasi-identifier is missing": replaced("place", 2, ""),
    "a row is missing": without_header(lambda rows: rows[1:]),
    "a row is there twice": without_header(lambda rows: [rows[0], *rows]),
    "a row is in another group": replaced("group_id", 1, "2"),
    "a group is new": replaced("group_id", 1, "99"),
    "a column is new": lambda lines: [[*line, "x"] for line in lines],
    "a column is missing": lambda lines: [line[1:] for line in lines],
}


@pytest.mark.parametrize("what", QI_CHANGES)
def test_a_change_of_the_qi_table_is_found(what: str, tmp_path: Path) -> None:
    write("anatomy", tmp_path, in_csv(QI_CHANGES[what]), which="qi")
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize("recoding", ["text", "bounds"])
@pytest.mark.parametrize("column", ["age", "place"])
def test_an_invented_null_is_found(recoding: str, column: str, tmp_path: Path) -> None:
    name = "age_min" if (recoding, column) == ("bounds", "age") else column
    assert f"missing values in '{name}'" in write(recoding, tmp_path, in_csv(replaced(name, 4, "")))


@pytest.mark.parametrize("recoding", RECODINGS)
def test_groups_that_are_not_diverse_are_found(recoding: str, tmp_path: Path) -> None:
    """Values trade places between groups: the multiset of the table is right, and the groups are not."""

    def concentrated(lines: Lines) -> Lines:
        place = lines[0].index("disease")
        values = sorted(line[place] for line in lines[1:])
        for line, value in zip(lines[1:], values, strict=True):
            line[place] = value
        return lines

    refused = write(recoding, tmp_path, in_csv(concentrated), which="sensitive" if recoding == "anatomy" else "")
    assert "groups of the release are not 2-diverse" in refused
    assert files_in(tmp_path) == {}


def test_a_group_that_was_split_is_found(tmp_path: Path) -> None:
    """One row with QI values of its own is a group of one."""
    write("text", tmp_path, in_csv(replaced("age", 1, "[1, 99]")))


@pytest.mark.parametrize("recoding", RECODINGS)
@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_a_change_in_a_binary_file_is_found(recoding: str, ending: str, tmp_path: Path) -> None:
    def change(file: Path) -> None:
        table = pl.read_parquet(file) if ending == ".parquet" else pl.read_ipc(file.read_bytes())
        table = table.with_columns(disease=pl.lit("flu"))
        if ending == ".parquet":
            table.write_parquet(file)
        else:
            table.write_ipc(file)

    write(recoding, tmp_path, change, which="sensitive" if recoding == "anatomy" else "", ending=ending)
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
@pytest.mark.parametrize("size", [0, 10, -30])
def test_a_file_that_was_cut_off_is_not_published(ending: str, size: int, tmp_path: Path) -> None:
    (tmp_path / f"out{ending}").write_bytes(b"old")

    def cut(file: Path) -> None:
        file.write_bytes(file.read_bytes()[:size])

    meddler = Meddler(tmp_path, cut)
    release = Publisher("ace", "text")(PEOPLE, identifier="name", monitor=meddler)
    with pytest.raises(PellucidError):
        release.write(tmp_path / f"out{ending}")
    assert meddler.found
    assert files_in(tmp_path) == {f"out{ending}": b"old"}


def test_the_old_release_stays_when_the_check_fails(tmp_path: Path) -> None:
    Publisher("ace", "text")(PEOPLE, identifier="name", diversity=1).write(tmp_path / "out.csv")
    before = files_in(tmp_path)
    assert len(before) == 2
    write("text", tmp_path, in_csv(CHANGES["a row is missing"][0]))
    assert files_in(tmp_path) == before


def test_nothing_is_changed_nothing_is_found(tmp_path: Path) -> None:
    """The meddler itself is not what is found."""
    meddler = Meddler(tmp_path, in_csv(lambda lines: lines))
    release = Publisher("ace", "text")(PEOPLE, identifier="name", monitor=meddler)
    assert release.write(tmp_path / "out.csv").check.diverse
    assert meddler.found


def test_tables_in_memory_are_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """`release.table` is verified before it is handed out."""
    release = Publisher("ace", "text")(PEOPLE, identifier="name")
    table = release._tables[0]
    wrong = table.frame().with_columns(disease=pl.lit("flu"))
    monkeypatch.setattr(type(table), "frame", lambda self: wrong)
    with pytest.raises(CheckFailedError):
        frames(release)
