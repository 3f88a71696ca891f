"""`pellucid hierarchy`: build the hierarchy of a column, as a file to look at and to edit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import polars as pl
import typer

from .. import trees
from ..errors import PolicyError, listed
from ..hierarchies import Hierarchy
from ..settings import CalendarStep, near
from ..sources import open_source
from ..sources.targets import Staging, explained, require_place
from .columns import aligned
from .console import guarded, print_json, say
from .described import Decimal, Encoding, Null, Query, Quote, Separator, Sheet, Table, described
from .options import Json, names, number

__all__ = ["hierarchy"]

_SHOWN = 3


def hierarchy(
    *,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The table that has the column.")],
    column: Annotated[str, typer.Option("-c", "--column", metavar="COLUMN", help="The column.")],
    width: Annotated[
        str | None,
        typer.Option("--width", metavar="5,10,20", help="Numbers: intervals of this width, level by level."),
    ] = None,
    breaks: Annotated[
        list[str] | None,
        typer.Option("--breaks", metavar="18,30,65", help="Numbers: intervals from break to break; once per level."),
    ] = None,
    frequency: Annotated[
        str | None,
        typer.Option(
            "--frequency",
            metavar="16,4",
            help="Numbers: so many intervals with about as many rows in each. Not for the sensitive column.",
        ),
    ] = None,
    calendar: Annotated[
        str | None,
        typer.Option("--calendar", metavar="month,year", help="Dates: day, week, month, quarter, year."),
    ] = None,
    prefix: Annotated[
        str | None,
        typer.Option("--prefix", metavar="3,2", help="Codes, such as zip codes: how many characters each level keeps."),
    ] = None,
    icd: Annotated[
        int | None,
        typer.Option("--icd", metavar="9|10", help="Diagnoses: codes of this edition, up to their chapters."),
    ] = None,
    digits: Annotated[
        int | None,
        typer.Option("--digits", metavar="N", help="With --prefix: codes have N digits, some lost their first zeros."),
    ] = None,
    apart: Annotated[
        list[str] | None,
        typer.Option("--apart", metavar="V,W", help="Values that lie near no other, such as unknown."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write it there, not to the screen.")
    ] = None,
    table: Table = None,
    query: Query = None,
    separator: Separator = None,
    quote: Quote = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    null: Null = None,
    sheet: Sheet = None,
    as_json: Json = False,
) -> None:
    """Build a hierarchy of COLUMN, finest level first: a file for --hierarchy, one line per value."""
    with guarded(as_json=as_json):
        ways = {
            "--width": width,
            "--breaks": breaks,
            "--frequency": frequency,
            "--calendar": calendar,
            "--prefix": prefix,
            "--icd": icd,
        }
        way = _only([option for option, given in ways.items() if given is not None], ways)
        more: dict[str, Any] = {"apart": names(apart) or []}
        if digits is not None:
            if prefix is None:
                raise PolicyError("--digits says how long codes are.", remedy="It goes with --prefix.")
            more["digits"] = digits
        original = open_source(
            described(
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
        )
        if output is not None:
            require_place(output, original.path)
        if column not in original.columns:
            raise PolicyError(
                f"{original.name} has no column named {column!r}.",
                remedy=near(column, original.columns) or f"Its columns are {listed(original.columns)}.",
            )
        made = _built(original.read([column])[column], way, ways[way], more)
        if output is not None:
            with Staging() as staging, explained(output):
                made.write(staging.add(output))
                staging.commit()
        if as_json:
            where = {"rows": made.paths} if output is None else {"file": str(output)}
            print_json({"status": 0, "column": column, "hierarchy": made.as_dict(), **where})
        elif output is None:
            sys.stdout.write(made.text)
        else:
            say(_described(made, column, output))
            if frequency is not None:
                say("It counts the rows of this table: it is for quasi-identifiers, never for the sensitive column.")


def _only(asked: Sequence[str], known: Iterable[str]) -> str:
    """The one way that is asked for."""
    if len(asked) != 1:
        said = f"{' and '.join(asked)} exclude each other" if asked else "Nothing says how to build the hierarchy"
        raise PolicyError(f"{said}.", remedy=f"Give one of {', '.join(known)}.")
    return asked[0]


def _built(values: pl.Series, way: str, given: Any, more: Mapping[str, Any]) -> Hierarchy:
    if way == "--breaks":
        return trees.by_breaks(values, *map(_numbers, given), **more)
    if way == "--calendar":
        return trees.by_calendar(values, *cast("list[CalendarStep]", names([given])), **more)
    if way == "--icd":
        return trees.by_icd(values, edition=given, **more)
    build: Callable[..., Hierarchy] = {
        "--width": trees.by_width,
        "--frequency": trees.by_frequency,
        "--prefix": trees.by_prefix,
    }[way]
    return build(values, *_numbers(given), **more)


def _numbers(text: str) -> list[Any]:
    """Numbers between commas; what is none is left to whoever wants numbers."""
    return [number(part) for part in names([text]) or []]


def _described(made: Hierarchy, column: str, file: Path) -> str:
    """The levels of a hierarchy, and how to use it."""
    rows = []
    for level in range(made.levels):
        nodes = list(dict.fromkeys(path[level] for path in made.paths))
        more = ", .." if len(nodes) > _SHOWN else ""
        rows.append(
            [
                f"  level {level}",
                f"{len(nodes):>9,} {'name' if len(nodes) == 1 else 'names'}:",
                f"{', '.join(nodes[:_SHOWN])}{more}",
            ]
        )
    return (
        f"Wrote {file}: {len(made.values):,} values of {column}, from themselves to {made.root}\n"
        f"{aligned(rows[0], rows[1:], texts=3)}\n"
        f"Look at it, change what you like, and publish with: --hierarchy {column}={file}"
    )
