"""The page of a reproduction: each figure, what the paper says about it, and whether it held."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from paper.claims import CLAIMS, PAPER, judge
from paper.experiments import Plan
from paper.results import FIGURES, Line, Lines
from paper.tables import SENSITIVE, Tables
from paper.weave import Comparison

__all__ = ["TABLE_XIV", "write_page"]

TABLE_XIV = {
    "OCC": {"Age": 0.49, "Gender": 0.62, "Education": 0.28, "Birthplace": 0.38},
    "SAL": {"Age": 0.71, "Gender": 0.87, "Education": 0.41, "Birthplace": 0.50},
}
"""The correlation ratios that the paper found."""

_LIBRARIES = ("numpy", "polars", "matplotlib")
_WORDS = {True: "**Held.**", False: "**Did not hold.**", None: "**Open.**"}


def write_page(
    path: Path,
    *,
    data: Tables,
    plan: Plan,
    lines: Mapping[int, Lines],
    correlations: Mapping[str, Mapping[str, float]],
    weave: Comparison | None,
    notes: Sequence[str],
    seconds: float,
) -> None:
    """Write the page beside its figures."""
    parts = [_head(data, plan, notes, seconds), _summary(lines), _correlations(correlations)]
    parts += [_figure(number, lines[number]) for number in sorted(lines)]
    if weave is not None:
        parts += ["## Weave beside the others, for every l and qd", f"{weave.verdict()} (s = 6 %.)", weave.tables()]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _head(data: Tables, plan: Plan, notes: Sequence[str], seconds: float) -> str:
    rows = {name: table.height for name, table in data.tables.items()}
    versions = ", ".join(f"{library} {version(library)}" for library in _LIBRARIES)
    text = [
        "# Section 4 of the paper, rerun",
        "",
        "Made by `python benchmarks/paper/run.py`; do not edit. [All measurements](measurements.csv).",
        "",
        f"- Data: {data.origin} " + ", ".join(f"{name}: {count:,} tuples" for name, count in rows.items()) + ".",
        f"- Program: pellucid {version('pellucid')}, commit {_commit()}.",
        f"- Made with {platform.python_implementation()} {platform.python_version()}, {versions}; {platform.system()},"
        f" {platform.machine()}, {os.cpu_count()} cores; {seconds / 60:.0f} minutes in all.",
        f"- Errors are means over {plan.runs} runs, each with a new order of ties and new draws, times {plan.workloads}"
        f" random workloads of {plan.queries:,} queries. Times are those of the processor on one thread, from encoded"
        f" data to groups, the best of {plan.runs} runs (Figure 14: {plan.repetitions}). Bars go from the smallest"
        " measurement to the largest. Dashed lines are algorithms that are not transparent.",
    ]
    if missing := [name for name in PAPER if name not in plan.algorithms]:
        text.append(f"- Not run: {', '.join(missing)}.")
    if others := [name.capitalize() for name in plan.algorithms if name not in PAPER]:
        text.append(f"- Not of the paper, and in none of its claims: {', '.join(others)}.")
    if "weave" in plan.algorithms:
        text.append("- What Weave is for stands at the end.")
    text += [f"- {note.rstrip('.')}." for note in notes]
    return "\n".join(text)


def _commit() -> str:
    """The commit that the program was built from, and whether the files differ from it."""
    root = Path(__file__).resolve().parents[2]
    try:
        said = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty=, with changes that are not committed", "--tags"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return said.stdout.strip()


def _summary(lines: Mapping[int, Lines]) -> str:
    verdicts = [judge(claim, lines[claim.figure]).held for claim in CLAIMS if claim.figure in lines]
    held, against, still = (verdicts.count(outcome) for outcome in (True, False, None))
    return (
        f"Of {len(verdicts)} claims of the paper about these figures, {held} held, {against} did not"
        + (f", and {still} could not be judged." if still else ".")
        + " A claim that did not hold on these data may hold on those of the paper, which nobody else has."
    )


def _correlations(found: Mapping[str, Mapping[str, float]]) -> str:
    columns = list(next(iter(found.values())))
    text = [
        "## Table XIV: correlation ratios between QI and sensitive attributes",
        "",
        "The ratio eta of each QI attribute given the sensitive attribute: here, and in the paper.",
        "",
        f"| | {' | '.join(columns)} |",
        f"|---|{'---|' * len(columns)}",
    ]
    for table, ratios in found.items():
        cells = [f"{ratios[name]:.2f} ({TABLE_XIV[table][name]:.2f})" for name in columns]
        text.append(f"| {SENSITIVE[table]} | {' | '.join(cells)} |")
    return "\n".join(text)


def _figure(number: int, lines: Lines) -> str:
    figure = FIGURES[number]
    text = [f"## Figure {number}: {figure.title}", "", f"![Figure {number}]({figure.stem}.svg)", ""]
    text += ["| the paper says | here |", "|---|---|"]
    for claim in CLAIMS:
        if claim.figure == number:
            verdict = judge(claim, lines)
            text.append(f"| {claim.text} | {_WORDS[verdict.held]} {verdict.evidence.rstrip('.')}. |")
    for table in dict.fromkeys(table for table, _ in lines):
        text += ["", _numbers(table, figure.axis, {name: line for (of, name), line in lines.items() if of == table})]
    return "\n".join(text)


def _numbers(table: str, axis: str, lines: Mapping[str, Line]) -> str:
    """The points of the figure, and in parentheses half of the range of what was measured."""
    places = sorted({point.x for line in lines.values() for point in line})
    text = [
        f"| {table}, {axis} | {' | '.join(f'{place:.3g}' for place in places)} |",
        f"|---|{'---|' * len(places)}",
    ]
    for name, line in lines.items():
        points = {point.x: point for point in line}
        cells = []
        for place in places:
            if (point := points.get(place)) is None:
                cells.append("")
                continue
            half = (max(point.values) - min(point.values)) / 2
            cells.append(f"{point.value:.3g}" + (f" (±{half:.2g})" if len(point.values) > 1 else ""))
        text.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(text)
