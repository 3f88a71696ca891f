"""How long each step takes, beside a plain copy of the same file, and how much memory: all in one run.

    python benchmarks/speed/run.py [--rows 10000000] [--data OCCSAL.parquet] [--diversity 6,8,10] [--repeat 3]

Times are in seconds, the best of the repetitions; single steps are timed once. Machines are noisy: compare the ratios,
not runs, and look at the processor time, which others on the machine hardly change.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

import pellucid
from pellucid.algorithms import ALGORITHMS
from pellucid.draws import SystemDraws
from pellucid.microdata import Microdata, encode
from pellucid.policy import Policy
from pellucid.release import anonymize
from pellucid.runs import all_cores

sys.path.insert(0, str(Path(__file__).parent.parent))
from census import QUASI_IDENTIFIERS, census
from processes import Usage, run

HERE = Path(__file__).parent
OCCSAL = HERE.parents[1].parent / "shared/data/acs_occsal/occsal_dev_600k.parquet"
STEPS = ("read", "encode", "anonymize", "recode", "write", "verify")
COPY = "import sys, polars; polars.read_csv(sys.argv[1]).write_csv(sys.argv[2])"


class Times(NamedTuple):
    """By the clock, and of all processors together."""

    wall: float
    cpu: float


def main() -> None:
    arguments = _arguments()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"pellucid {pellucid.__version__}, polars {pl.__version__}, {python}")
    print(f"{all_cores()} cores, best of {arguments.repeat}\n")
    with tempfile.TemporaryDirectory() as folder:
        for name, table, sensitives in _tables(arguments):
            for sensitive in sensitives:
                print(f"## {name}: {table.height:,} rows, sensitive {sensitive}\n", flush=True)
                _time_kernels(table, sensitive, _runs(arguments.kernels, arguments.diversity), arguments.repeat)
                _time_files(
                    table, sensitive, _runs(arguments.files, arguments.diversity), Path(folder), arguments.repeat
                )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=10_000_000, help="length of the generated table; 0 leaves it out")
    parser.add_argument("--data", type=Path, default=OCCSAL, help="the 600,000 census records, if they are there")
    parser.add_argument("--only-generated", action="store_true", help="leave the 600,000 records out")
    parser.add_argument("--diversity", default="6,8,10")
    parser.add_argument("--kernels", default="weave,hybrid,tailor,ace,mondrian", help="algorithms alone")
    parser.add_argument("--files", default="weave,hybrid,mondrian", help="algorithms from file to file")
    parser.add_argument("--repeat", type=int, default=3)
    return parser.parse_args()


def _runs(algorithms: str, diversities: str) -> list[tuple[str, int]]:
    return [(name, int(number)) for name in algorithms.split(",") for number in diversities.split(",")]


def _tables(arguments: argparse.Namespace) -> Iterator[tuple[str, pl.DataFrame, tuple[str, ...]]]:
    if not arguments.only_generated:
        exists = arguments.data.exists()
        name = arguments.data.stem if exists else "generated census"
        yield name, pl.read_parquet(arguments.data) if exists else census(600_000), ("Occupation", "Income")
    if arguments.rows:
        yield "generated census", census(arguments.rows), ("Occupation",)


def _time_kernels(table: pl.DataFrame, sensitive: str, runs: list[tuple[str, int]], repeat: int) -> None:
    """The algorithms alone, on encoded data: one thread, all threads, and how much faster that is."""
    start = time.perf_counter()
    microdata = _encode(table, sensitive)
    print(f"Encoding a data frame: {time.perf_counter() - start:.2f} s.")
    print("The algorithms alone; in brackets, the processor time:\n")
    print("| algorithm | l | one thread | all threads | times faster |")
    print("|---|---|---|---|---|")
    for name, diversity in runs:
        one: list[Times] = []
        every: list[Times] = []
        for _ in range(repeat):  # in turns, so that a noisy minute hits both
            one.append(_time_kernel(name, microdata, diversity, 1))
            every.append(_time_kernel(name, microdata, diversity, None))
        a, b = min(one).wall, min(every).wall
        print(
            f"| {name} | {diversity} | {a:.3f} ({min(times.cpu for times in one):.3f})"
            f" | {b:.3f} ({min(times.cpu for times in every):.3f}) | {a / b:.2f} |",
            flush=True,
        )
    print()


def _encode(table: pl.DataFrame, sensitive: str) -> Microdata:
    policy = Policy(quasi_identifiers=QUASI_IDENTIFIERS, sensitive=sensitive, diversity=1, drop_others=True)
    return encode(table.select(*QUASI_IDENTIFIERS, sensitive), policy, SystemDraws(), untyped=False)


def _time_kernel(name: str, microdata: Microdata, diversity: int, threads: int | None) -> Times:
    wall, cpu = time.perf_counter(), time.process_time()
    ALGORITHMS[name](microdata, diversity=diversity, draws=SystemDraws(), threads=threads)
    return Times(time.perf_counter() - wall, time.process_time() - cpu)


def _time_files(table: pl.DataFrame, sensitive: str, runs: list[tuple[str, int]], folder: Path, repeat: int) -> None:
    """From CSV to CSV: each step, the whole command with its memory, and polars alone on the same file."""
    source, target = folder / "source.csv", folder / "target.csv"
    table.select(*QUASI_IDENTIFIERS, sensitive).write_csv(source)
    print("From CSV to CSV. The steps in one process, kept to one core or not:\n")
    print(f"| algorithm | l | cores | {' | '.join(STEPS)} |")
    print(f"|---|---|---|{'---|' * len(STEPS)}")
    for algorithm, diversity in runs:
        for cores, number in {"one": 1, "all": all_cores()}.items():
            with _kept_to(number):
                seconds = _time_steps(source, target, sensitive, algorithm, diversity)
            steps = " | ".join(f"{seconds[step]:.2f}" for step in STEPS)
            print(f"| {algorithm} | {diversity} | {cores} | {steps} |", flush=True)
    print("\nThe whole command, and `polars.read_csv(source).write_csv(target)`, each in a process of its own:\n")
    print("| command | seconds | times the copy | processor time | times the copy's | peak memory, GB |")
    print("|---|---|---|---|---|---|")
    copies: list[Usage] = []
    measured: dict[tuple[str, int], list[Usage]] = {key: [] for key in runs}
    for _ in range(repeat):  # in turns again
        copies.append(run([sys.executable, "-c", COPY, str(source), str(target)]))
        for algorithm, diversity in runs:
            usage = run(_command(source, target, sensitive, algorithm, diversity))
            measured[algorithm, diversity].append(usage)
    copy = _best(copies)
    best = {f"{algorithm} -l {diversity}": _best(usages) for (algorithm, diversity), usages in measured.items()}
    for name, usage in {"plain copy": copy, **best}.items():
        print(
            f"| {name} | {usage.seconds:.2f} | {usage.seconds / copy.seconds:.2f} | {usage.cpu:.2f}"
            f" | {usage.cpu / copy.cpu:.2f} | {usage.memory / 1e9:.2f} |"
        )
    print(flush=True)


@contextlib.contextmanager
def _kept_to(number: int) -> Iterator[None]:
    """Keep this process to so many cores, with the threads that polars has already. Linux alone can do this."""
    allowed = os.sched_getaffinity(0)

    def keep_to(cores: set[int]) -> None:
        for thread in Path("/proc/self/task").iterdir():
            with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
                os.sched_setaffinity(int(thread.name), cores)

    keep_to(set(sorted(allowed)[:number]))
    try:
        yield
    finally:
        keep_to(allowed)


def _best(usages: list[Usage]) -> Usage:
    """The shortest times, and the largest memory."""
    return Usage(min(u.seconds for u in usages), min(u.cpu for u in usages), max(u.memory for u in usages))


def _time_steps(source: Path, target: Path, sensitive: str, algorithm: str, diversity: int) -> dict[str, float]:
    began: dict[str, float] = {}

    def monitor(stage: str, share: float) -> None:  # noqa: ARG001
        began.setdefault(stage, time.perf_counter())

    release = anonymize(
        source,
        quasi_identifiers=QUASI_IDENTIFIERS,
        sensitive=sensitive,
        diversity=diversity,
        algorithm=algorithm,  # type: ignore[arg-type]
        monitor=monitor,
    )
    release.write(target)
    ends = [*(began[step] for step in STEPS[1:]), time.perf_counter()]
    return {step: end - began[step] for step, end in zip(STEPS, ends, strict=True)}


def _command(source: Path, target: Path, sensitive: str, algorithm: str, diversity: int) -> list[str]:
    columns = ",".join(QUASI_IDENTIFIERS)
    options = ["-q", columns, "-s", sensitive, "-l", str(diversity), "--algorithm", algorithm, "--quiet"]
    return [sys.executable, "-m", "pellucid", "anonymize", str(source), "-o", str(target), *options]


if __name__ == "__main__":
    main()
