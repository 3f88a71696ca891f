"""`pellucid compare`: several algorithms on one table, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..algorithms import ALGORITHMS
from ..utility.comparison import NOTICE, Comparison, Score
from ..utility.comparison import compare as measure
from ..utility.plots import plot_comparison, require_plot
from .columns import aligned
from .console import complain, guarded, print_json, running, say
from .described import Decimal, Encoding, Null, Query, Quote, Separator, Sheet, Table, described, shown
from .evaluate import Dimensionality, PolicyFile, Queries, Seed, Selectivity, Threads
from .options import (
    Diversity,
    Hierarchies,
    Joint,
    Json,
    QuasiIdentifiers,
    Sensitive,
    Styles,
    columns,
    names,
    of_columns,
)

__all__ = ["compare"]


def compare(
    *,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A table like the one that is to be published.")],
    table: Table = None,
    query: Query = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    joint: Joint = None,
    diversity: Diversity = None,
    identifier: Annotated[
        str | None, typer.Option("--identifier", metavar="ID", help="The column that names the person.")
    ] = None,
    algorithms: Annotated[
        list[str] | None, typer.Option("--algorithms", metavar="A,B", help=f"\\[default: {','.join(ALGORITHMS)}]")
    ] = None,
    queries: Queries = 1000,
    qd: Dimensionality = None,
    selectivity: Selectivity = 0.06,
    seed: Seed = 0,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE.svg", help="Draw the figures: .svg, .png or .pdf.")
    ] = None,
    hierarchy: Hierarchies = None,
    style: Styles = None,
    separator: Separator = None,
    quote: Quote = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    null: Null = None,
    sheet: Sheet = None,
    policy: PolicyFile = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Show utility, time, memory and group sizes of several algorithms. For the curator: nothing is published."""
    with guarded(as_json=as_json):
        if plot is not None:
            require_plot(plot)
        original = described(
            source,
            table=table,
            query=query,
            separator=separator,
            quote=quote,
            encoding=encoding,
            decimal=decimal,
            null=null,
            sheet=sheet,
        )
        with running() as tell:
            found = measure(
                original,
                quasi_identifiers=names(quasi_identifiers),
                sensitive=columns(sensitive, joint=joint),
                joint=joint,
                diversity=diversity,
                identifier=identifier,
                algorithms=names(algorithms),
                queries=queries,
                dimensionality=qd,
                selectivity=selectivity,
                seed=seed,
                hierarchies=of_columns("--hierarchy", hierarchy),
                styles=of_columns("--style", style),
                policy=policy,
                threads=threads,
                tell=tell,
            )
        drawn = plot is None or plot_comparison(found, plot)
        complain(NOTICE)
        if not drawn:
            complain(f"No algorithm came to a result, so there is no figure {plot}.")
        if as_json:
            print_json({"status": 0, "comparison": found.as_dict()})
        else:
            _show(found, shown(source, original))


def _show(found: Comparison, source: str) -> None:
    say(
        f"{source}: {found.rows:,} rows, l = {found.diversity}. Random COUNT queries on {found.dimensionality} columns,"
        f" expected selectivity {found.selectivity:.3g}, seed {found.seed}."
        " Smallest and average are sizes of groups.\n"
    )
    header = ["algorithm", "transparent", "error", "GCP", "smallest", "average", "seconds", "MB"]
    rows = []
    for candidate in found.candidates:
        row = [candidate.algorithm, "yes" if candidate.transparent else "NO"]
        if isinstance(candidate.outcome, Score):
            row += _cells(candidate.outcome)
        rows.append(row)
    say(aligned(header, rows, texts=2))
    for candidate in found.candidates:
        if not isinstance(candidate.outcome, Score):
            say(f"\n{candidate.algorithm}: {candidate.outcome.why}")
        elif changed := candidate.outcome.changed_values:
            say(
                f"\n{candidate.algorithm} changes sensitive values, {changed:,} at least. The certainty penalty (GCP)"
                " does not see that; the error does."
            )


def _cells(score: Score) -> list[str]:
    return [
        f"{score.errors.workload:.2%}",
        f"{score.global_certainty_penalty:.4f}",
        f"{score.smallest_group:,}",
        f"{score.average_group:.1f}",
        f"{score.seconds:.3f}",
        "?" if score.peak_memory is None else f"{score.peak_memory / 1e6:,.0f}",
    ]
