"""`pellucid anonymize`: from a file to a release of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import release
from ..algorithms import ALGORITHMS, CHANGES_VALUES, NOT_TRANSPARENT
from ..errors import PolicyError
from ..policy import Policy
from ..policy_file import read_policy_file
from .console import complain, complaining, guarded, print_json, progress, say
from .described import Decimal, Encoding, Null, Query, Quote, Separator, Sheet, Table, described, in_database
from .options import (
    SWITCH,
    Anonymity,
    Diversity,
    Grids,
    Hierarchies,
    Joint,
    Json,
    Missing,
    Protected,
    QuasiIdentifiers,
    Recoding,
    Sensitive,
    SensitiveOrder,
    Styles,
    columns,
    lines,
    names,
    of_columns,
    steps,
)

__all__ = ["anonymize", "summary"]


def anonymize(
    *,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE", help="A CSV, TSV, Parquet, Arrow or Excel file, or the address of a database."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="TARGET",
            help="The file to write, its ending is its format; or the address of a database.",
        ),
    ] = None,
    table: Table = None,
    query: Query = None,
    target_table: Annotated[
        str | None,
        typer.Option("--target-table", metavar="TABLE", help="Of a database: the new table to write."),
    ] = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    joint: Joint = None,
    diversity: Diversity = None,
    identifier: Annotated[
        str | None,
        typer.Option("--identifier", metavar="ID", help="The column that names the person. It is not published."),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option("--drop", metavar="A,B", help="Columns to leave out.")] = None,
    drop_others: Annotated[
        bool | None,
        typer.Option(
            "--drop-others", metavar=SWITCH, help="Leave out every column without a role.", show_default=False
        ),
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option("--algorithm", metavar="|".join(ALGORITHMS), help="How to cut \\[default: weave].")
    ] = None,
    penalty: Annotated[
        str | None,
        typer.Option(
            "--penalty", metavar="perimeter|discernibility", help="What to keep small \\[default: perimeter]."
        ),
    ] = None,
    recoding: Recoding = None,
    intervals: Annotated[
        str | None,
        typer.Option(
            "--intervals", metavar="text|bounds", help="'[21, 27]', or columns A_min, A_max \\[default: text]."
        ),
    ] = None,
    missing: Missing = None,
    hierarchy: Hierarchies = None,
    style: Styles = None,
    grid: Grids = None,
    sensitive_order: SensitiveOrder = None,
    separator: Separator = None,
    quote: Quote = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    null: Null = None,
    sheet: Sheet = None,
    anonymity: Anonymity = None,
    protected: Protected = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", metavar="FILE.toml", help="The same settings in a file, SOURCE and TARGET as well."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", help="Threads of the algorithm \\[default: all cores].")
    ] = None,
    seed_file: Annotated[
        Path | None,
        typer.Option("--seed-file", metavar="FILE", help="A secret seed, for a run that must be repeatable."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Also write a page about the release, to be published with it, and beside it FILE.not-for-release.html"
            " for you alone: that one holds rows of SOURCE.",
        ),
    ] = None,
    register: Annotated[
        Path | None,
        typer.Option(
            "--register",
            metavar="FILE",
            help="A file of your own that remembers whose data were published, and warns of people who were in an"
            " earlier release. It is made if there is none. Never publish it.",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", metavar=SWITCH, help="Print nothing unless something is wrong.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Publish SOURCE as TARGET, verified: nobody can be tied to a value of S with more than 1/L confidence."""
    with guarded(as_json=as_json) as so_far:
        options: dict[str, Any] = {
            "quasi_identifiers": names(quasi_identifiers),
            "drop": names(drop),
            "algorithm": algorithm,
            "penalty": penalty,
            "recoding": recoding,
            "intervals": intervals,
            "missing": missing,
            "hierarchies": of_columns("--hierarchy", hierarchy),
            "styles": of_columns("--style", style),
            "grids": steps(grid),
            "sensitive_order": lines(sensitive_order),
            "anonymity": anonymity,
            "protected": names(protected),
        }
        file = read_policy_file(policy)
        if output is None and not (file.target or file.problems):
            raise PolicyError("There is no target.", remedy="Name it (--output), or give the policy file a [target].")
        original = described(
            source or file.source.get("path"),
            table=table,
            query=query,
            separator=separator,
            quote=quote,
            encoding=encoding,
            decimal=decimal,
            null=null,
            sheet=sheet,
        )
        with complaining(quiet=quiet), progress(quiet=quiet) as monitor:
            made = release.anonymize(
                original,
                **options,
                sensitive=columns(sensitive, joint=joint),
                joint=joint,
                diversity=diversity,
                identifier=identifier,
                drop_others=drop_others,
                policy=file,
                seed_file=seed_file,
                threads=threads,
                monitor=monitor,
                target=in_database(output or file.target.get("path"), table=target_table),
                report=report,
                register=register,
            )
            written = made.write()
            so_far.published = _where(written)
        if made.policy.diversity == 1 and not quiet:
            complain("Warning: with l = 1 everybody may be tied to their sensitive value; nothing is protected.")
        if made.policy.algorithm in NOT_TRANSPARENT and not quiet:
            complain(
                f"Warning: {made.policy.algorithm} is not transparent: whoever knows how it works may tie people to"
                " sensitive values with more than 1/l confidence. See: pellucid risk --help"
            )
        if made.policy.algorithm in CHANGES_VALUES and not quiet:
            complain(
                f"Warning: {made.policy.algorithm} changes sensitive values: what is published is not how often each"
                " value occurs in the source."
            )
        unbounded = [name for name, share in written.check.worst_alone.items() if share * made.policy.diversity > 1]
        if unbounded and not quiet:
            complain(
                f"Warning: only {made.policy.sensitive_words} is protected. By itself, {_shares(written, unbounded)} of"
                " a group, and nothing forbids more. Where one column is a secret by itself, name that one (-s) and"
                " drop the others, whatever these shares are."
            )
        if as_json:
            print_json(
                {
                    "status": 0,
                    "source": dict(made.source_unlike),
                    "transparent": made.policy.algorithm not in NOT_TRANSPARENT,
                    "files": [str(file) for file in written.files],
                    "tables": list(written.tables),
                    "database": written.database,
                    "manifest": str(written.manifest),
                    "reports": [str(page) for page in written.reports],
                    "policy": made.policy.as_dict(),
                    "policy_sha256": made.policy.sha256,
                    "dropped_rows": made.dropped_rows,
                    "changed_values": made.changed_values,
                    "earlier_releases": None if written.remembered is None else written.remembered.as_dict(),
                    "check": written.check.as_dict(),
                }
            )
        elif not quiet:
            say(summary(made, written))


