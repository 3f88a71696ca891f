"""`pellucid check`: judge a released file, of this program or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from ..errors import CheckFailedError, PolicyError, SourceError, listed
from ..microdata import require_plain
from ..recodings import GROUP_ID
from ..runs import at_once
from ..sources import Database, File, Source, open_release
from ..sources.databases import anatomy_in
from ..sources.file_target import target_files
from ..sources.formats import split_name
from ..verify import Check, check_anatomy, check_groups
from .console import guarded, print_json, say
from .described import Encoding, Null, Query, Quote, Separator, Sheet, Table, described, shown
from .options import Diversity, Joint, Json, QuasiIdentifiers, Sensitive, columns, names

__all__ = ["check"]


def check(
    *,
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE",
            help="A released file, or the address of a database; of an anatomy, its name or one of its two files.",
        ),
    ],
    table: Table = None,
    query: Query = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    joint: Joint = None,
    diversity: Diversity = None,
    separator: Separator = None,
    quote: Quote = None,
    encoding: Encoding = None,
    null: Null = None,
    sheet: Sheet = None,
    as_json: Json = False,
) -> None:
    """Say whether every group of RELEASE is L-diverse: at most 1/L of it has the same sensitive value."""
    with guarded(as_json=as_json):
        if sensitive is None or diversity is None:
            raise PolicyError("check needs the sensitive column (-s) and l (-l).")
        if diversity < 1:
            raise PolicyError(f"l (-l) must be a whole number of at least 1, not {diversity}.")
        asked = columns(sensitive, joint=joint)
        of_value = (asked,) if isinstance(asked, str) else tuple(asked or ())
        if joint and len(of_value) < 2:
            raise PolicyError("--joint is for several sensitive columns, such as -s disease,treatment.")
        said: dict[str, Any] = {"separator": separator, "quote": quote, "encoding": encoding, "sheet": sheet}
        place = described(release, table=table, query=query, null=null, **said)
        tables = [open_release(each) for each in _anatomy_of(place) or (place,)]
        verdict = _judge(tables, names(quasi_identifiers) or [], of_value, diversity)
        if as_json:
            print_json({"status": 0 if verdict.diverse else CheckFailedError.exit_status, "check": verdict.as_dict()})
        else:
            say(_described(shown(release, place), verdict))
        if not verdict.diverse:
            raise typer.Exit(CheckFailedError.exit_status)


def _judge(tables: Sequence[Source], quasi_identifiers: list[str], sensitive: tuple[str, ...], diversity: int) -> Check:
    if len(tables) == 1:
        return _judge_table(tables[0], quasi_identifiers, sensitive, diversity)
    qi, values = tables
    _require(qi, [GROUP_ID, *quasi_identifiers])
    _require(values, [GROUP_ID, *sensitive])
    numbers, entries = _read(qi, [GROUP_ID]), _read(values, [GROUP_ID, *sensitive])
    return at_once(lambda: check_anatomy(numbers, entries, GROUP_ID, sensitive, diversity))


def _anatomy_of(place: str | File | Database | None) -> tuple[object, object] | None:
    """The two tables of an anatomy, given the name that it was written under or one of its files."""
    if isinstance(place, Database):
        return anatomy_in(place)
    release = Path(place.path if isinstance(place, File) else place or "")
    if not release.name:
        return None
    base = release
    stem, ending = split_name(release)
    for part in (".qi", ".sensitive"):
        if stem.endswith(part):
            base = release.with_name(stem.removesuffix(part) + ending)
    qi, values = target_files(base, "anatomy")
    if (base == release and release.exists()) or not (qi.exists() and values.exists()):
        return None
    return (replace(place, path=qi), replace(place, path=values)) if isinstance(place, File) else (qi, values)


def _judge_table(table: Source, quasi_identifiers: list[str], sensitive: tuple[str, ...], diversity: int) -> Check:
    groups = [column for name in quasi_identifiers for column in _published(name, table.columns)]
    if not groups and GROUP_ID in table.columns:
        groups = [GROUP_ID]
    if not groups:
        raise PolicyError("check needs the quasi-identifiers (-q): groups are the rows with the same values in them.")
    _require(table, [*groups, *sensitive])
    rows = _read(table, [*groups, *sensitive])
    return at_once(lambda: check_groups(rows, groups, sensitive, diversity))


def _read(table: Source, columns: list[str]) -> pl.DataFrame:
    rows = table.read(columns)
    require_plain(rows.drop(pl.selectors.by_dtype(pl.Null)))  # a column of missing values is one
    return rows


def _published(name: str, columns: list[str]) -> list[str]:
    """The columns that hold an attribute: its own, or its two bounds."""
    bounds = [f"{name}_min", f"{name}_max"]
    return bounds if name not in columns and all(bound in columns for bound in bounds) else [name]


def _require(table: Source, columns: list[str]) -> None:
    for name in columns:
        if columns.count(name) > 1:
            raise PolicyError(f"{name!r} is named more than once.")
        if table.columns.count(name) != 1:
            many = "no" if name not in table.columns else "more than one"
            raise SourceError(
                f"{table.name} has {many} column named {name!r}.", remedy=f"Its columns are {listed(table.columns)}."
            )


def alone(check: Check) -> list[str]:
    """Of a joint value: what nothing bounds."""
    return [
        f"  {name} by itself: its most frequent value is up to {float(share):.1%} of a group"
        f"{'' if share * check.diversity <= 1 else ', which nothing forbids'}"
        for name, share in check.worst_alone.items()
    ]


def _described(release: str, check: Check) -> str:
    verdict = (
        f"{release} is {check.diversity}-diverse."
        if check.diverse
        else f"{release} is NOT {check.diversity}-diverse: {check.groups_not_diverse:,} of its groups are not."
    )
    return "\n".join(
        [
            verdict,
            f"  {check.rows:,} rows, {check.groups:,} groups, {check.sensitive_values:,} sensitive values",
            f"  the smallest group has {check.smallest_group:,} rows, the average {check.average_group:.1f}",
            f"  the most frequent value of a group is {float(check.worst_frequency):.1%} of it"
            f" ({check.worst_frequency}); l = {check.diversity} allows {1 / check.diversity:.1%}",
            *alone(check),
            "  This judges the file alone: whether somebody who knows the program learns more, it cannot say.",
        ]
    )
