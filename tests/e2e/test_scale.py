"""A small everyday table: what is dropped is never held in memory, however long its texts are."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run

import numpy as np
import polars as pl
import pytest

ROWS = 20_000
QUASI_IDENTIFIERS = [f"q{number:02}" for number in range(12)]
DROPPED = 36
LETTERS = 300
"""216 MB of texts that do not repeat."""

# The peak of a process that was started by a big one counts from there, so something small runs the command.
MEASURED = """
import os, resource, sys
child = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-m", "pellucid", *sys.argv[1:]])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss // 1024, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def everyday() -> pl.DataFrame:
    random = np.random.default_rng(1)
    columns = {"patient": pl.Series(random.permutation(ROWS)).cast(pl.String)}
    for number, name in enumerate(QUASI_IDENTIFIERS):
        values = pl.Series(random.integers(0, 2 ** (number + 1), ROWS))
        columns[name] = values if number % 2 else "text " + values.cast(pl.String)
    columns["disease"] = pl.Series(random.integers(0, 100, ROWS))
    for number in range(DROPPED):
        columns[f"note {number:02}"] = pl.Series(np.arange(ROWS)).cast(pl.String).str.zfill(LETTERS)
    return pl.DataFrame(columns)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scale")
    table = everyday()
    assert table.width == 50
    narrow = table.select("patient", *QUASI_IDENTIFIERS, "disease")
    for name, each in (("wide", table), ("narrow", narrow)):
        each.write_csv(folder / f"{name}.csv")
        each.write_parquet(folder / f"{name}.parquet")
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="The peak of a process is counted in other units there.")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("algorithm", ["weave", "hybrid"])
def test_columns_that_are_dropped_take_no_memory(folder: Path, ending: str, algorithm: str) -> None:
    peaks = {}
    for name in ("narrow", "wide"):
        roles = ["-q", ",".join(QUASI_IDENTIFIERS), "-s", "disease", "--identifier", "patient", "--drop-others"]
        words = ["anonymize", f"{name}.{ending}", "-o", f"{name}-out.{ending}", *roles, "-l", "8"]
        command = [sys.executable, "-S", "-c", MEASURED, *words, "--algorithm", algorithm, "--json"]
        done = run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["check"]["rows"] == ROWS
        peaks[name] = int(done.stderr.split()[-1])
    # A text file may be mapped into memory, which counts here but can be taken back; what is read of it cannot.
    mapped = (folder / f"wide.{ending}").stat().st_size // 2**20
    assert peaks["wide"] < peaks["narrow"] + mapped + 64, peaks
