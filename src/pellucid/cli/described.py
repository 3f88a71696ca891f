"""What commands are told about the file that a table is in, as in `--separator ";" --decimal ,`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from ..sources import File
from .options import names

_Source = TypeVar("_Source", bound=Path | str | None)

__all__ = ["Decimal", "Encoding", "Null", "Quote", "Separator", "Sheet", "described"]

Separator = Annotated[
    str | None, typer.Option("--separator", metavar="C", help="What separates values in a text file, such as ; or tab.")
]
Quote = Annotated[
    str | None, typer.Option("--quote", metavar="C", help='What stands around values: " or \' or none \\[default: "].')
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Such as windows-1252 \\[default: utf-8, or what a mark says]."),
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", metavar=".|,", help="What stands before the decimals of numbers.")
]
Null = Annotated[
    list[str] | None, typer.Option("--null", metavar="A,B", help="Texts that mean a missing value, such as NA,?")
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="Which sheet of an Excel file, by name or number.")
]


def described(source: _Source, *, null: list[str] | None, **said: Any) -> File | _Source:
    """A source, with what is said of the file it is in, if anything is."""
    given = {name: value for name, value in {**said, "null": names(null)}.items() if value is not None}
    return source if source is None or not given else File(source, **given)
