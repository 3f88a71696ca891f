"""Ctrl-C is answered in the middle of every stage, and nothing is left behind.

Calls of polars and numpy cannot be ended. Here each stage comes to a call that never returns, whatever signals come:
the program has to leave all the same.
"""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import polars as pl
import pytest

from tests.e2e.command_line import program

ROLES = ("-q", "age,place", "-s", "disease", "-l", "2", "--identifier", "name")

# A thread that locks a mutex twice waits for ever, in C, without holding up the others.
NEVER_RETURNS = """
import ctypes, hashlib, os, threading
import polars, pellucid.cli
import pellucid.release as release, pellucid.sources.targets as targets

def never_returns(*args, **options):
    threading.Timer(0.3, os.write, (1, b"here\\n")).start()
    mutex, libc = ctypes.create_string_buffer(256), ctypes.CDLL(None)
    libc.pthread_mutex_lock(mutex)
    libc.pthread_mutex_lock(mutex)

"""

STAGES = {
    "read": ("source.parquet", "out.csv", "polars.LazyFrame.collect = never_returns"),
    "read texts that do not repeat": ("source.csv", "out.csv", "polars.read_csv = never_returns"),
    "encode": ("source.csv", "out.csv", "release.encode = never_returns"),
    "recode": ("source.csv", "out.csv", "release._recode = never_returns"),
    "write": ("source.csv", "out.parquet", "polars.DataFrame.write_parquet = never_returns"),
    "verify": ("source.csv", "out.csv", "release._verify = never_returns"),
    "hash": ("source.csv", "out.csv", "hashlib.file_digest = never_returns"),
    "flush": ("source.csv", "out.csv", "os.fsync = never_returns"),
}


@pytest.fixture
def both_sources(folder: Path) -> Path:
    pl.read_csv(folder / "source.csv").write_parquet(folder / "source.parquet")
    (folder / "out.csv").write_text("an old release")
    return folder


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_in_every_stage(both_sources: Path, stage: str) -> None:
    before = {file.name: file.read_bytes() for file in both_sources.iterdir()}
    source, target, change = STAGES[stage]
    words = ("anonymize", source, "-o", target, *ROLES)
    with program(*words, cwd=both_sources, before=NEVER_RETURNS + change) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "here\n"
        run.send_signal(signal.SIGINT)
        try:
            _, err = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            run.kill()
            pytest.fail("It waits for the call that never returns.")
    assert (run.returncode, err) == (130, "pellucid: Interrupted: nothing was written.\n")
    assert {file.name: file.read_bytes() for file in both_sources.iterdir()} == before


def test_who_ends_it_does_not_wait_until_memory_is_given_back(both_sources: Path) -> None:
    """Also where no work is left alone, such as in a kernel: Python would take gigabytes apart before it leaves."""
    change = """
import atexit
import pellucid.release as release

def interrupted(*args, **options):
    raise KeyboardInterrupt

release._recode = interrupted
atexit.register(print, "Python takes its things apart.")

"""
    with program("anonymize", "source.csv", "-o", "out.csv", *ROLES, cwd=both_sources, before=change) as run:
        out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err) == (130, "", "pellucid: Interrupted: nothing was written.\n")


def test_who_ends_it_outside_of_a_command_sees_no_traceback(both_sources: Path) -> None:
    """As when it has said all, and Python takes the table apart."""
    change = """
import pellucid.cli as cli
app = cli.app

def interrupted(**options):
    app(**options)
    raise KeyboardInterrupt

cli.app = interrupted

"""
    words = ("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--json")
    with program(*words, cwd=both_sources, before=change) as run:
        out, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (130, "pellucid: Interrupted.\n")
    assert json.loads(out)["status"] == 0