def summary(made: release.Release, written: release.Written) -> str:
    """What was published, in a few lines for the curator."""
    check, policy = written.check, made.policy
    bound = (
        f"  no value of {policy.sensitive_words} has more than {float(check.worst_frequency):.1%} of a group;"
        f" l = {policy.diversity} allows {1 / policy.diversity:.1%}"
    )
    if not check.diverse:
        bound = (
            f"  no protected value of {policy.sensitive_words} has more than {1 / policy.diversity:.1%} of a group;"
            f" other values have, in {check.groups_not_diverse:,} groups"
        )
    lines = [
        f"Published {_where(written)}",
        f"  {check.rows:,} rows in {check.groups:,} groups of {check.smallest_group} or more"
        f" ({check.average_group:.1f} on average)",
        bound,
        f"  read back and verified; the manifest is {'the table ' if written.database else ''}{written.manifest}",
        f"  policy: {_in_short(policy)}",
    ]
    if made.source_unlike:
        read_with = ", ".join(f"{name} {said!r}" for name, said in made.source_unlike.items())
        lines.append(f"  source: read with {read_with}")
    if written.reports:
        lines.append("  report: {} (may be published), {} (for you alone)".format(*written.reports))
    if made.dropped_rows:
        lines.insert(2, f"  {made.dropped_rows:,} rows with missing values were left out (do not publish this number)")
    if policy.algorithm in CHANGES_VALUES:
        changed = f"  {made.changed_values:,} rows have another {policy.sensitive_value} than in the source"
        lines.insert(2, f"{changed} (do not publish this number)")
    return "\n".join(lines)


def _shares(written: release.Written, columns: list[str]) -> str:
    """As in "a value of disease is up to 100.0% and a value of treatment is up to 50.0%"."""
    shares = written.check.worst_alone
    return " and ".join(f"a value of {name} is up to {float(shares[name]):.1%}" for name in columns)


def _where(written: release.Written) -> str:
    if written.database is None:
        return " and ".join(str(file) for file in written.files)
    tables = "table" if len(written.tables) == 1 else "tables"
    return f"the {tables} {' and '.join(written.tables)} in {written.database}"


def _in_short(policy: Policy) -> str:
    """The policy that was applied, and the start of its hash in the manifest."""
    changed = policy.as_dict()
    said = [
        f"{', '.join(policy.quasi_identifiers)} -> {policy.sensitive_value}{' (joint)' if policy.joint else ''}",
        f"l = {policy.diversity}",
        *(f"{name} {changed[name]}" for name in ("algorithm", "recoding", "intervals", "missing")),
        *(f"order of {name}" for name in policy.orders),
        *(f"hierarchy of {name} {tree.sha256[:12]}" for name, tree in policy.hierarchies.items()),
        *(f"{name} as {style}" for name, style in policy.styles.items()),
        *(f"{name} in steps of {step}" for name, step in policy.grids.items()),
    ]
    return f"{'; '.join(said)} (sha256 {policy.sha256[:12]})"
