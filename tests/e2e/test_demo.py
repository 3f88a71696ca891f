"""`pellucid demo`: a table that is made up, published and shown."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.e2e.command_line import Runner


def test_demo(pellucid: Runner, folder: Path) -> None:
    run = pellucid("demo", "here")
    assert (run.status, run.err) == (0, "")
    assert {file.name for file in (folder / "here").iterdir()} == {
        "hospital.csv",
        "published.csv",
        "published.csv.manifest.json",
    }
    assert "Before" in run.out
    assert "After" in run.out
    # The command that it shows is one that works.
    [shown] = [line[2:].split()[1:] for line in run.out.splitlines() if line.startswith("$ pellucid anonymize here")]
    assert pellucid(*shown).status == 0
    roles = shown[shown.index("-q") : shown.index("-q") + 2], shown[shown.index("-s") : shown.index("-s") + 2]
    assert pellucid("check", "here/published.csv", *roles[0], *roles[1], "-l", shown[shown.index("-l") + 1]).status == 0


def test_demo_twice(pellucid: Runner, folder: Path) -> None:
    assert pellucid("demo").status == 0
    assert pellucid("demo").status == 0
    assert (folder / "pellucid-demo" / "published.csv").exists()


def test_demo_where_nothing_can_be_written(pellucid: Runner, folder: Path) -> None:
    pellucid("demo", "source.csv").refused(5, "cannot be written")
    pellucid("demo", "source.csv/below").refused(5, "cannot be written")


def test_demo_on_a_full_disk(pellucid: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(table: pl.DataFrame, file: Path) -> None:
        file.write_text("half a ta")
        raise OSError("No space left on device (os error 28)")  # as polars says it: without a number

    monkeypatch.setattr(pl.DataFrame, "write_csv", fail)
    pellucid("demo", "here").refused(5, "hospital.csv cannot be written: No space left on device (os error 28).")
    assert list((folder / "here").iterdir()) == []
