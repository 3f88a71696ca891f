"""The options that commands share, as in `pellucid anonymize -q age,zipcode -s disease -l 8`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from ..errors import PolicyError
from ..version import __version__

__all__ = [
    "Diversity",
    "Json",
    "QuasiIdentifiers",
    "Sensitive",
    "lines",
    "names",
    "version_option",
]


def names(lists: list[str] | None) -> list[str] | None:
    """Column names out of comma-separated lists; a name that holds a comma stands in double quotes."""
    if lists is None:
        return None
    return [name for line in csv.reader(lists, skipinitialspace=True) for name in line]


def lines(file: Path | None) -> list[str] | None:
    """The lines of a text file, without their ends."""
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as problem:
        raise PolicyError(f"{file} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError as problem:
        raise PolicyError(f"{file} is not UTF-8 text.") from problem


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"pellucid {__version__}")
        raise typer.Exit


def version_option(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Publish tables about people so that even somebody who knows the program cannot tell who has what."""


QuasiIdentifiers = Annotated[
    list[str] | None,
    typer.Option(
        "-q",
        "--quasi-identifiers",
        metavar="A,B,C",
        help="The columns that somebody could know about a person. A name with a comma in it stands in double quotes.",
    ),
]
Sensitive = Annotated[
    str | None, typer.Option("-s", "--sensitive", metavar="S", help="The column that nobody must be tied to.")
]
Diversity = Annotated[
    int | None,
    typer.Option(
        "-l", "--diversity", metavar="L", help="No one is tied to a sensitive value with more than 1/L confidence."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output, and nothing else there.")]
