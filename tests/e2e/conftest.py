"""A folder with a source, and the command line to publish it with."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.e2e.command_line import Runner, in_process

ROWS = 48


@pytest.fixture
def pellucid(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    return in_process(monkeypatch, capsys)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with `source.csv` in it."""
    table = pl.DataFrame(
        {
            "name": [f"person {number:02}" for number in range(ROWS)],
            "age": [20 + number * 7 % 30 for number in range(ROWS)],
            "place": ["Ulm", "Bonn", "Köln"] * 16,
            "disease": ["flu", "cold", "gout", "mumps"] * 12,
        }
    )
    table.write_csv(tmp_path / "source.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path
