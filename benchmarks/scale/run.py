"""The scale of the everyday: 50 columns, 5 million rows, 5 to 12 quasi-identifiers; time and peak memory of each run.

    python benchmarks/scale/run.py [--rows 5000000] [--folder FOLDER] [--algorithms weave,hybrid] [--interrupt]

Each command runs in a process of its own, beside one that reads the same columns with polars and writes them again.
With --interrupt, Ctrl-C is sent in every stage of the first algorithm and in the kernels of the others, and how soon
they end is printed. The table (2.0 GB as CSV) is made once in the folder and used again if it is there.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

import pellucid

sys.path.insert(0, str(Path(__file__).parent.parent))
from everyday import IDENTIFIER, QUASI_IDENTIFIERS, SENSITIVE, write_csv, write_parquet
from processes import Usage, run

_COPY = {
    ".csv": "import sys, polars as pl; f, t, *c = sys.argv[1:]\n"
    "pl.read_csv(f, columns=c, infer_schema=False).write_csv(t)",
    ".parquet": "import sys, polars as pl; f, t, *c = sys.argv[1:]; pl.read_parquet(f, columns=c).write_parquet(t)",
}
_STAGES = ("read", "encode", "anonymize", "recode", "write", "verify")
_INTO_A_STAGE = 0.3
_TELLS_STAGES = """
import contextlib, os, sys
import pellucid.cli
command = sys.modules["pellucid.cli.anonymize"]

@contextlib.contextmanager
def progress(*, quiet):
    with open(os.environ["STAGES"], "a", buffering=1) as file:
        yield lambda stage, share: file.write(stage + chr(10))

command.progress = progress
pellucid.cli.main()
"""


def main() -> None:
    arguments = _arguments()
    print(f"pellucid {pellucid.__version__}, polars {pl.__version__}, Python {platform.python_version()}")
    print(f"{arguments.rows:,} rows, 50 columns, l = {arguments.diversity}, {os.cpu_count()} cores\n", flush=True)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as scratch:
        folder = arguments.folder or Path(scratch)
        for ending in arguments.formats.split(","):
            source = folder / f"everyday-{arguments.rows}.{ending}"
            if not source.exists():
                write_csv(source, arguments.rows) if ending == "csv" else write_parquet(
                    source, arguments.rows, Path(scratch)
                )
            if arguments.interrupt:
                _interrupt(source, Path(scratch), arguments)
            else:
                _measure(source, Path(scratch), arguments)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--folder", type=Path, help="where the table is made, and stays")
    parser.add_argument("--formats", default="csv,parquet")
    parser.add_argument("--quasi-identifiers", default="5,8,12", help="how many")
    parser.add_argument("--algorithms", default="weave,hybrid")
    parser.add_argument("--diversity", type=int, default=8)
    parser.add_argument("--interrupt", action="store_true", help="send Ctrl-C instead")
    return parser.parse_args()


def _measure(source: Path, scratch: Path, arguments: argparse.Namespace) -> None:
    target = scratch / f"out{source.suffix}"
    print(f"{source.name}, {source.stat().st_size / 1e9:.2f} GB\n")
    print("| q | command | seconds | times the copy | processor time | peak, GB | times the copy | written, GB |")
    print("|---|---|---|---|---|---|---|---|")
    for q in map(int, arguments.quasi_identifiers.split(",")):
        columns = [IDENTIFIER, *QUASI_IDENTIFIERS[:q], SENSITIVE]
        copy = run([sys.executable, "-c", _COPY[source.suffix], str(source), str(target), *columns])
        _row(q, "plain copy", copy, copy, target)
        for algorithm in arguments.algorithms.split(","):
            usage = run(_command(source, target, q, algorithm, arguments.diversity))
            _row(q, algorithm, usage, copy, target)
    print()


def _row(q: int, name: str, usage: Usage, copy: Usage, target: Path) -> None:
    print(
        f"| {q} | {name} | {usage.seconds:.1f} | {usage.seconds / copy.seconds:.1f} | {usage.cpu:.1f}"
        f" | {usage.memory / 1e9:.2f} | {usage.memory / copy.memory:.1f} | {target.stat().st_size / 1e9:.2f} |",
        flush=True,
    )


def _interrupt(source: Path, scratch: Path, arguments: argparse.Namespace) -> None:
    """Ctrl-C in every stage of the first algorithm, and in the kernels of the others."""
    target = scratch / f"out{source.suffix}"
    q = min(map(int, arguments.quasi_identifiers.split(",")))
    print(f"{source.name}, {q} quasi-identifiers\n")
    print("| algorithm | stage | Ctrl-C answered after, seconds | exit status | left behind |")
    print("|---|---|---|---|---|")
    first, *others = arguments.algorithms.split(",")
    for algorithm, stage in [*((first, stage) for stage in _STAGES), *((other, "anonymize") for other in others)]:
        command = _command(source, target, q, algorithm, arguments.diversity)
        seconds, status = _answer([command[0], "-c", _TELLS_STAGES, *command[3:]], stage, scratch / "stage")
        left = ", ".join(sorted(file.name for file in scratch.iterdir() if file.name != "stage"))
        print(f"| {algorithm} | {stage} | {seconds:.2f} | {status} | {left or 'nothing'} |", flush=True)
    print()


def _answer(command: list[str], stage: str, told: Path) -> tuple[float, int]:
    """How long it takes a command to end that is told to shortly after a stage begins, and its exit status."""
    told.unlink(missing_ok=True)
    with subprocess.Popen(command, env={**os.environ, "STAGES": str(told)}, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (told.exists() and stage in told.read_text().split()):
            time.sleep(0.01)
        time.sleep(_INTO_A_STAGE)
        began = time.perf_counter()
        process.send_signal(signal.SIGINT)
        status = process.wait()
        return time.perf_counter() - began, status


def _command(source: Path, target: Path, q: int, algorithm: str, diversity: int) -> list[str]:
    columns = ",".join(QUASI_IDENTIFIERS[:q])
    roles = ["-q", columns, "-s", SENSITIVE, "-l", str(diversity), "--identifier", IDENTIFIER, "--drop-others"]
    options = ["--algorithm", algorithm, "--quiet"]
    return [sys.executable, "-m", "pellucid", "anonymize", str(source), "-o", str(target), *roles, *options]


if __name__ == "__main__":
    main()
