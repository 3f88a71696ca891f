"""Rerun section 4 of the paper: Figures 11 to 15 and Table XIV, for OCC and SAL.

    python benchmarks/paper/run.py [--quick] [--data auto|occsal|table14|census|EXTRACT] [--out FOLDER]

It writes every measurement (measurements.csv), the figures (SVG and PNG) and a page that says what the paper claims
about each and whether it held, and how Weave does beside Hybrid and Mondrian for every l and qd (README.md). The whole
takes about ten minutes on two cores, `--quick` less than five.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from paper.claims import PAPER  # noqa: E402
from paper.drawing import draw  # noqa: E402
from paper.experiments import Plan, Record, Tell, correlations, scalability, utility  # noqa: E402
from paper.page import write_page  # noqa: E402
from paper.results import FIGURES, figures, write_records  # noqa: E402
from paper.tables import Tables, find  # noqa: E402
from paper.weave import compared  # noqa: E402
from pellucid.algorithms import ALGORITHMS  # noqa: E402

__all__ = ["main"]


def main() -> None:
    """Measure, draw, and write the page."""
    arguments = _arguments()
    began = time.perf_counter()
    data = find(arguments.data, rows=arguments.rows)
    plan = _plan(arguments)
    notes: list[str] = []

    def tell(what: str) -> None:
        print(f"{time.perf_counter() - began:7.1f} s  {what}", flush=True)

    def note(what: str) -> None:
        tell(what)
        notes.append(what)

    for name in PAPER:
        if name not in plan.algorithms:
            tell(f"{name} is left out")
    print(data.origin)
    records = list(_measure(data, plan, tell, note))
    folder: Path = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    write_records(records, folder / "measurements.csv")
    lines = figures(records)
    for number, figure in lines.items():
        draw(FIGURES[number], figure, folder)
    weave = compared(records)
    write_page(
        folder / "README.md",
        data=data,
        plan=plan,
        lines=lines,
        correlations={name: correlations(table) for name, table in data.tables.items()},
        weave=weave,
        notes=notes,
        seconds=time.perf_counter() - began,
    )
    if weave is not None:
        tell(weave.verdict())
    tell(f"the page is {folder / 'README.md'}")


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
    parser.add_argument("--data", default="auto", help="auto, occsal, table14, census, or an IPUMS or ACS extract")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="where to write")
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
