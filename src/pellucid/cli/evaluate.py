"""`pellucid evaluate`: what a release is still worth, measured against its source."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from ..utility.evaluation import Evaluation
from ..utility.evaluation import evaluate as measure
from ..utility.metrics import Divergence
from .columns import aligned
from .console import guarded, print_json, say
from .described import Decimal, Encoding, Null, Query, Quote, Separator, Sheet, Table, described, in_database, shown
from .options import Hierarchies, Joint, Json, QuasiIdentifiers, Sensitive, Styles, columns, names, of_columns

__all__ = ["Dimensionality", "PolicyFile", "Queries", "Seed", "Selectivity", "Threads", "evaluate"]

Queries = Annotated[int, typer.Option("--queries", metavar="N", help="How many random COUNT queries.")]
Dimensionality = Annotated[
    int | None,
    typer.Option(
        "--qd",
        metavar="K",
        help="How many columns a query asks for, S among them \\[default: 5, or all if there are fewer].",
    ),
]
Selectivity = Annotated[
    float,
    typer.Option("--selectivity", metavar="X", help="The share of all possible rows that a query asks for."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Another number gives other queries. No secret.")]
PolicyFile = Annotated[
    Path | None, typer.Option("--policy", metavar="FILE.toml", help="Roles, orders and missing values from a file.")
]
Threads = Annotated[
    int | None, typer.Option("--threads", metavar="N", min=1, help="Threads of the kernels \\[default: all cores].")
]


def evaluate(
    *,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The table that the release was made from.")],
    release: Annotated[
        str,
        typer.Argument(metavar="RELEASE", help="A released file; of an anatomy, its name or one of its two files."),
    ],
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    joint: Joint = None,
    diversity: Annotated[
        int | None, typer.Option("-l", "--diversity", metavar="L", help="The l of the release, for C_avg.")
    ] = None,
    table: Table = None,
    query: Query = None,
    release_table: Annotated[
        str | None, typer.Option("--release-table", metavar="TABLE", help="Of a database: the released table.")
    ] = None,
    queries: Queries = 1000,
    qd: Dimensionality = None,
    selectivity: Selectivity = 0.06,
    queries_file: Annotated[
        Path | None,
        typer.Option(
            "--queries-file", metavar="FILE", help="Your own queries instead of random ones: TOML or JSON lines."
        ),
    ] = None,
    seed: Seed = 0,
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
    """Say how well counts can be estimated from RELEASE, and what it has lost. For the curator, not for release."""
    with guarded(as_json=as_json):
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
        published = in_database(release, table=release_table)
        found = measure(
            original,
            published,
            quasi_identifiers=names(quasi_identifiers),
            sensitive=columns(sensitive, joint=joint),
            joint=joint,
            diversity=diversity,
            queries=queries,
            dimensionality=qd,
            selectivity=selectivity,
            queries_file=queries_file,
            seed=seed,
            hierarchies=of_columns("--hierarchy", hierarchy),
            styles=of_columns("--style", style),
            policy=policy,
            threads=threads,
        )
        if as_json:
            print_json({"status": 0, "evaluation": found.as_dict()})
        else:
            _show(found, shown(source, original), shown(release, published))


def _show(found: Evaluation, source: str, release: str) -> None:
    queries = found.as_dict()["queries"]
    made = (
        f"queries of {queries['file']}"
        if "file" in queries
        else f"random COUNT queries on {queries['dimensionality']} columns, expected selectivity"
        f" {queries['selectivity']:.3g}, seed {queries['seed']}"
    )
    say(
        f"{release} against {source}. This compares with the source: for the curator, not for release.\n"
        f"  {found.rows:,} of {found.source_rows:,} rows, {found.groups:,} groups of {found.smallest_group:,} or more"
        f" ({found.average_group:.1f} on average{_c_avg(found)})\n"
        + (
            f"  {found.changed_values:,} rows have a sensitive value that the source does not have so often: the"
            " release changes values, or is of another table\n"
            if found.changed_values
            else ""
        )
    )
    say(
        f"{queries['queries']:,} {made}\n"
        f"  average error {queries['average_error']:.2%}, median {queries['median_error']:.2%},"
        f" 95 % of them within {queries['error_of_95_percent']:.2%}, worst {queries['worst_error']:.1%}\n"
    )
    rows = []
    for each in found.widths:
        eta = found.correlation_ratios.get(each.name)
        rows.append(
            [
                each.name,
                f"{each.exact:.1%}",
                *(f"{width:,.5g}" for width in (each.mean, each.median, each.domain)),
                "-" if eta is None else f"{eta:.2f}",
            ]
        )
    say(aligned(["column", "exact", "mean width", "median", "of domain", "correlation ratio"], rows))
    say(
        f"\n  perimeter (Eq. 4)           {found.perimeter:,.6g}\n"
        f"  certainty penalty (GCP)     {found.global_certainty_penalty:.4f}   0 is exact, 1 says nothing\n"
        f"  discernibility              {found.discernibility:,}\n"
        f"  KL divergence               {_divergence(found.kl_divergence)}"
    )


def _c_avg(found: Evaluation) -> str:
    return "" if found.c_avg is None else f", C_avg {found.c_avg:.2f}"


def _divergence(found: Divergence) -> str:
    if math.isinf(found.value):
        return "infinite: the release rules out people of the source"
    return f"{found.value:.4f}" + (f" +- {found.standard_error:.4f}, estimated" if found.standard_error else "")
