"""The options that commands share, as in `pellucid anonymize -q age,zipcode -s disease -l 8`."""

from __future__ import annotations

import contextlib
import csv
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ..errors import PolicyError
from ..passwords import may_hold_a_password, require_file_name
from ..settings import repeated
from ..version import __version__

__all__ = [
    "SWITCH",
    "Anonymity",
    "Diversity",
    "Grids",
    "Hierarchies",
    "Identifier",
    "Joint",
    "Json",
    "Missing",
    "Protected",
    "QuasiIdentifiers",
    "Recoding",
    "Sensitive",
    "SensitiveOrder",
    "Styles",
    "columns",
    "lines",
    "names",
    "number",
    "of_columns",
    "steps",
    "version_option",
]


SWITCH: Final = ""
"""What help says of the value of an option that has none; `<bool>` would ask for one."""


def names(lists: list[str] | None) -> list[str] | None:
    """Column names out of comma-separated lists; a name that holds a comma stands in double quotes."""
    if lists is None:
        return None
    return [name for line in csv.reader(lists, skipinitialspace=True) for name in line]


def columns(text: str | None, *, joint: bool | None) -> str | list[str] | None:
    """The sensitive column as it is written, commas and all; the columns of a list if they are declared joint."""
    return names([text]) if joint and text is not None else text


def lines(file: Path | None) -> list[str] | None:
    """The values in a text file, one on each line. What Unicode counts as a line end besides may stand in a value.

    A blank line is the empty text, which may be a value. At the end of a file there may be any number of them: they
    are that value once, unless it stood on a line before.
    """
    if file is None:
        return None
    require_file_name(file)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise PolicyError(f"{file} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError as problem:
        raise PolicyError(f"{file} is not UTF-8 text.") from problem
    if not text:
        raise PolicyError(f"{file} is empty.", remedy="It needs one value on each line.")
    values = text.rstrip("\n").split("\n")
    for value in repeated(values):
        places = [str(number) for number, line in enumerate(values, 1) if line == value]
        what = f"the value {value!r}" if value else "a blank line, which is the empty text,"
        raise PolicyError(
            f"{file} has {what} more than once: on the lines {', '.join(places)}.", remedy="Keep one of them."
        )
    if text.endswith("\n\n") and "" not in values:
        values.append("")
    return values


def of_columns(option: str, settings: list[str] | None) -> dict[str, Any] | None:
    """Settings of single columns, as in ``--style age=set``. A column with "=" in its name needs a policy file."""
    if settings is None:
        return None
    found: dict[str, Any] = {}
    for setting in settings:
        column, equals, value = setting.partition("=")
        if not (column and equals and value):
            given_instead = "" if may_hold_a_password(setting) else f", not {setting!r}"
            raise PolicyError(f"{option} needs COLUMN=VALUE{given_instead}.")
        if column in found:
            raise PolicyError(f"{option} is given twice for {column!r}.", remedy="Give it once.")
        found[column] = value
    return found


def steps(settings: list[str] | None) -> dict[str, Any] | None:
    """The steps of columns, as in ``--grid age=5``."""
    given = of_columns("--grid", settings)
    return None if given is None else {column: number(text) for column, text in given.items()}


def number(text: str) -> int | float | str:
    """A number, if the text is one."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"pellucid {__version__}")
        raise typer.Exit


def version_option(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", metavar=SWITCH, callback=_show_version, is_eager=True, help="Show the version and leave."
        ),
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
Identifier = Annotated[
    str | None,
    typer.Option("--identifier", metavar="ID", help="The column that names the person. It is not published."),
]
Joint = Annotated[
    bool | None,
    typer.Option(
        "--joint",
        metavar=SWITCH,
        help="S is a list of columns, such as disease,treatment, whose combination nobody must be tied to. It says"
        " nothing of each of them alone.",
        show_default=False,
    ),
]
Diversity = Annotated[
    int | None,
    typer.Option(
        "-l", "--diversity", metavar="L", help="No one is tied to a sensitive value with more than 1/L confidence."
    ),
]
Anonymity = Annotated[
    int | None, typer.Option("--anonymity", metavar="K", help="Of mask: the smallest group \\[default: L].")
]
Protected = Annotated[
    list[str] | None,
    typer.Option("--protected", metavar="V,W", help="Of mask: the values of S that it bounds \\[default: all]."),
]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=FILE",
        help="Which values of a column are alike: one line per value, such as Vienna;Austria;Europe;*",
    ),
]
Styles = Annotated[
    list[str] | None,
    typer.Option(
        "--style",
        metavar="COLUMN=ancestor|set|range",
        help="How groups publish a column \\[default: ancestor with a hierarchy, range with an order, else set].",
    ),
]
Grids = Annotated[
    list[str] | None,
    typer.Option(
        "--grid",
        metavar="COLUMN=STEP",
        help="Numbers in steps, such as age=5, or dates: day, week, month, quarter, year.",
    ),
]
SensitiveOrder = Annotated[
    Path | None,
    typer.Option(
        "--sensitive-order",
        metavar="FILE",
        help="All values of the sensitive column, one per line, those that are alike next to each other.",
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="error|category|drop",
        help="Missing values: refuse, count as a value, or leave the row out \\[default: error].",
    ),
]
Recoding = Annotated[
    str | None,
    typer.Option("--recoding", metavar="mbr|anatomy", help="Intervals, or two separate tables \\[default: mbr]."),
]
Json = Annotated[
    bool,
    typer.Option("--json", metavar=SWITCH, help="Print one JSON object on standard output, and nothing else there."),
]
