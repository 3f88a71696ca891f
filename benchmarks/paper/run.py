"""Rerun section 4 of the paper: Figures 11 to 15 and Table XIV, for OCC and SAL.

    python benchmarks/paper/run.py [--quick] [--data auto|occsal|table14|census|EXTRACT[,..]] [--out FOLDER]
    python benchmarks/paper/run.py --from FOLDER [--out FOLDER]

For each data set it writes a folder with every measurement (measurements.csv), what it was made with (run.json), the
figures (SVG and PNG) and a page that says what the paper claims about each and whether it held, and how Weave does
beside Hybrid and Mondrian for every l and qd (README.md). Above them stands a page over all data sets. One data set
takes five to ten minutes on two cores that have nothing else to do, `--quick` less than five. A run that is interrupted
leaves what it has measured in measurements.partial.csv. `--from` measures nothing: it draws and writes the pages again,
from the measurements of an earlier run.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from paper.claims import PAPER  # noqa: E402
from paper.conditions import Conditions, commit, machine, software  # noqa: E402
from paper.drawing import draw  # noqa: E402
from paper.experiments import Plan, Record, Tell, correlations, scalability, utility  # noqa: E402
from paper.page import index, page  # noqa: E402
from paper.results import FIGURES, figures, read_records, write_records  # noqa: E402
from paper.tables import Tables, find  # noqa: E402
from pellucid.algorithms import ALGORITHMS  # noqa: E402

__all__ = ["main", "write_pages"]

MEASUREMENTS, CONDITIONS, PAGE = "measurements.csv", "run.json", "README.md"
SO_FAR = "measurements.partial.csv"


def main() -> None:
    """Measure, draw, and write the pages; or write them again."""
    arguments = _arguments()
    out: Path = arguments.out or arguments.from_folder or HERE / "results"
    if arguments.from_folder is not None:
        _copy(arguments.from_folder, out)
    else:
        plan = _plan(arguments)
        program = commit(out)
        found = [find(name, rows=arguments.rows) for name in _words(arguments.data)]  # all, before anything is run
        for number, data in enumerate(found):
            _run(data, plan, out / data.name, program, quick=arguments.quick)
            print(f"{data.name} is done, {number + 1} of {len(found)}", flush=True)
    write_pages(out)
    print(f"The page is {out / PAGE}")


def write_pages(out: Path) -> None:
    """Draw the figures of every folder in this one that holds measurements, and write the pages."""
    runs = {}
    for folder in sorted(path.parent for path in out.glob(f"*/{CONDITIONS}")):
        conditions, records = Conditions.read(folder / CONDITIONS), read_records(folder / MEASUREMENTS)
        for number, lines in figures(records).items():
            draw(FIGURES[number], lines, folder)
        (folder / PAGE).write_text(page(conditions, records), encoding="utf-8")
        runs[folder.name] = conditions, records
    if not runs:
        raise SystemExit(f"There are no measurements in {out}.")
    (out / PAGE).write_text(index(runs), encoding="utf-8")


def _copy(earlier: Path, out: Path) -> None:
    """The measurements of an earlier run, and nothing else of it."""
    if earlier.resolve() == out.resolve():
        return
    for path in sorted([*earlier.glob(f"*/{CONDITIONS}"), *earlier.glob(f"*/{MEASUREMENTS}")]):
        folder = out / path.parent.name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / path.name)


def _run(data: Tables, plan: Plan, folder: Path, program: str, *, quick: bool) -> None:
    began = time.perf_counter()
    notes: list[str] = []

    def tell(what: str) -> None:
        print(f"{time.perf_counter() - began:7.1f} s  {what}", flush=True)

    def note(what: str) -> None:
        tell(what)
        notes.append(what)

    print(f"{data.name}: {data.origin}")
    for name in PAPER:
        if name not in plan.algorithms:
            tell(f"{name} is left out")
    folder.mkdir(parents=True, exist_ok=True)
    write_records(_measure(data, plan, tell, note), folder / SO_FAR)
    (folder / SO_FAR).replace(folder / MEASUREMENTS)
    Conditions(
        data=data.name,
        origin=data.origin,
        rows={name: table.height for name, table in data.tables.items()},
        correlations={name: correlations(table) for name, table in data.tables.items()},
        quick=quick,
        algorithms=plan.algorithms,
        runs=plan.runs,
        workloads=plan.workloads,
        queries=plan.queries,
        repetitions=plan.repetitions,
        notes=tuple(notes),
        seconds=time.perf_counter() - began,
        commit=program,
        software=software(),
        machine=machine(),
    ).write(folder / CONDITIONS)


def _measure(data: Tables, plan: Plan, tell: Tell, note: Tell) -> Iterator[Record]:
    for name, table in data.tables.items():
        yield from utility(name, table, plan, tell, note)
    for name, table in data.tables.items():
        yield from scalability(name, table, plan, tell, note)


def _plan(arguments: argparse.Namespace) -> Plan:
    wanted = _words(arguments.algorithms) if arguments.algorithms else tuple(ALGORITHMS)
    ordered = [name for name in (*PAPER, *ALGORITHMS) if name in wanted and name in ALGORITHMS]
    plan = Plan(algorithms=tuple(dict.fromkeys(ordered)))
    if arguments.quick:
        plan = replace(plan, copies=(1, 2, 4), runs=2, workloads=1, patience=20.0)
    given = {name: getattr(arguments, name) for name in ("runs", "workloads", "queries") if getattr(arguments, name)}
    if arguments.copies is not None:
        given["copies"] = tuple(int(copies) for copies in _words(arguments.copies))
    return replace(plan, **given)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split(",") if word)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--data", default="auto", help="auto, occsal, table14, census, or extracts; several with commas"
    )
    parser.add_argument("--out", type=Path, help="where to write [default: benchmarks/paper/results]")
    parser.add_argument("--from", dest="from_folder", type=Path, metavar="FOLDER", help="write its pages again")
    parser.add_argument("--quick", action="store_true", help="fewer runs and copies")
    parser.add_argument("--algorithms", help="only these, separated by commas")
    parser.add_argument("--rows", type=int, help="only so many rows")
    parser.add_argument("--runs", type=int, help="how often to run each algorithm")
    parser.add_argument("--workloads", type=int, help="random workloads per run")
    parser.add_argument("--queries", type=int, help="queries per workload")
    parser.add_argument("--copies", help="Figure 14: numbers of copies, such as 1,2,4; nothing leaves it out")
    return parser.parse_args()


if __name__ == "__main__":
    main()
