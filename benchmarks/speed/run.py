"""How long each step takes, beside a plain copy of the same file, and how much memory: all in one run.

    python benchmarks/speed/run.py [--rows 10000000] [--data OCCSAL.parquet] [--diversity 6,8,10] [--repeat 3]

Times are the best of the repetitions, in seconds. Machines are noisy: compare the ratios, not runs.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import polars as pl

import pellucid
from pellucid.algorithms import ALGORITHMS
from pellucid.draws import SystemDraws
from pellucid.microdata import Microdata, encode
from pellucid.policy import Policy
from pellucid.release import anonymize

sys.path.insert(0, str(Path(__file__).parent.parent))
from census import QUASI_IDENTIFIERS, census

HERE = Path(__file__).parent
OCCSAL = HERE.parents[1].parent / "shared/data/acs_occsal/occsal_dev_600k.parquet"
STEPS = ("read", "encode", "anonymize", "recode", "write", "verify")
COPY = "import sys, polars; polars.read_csv(sys.argv[1]).write_csv(sys.argv[2])"
_T = TypeVar("_T")


def main() -> None:
    arguments = _arguments()
    diversities = [int(number) for number in arguments.diversity.split(",")]
    print(f"pellucid {pellucid.__version__}, polars {pl.__version__}, {platform.python_implementation()}")
    print(f"{platform.python_version()}, {os.cpu_count()} cores, best of {arguments.repeat}\n")
    with tempfile.TemporaryDirectory() as folder:
        for name, table, sensitives in _tables(arguments):
            for sensitive in sensitives:
                print(f"## {name}: {table.height:,} rows, sensitive {sensitive}\n")
                _time_kernels(table, sensitive, diversities, arguments.repeat)
                _time_files(table, sensitive, diversities, Path(folder), arguments.repeat)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=10_000_000, help="length of the generated table; 0 leaves it out")
    parser.add_argument("--data", type=Path, default=OCCSAL, help="the 600,000 census records, if they are there")
    parser.add_argument("--diversity", default="6,8,10")
    parser.add_argument("--repeat", type=int, default=3)
    return parser.parse_args()


def _tables(arguments: argparse.Namespace) -> Iterator[tuple[str, pl.DataFrame, tuple[str, ...]]]:
    both = ("Occupation", "Income")
    if arguments.data.exists():
        yield arguments.data.stem, pl.read_parquet(arguments.data), both
    else:
        yield "generated census", census(600_000), both
    if arguments.rows:
        yield "generated census", census(arguments.rows), ("Occupation",)


def _time_kernels(table: pl.DataFrame, sensitive: str, diversities: list[int], repeat: int) -> None:
    """The algorithms alone, on encoded data: one thread, all threads, and how much faster that is."""
    microdata, seconds = _timed(lambda: _encode(table, sensitive))
    print(f"Encoding a data frame: {seconds:.2f} s. Algorithms alone, one thread / all threads (times faster):\n")
    print(f"| algorithm | {' | '.join(f'l = {diversity}' for diversity in diversities)} |")
    print(f"|---|{'---|' * len(diversities)}")
    for name in ALGORITHMS:
        cells = []
        for diversity in diversities:
            one, every = (_time_kernel(name, microdata, diversity, threads, repeat) for threads in (1, None))
            cells.append(f"{one:.3f} / {every:.3f} ({one / every:.2f})")
        print(f"| {name} | {' | '.join(cells)} |")
    print()


def _encode(table: pl.DataFrame, sensitive: str) -> Microdata:
    policy = Policy(quasi_identifiers=QUASI_IDENTIFIERS, sensitive=sensitive, diversity=1, drop_others=True)
    return encode(table.select(*QUASI_IDENTIFIERS, sensitive), policy, SystemDraws(), untyped=False)


def _time_kernel(name: str, microdata: Microdata, diversity: int, threads: int | None, repeat: int) -> float:
    algorithm = ALGORITHMS[name]
    draws = SystemDraws()
    return min(
        _timed(lambda: algorithm(microdata, diversity=diversity, draws=draws, threads=threads))[1]
        for _ in range(repeat)
    )


def _time_files(table: pl.DataFrame, sensitive: str, diversities: list[int], folder: Path, repeat: int) -> None:
    """From CSV to CSV: each step, the whole command with its memory, and polars alone on the same file."""
    source, target = folder / "source.csv", folder / "target.csv"
    table.select(*QUASI_IDENTIFIERS, sensitive).write_csv(source)
    print("From CSV to CSV with Hybrid. The steps in one process:\n")
    print(f"| l | {' | '.join(STEPS)} |")
    print(f"|---|{'---|' * len(STEPS)}")
    for diversity in diversities:
        seconds = _time_steps(source, target, sensitive, diversity)
        print(f"| {diversity} | {' | '.join(f'{seconds[step]:.2f}' for step in STEPS)} |")
    print("\nThe whole command, and `polars.read_csv(source).write_csv(target)`, each in a process of its own:\n")
    print("| command | seconds | times the copy | peak memory, GB |")
    print("|---|---|---|---|")
    copies: list[tuple[float, float]] = []
    runs: dict[int, list[tuple[float, float]]] = {diversity: [] for diversity in diversities}
    for _ in range(repeat):  # in turns, so that a noisy minute hits both
        copies.append(_run([sys.executable, "-c", COPY, str(source), str(target)]))
        for diversity, measured in runs.items():
            measured.append(_run(_command(source, target, sensitive, diversity)))
    copy = min(copies)
    print(f"| plain copy | {copy[0]:.2f} | 1.0 | {copy[1]:.2f} |")
    for diversity, measured in runs.items():
        seconds_taken, memory = min(measured)
        print(f"| anonymize -l {diversity} | {seconds_taken:.2f} | {seconds_taken / copy[0]:.1f} | {memory:.2f} |")
    print()


def _time_steps(source: Path, target: Path, sensitive: str, diversity: int) -> dict[str, float]:
    began: dict[str, float] = {}

    def monitor(stage: str, share: float) -> None:  # noqa: ARG001
        began.setdefault(stage, time.perf_counter())

    release = anonymize(
        source, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=sensitive, diversity=diversity, monitor=monitor
    )
    release.write(target)
    ends = [*(began[step] for step in STEPS[1:]), time.perf_counter()]
    return {step: end - began[step] for step, end in zip(STEPS, ends, strict=True)}


def _command(source: Path, target: Path, sensitive: str, diversity: int) -> list[str]:
    columns = ",".join(QUASI_IDENTIFIERS)
    options = ["-q", columns, "-s", sensitive, "-l", str(diversity), "--quiet"]
    return [sys.executable, "-m", "pellucid", "anonymize", str(source), "-o", str(target), *options]


def _run(command: list[str]) -> tuple[float, float]:
    """Seconds, and peak memory in GB."""
    start = time.perf_counter()
    with subprocess.Popen(command) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss / 1e6


def _timed(work: Callable[[], _T]) -> tuple[_T, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


if __name__ == "__main__":
    main()
