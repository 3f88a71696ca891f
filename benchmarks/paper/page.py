"""The page of a reproduction: each figure, what the paper says about it, and whether it held; and a page over several.

Everything on a page follows from the measurements and the conditions of the run, so that it can be written again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from paper.claims import CLAIMS, PAPER, Verdict, judge
from paper.conditions import Conditions
from paper.experiments import Record
from paper.results import FIGURES, Figures, Line, figures
from paper.tables import SENSITIVE
from paper.weave import compared

__all__ = ["TABLE_XIV", "index", "page"]

TABLE_XIV = {
    "OCC": {"Age": 0.49, "Gender": 0.62, "Education": 0.28, "Birthplace": 0.38},
    "SAL": {"Age": 0.71, "Gender": 0.87, "Education": 0.41, "Birthplace": 0.50},
}
"""The correlation ratios that the paper found."""

_MUCH = 0.1
"""Smallest difference of two correlation ratios that counts as "much less": in the paper the smallest is 0.12."""

_CORRELATED = (
    "Occupation is much less correlated to the QI attributes than income is (here: every ratio is smaller by"
    f" {_MUCH:g} or more)."
)

_WORDS = {True: "**Held.**", False: "**Did not hold.**", None: "**Open.**"}


def page(conditions: Conditions, records: Sequence[Record]) -> str:
    """The page of one data set, to stand beside its figures."""
    lines = figures(records)
    parts = [_head(conditions), _summary(_verdicts(conditions, lines)), _table_xiv(conditions)]
    parts += [_figure(number, lines) for number in sorted(lines)]
    if (weave := compared(records)) is not None:
        parts += ["## Weave beside the others, for every l and qd", f"{weave.verdict()} (s = 6 %.)", weave.tables()]
    return "\n\n".join(parts) + "\n"


def index(runs: Mapping[str, tuple[Conditions, Sequence[Record]]]) -> str:
    """The page over the folders of several data sets."""
    parts = [
        "# Section 4 of the paper, rerun",
        "Figures 11 to 15 and Table XIV, on other data: nobody published those of the paper. Next to each"
        " figure stands what the paper says about it, and whether it held here. `benchmarks/paper/README.md` says how"
        " to run it; these pages are written by the program, not by hand.",
    ]
    for folder, (conditions, records) in runs.items():
        weave = compared(records)
        parts.append(f"## [{conditions.data}]({folder}/README.md)")
        parts.append(conditions.origin)
        parts.append(_summary(_verdicts(conditions, figures(records))))
        if weave is not None:
            parts.append(weave.verdict())
    return "\n\n".join(parts) + "\n"


def _head(run: Conditions) -> str:
    text = [
        f"# Section 4 of the paper, rerun: {run.data}",
        "",
        "Made by `benchmarks/paper/run.py`; do not edit. [All measurements](measurements.csv).",
        "",
        f"- Data: {run.origin} " + ", ".join(f"{name}: {count:,} tuples" for name, count in run.rows.items()) + ".",
        f"- Program: commit {run.commit}; {run.software}.",
        f"- Machine: {run.machine}; {run.seconds / 60:.0f} minutes in all.",
        f"- Errors are means over {_number(run.runs, 'run')}, each with a new order of ties and new draws, times"
        f" {_number(run.workloads, 'random workload')} of {run.queries:,} queries. Times are those of the processor on"
        f" one thread, from encoded data to groups, the best of {_number(run.runs, 'run')} (Figure 14:"
        f" {run.repetitions}). Bars go from the smallest measurement to the largest. Dashed lines are algorithms that"
        " are not transparent.",
    ]
    if run.quick:
        text.append("- A quick run: fewer runs, workloads and tuples than the whole.")
    if missing := [name for name in PAPER if name not in run.algorithms]:
        text.append(f"- Not run: {', '.join(missing)}.")
    if others := [name.capitalize() for name in run.algorithms if name not in PAPER]:
        text.append(f"- Not of the paper, and in none of its claims: {', '.join(others)}.")
    if "weave" in run.algorithms:
        text.append("- What Weave is for stands at the end.")
    text += [f"- {note.rstrip('.')}." for note in run.notes]
    return "\n".join(text)


def _number(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def _verdicts(run: Conditions, lines: Figures) -> list[Verdict]:
    return [_correlated(run), *(judge(claim, lines) for claim in CLAIMS if claim.figure in lines)]


def _summary(verdicts: Iterable[Verdict]) -> str:
    outcomes = [verdict.held for verdict in verdicts]
    held, against, still = (outcomes.count(outcome) for outcome in (True, False, None))
    return (
        f"Of {len(outcomes)} claims of the paper about Figures 11 to 15 and Table XIV, {held} held, {against} did not"
        + (f", and {still} could not be judged." if still else ".")
        + " A claim that did not hold on these data may hold on those of the paper, which nobody else has."
    )


def _table_xiv(run: Conditions) -> str:
    columns = list(next(iter(run.correlations.values())))
    verdict = _correlated(run)
    text = [
        "## Table XIV: correlation ratios between QI and sensitive attributes",
        "",
        "The ratio eta of each QI attribute given the sensitive attribute: here, and in the paper.",
        "",
        f"| | {' | '.join(columns)} |",
        f"|---|{'---|' * len(columns)}",
    ]
    for table, ratios in run.correlations.items():
        cells = [f"{ratios[name]:.2f} ({TABLE_XIV[table][name]:.2f})" for name in columns]
        text.append(f"| {SENSITIVE[table]} | {' | '.join(cells)} |")
    text += ["", *_judged([(_CORRELATED, verdict)])]
    return "\n".join(text)


def _correlated(run: Conditions) -> Verdict:
    occ, sal = (run.correlations[table] for table in ("OCC", "SAL"))
    cases = [f"{name} {occ[name]:.2f} and {sal[name]:.2f}" for name in occ]
    against = [case for name, case in zip(occ, cases, strict=True) if sal[name] - occ[name] < _MUCH]
    return Verdict(not against, f"not so for {', '.join(against)}" if against else ", ".join(cases))


def _figure(number: int, all_lines: Figures) -> str:
    figure, lines = FIGURES[number], all_lines[number]
    text = [f"## Figure {number}: {figure.title}", "", f"![Figure {number}]({figure.stem}.svg)", ""]
    text += _judged((claim.text, judge(claim, all_lines)) for claim in CLAIMS if claim.figure == number)
    for table in dict.fromkeys(table for table, _ in lines):
        text += ["", _numbers(table, figure.axis, {name: line for (of, name), line in lines.items() if of == table})]
    return "\n".join(text)


def _judged(claims: Iterable[tuple[str, Verdict]]) -> list[str]:
    rows = [f"| {text} | {_WORDS[verdict.held]} {verdict.evidence.rstrip('.')}. |" for text, verdict in claims]
    return ["| the paper says | here |", "|---|---|", *rows]


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
